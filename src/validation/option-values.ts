import { kindOf, mistake } from './arguments.ts'

type Check = readonly [expected: string, accepts: (value: unknown) => boolean, options: string]

const isList = Array.isArray
const isText = (value: unknown): value is string => typeof value === 'string'
const isFunction = (value: unknown): boolean => typeof value === 'function'

/** A longer time of `setTimeout` is none. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * The values of options, which mean the same in each function that has them. Others are checked where they are read.
 */
const VALUES: readonly Check[] = [
  ['text', isText, 'id model baseUrl keyVariable messageId threadId runId'],
  ['a function', isFunction, 'now clock fetch log sign onOutcome onActivity'],
  [
    'true or false',
    (value) => typeof value === 'boolean',
    'coalesce passthrough stream usage legacy hidden reasoning array store',
  ],
  ['an object', (value) => kindOf(value) === 'Object', 'settings quirks limits'],
  ['a number', Number.isFinite, 'createdAt'],
  ['a whole number', Number.isInteger, 'seed top_k'],
  ['auto, client or off', (value) => value === 'auto' || value === 'client' || value === 'off', 'cache'],
  ['milliseconds above 0', (value) => value === Number(value) && value > 0 && value <= LONGEST_TIMER, 'keepAlive'],
  ['a list of texts', (value) => isList(value) && value.every(isText), 'stop'],
  ['an AbortSignal', (value) => kindOf(value) === 'AbortSignal', 'signal'],
]

const CHECKS = new Map(VALUES.flatMap((check) => check[2].split(' ').map((option) => [option, check] as const)))

/** Options that are checked elsewhere, and may be null as well. */
const FURTHER = ['headers', 'body', 'machines', 'requests', 'rules', 'format']

/**
 * The options without those that are null, which a program passes for what is not set. Throws a TypeError for the value of
 * an option that no function could use. Programs of the library need that, and no gateway, whose configuration has a
 * schema. `name`: of the option that holds the options.
 */
export function checkedValues<Options extends object>(options: Options, name?: string): Options {
  let set = options
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined) continue
    const place = name === undefined ? option : `${name}.${option}`
    const check = CHECKS.get(option)
    if (value === null) {
      if (check !== undefined || FURTHER.includes(option)) set = { ...set, [option]: undefined }
    } else if (option === 'headers') checkHeaders(value, place)
    else if (option === 'apiKey') checkSecret(value, place)
    else if (check !== undefined && !check[1](value)) throw mistake(place, check[0], value)
  }
  return set
}

/** Headers of a program. `fetch` would refuse others, and its failure would look like that of the connection. */
function checkHeaders(headers: unknown, place: string): void {
  if (kindOf(headers) !== 'Object') throw mistake(place, 'an object of names and texts', headers)
  for (const [name, value] of Object.entries(headers as object)) {
    if (!HEADER_NAME.test(name)) throw mistake(place, 'names of headers', name)
    // `fetch` sends a number as its digits.
    if (!Number.isFinite(value)) checkSecret(value, `${place}.${name}`)
  }
}

/** The value of a header, which may be a secret and is not repeated. */
function checkSecret(value: unknown, place: string): void {
  if (!isText(value)) throw mistake(place, 'text', value)
  if (!isHeaderValue(value)) throw new TypeError(`${place}: expected text on one line, as a header has it`)
}

/** RFC 9110, 5.6.2. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/** The values that `fetch` sends: it removes white space around them. */
const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim())
