import type { JsonRecord } from '../protocol/json.ts'
import { addLoss, dropped, type Loss } from '../protocol/loss.ts'
import { isObject } from '../text/json.ts'
import { pathIn } from './messages.ts'

/** A known field that cannot be carried. */
interface IgnoredField {
  readonly why?: string
  /** Returns true for values that request nothing, in addition to null and an empty list. */
  readonly idle?: (value: unknown) => boolean
}

/**
 * The fields of one kind of object: `names` are those that are read. Every other field is reported as dropped;
 * `ignored` has details about some of these.
 */
export interface FieldSet<Name extends string = string> {
  readonly names: ReadonlySet<Name>
  readonly ignored: ReadonlyMap<string, IgnoredField>
}

/** An object of which only these fields may be read: reading another one does not compile. */
export type KnownFields<Of> = Of extends FieldSet<infer Name> ? { readonly [Field in Name]?: unknown } : never

export type NamesOf<Of> = Of extends FieldSet<infer Name> ? Name : never

export type IgnoredFields = Readonly<Record<string, IgnoredField>>

export const fieldSet = <const Name extends string>(
  names: readonly Name[],
  ignored: IgnoredFields = {},
): FieldSet<Name> => ({
  names: new Set(names),
  ignored: new Map(Object.entries(ignored)),
})

/** For fields that request nothing if they have one of these values. */
export const exceptWhen =
  (...usual: readonly unknown[]) =>
  (value: unknown): boolean =>
    usual.includes(value)

const NOT_KNOWN = 'this service does not support it'

const isIdle = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** For object fields that request nothing while all their members are empty. */
export const exceptWhenEmpty = (value: unknown): boolean => isObject(value) && Object.values(value).every(isIdle)

/** Returns whether a field that is not read requests something. */
export const isIgnored = (value: unknown, about?: IgnoredField): boolean =>
  !isIdle(value) && about?.idle?.(value) !== true

/** The record of the fields that a reader does not read. */
export interface FieldNotes {
  readonly losses: Loss[]
  /** The paths of the losses: an upstream of the client's own protocol receives these fields nevertheless. */
  readonly unsupported?: Set<string>
}

/** Records a field that is not read, if it requests something. `path`: the path of its object, empty for the body. */
export function recordUnsupported(
  { losses, unsupported }: FieldNotes,
  path: string,
  name: string,
  value: unknown,
  about: IgnoredField | undefined,
): void {
  if (!isIgnored(value, about)) return
  const own = pathIn(path, name)
  unsupported?.add(own)
  addLoss(losses, dropped(own, about?.why ?? NOT_KNOWN))
}

/** Returns the object at this path, and records all its other fields as dropped. The path of the body is empty. */
export function pickKnown<Name extends string>(
  record: JsonRecord,
  { names, ignored }: FieldSet<Name>,
  path: string,
  notes: FieldNotes,
): KnownFields<FieldSet<Name>> {
  // All keys of a parsed object are its own, even `__proto__`, and this loop is much faster than a list of the keys.
  for (const name in record) {
    if (!names.has(name as Name)) recordUnsupported(notes, path, name, record[name], ignored.get(name))
  }
  return record as KnownFields<FieldSet<Name>>
}
