import { FACTS } from '../models/facts.ts'
import { lookup } from '../text/lookup.ts'
import { checkNames, checkOptions, kindOf, mistake } from '../validation/arguments.ts'
import { oneOf } from '../validation/messages.ts'
import { QUIRKS } from '../wires/quirk-table.ts'
import type { Quirks } from '../wires/quirks.ts'

type Row = (typeof QUIRKS)[keyof typeof QUIRKS] | (typeof FACTS)[keyof typeof FACTS]
type Kind = Exclude<Extract<Row, { readonly type: string }>['type'], 'facts'>

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

/** The values of a row without words, as the schema of the configuration has them. */
const KINDS: Readonly<Record<Kind, readonly [expected: string, accepts: (value: unknown) => boolean]>> = {
  flag: ['true or false', (value) => typeof value === 'boolean'],
  text: ['text', isText],
  number: ['a number of at least 0', (value) => typeof value === 'number' && value >= 0],
  names: [
    'an object of names and texts',
    (value) => kindOf(value) === 'Object' && Object.values(value as object).every(isText),
  ],
  paths: ['a list of texts', isTexts],
  words: ['a list of texts', isTexts],
}

/** Throws a TypeError for a quirk that does not exist, and for a value that it cannot have. `isOwn`: there may be others. */
export function checkQuirkValues(quirks: Quirks, place: string, isOwn: boolean): void {
  if (!isOwn) checkNames(quirks, place, Object.keys(QUIRKS))
  checkRows(quirks, QUIRKS, place)
}

function checkRows(values: object, rows: Readonly<Record<string, Row>>, place: string): void {
  for (const [name, value] of Object.entries(values)) {
    const row = lookup(rows, name)
    if (row !== undefined && value !== undefined) checkValue(value, row, `${place}.${name}`)
  }
}

function checkValue(value: unknown, row: Row, place: string): void {
  if ('one' in row) checkWord(value, row.one, place)
  else if ('some' in row) {
    if (!Array.isArray(value)) throw mistake(place, `a list of ${row.some.join(', ')}`, value)
    value.forEach((word, at) => checkWord(word, row.some, `${place}[${at}]`))
  } else if (row.type === 'facts') checkFacts(value, place)
  else if (!('or' in row && value === row.or)) {
    const [expected, accepts] = KINDS[row.type]
    if (!accepts(value)) throw mistake(place, 'or' in row ? `${expected}, or ${row.or}` : expected, value)
    if (value === Number.POSITIVE_INFINITY && LEAST.test(place)) throw mistake(place, 'a finite number', value)
  }
}

/** A bound from below that no value reaches. */
const LEAST = /\.least\w+$/

function checkWord(value: unknown, words: readonly unknown[], place: string): void {
  if (!words.includes(value)) throw mistake(place, oneOf(words), value)
}

function checkFacts(models: unknown, place: string): void {
  if (kindOf(models) !== 'Object') throw mistake(place, 'an object of models and their facts', models)
  for (const [model, facts] of Object.entries(models as object)) {
    const name = `${place}[${JSON.stringify(model)}]`
    checkOptions(facts, Object.keys(FACTS), name)
    checkRows(facts, FACTS, name)
  }
}
