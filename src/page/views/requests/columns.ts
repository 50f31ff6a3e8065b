import type { RequestEntry } from '../../../page-api/request-entry.ts'
import { callsOf, formatClient, formatCount, formatMs, formatTime, isPassed } from './format.ts'

/** A column of the list: its text, and the value by which it is sorted. */
export interface RequestColumn {
  readonly id: string
  readonly title: string
  readonly isNumber: boolean
  /** Left out on narrow screens: the details contain it. */
  readonly isMinor: boolean
  text(entry: RequestEntry): string
  value(entry: RequestEntry): string | number | null
}

function bodyOf(entry: RequestEntry): string {
  const passed = isPassed(entry)
  if (passed === null) return '–'
  return passed ? 'passed' : 'translated'
}

export const REQUEST_COLUMNS: readonly RequestColumn[] = [
  {
    id: 'time',
    title: 'Time',
    isNumber: false,
    isMinor: false,
    text: ({ time }) => formatTime(time),
    value: ({ time }) => time,
  },
  {
    id: 'model',
    title: 'Model',
    isNumber: false,
    isMinor: false,
    text: ({ model }) => model ?? '–',
    value: ({ model }) => model,
  },
  {
    id: 'client',
    title: 'Client',
    isNumber: false,
    isMinor: true,
    text: ({ client, dialect }) => formatClient(client, dialect),
    value: ({ client }) => client,
  },
  {
    id: 'upstream',
    title: 'Upstream',
    isNumber: false,
    isMinor: true,
    text: ({ vendor, wire }) => [vendor, wire].filter((word) => word !== null).join(' · ') || '–',
    value: ({ vendor, wire }) => (vendor === null ? null : `${vendor} ${wire ?? ''}`),
  },
  { id: 'body', title: 'Body', isNumber: false, isMinor: true, text: bodyOf, value: bodyOf },
  {
    id: 'attempts',
    title: 'Attempts',
    isNumber: true,
    isMinor: true,
    text: (entry) => String(callsOf(entry)),
    value: callsOf,
  },
  {
    id: 'losses',
    title: 'Losses',
    isNumber: true,
    isMinor: true,
    text: ({ losses }) => String(losses.length),
    value: ({ losses }) => losses.length,
  },
  {
    id: 'status',
    title: 'Status',
    isNumber: true,
    isMinor: true,
    text: ({ status }) => String(status ?? '–'),
    value: ({ status }) => status,
  },
  {
    id: 'first',
    title: 'First byte',
    isNumber: true,
    isMinor: true,
    text: ({ firstByteMs }) => formatMs(firstByteMs),
    value: ({ firstByteMs }) => firstByteMs,
  },
  {
    id: 'total',
    title: 'Total',
    isNumber: true,
    isMinor: false,
    text: ({ durationMs }) => formatMs(durationMs),
    value: ({ durationMs }) => durationMs,
  },
  {
    id: 'input',
    title: 'Input',
    isNumber: true,
    isMinor: true,
    text: ({ usage }) => formatCount(usage?.input_tokens),
    value: ({ usage }) => usage?.input_tokens ?? null,
  },
  {
    id: 'output',
    title: 'Output',
    isNumber: true,
    isMinor: true,
    text: ({ usage }) => formatCount(usage?.output_tokens),
    value: ({ usage }) => usage?.output_tokens ?? null,
  },
]

export interface Order {
  readonly column: string
  readonly isDescending: boolean
}

export const NEWEST_FIRST: Order = { column: 'time', isDescending: true }

/** Sorts entries by a column. Entries without a value are the last ones in both directions. */
export function sortEntries(
  entries: readonly RequestEntry[],
  { column, isDescending }: Order,
): readonly RequestEntry[] {
  const found = REQUEST_COLUMNS.find(({ id }) => id === column)
  if (found === undefined) return entries
  return [...entries].sort((one, other) => {
    const [a, b] = [found.value(one), found.value(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null) || other.time - one.time
    const order = a < b ? -1 : a > b ? 1 : 0
    return (isDescending ? -order : order) || other.time - one.time
  })
}
