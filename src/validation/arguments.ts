import { FORMATS, type FormatName } from '../framing/format.ts'
import { LIMITS, type Limits } from '../protocol/limits.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { describeValue, oneOf } from './messages.ts'

/**
 * Mistakes of a program in plain JavaScript, which no compiler reports. Each check throws a TypeError that names the
 * argument, what is expected and what was received.
 */

/** The kind of an object as the language names it, also of another realm: `Uint8Array`, `Promise`, `Object`. */
export const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice('[object '.length, -1)

const describeArgument = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && kindOf(value) !== 'Object'
    ? `a value of the type ${kindOf(value)}`
    : typeof value === 'function'
      ? 'a function'
      : describeValue(value)

export const mistake = (name: string, expected: string, value: unknown): TypeError =>
  new TypeError(`${name}: expected ${expected}, got ${describeArgument(value)}`)

/**
 * Options of a function. A name that it does not have is a mistake as well: a misspelt hook never runs.
 *
 * `name`: of the option that holds them; left out for the options themselves.
 */
export function checkOptions(options: unknown, names: readonly string[], name?: string): void {
  if (kindOf(options) !== 'Object') throw mistake(name ?? 'options', 'an object', options)
  checkNames(options as object, name, names)
}

/** The names of an object of options alone. */
export function checkNames(options: object, name: string | undefined, names: readonly string[]): void {
  for (const given of Object.keys(options)) {
    if (names.includes(given)) continue
    const place = name === undefined ? given : `${name}.${given}`
    throw new TypeError(`${place}: no such option.${didYouMean(given, names)} The options are ${names.join(', ')}.`)
  }
}

/** Machines of a program. */
export function checkMachines(machines: unknown, name = 'machines'): void {
  if (!Array.isArray(machines)) throw mistake(name, 'a list of machines', machines)
  machines.forEach((machine: unknown, at) => {
    const { step, end } = (machine ?? {}) as { readonly step?: unknown; readonly end?: unknown }
    if (typeof step !== 'function' || typeof end !== 'function')
      throw mistake(`${name}[${at}]`, 'a machine with initial, step and end', machine)
  })
}

/** A protocol as an object, by the methods and fields without which it cannot be used. */
export function checkProtocol(given: unknown, name: string, expected: string, members: readonly string[]): void {
  const found = (typeof given === 'object' && given !== null ? given : {}) as Readonly<Record<string, unknown>>
  const missing = members.filter((member) => found[member] === undefined)
  if (missing.length === members.length) throw mistake(name, expected, given)
  if (missing.length > 0) throw new TypeError(`${name}: expected ${expected}; it has no ${missing.join(', ')}`)
  for (const member of members)
    if (METHOD.test(member) && !SYNCHRONOUS.test(kindOf(found[member])))
      throw mistake(`${name}.${member}`, 'a synchronous function', found[member])
}

/** The methods of protocols. Whether the one for requests is a generator shows its result alone: it may call another one. */
const METHOD = /^(?:de|en)code|^a/
const SYNCHRONOUS = /^(?:Generator)?Function$/

/** An object of a program; undefined: there is none. */
export function checkObject(given: unknown, name: string): void {
  if (given !== undefined && kindOf(given) !== 'Object') throw mistake(name, 'an object', given)
}

/** Functions of a program. */
export function checkFunctions(functions: unknown, name: string): void {
  if (!Array.isArray(functions)) throw mistake(name, 'a list of functions', functions)
  functions.forEach((one: unknown, at) => checkFunction(one, `${name}[${at}]`))
}

export function checkFunction(given: unknown, name: string): void {
  if (typeof given !== 'function') throw mistake(name, 'a function', given)
}

/** Rules of a program. `taken`: the names of others. */
export function checkRules(rules: unknown, taken: readonly string[], option = 'rules'): void {
  if (!Array.isArray(rules)) throw mistake(option, 'a list of rules', rules)
  rules.forEach((rule: unknown, at) => {
    const { name, mend } = (rule ?? {}) as { readonly name?: unknown; readonly mend?: unknown }
    if (typeof name !== 'string' || typeof mend !== 'function')
      throw mistake(`${option}[${at}]`, 'a rule with name and mend', rule)
    if (taken.includes(name)) throw new TypeError(`${option}[${at}].name: "${name}" is a rule of this package`)
  })
}

