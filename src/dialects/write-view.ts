import type { Json, JsonObject } from '../protocol/json.ts'
import type { Dialect } from './dialect.ts'
import type { Speller } from './json-writer.ts'
import { eachField, isListOfViews, viewField } from './projection.ts'

/** Writes the result of `view`, without building it first. */
export function spellView(dialect: Dialect, speller: Speller, value: object, name: string): void {
  let between = '{'
  eachField(dialect, value, name, (key, inner, isOurs, label) => {
    speller.add(between)
    speller.add(label)
    between = ','
    spellField(dialect, speller, name, key, inner, isOurs)
  })
  speller.add(between === '{' ? '{}' : '}')
}

/** Writes the value of a field, in an object that has the view `name`. */
export function spellField(
  dialect: Dialect,
  speller: Speller,
  name: string,
  key: string,
  inner: Json,
  isOurs: boolean,
): void {
  if (!isOurs) speller.spell(inner)
  else if (isListOfViews(key, inner)) spellList(dialect, speller, inner)
  else {
    const shown = viewField(dialect, key, inner)
    // These fields echo the request at the beginning of a response, and again at its end.
    if (name === 'response' && shown === inner) speller.again(shown)
    else speller.spell(shown)
  }
}

function spellList(dialect: Dialect, speller: Speller, values: readonly JsonObject[]): void {
  let between = '['
  for (const value of values) {
    speller.add(between)
    between = ','
    spellView(dialect, speller, value, '')
  }
  speller.add(between === '[' ? '[]' : ']')
}
