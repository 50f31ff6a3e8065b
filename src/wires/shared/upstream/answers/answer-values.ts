import { isNonEmptyString, isObject } from '../../../../text/json.ts'
import { type Deltas, emitLoss } from '../deltas.ts'

/** Values of answers whose JSON kind is not the documented one: read where the meaning is certain, otherwise a loss. */

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || value === false || isEmptyObject(value)

const isEmptyObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'list' : value === null ? 'null' : value === undefined ? 'missing' : typeof value

/** Adds the loss of a value of another JSON kind than the field has. */
export function emitWrongKind(field: string, value: unknown, deltas: Deltas): void {
  if (!isMissing(value)) emitLoss(`${field} that is a JSON ${kindOf(value)}`, deltas)
}

const isNumbered = (value: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(value).every(([name, entry]) => /^\d+$/.test(name) && isObject(entry))

const NO_OBJECTS: readonly Readonly<Record<string, unknown>>[] = []

/**
 * Returns the objects of a list. Some servers send a single object in place of the list (TGI's `tool_calls`), or an
 * object of numbered ones.
 */
export function readObjects(
  value: unknown,
  field: string,
  deltas: Deltas,
): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) {
    if (value.every(isObject)) return value
    for (const entry of value) if (!isObject(entry)) emitWrongKind(field, entry, deltas)
    return value.filter(isObject)
  }
  if (isObject(value))
    return isMissing(value) ? NO_OBJECTS : isNumbered(value) ? Object.values(value).filter(isObject) : [value]
  emitWrongKind(field, value, deltas)
  return NO_OBJECTS
}

/** Members that hold the text of an object that is sent in place of a text. */
const TEXTS = [
  'text',
  'content',
  'thinking',
  'reasoning',
  'reasoningText', // Bedrock, by gateways in front of it
  'thought',
  'summary',
  'value',
  'parts',
] as const

/** No vendor nests a text deeper. */
const DEEPEST = 4

/** Returns a text, also of an object or a list that is sent in its place; empty if it has none. */
export function readText(value: unknown, deepest = DEEPEST): string {
  if (typeof value === 'string') return value
  if (deepest === 0 || typeof value !== 'object' || value === null) return ''
  if (Array.isArray(value)) return value.map((entry) => readText(entry, deepest - 1)).join('')
  for (const name of TEXTS) {
    const text = readText((value as Readonly<Record<string, unknown>>)[name], deepest - 1)
    if (text !== '') return text
  }
  return ''
}

/** Returns a text like `readText`, and a loss if a value of another kind has none. */
export function readTextField(value: unknown, field: string, deltas: Deltas): string {
  if (typeof value === 'string') return value
  const text = readText(value)
  if (text === '') emitWrongKind(field, value, deltas)
  return text
}

/**
 * Returns the id of a call; null if it has none. Some servers write a missing id as the word `null`
 * (Mistral, zed-industries/zed#53605), and some number their calls.
 */
export const readCallId = (id: unknown): string | null =>
  isNonEmptyString(id) ? (id === 'null' ? null : id) : typeof id === 'number' ? `${id}` : null
