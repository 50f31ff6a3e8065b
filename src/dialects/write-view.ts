import type { Json, JsonObject } from '../protocol/json.ts'
import type { Usage } from '../protocol/usage.ts'
import type { Dialect } from './dialect.ts'
import type { JsonWriter } from './json-writer.ts'
import {
  type Field,
  isListOfObjects,
  isNothingShown,
  projectField,
  shownFields,
  toWireUsage,
  withOwnFields,
} from './projection.ts'

/** Writes the result of `view`, without building it first. */
export function writeView(dialect: Dialect, writer: JsonWriter, value: object, name: string): void {
  const own = value as JsonObject
  const source = withOwnFields(own)
  const isOwn = source === own
  let isFirst = true
  writer.add('{')
  for (const field of shownFields(dialect, source, name, isOwn)) {
    const inner = source[field.key] ?? null
    if (field.optional && isNothingShown(inner)) continue
    if (inner === null && !field.projected && !isFirst) {
      writer.add(field.nextNull)
      continue
    }
    writer.add(isFirst ? field.label : field.next)
    isFirst = false
    writeField(dialect, writer, name, field, inner, isOwn || Object.hasOwn(own, field.key))
  }
  writer.add('}')
}

/** Writes the value of a field, in an object that has the view `name`. */
export function writeField(
  dialect: Dialect,
  writer: JsonWriter,
  name: string,
  { key, projected }: Field,
  inner: Json,
  isOurs: boolean,
): void {
  if (!isOurs) writer.writeValue(inner)
  else if (projected && isListOfObjects(key, inner)) writeList(dialect, writer, inner)
  else if (key === 'usage' && inner !== null) {
    writeView(dialect, writer, toWireUsage(dialect, inner as unknown as Usage), 'usage')
  } else {
    const shown = projected ? projectField(dialect, key, inner) : inner
    // These fields echo the request at the beginning of a response, and again at its end.
    if (name === 'response' && shown === inner) writer.writeCached(shown)
    else writer.writeValue(shown)
  }
}

function writeList(dialect: Dialect, writer: JsonWriter, values: readonly JsonObject[]): void {
  let between = '['
  for (const value of values) {
    writer.add(between)
    between = ','
    writeView(dialect, writer, value, '')
  }
  writer.add(between === '[' ? '[]' : ']')
}
