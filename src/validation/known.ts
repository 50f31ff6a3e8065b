import { dropped, type Loss, note } from '../protocol/loss.ts'
import { isObject } from '../text/json.ts'
import { placeIn } from './issue.ts'

/** A known field that cannot be carried. */
export interface Lost {
  readonly why?: string
  /** Returns true for values that request nothing, in addition to null and an empty list. */
  readonly idle?: (value: unknown) => boolean
}

/**
 * The fields of one kind of object: `names` are those that are read. Every other field is reported as dropped; `lost`
 * has details about some of these.
 */
export interface Known<Name extends string = string> {
  readonly names: ReadonlySet<Name>
  readonly lost: ReadonlyMap<string, Lost>
}

/** An object of which only these fields may be read: reading another one does not compile. */
export type Heard<Of> = Of extends Known<infer Name> ? { readonly [Field in Name]?: unknown } : never

/** The names of a table. */
export type NamesOf<Of> = Of extends Known<infer Name> ? Name : never

export type LostFields = Readonly<Record<string, Lost>>

export const known = <const Name extends string>(names: readonly Name[], lost: LostFields = {}): Known<Name> => ({
  names: new Set(names),
  lost: new Map(Object.entries(lost)),
})

/** For fields that request nothing if they have one of these values. */
export const unless =
  (...usual: readonly unknown[]) =>
  (value: unknown): boolean =>
    usual.includes(value)

const NOT_KNOWN = 'this service does not know it'

const isIdle = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** How long OpenAI keeps the beginning of a prompt. The default is `in_memory`, which it spells in two ways. */
export const RETENTION: LostFields = { prompt_cache_retention: { idle: unless('in_memory', 'in-memory') } }

/** For object fields that request nothing while all their members are empty. */
export const unlessFilled = (value: unknown): boolean => isObject(value) && Object.values(value).every(isIdle)

/** Returns whether a field that is not read requests something. */
export const isLost = (value: unknown, about?: Lost): boolean => !isIdle(value) && about?.idle?.(value) !== true

/** Records a dropped field. `place`: the path of its object, empty for the body. */
export const tellLost = (losses: Loss[], place: string, name: string, about: Lost | undefined): void =>
  note(losses, dropped(placeIn(place, name), about?.why ?? NOT_KNOWN))

type Bag = Readonly<Record<string, unknown>>

/** Returns the object at this path, and records all its other fields as dropped. The path of the body is empty. */
export function hear<Name extends string>(
  bag: Bag,
  { names, lost }: Known<Name>,
  place: string,
  { losses }: { readonly losses: Loss[] },
): Heard<Known<Name>> {
  // All keys of a parsed object are its own, even `__proto__`, and this loop is much faster than a list of the keys.
  for (const name in bag) {
    if (names.has(name as Name)) continue
    const about = lost.get(name)
    if (isLost(bag[name], about)) tellLost(losses, place, name, about)
  }
  return bag as Heard<Known<Name>>
}
