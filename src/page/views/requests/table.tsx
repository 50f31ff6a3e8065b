import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { RequestEntry } from '../../../page-api/request-entry.ts'
import { type Order, REQUEST_COLUMNS, type RequestColumn } from './columns.ts'
import { stateOf } from './format.ts'

interface TableProps {
  readonly entries: readonly RequestEntry[]
  readonly order: Order
  /** The id of the entry whose details are open; null if none is. */
  readonly open: string | null
  /** The id of the entry that the keyboard is on. */
  readonly current: string | null
  onOrder(order: Order): void
  onMove(id: string): void
  onOpen(id: string): void
}

/** The list. Of the buttons that open the details, one is in the tab order; arrow keys move to the others. */
export function RequestTable({ entries, order, open, current, onOrder, onMove, onOpen }: TableProps) {
  const list = useRef<HTMLTableSectionElement>(null)
  const focusable = entries.some(({ id }) => id === current) ? current : (entries[0]?.id ?? null)
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = entries.findIndex(({ id }) => id === focusable)
    const to = nextRow(event.key, at, entries.length)
    const next = entries[to]
    if (next === undefined) return
    event.preventDefault()
    onMove(next.id)
    list.current?.rows[to]?.querySelector('button')?.focus()
    // The details follow the keyboard once they are open.
    if (open !== null) onOpen(next.id)
  }
  return (
    <div class="requests-scroll">
      <table class="requests-table" aria-labelledby="requests-title">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">State</span>
            </th>
            {REQUEST_COLUMNS.map((column) => (
              <Head key={column.id} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody ref={list}>
          {entries.map((entry) => (
            <Row
              key={entry.id}
              entry={entry}
              isOpen={entry.id === open}
              isFocusable={entry.id === focusable}
              onKeyDown={onKeyDown}
              onOpen={() => {
                onMove(entry.id)
                onOpen(entry.id)
              }}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The index of the row that a key moves to; -1 if it moves to none. */
function nextRow(key: string, at: number, count: number): number {
  const moves: ReadonlyMap<string, number> = new Map([
    ['ArrowDown', Math.min(at + 1, count - 1)],
    ['ArrowUp', Math.max(at - 1, 0)],
    ['PageDown', Math.min(at + 10, count - 1)],
    ['PageUp', Math.max(at - 10, 0)],
    ['Home', 0],
    ['End', count - 1],
  ])
  return moves.get(key) ?? -1
}

interface HeadProps {
  readonly column: RequestColumn
  readonly order: Order
  onOrder(order: Order): void
}

function Head({ column, order, onOrder }: HeadProps) {
  const isSorted = column.id === order.column
  const direction = order.isDescending ? 'descending' : 'ascending'
  // Numbers and times are first asked for their largest.
  const first = column.isNumber || column.id === 'time'
  const next = { column: column.id, isDescending: isSorted ? !order.isDescending : first }
  return (
    <th scope="col" class={classOf(column)} aria-sort={isSorted ? direction : undefined}>
      <button type="button" onClick={() => onOrder(next)}>
        {column.title}
        <span aria-hidden="true" class="requests-arrow">
          {isSorted ? (order.isDescending ? '▾' : '▴') : ''}
        </span>
      </button>
    </th>
  )
}

interface RowProps {
  readonly entry: RequestEntry
  readonly isOpen: boolean
  readonly isFocusable: boolean
  onKeyDown(event: KeyboardEvent): void
  onOpen(): void
}

function Row({ entry, isOpen, isFocusable, onKeyDown, onOpen }: RowProps) {
  const { name, symbol, label } = stateOf(entry)
  return (
    <tr class={isOpen ? `state-${name} open` : `state-${name}`}>
      <td class="requests-state" title={label}>
        <span aria-hidden="true">{symbol}</span>
        <span class="hidden">{label}</span>
      </td>
      {REQUEST_COLUMNS.map((column) => (
        <td key={column.id} class={classOf(column)}>
          {column.id === 'model' ? (
            <button
              type="button"
              tabIndex={isFocusable ? 0 : -1}
              aria-expanded={isOpen}
              title={entry.model ?? undefined}
              onClick={onOpen}
              onKeyDown={onKeyDown}
            >
              {column.text(entry)}
            </button>
          ) : (
            markedText(column, entry)
          )}
        </td>
      ))}
    </tr>
  )
}

function markedText(column: RequestColumn, entry: RequestEntry): ComponentChildren {
  const text = column.text(entry)
  const isMarked =
    (column.id === 'losses' && entry.losses.length > 0) || (column.id === 'attempts' && entry.attempts.length > 1)
  if (isMarked) return <span class="requests-mark">{text}</span>
  return text === '–' || text === '0' ? <span class="requests-quiet">{text}</span> : text
}

const classOf = ({ id, isNumber, space }: RequestColumn): string =>
  [`column-${id}`, isNumber ? 'number' : '', space].join(' ').trim()
