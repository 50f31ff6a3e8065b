import type { JsonRecord } from '../../../protocol/json.ts'
import { UNSUPPORTED_VALUE } from '../../../protocol/loss.ts'
import { isObject, toArray, toCamel } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import {
  type FieldSet,
  fieldSet,
  type IgnoredFields,
  isIgnored,
  type KnownFields,
  pickKnown,
} from '../../../validation/known-fields.ts'
import { pathIn } from '../../../validation/messages.ts'
import {
  dropField,
  flagAt,
  isAbsent,
  leaveUnsupported,
  type NumberBounds,
  objectAt,
  optionalAt,
  optionalNumberAt,
  type RequestReader,
  readListAt,
  rejectField,
  rejectType,
  textAt,
} from '../../shared/client/request-reader.ts'

/** Objects of a request whose fields may be spelt in camel case or in snake case. */

/**
 * An object of a request, with its path in the client's own spelling. `Name`: the names of the fields that are read.
 */
export interface ReadFields<Name extends string = string> {
  readonly record: KnownFields<FieldSet<Name>>
  /** The path of the object; empty for the body itself. */
  readonly path: string
  readonly notes: RequestReader
}

/** Snake-case names of the fields in the tables, computed once instead of once for each object. */
const SNAKES = new Map<string, string>()

const toSnake = (name: string): string =>
  SNAKES.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Lists the fields that are read, and notes about some that are dropped, in camel case and in snake case. */
export function fieldNames<const Name extends string>(
  names: readonly Name[],
  ignored: IgnoredFields = {},
): FieldSet<Name> {
  for (const name of [...names, ...Object.keys(ignored)]) SNAKES.set(name, toSnake(name))
  const both = Object.entries(ignored).flatMap(([name, about]) => [
    [name, about] as const,
    [toSnake(name), about] as const,
  ])
  return fieldSet([...names, ...(names.map(toSnake) as Name[])], Object.fromEntries(both))
}

/** Records a loss for a snake-case field whose camel-case twin is present: only the camel-case field is read. */
export function dropDuplicates({ record, path, notes }: ReadFields, { names }: FieldSet): void {
  for (const name in record) {
    if (!name.includes('_') || !names.has(name)) continue
    const camel = toCamel(name)
    if (camel !== name && names.has(camel) && !isAbsent(record[camel]) && isIgnored(record[name])) {
      dropField(notes, pathIn(path, name), `${camel} takes precedence`)
    }
  }
}

/** Restricts an object to the fields that are read. Every other field is recorded as dropped. */
export function only<Name extends string>(found: ReadFields, fields: FieldSet<Name>): ReadFields<Name> {
  const { record, path, notes } = found
  dropDuplicates(found, fields)
  return { record: pickKnown(record, fields, path, notes), path, notes }
}

/** Returns the spelling that an object uses: the API accepts every name in camel case and in snake case. */
const spelt = (record: JsonRecord, name: string): string => (isAbsent(record[name]) ? toSnake(name) : name)

/** Restricts a name to the fields of the table, so that reading a field that is not in the table does not compile. */
type Of<Name extends string> = NoInfer<Name>

export const fieldPath = <Name extends string>({ record, path }: ReadFields<Name>, name: Of<Name>): string =>
  path === '' ? spelt(record, name) : `${path}.${spelt(record, name)}`

/** Returns the value of a field; `undefined` if the field is missing or null. */
export const fieldOf = <Name extends string>({ record }: ReadFields<Name>, name: Of<Name>): unknown =>
  (record as JsonRecord)[spelt(record, name)] ?? undefined

export const has = <Name extends string>(fields: ReadFields<Name>, name: Of<Name>): boolean =>
  fieldOf(fields, name) !== undefined

/** Drops `other` if both fields are present: they have the same meaning, and `read` takes precedence. */
export function dropBeside<Name extends string>(fields: ReadFields<Name>, read: Of<Name>, other: Of<Name>): void {
  if (has(fields, read) && has(fields, other)) {
    dropField(fields.notes, fieldPath(fields, other), `${spelt(fields.record, read)} takes precedence`)
  }
}

