import { clientError, type GatewayError } from '../../protocol/error.ts'
import { dropped, type Loss } from '../../protocol/loss.ts'
import { isObject } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { oneOf, said } from '../../validation/issue.ts'
import type { Bag } from './state.ts'

/** What is to be said of a request besides what it asks for. */
export interface Notes {
  readonly losses: Loss[]
  /** What cannot be understood: the first is told. */
  readonly problems: GatewayError[]
}

/** An object of a request, and where it stands: names of fields are told as the client wrote them. */
export interface Fields {
  readonly bag: Bag
  /** Empty for the body itself. */
  readonly place: string
  readonly notes: Notes
}

const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const toCamel = (name: string): string => name.replace(/_+([a-z])/g, (_, letter: string) => letter.toUpperCase())

const isThere = (value: unknown): boolean => value !== undefined && value !== null

/** The API takes every name in both spellings. */
const spelt = (bag: Bag, name: string): string => (isThere(bag[name]) ? name : toSnake(name))

export const placeOf = ({ bag, place }: Fields, name: string): string =>
  place === '' ? spelt(bag, name) : `${place}.${spelt(bag, name)}`

/** The value of a field; undefined where it is left out or null. */
export const fieldOf = ({ bag }: Fields, name: string): unknown => bag[spelt(bag, name)] ?? undefined

export const has = (fields: Fields, name: string): boolean => fieldOf(fields, name) !== undefined

export function wrong({ problems }: Notes, place: string, message: string): void {
  problems.push(clientError('invalid_prompt', `${place}: ${message}`, place))
}

export const lose = ({ losses }: Notes, place: string, why: string): void => void losses.push(dropped(place, why))

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

export const textIn = (fields: Fields, name: string): string | null => expected(fields, name, isString, 'a string')

export const isOn = (fields: Fields, name: string): boolean | null =>
  expected(fields, name, (value): value is boolean => typeof value === 'boolean', 'true or false')

/** A name that must be there. */
export function nameIn(fields: Fields, name: string): string {
  const found = textIn(fields, name)
  if (found === '' || !has(fields, name)) wrong(fields.notes, placeOf(fields, name), 'expected a name, got nothing')
  return found ?? ''
}

export interface Bounds {
  readonly least: number
  readonly most: number
  readonly whole?: true
}

export function numberIn(fields: Fields, name: string, { least, most, whole }: Bounds): number | null {
  const fits = (value: unknown): value is number =>
    typeof value === 'number' && value >= least && value <= most && (whole !== true || Number.isSafeInteger(value))
  const kind = whole === true ? 'a whole number' : 'a number'
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  return expected(fields, name, fits, `${kind} ${range}`)
}

/** The row of a table under an enum, whose case does not matter. */
export function wordIn<T>(fields: Fields, name: string, table: Readonly<Record<string, T>>): T | null {
  const word = textIn(fields, name)
  if (word === null) return null
  const found = lookup(table, word.toUpperCase())
  if (found === undefined) {
    wrong(fields.notes, placeOf(fields, name), `expected ${oneOf(Object.keys(table))}, got ${said(word)}`)
  }
  return found ?? null
}

export function objectIn(fields: Fields, name: string): Fields | null {
  const bag = expected(fields, name, isObject, 'an object')
  return bag === null ? null : { bag, place: placeOf(fields, name), notes: fields.notes }
}

/** A list of objects; a single one stands for a list of one, as the API has it. */
export function objectsIn(fields: Fields, name: string): readonly Fields[] {
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

export function textsIn(fields: Fields, name: string): readonly string[] {
  const list = expected(fields, name, isList, 'a list of strings') ?? []
  const odd = list.findIndex((text) => !isString(text))
  if (odd >= 0) wrong(fields.notes, `${placeOf(fields, name)}[${odd}]`, `expected a string, got ${said(list[odd])}`)
  return list.filter(isString)
}

/** What nobody here reads has no place on the other side. `known`: what is read, or means nothing. */
export function loseOthers({ bag, place, notes }: Fields, known: ReadonlySet<string>, why: string): void {
  for (const [name, value] of Object.entries(bag)) {
    if (isThere(value) && !known.has(toCamel(name))) lose(notes, place === '' ? name : `${place}.${name}`, why)
  }
}
