import type { Json, JsonObject } from '../protocol/json.ts'
import type { Dialect } from './dialect.ts'
import type { JsonWriter } from './json-writer.ts'
import { eachField, isListOfObjects, projectField } from './projection.ts'

/** Writes the result of `view`, without building it first. */
export function writeView(dialect: Dialect, writer: JsonWriter, value: object, name: string): void {
  let between = '{'
  eachField(dialect, value, name, (key, inner, isOurs, label) => {
    writer.add(between)
    writer.add(label)
    between = ','
    spellField(dialect, writer, name, key, inner, isOurs)
  })
  writer.add(between === '{' ? '{}' : '}')
}

/** Writes the value of a field, in an object that has the view `name`. */
export function spellField(
  dialect: Dialect,
  speller: JsonWriter,
  name: string,
  key: string,
  inner: Json,
  isOurs: boolean,
): void {
  if (!isOurs) speller.spell(inner)
  else if (isListOfObjects(key, inner)) spellList(dialect, speller, inner)
  else {
    const shown = projectField(dialect, key, inner)
    // These fields echo the request at the beginning of a response, and again at its end.
    if (name === 'response' && shown === inner) speller.writeCached(shown)
    else speller.spell(shown)
  }
}

function spellList(dialect: Dialect, speller: JsonWriter, values: readonly JsonObject[]): void {
  let between = '['
  for (const value of values) {
    speller.add(between)
    between = ','
    writeView(dialect, speller, value, '')
  }
  speller.add(between === '[' ? '[]' : ']')
}