/** A body as text or as a JSON value: bytes and promises would be read as an object without members. */
export function checkRequestBody(body: unknown, name = 'body'): void {
  if (typeof body === 'object' && body !== null && !Array.isArray(body) && kindOf(body) !== 'Object')
    throw mistake(name, 'text or a JSON value', body)
}

/** The body of an answer: no value in its place is one. */
export function checkAnswerBody(body: unknown): void {
  if (typeof body !== 'string' && kindOf(body) !== 'Object') throw mistake('body', 'text or a JSON object', body)
}

export function checkText(text: unknown, name: string): void {
  if (typeof text !== 'string') throw mistake(name, 'text', text)
}

/** One read of a stream. `Buffer` is a `Uint8Array`. */
export function checkBytes(bytes: unknown, name: string): asserts bytes is Uint8Array {
  // Bytes of another realm are no instance of its class here.
  if (!(bytes instanceof Uint8Array) && kindOf(bytes) !== 'Uint8Array') throw mistake(name, 'bytes (Uint8Array)', bytes)
}

/** An answer of an upstream: a source, a response, bytes, or a whole body as an SDK returns it. */
export function checkInput(input: unknown, name: string): void {
  if (typeof input !== 'object' || input === null || !(isReadable(input) || kindOf(input) === 'Object'))
    throw mistake(name, 'a Response, a ReadableStream, an async iterable, bytes or a whole body', input)
}

/** An answer is read once. */
export function checkReadOnce(input: object, name: string): void {
  if ('bodyUsed' in input && input.bodyUsed === true)
    throw new TypeError(`${name}: the body of this Response has been read already; pass response.clone() to one reader`)
}

export const isReadable = (input: object): boolean =>
  ArrayBuffer.isView(input) || READABLE.some((name) => name in input)

const READABLE = ['getReader', Symbol.asyncIterator, 'headers'] as const

/** The answer of a call, which stands in place of the protocol of the upstream. */
export function checkAnswer(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null || !('context' in answer))
    throw mistake('answer', 'the answer of a call, from encodeRequest or translateRequest', answer)
}

/** The call of a request that was refused has a failure in place of an answer. */
export function checkCall(call: unknown): void {
  if (typeof call !== 'object' || call === null || !('answer' in call))
    throw mistake('call', 'a call with ok: true, from encodeRequest', call)
}

/** A failure that the library returned; an `Error` has no code and no status. */
export function checkFailure(error: unknown): void {
  const { code, status } = (error ?? {}) as { readonly code?: unknown; readonly status?: unknown }
  if (typeof code !== 'string' || typeof status !== 'number')
    throw mistake('error', 'an object with code, message and status', error)
}

/**
 * Whether a URL is without a user name and a password: no request would send them, and lists would show them. A text that
 * is no URL has neither.
 */
export function hasNoPassword(url: string): boolean {
  if (!URL.canParse(url)) return true
  const { username, password } = new URL(url)
  return username === '' && password === ''
}

export const EXPECTED_NO_PASSWORD =
  'expected a URL without a user name and a password. Send them in headers.Authorization'

export function checkBaseUrl(url: string, name: string): void {
  if (!hasNoPassword(url)) throw new TypeError(`${name}: ${EXPECTED_NO_PASSWORD}`)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(`${name}: expected an http or https URL, got ${JSON.stringify(url)}`)
}

/** `isFixed`: the protocol has only server-sent events. */
export function checkFormat(format: FormatName | undefined, isFixed: boolean): void {
  if (format === undefined) return
  const names = isFixed ? ['sse'] : Object.keys(FORMATS)
  if (!names.includes(format)) throw mistake('format', oneOf(names), format)
}

export function checkLimits(limits: Partial<Limits> = {}): void {
  checkObject(limits, 'limits')
  checkNames(limits, 'limits', Object.keys(LIMITS))
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined && !(value > 0)) throw mistake(`limits.${name}`, 'a number above 0', value)
  }
}
