import { dropped, type Loss, note } from '../protocol/loss.ts'
import { isObject } from '../text/json.ts'
import { placeIn } from './issue.ts'

/** A field that is known, and that nobody can carry. */
export interface Lost {
  readonly why?: string
  /** What asks for nothing, besides null and an empty list. */
  readonly idle?: (value: unknown) => boolean
}

/**
 * The fields of one kind of object: `names` are those that are read. Every other one is told as lost; `lost` has more to
 * say about some of these.
 */
export interface Known<Name extends string = string> {
  readonly names: ReadonlySet<Name>
  readonly lost: ReadonlyMap<string, Lost>
}

/** An object of which nothing but these fields may be read: another one is a mistake that does not compile. */
export type Heard<Of> = Of extends Known<infer Name> ? { readonly [Field in Name]?: unknown } : never

/** The names of a table. */
export type NamesOf<Of> = Of extends Known<infer Name> ? Name : never

export type LostFields = Readonly<Record<string, Lost>>

export const known = <const Name extends string>(names: readonly Name[], lost: LostFields = {}): Known<Name> => ({
  names: new Set(names),
  lost: new Map(Object.entries(lost)),
})

/** For fields that ask for nothing as long as they have one of these values. */
export const unless =
  (...usual: readonly unknown[]) =>
  (value: unknown): boolean =>
    usual.includes(value)

const NOT_KNOWN = 'this service does not know it'

const isIdle = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** How long OpenAI keeps the beginning of a prompt: in its memory, unless asked otherwise. It spells that in two ways. */
export const RETENTION: LostFields = { prompt_cache_retention: { idle: unless('in_memory', 'in-memory') } }

/** For fields that ask for nothing as long as nothing stands in them. */
export const unlessFilled = (value: unknown): boolean => isObject(value) && Object.values(value).every(isIdle)

/** A field that nobody reads, and that asks for something. */
export const isLost = (value: unknown, about?: Lost): boolean => !isIdle(value) && about?.idle?.(value) !== true

/** The place is that of its object, empty for the body. */
export const tellLost = (losses: Loss[], place: string, name: string, about: Lost | undefined): void =>
  note(losses, dropped(placeIn(place, name), about?.why ?? NOT_KNOWN))

type Bag = Readonly<Record<string, unknown>>

/** The object at this place; what else it says is lost, and told. The place of the body is empty. */
export function hear<Name extends string>(
  bag: Bag,
  { names, lost }: Known<Name>,
  place: string,
  { losses }: { readonly losses: Loss[] },
): Heard<Known<Name>> {
  // An own key of every parsed object, `__proto__` too; and much faster than a list of them.
  for (const name in bag) {
    if (names.has(name as Name)) continue
    const about = lost.get(name)
    if (isLost(bag[name], about)) tellLost(losses, place, name, about)
  }
  return bag as Heard<Known<Name>>
}
