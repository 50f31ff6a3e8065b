import type { EventFields, EventType } from '../protocol/event.ts'
import type { CacheLifetime } from '../protocol/request.ts'
import type { Capabilities } from '../responses/capabilities.ts'

export type DialectName = 'beta' | 'openai'

/**
 * A column of an event row: a field of that event, or a field in a narrower view (`response:brief`). A field that the
 * event does not have does not compile.
 */
type Column<T extends EventType> = (keyof EventFields[T] & string) | `${keyof EventFields[T] & string}:${string}`

/**
 * How one event is written: its name on the wire, then its fields in order. `type` and the sequence number are implied.
 * In the name of events of hosted items, `*` stands for their own name; their `fields` are written beside the address.
 */
type EventRow<T extends EventType> = readonly [name: string, ...columns: Column<T>[]]

/** Each event has its rows: none if the dialect does not emit it, two if it emits it twice. */
type EventRows = { readonly [T in EventType]: readonly EventRow<T>[] }

/**
 * The fields of objects, in order: items, parts and annotations by their `type`, others by the field that holds them. A
 * field with `?` is omitted if it is null or an empty list. An object without a row is written whole.
 */
type Views = Readonly<Record<string, readonly string[]>>

/** How events are written to a client. A table of everything in which two dialects differ. */
export interface Dialect extends Capabilities {
  /** A dialect of a program has a name of its own. */
  readonly name: DialectName | (string & {})
  readonly events: EventRows
  readonly views: Views
  /** A reasoning summary as plain strings, or as `{type, text}` objects. */
  readonly summary: 'strings' | 'objects'
  /** `closed`: clients parse a mode, a function or a list of allowed tools, and reject any other choice. */
  readonly toolChoices: 'open' | 'closed'
  /** `closed`: an item of the history with an unknown type is rejected. */
  readonly inputItems: 'open' | 'closed'
  /** `closed`: the description bounds every value; `open`: an upstream of the same protocol may have others. */
  readonly values: 'open' | 'closed'
  /** The fields of usage for tokens written to a cache, by the lifetime of their entry. Left out: there are none. */
  readonly cacheLifetimes?: Readonly<Partial<Record<CacheLifetime, string>>>
  /** `event:` lines before the data, equal to `type`. */
  readonly eventLines: boolean
  /** `sequence_number` from 0 on every event. */
  readonly numbered: boolean
  /** The payload of the last frame. */
  readonly terminator: string
  /** Clients of this dialect reject an event with a field that its row does not name. */
  readonly exact: boolean
}
