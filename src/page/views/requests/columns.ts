import type { RequestEntry } from '../../../page-api/request-entry.ts'
import { callsOf, formatClient, formatCount, formatMs, formatTime, isPassed, stateOf } from './format.ts'

/** A column of the list: its text, and the value by which it is sorted. */
export interface RequestColumn {
  readonly id: string
  readonly title: string
  readonly isNumber: boolean
  /** The least space in which it is shown. The details contain all columns. */
  readonly space: 'narrow' | 'medium' | 'wide'
  text(entry: RequestEntry): string
  value(entry: RequestEntry): string | number | null
}

function bodyOf(entry: RequestEntry): string {
  const passed = isPassed(entry)
  if (passed === null) return '–'
  return passed ? 'passed' : 'translated'
}

/** The status, with the reason unless the request was answered: a stream that breaks has status 200, too. */
function statusOf(entry: RequestEntry): string {
  const { name, label } = stateOf(entry)
  if (name === 'running') return label
  const words = [entry.status, name === 'completed' || label === `status ${entry.status}` ? null : label]
  return words.filter((word) => word !== null).join(' ') || '–'
}

/** The model; of a request that names none, its path: most often, the base URL of its client is wrong. */
const nameOf = ({ model, path }: RequestEntry): string => model ?? (path === '' ? '–' : path)

export const REQUEST_COLUMNS: readonly RequestColumn[] = [
  {
    id: 'time',
    title: 'Time',
    isNumber: false,
    space: 'narrow',
    text: ({ time }) => formatTime(time),
    value: ({ time }) => time,
  },
  {
    id: 'model',
    title: 'Model',
    isNumber: false,
    space: 'narrow',
    text: nameOf,
    value: nameOf,
  },
  {
    id: 'client',
    title: 'Client',
    isNumber: false,
    space: 'medium',
    text: ({ client, dialect }) => formatClient(client, dialect),
    value: ({ client }) => client,
  },
  {
    id: 'upstream',
    title: 'Upstream',
    isNumber: false,
    space: 'medium',
    text: ({ vendor, wire }) => [vendor, wire].filter((word) => word !== null).join(' · ') || '–',
    value: ({ vendor, wire }) => (vendor === null ? null : `${vendor} ${wire ?? ''}`),
  },
  { id: 'body', title: 'Body', isNumber: false, space: 'wide', text: bodyOf, value: bodyOf },
  {
    id: 'attempts',
    title: 'Attempts',
    isNumber: true,
    space: 'medium',
    text: (entry) => String(callsOf(entry)),
    value: callsOf,
  },
  {
    id: 'losses',
    title: 'Losses',
    isNumber: true,
    space: 'medium',
    text: ({ losses }) => String(losses.length),
    value: ({ losses }) => losses.length,
  },
  {
    id: 'status',
    title: 'Status',
    isNumber: false,
    space: 'narrow',
    text: statusOf,
    value: ({ status }) => status,
  },
  {
    id: 'first',
    title: 'First byte',
    isNumber: true,
    space: 'wide',
    text: ({ firstByteMs }) => formatMs(firstByteMs),
    value: ({ firstByteMs }) => firstByteMs,
  },
  {
    id: 'total',
    title: 'Total',
    isNumber: true,
    space: 'narrow',
    text: ({ durationMs }) => formatMs(durationMs),
    value: ({ durationMs }) => durationMs,
  },
  {
    id: 'input',
    title: 'Input',
    isNumber: true,
    space: 'medium',
    text: ({ usage }) => formatCount(usage?.input_tokens),
    value: ({ usage }) => usage?.input_tokens ?? null,
  },
  {
    id: 'output',
    title: 'Output',
    isNumber: true,
    space: 'medium',
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
