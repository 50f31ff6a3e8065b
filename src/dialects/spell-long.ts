import type { Json, JsonObject } from '../protocol/json.ts'
import type { Steps } from '../text/steps.ts'
import type { Dialect } from './dialect.ts'
import type { JsonWriter } from './json-writer.ts'
import { fieldsOf, isListOfObjects } from './projection.ts'
import { writeField, writeView } from './write-view.ts'

/** A value that contains more values than this is written in slices. */
const MANY = 1000

/** Entries of a list that are written in one slice. */
const ENTRIES = 64

export const isLong = (value: unknown): boolean => countDown(value, MANY) < 0

/** Returns `left` less the number of values in `value`. Stops counting below zero. */
function countDown(value: unknown, left: number): number {
  let rest = left - 1
  if (typeof value !== 'object' || value === null) return rest
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && rest >= 0; at += 1) rest = countDown(value[at], rest)
    return rest
  }
  // A list of all members, as `Object.values` makes it, would take most of the time.
  for (const name in value) {
    if (rest < 0) return rest
    const inner = (value as JsonObject)[name]
    rest = typeof inner === 'object' && inner !== null ? countDown(inner, rest) : rest - 1
  }
  return rest
}

/** As `writeView`, in slices, for long objects. */
export function* writeViewInSteps(dialect: Dialect, writer: JsonWriter, value: object, name: string): Steps<void> {
  let between = '{'
  for (const { field, inner, isOurs } of fieldsOf(dialect, value, name)) {
    const { key, label } = field
    writer.add(between)
    writer.add(label)
    between = ','
    if (isOurs && isList(key, inner) && isLong(inner)) yield* writeListInSteps(dialect, writer, inner, key)
    else writeField(dialect, writer, name, field, inner, isOurs)
  }
  writer.add(between === '{' ? '{}' : '}')
}

/** Lists that may be long: of objects that are written by their types, and of log probabilities. */
const isList = (key: string, value: Json): value is readonly Json[] =>
  isListOfObjects(key, value) || (key === 'logprobs' && Array.isArray(value))

/** Writes the list that is the value of the field `key`. */
export function* writeListInSteps(
  dialect: Dialect,
  writer: JsonWriter,
  values: readonly Json[],
  key: string,
): Steps<void> {
  const areViews = isListOfObjects(key, values)
  let between = '['
  for (const [at, value] of values.entries()) {
    writer.add(between)
    between = ','
    if (!areViews) writer.writeValue(value)
    else if (isLong(value)) yield* writeViewInSteps(dialect, writer, value as JsonObject, '')
    else writeView(dialect, writer, value as JsonObject, '')
    if (at % ENTRIES === ENTRIES - 1) yield
  }
  writer.add(between === '[' ? '[]' : ']')
}