/** Rejects an object that has two fields of the group, as the API does: a part has one kind. */
export function refuseSecond<Name extends string>(fields: ReadFields<Name>, group: readonly Of<Name>[]): void {
  const [first, second] = group.filter((name) => has(fields, name))
  if (first === undefined || second === undefined) return
  const message = `expected one kind of content in a part, got ${spelt(fields.record, first)} too`
  rejectField(fields.notes, fieldPath(fields, second), message)
}

/** Reads a field with a reader of values; null if the field is missing. */
const readIn = <T>(
  read: (notes: RequestReader, path: string, value: unknown) => T,
  fields: ReadFields,
  name: string,
): T | null => optionalAt(read, fields.notes, fieldPath(fields, name), fieldOf(fields, name))

export const textField = <Name extends string>(fields: ReadFields<Name>, name: Of<Name>): string | null =>
  readIn(textAt, fields, name)

export const isOn = <Name extends string>(fields: ReadFields<Name>, name: Of<Name>): boolean | null =>
  readIn(flagAt, fields, name)

/** Reads a required string that is not empty. */
export function nameIn<Name extends string>(fields: ReadFields<Name>, name: Of<Name>): string {
  const found = textField(fields, name) ?? ''
  if (found === '') rejectField(fields.notes, fieldPath(fields, name), NO_NAME)
  return found
}

const NO_NAME = 'expected a name, got nothing'

export const numberIn = <Name extends string>(
  fields: ReadFields<Name>,
  name: Of<Name>,
  bounds: NumberBounds,
): number | null => optionalNumberAt(fields.notes, fieldPath(fields, name), fieldOf(fields, name), bounds)

/** Returns the row of a table for an enum value. Upper and lower case are equivalent. */
export function wordIn<T, Name extends string>(
  fields: ReadFields<Name>,
  name: Of<Name>,
  table: Readonly<Record<string, T>>,
): T | null {
  const word = textField(fields, name)
  if (word === null) return null
  const found = lookup(table, word.toUpperCase())
  if (found === undefined) leaveUnsupported(fields.notes, fieldPath(fields, name), UNSUPPORTED_VALUE)
  return found ?? null
}

export function objectIn<Name extends string>(fields: ReadFields<Name>, name: Of<Name>): ReadFields | null {
  const record = readIn(objectAt, fields, name)
  return record === null ? null : { record, path: fieldPath(fields, name), notes: fields.notes }
}

/** Like `objectIn`, for an object of which only the given fields are read. */
export function onlyIn<Name extends string, Inner extends string>(
  fields: ReadFields<Name>,
  name: Of<Name>,
  inner: FieldSet<Inner>,
): ReadFields<Inner> | null {
  const found = objectIn(fields, name)
  return found === null ? null : only(found, inner)
}

/** Reads a list of objects. Like the API, it accepts a single object in place of a list of one. */
export function objectsIn<Name extends string>(fields: ReadFields<Name>, name: Of<Name>): readonly ReadFields[] {
  const { notes } = fields
  const path = fieldPath(fields, name)
  const value = fieldOf(fields, name)
  if (isObject(value)) return [{ record: value, path, notes }]
  const list = readIn(readListAt, fields, name) ?? []
  return list.map((entry, at) => {
    const entryPath = `${path}[${at}]`
    return { record: objectAt(notes, entryPath, entry), path: entryPath, notes }
  })
}

export function textsIn<Name extends string>(fields: ReadFields<Name>, name: Of<Name>): readonly string[] {
  const path = fieldPath(fields, name)
  const value = fieldOf(fields, name)
  if (value !== undefined && !Array.isArray(value)) rejectType(fields.notes, path, 'a list of strings', value)
  return toArray(value).map((text, at) => textAt(fields.notes, `${path}[${at}]`, text))
}
