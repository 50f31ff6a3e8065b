import { type SaidType, STANDARD_MOVES, type StandardType } from '../responses/grammar-moves.ts'
import type { Spoken } from '../responses/grammar-state.ts'
import type { Dialect, DialectName } from './dialect.ts'
import { SHAPES } from './shapes.ts'

/** What an event name means. */
export interface Word {
  readonly type: SaidType
  readonly columns: readonly string[]
  /** No other fields. */
  readonly exact: boolean
}

/** A dialect read from right to left. */
export interface Vocabulary {
  readonly words: ReadonlyMap<string, Word>
  readonly spoken: Spoken
}

/** Events of the standard that our table does not say: the same names, the columns of their moves. */
export const STANDARD_EVENTS: ReadonlyMap<string, Word> = new Map(
  Object.entries(STANDARD_MOVES).map(([type, { columns }]): [string, Word] => [
    type === 'keepalive' ? type : `response.${type}`,
    { type: type as StandardType, columns, exact: false },
  ]),
)

/** What a stream of the dialect may say besides the dialect's own table. */
const TOLERATED: Readonly<Record<DialectName, ReadonlyMap<string, Word>>> = {
  openai: STANDARD_EVENTS,
  // How a stream fails is not described: an error event before the end is as good as none.
  beta: new Map([['error', { type: 'error', columns: [], exact: false }]]),
}

/**
 * The first event that a name stands for is the one it is read as: names that stand for several (reasoning, whether raw
 * or summarised) do the same. What an event says a second time is a recap of it.
 */
export function vocabularyOf(dialect: Dialect): Vocabulary {
  const words = new Map<string, Word>(TOLERATED[dialect.name])
  const columnsOf: Partial<Record<SaidType, readonly string[]>> = {}
  for (const [event, rows] of Object.entries(dialect.events)) {
    rows.forEach(([name, ...views], row) => {
      const type = row === 0 ? (event as SaidType) : 'recap'
      const columns = views.map((column: string) => column.split(':')[0] ?? column)
      if (!words.has(name) || TOLERATED[dialect.name].has(name))
        words.set(name, { type, columns, exact: dialect.exact })
      columnsOf[type] ??= columns
    })
  }
  for (const { type, columns } of words.values()) columnsOf[type] ??= columns
  return { words, spoken: { columns: columnsOf, shapes: SHAPES[dialect.name] } }
}
