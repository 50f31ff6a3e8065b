import type { PathMap } from '../../protocol/source-map.ts'
import { isObject, toArray } from '../../text/json.ts'
import { stepsOf } from '../../text/json-path.ts'
import { formatPath } from '../messages.ts'
import { placesOf, withGivenName } from './usual-form.ts'

/** Names of a member in the forms of other protocols. */
const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['call_id', ['tool_call_id', 'id']],
  ['output', ['content']],
  ['parameters', ['input_schema']],
  ['input_schema', ['parameters']],
  ['parts', ['content']],
])

/** Objects that some protocols have around members, and others do not. */
const AROUND = ['function', 'image_url', 'file', 'json_schema', 'source', 'inlineData', 'fileData']

const has = (value: unknown, name: string): value is Readonly<Record<string, unknown>> =>
  (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, name)

/** The steps to a member, or to the same one in another form; undefined if the value has none. */
function stepsTo(value: unknown, step: string): readonly string[] | undefined {
  const names = [step, ...(OTHER_NAMES.get(step) ?? [])]
  const own = names.find((name) => has(value, name))
  if (own !== undefined) return [own]
  for (const around of AROUND) {
    const inner = has(value, around) ? names.find((name) => has(value[around], name)) : undefined
    if (inner !== undefined) return [around, inner]
  }
  return undefined
}

/** Whether only the other form has this step: an object around members, or a list of one entry. */
const isOfForm = (value: unknown, step: string): boolean => AROUND.includes(step) || (step === '0' && isObject(value))

/**
 * Translates a path of a body that was brought into the usual form of its protocol to that of the client's own. What the
 * client did not send stays as it is.
 */
export function givenPath(given: unknown, path: string): string {
  const steps = stepsOf(path)
  const own: PropertyKey[] = []
  let value = given
  let isSame = true
  for (const [at, step] of steps.entries()) {
    const next = steps[at + 1]
    const isSkipped = next !== undefined && isOfForm(value, step) && stepsTo(value, next) !== undefined
    const found = stepsTo(value, step) ?? (isSkipped ? [] : undefined)
    if (found === undefined) return isSame ? path : formatPath([...own, ...steps.slice(at).map(toKey)])
    isSame &&= found[0] === step
    for (const one of found) {
      own.push(Array.isArray(value) ? Number(one) : one)
      value = (value as Readonly<Record<string, unknown>>)[one]
    }
  }
  return isSame ? path : formatPath(own)
}

const toKey = (step: string): PropertyKey => (/^\d+$/.test(step) ? Number(step) : step)

/** Translates paths of a request of the Responses API in its usual form. */
export function usualPaths(given: unknown): PathMap {
  const body = isObject(given) ? given : {}
  const list = (body.input ?? null) === null && Array.isArray(body.messages) ? 'messages' : 'input'
  let places: readonly string[] | null = null
  return (path) => {
    const [entry, index] = /^input\[(\d+)\]/.exec(path) ?? []
    if (entry === undefined) return givenPath(body, withGivenName(body, path))
    places ??= toArray(body[list]).flatMap((item, at) => placesOf(item, `${list}[${at}]`))
    return givenPath(body, (places[Number(index)] ?? entry) + path.slice(entry.length))
  }
}
