import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Loss } from '../../protocol/loss.ts'
import { isObject } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { oneOf, placeIn, said } from '../../validation/issue.ts'
import { type Heard, hear, isLost, type Known, known, type LostFields } from '../../validation/known.ts'
import { lose } from '../notes.ts'
import type { Bag } from './state.ts'

/** What is to be said of a request besides what it asks for. */
export interface Notes {
  readonly losses: Loss[]
  /** What cannot be understood: the first is told. */
  readonly problems: GatewayError[]
}

/** An object of a request, and where it stands: names of fields are told as the client wrote them. `Name`: what is read. */
export interface Fields<Name extends string = string> {
  readonly bag: Heard<Known<Name>>
  /** Empty for the body itself. */
  readonly place: string
  readonly notes: Notes
}

/** Of the names in tables, so that they are not made again for each object. */
const SNAKES = new Map<string, string>()

const toSnake = (name: string): string =>
  SNAKES.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Fields that are read, and what is told of some others; in both spellings. */
export function either<const Name extends string>(names: readonly Name[], lost: LostFields = {}): Known<Name> {
  for (const name of [...names, ...Object.keys(lost)]) SNAKES.set(name, toSnake(name))
  const both = Object.entries(lost).flatMap(([name, about]) => [
    [name, about] as const,
    [toSnake(name), about] as const,
  ])
  return known([...names, ...(names.map(toSnake) as Name[])], Object.fromEntries(both))
}

/** Each run of underscores is looked at once, whether or not a letter follows it. */
export const toCamel = (name: string): string =>
  name.replace(/_+[a-z]?/g, (found) => (found.endsWith('_') ? found : found.slice(-1).toUpperCase()))

const isThere = (value: unknown): boolean => value !== undefined && value !== null

/** What is there in both spellings is read in one of them. */
export function loseTwins({ bag, place, notes }: Fields, { names }: Known): void {
  for (const name in bag) {
    if (!name.includes('_') || !names.has(name)) continue
    const camel = toCamel(name)
    if (camel !== name && names.has(camel) && isThere(bag[camel]) && isLost(bag[name])) {
      lose(notes, placeIn(place, name), `${camel} says it already`)
    }
  }
}

/** The same object, of which only these fields are read: any other is lost. */
export function only<Name extends string>(found: Fields, fields: Known<Name>): Fields<Name> {
  const { bag, place, notes } = found
  loseTwins(found, fields)
  return { bag: hear(bag, fields, place, notes), place, notes }
}

/** The API takes every name in both spellings. */
const spelt = (bag: Bag, name: string): string => (isThere(bag[name]) ? name : toSnake(name))

/** The field of an object, so that the compiler sees who reads what is in no table. */
type Of<Name extends string> = NoInfer<Name>

export const placeOf = <Name extends string>({ bag, place }: Fields<Name>, name: Of<Name>): string =>
  place === '' ? spelt(bag, name) : `${place}.${spelt(bag, name)}`

/** The value of a field; undefined where it is left out or null. */
export const fieldOf = <Name extends string>({ bag }: Fields<Name>, name: Of<Name>): unknown =>
  (bag as Bag)[spelt(bag, name)] ?? undefined

export const has = <Name extends string>(fields: Fields<Name>, name: Of<Name>): boolean =>
  fieldOf(fields, name) !== undefined

export function wrong({ problems }: Notes, place: string, message: string): void {
  problems.push(clientError('invalid_prompt', `${place}: ${message}`, place))
}

/** Of fields of which one says the same as the other, the one that is read. */
export function loseBeside<Name extends string>(fields: Fields<Name>, read: Of<Name>, other: Of<Name>): void {
  if (has(fields, read) && has(fields, other)) {
    lose(fields.notes, placeOf(fields, other), `${spelt(fields.bag, read)} says it already`)
  }
}

/** What is a part of one of these kinds cannot be one of another: the API refuses it. */
export function refuseSecond<Name extends string>(fields: Fields<Name>, group: readonly Of<Name>[]): void {
  const [first, second] = group.filter((name) => has(fields, name))
  if (first === undefined || second === undefined) return
  const message = `expected a part of one kind, and ${spelt(fields.bag, first)} is there already`
  wrong(fields.notes, placeOf(fields, second), message)
}

