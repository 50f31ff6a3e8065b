import { type ReceivedType, STANDARD_EVENT_TABLE, type StandardType } from '../conformance/event-table.ts'
import type { DialectEvents } from '../conformance/state.ts'
import type { Dialect, DialectName } from './dialect.ts'
import { SCHEMAS } from './schemas.ts'

export interface EventName {
  readonly type: ReceivedType
  readonly columns: readonly string[]
  /** Whether other fields are forbidden. */
  readonly exact: boolean
}

/** A dialect as its reader needs it: from event names to their meanings. */
interface EventNames {
  readonly words: ReadonlyMap<string, EventName>
  readonly events: DialectEvents
}

/** Events of the standard that the dialects do not emit: the same names, with the columns of `STANDARD_EVENT_TABLE`. */
const STANDARD_EVENTS: ReadonlyMap<string, EventName> = new Map(
  Object.entries(STANDARD_EVENT_TABLE).map(([type, { columns }]): [string, EventName] => [
    type === 'keepalive' ? type : `response.${type}`,
    { type: type as StandardType, columns, exact: false },
  ]),
)

/** Events that a stream of the dialect may have besides those of the dialect's own table. */
const TOLERATED = {
  openai: STANDARD_EVENTS,
  // The document behind `beta` does not describe how a stream fails: an error event before the end is allowed, and
  // never required.
  beta: new Map<string, EventName>([['error', { type: 'error', columns: [], exact: false }]]),
} satisfies Record<DialectName, ReadonlyMap<string, EventName>>

/**
 * A name that stands for several events (raw reasoning or a summary) is read as the first of them, because they have
 * the same effect. The second row of an event is its short form, `recap`.
 */
export function eventNamesOf(dialect: Dialect): EventNames {
  // A dialect of a program is one of the standard.
  const name: DialectName = dialect.name === 'beta' ? 'beta' : 'openai'
  const tolerated: ReadonlyMap<string, EventName> = TOLERATED[name]
  const words = new Map<string, EventName>(tolerated)
  const columnsOf: Partial<Record<ReceivedType, readonly string[]>> = {}
  for (const [event, rows] of Object.entries(dialect.events)) {
    rows.forEach(([word, ...views], row) => {
      // The names of such events are those of the standard.
      if (word.endsWith('*')) return
      const type = row === 0 ? (event as ReceivedType) : 'recap'
      const columns = views.map((column: string) => column.split(':')[0] ?? column)
      if (!words.has(word) || tolerated.has(word)) words.set(word, { type, columns, exact: dialect.exact })
      columnsOf[type] ??= columns
    })
  }
  for (const { type, columns } of words.values()) columnsOf[type] ??= columns
  return { words, events: { columns: columnsOf, shapes: SCHEMAS[name] } }
}