/** The value of a field that must be of a kind; null where it is left out, or of another kind, which is told. */
function expected<T>(fields: Fields, name: string, is: (value: unknown) => value is T, what: string): T | null {
  const value = fieldOf(fields, name)
  if (value === undefined) return null
  if (is(value)) return value
  wrong(fields.notes, placeOf(fields, name), `expected ${what}, got ${said(value)}`)
  return null
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const isString = (value: unknown): value is string => typeof value === 'string'

export const textIn = <Name extends string>(fields: Fields<Name>, name: Of<Name>): string | null =>
  expected(fields, name, isString, 'a string')

export const isOn = <Name extends string>(fields: Fields<Name>, name: Of<Name>): boolean | null =>
  expected(fields, name, (value): value is boolean => typeof value === 'boolean', 'true or false')

/** A name that must be there. */
export function nameIn<Name extends string>(fields: Fields<Name>, name: Of<Name>): string {
  const found = textIn(fields, name)
  if (found === '' || !has(fields, name)) wrong(fields.notes, placeOf(fields, name), 'expected a name, got nothing')
  return found ?? ''
}

export interface Bounds {
  readonly least: number
  readonly most: number
  readonly whole?: true
}

export function numberIn<Name extends string>(
  fields: Fields<Name>,
  name: Of<Name>,
  { least, most, whole }: Bounds,
): number | null {
  const fits = (value: unknown): value is number =>
    typeof value === 'number' && value >= least && value <= most && (whole !== true || Number.isSafeInteger(value))
  const kind = whole === true ? 'a whole number' : 'a number'
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  return expected(fields, name, fits, `${kind} ${range}`)
}

/** The row of a table under an enum, whose case does not matter. */
export function wordIn<T, Name extends string>(
  fields: Fields<Name>,
  name: Of<Name>,
  table: Readonly<Record<string, T>>,
): T | null {
  const word = textIn(fields, name)
  if (word === null) return null
  const found = lookup(table, word.toUpperCase())
  if (found === undefined) {
    wrong(fields.notes, placeOf(fields, name), `expected ${oneOf(Object.keys(table))}, got ${said(word)}`)
  }
  return found ?? null
}

export function objectIn<Name extends string>(fields: Fields<Name>, name: Of<Name>): Fields | null {
  const bag = expected(fields, name, isObject, 'an object')
  return bag === null ? null : { bag, place: placeOf(fields, name), notes: fields.notes }
}

/** The same of an object of which only these fields are read. */
export function onlyIn<Name extends string, Inner extends string>(
  fields: Fields<Name>,
  name: Of<Name>,
  inner: Known<Inner>,
): Fields<Inner> | null {
  const found = objectIn(fields, name)
  return found === null ? null : only(found, inner)
}

/** A list of objects; a single one stands for a list of one, as the API has it. */
export function objectsIn<Name extends string>(fields: Fields<Name>, name: Of<Name>): readonly Fields[] {
  const { notes } = fields
  const place = placeOf(fields, name)
  const value = fieldOf(fields, name)
  if (isObject(value)) return [{ bag: value, place, notes }]
  const list = expected(fields, name, isList, 'a list')
  return (list ?? []).flatMap((bag, at): Fields[] => {
    if (isObject(bag)) return [{ bag, place: `${place}[${at}]`, notes }]
    wrong(notes, `${place}[${at}]`, `expected an object, got ${said(bag)}`)
    return []
  })
}

export function textsIn<Name extends string>(fields: Fields<Name>, name: Of<Name>): readonly string[] {
  const list = expected(fields, name, isList, 'a list of strings') ?? []
  const odd = list.findIndex((text) => !isString(text))
  if (odd >= 0) wrong(fields.notes, `${placeOf(fields, name)}[${odd}]`, `expected a string, got ${said(list[odd])}`)
  return list.filter(isString)
}
