import type { RequestEntry } from '../../../page-api/request-entry.ts'
import { lookup } from '../../../text/lookup.ts'
import { PROTOCOL_LABELS } from '../live/answer/protocols.ts'

/** Milliseconds as `840 ms`, `3.21 s` or `2 min 05 s`; a dash if there are none. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

export const formatTime = (time: number): string => TIME.format(time)

const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

export const formatDateTime = (time: number): string => DATE_TIME.format(time)

export const formatCount = (count: number | null | undefined): string =>
  count === null || count === undefined ? '–' : count.toLocaleString('en-US')

/** The protocol of a client, with the dialect of the Responses API, as in the other views. */
export const formatClient = (client: string | null, dialect: string | null): string =>
  lookup<string>(PROTOCOL_LABELS, dialect === null ? (client ?? '') : `responses-${dialect}`) ??
  ([client, dialect].filter((word) => word !== null).join(' · ') || '–')

/** The way in which a request went, with a symbol, so that colour is not the only difference. */
interface RequestState {
  readonly name: 'running' | 'completed' | 'incomplete' | 'left' | 'failed'
  readonly symbol: string
  readonly label: string
}

export function stateOf({ running, ending, status, error, clientGone }: RequestEntry): RequestState {
  if (running) return { name: 'running', symbol: '◌', label: 'running' }
  if (clientGone) return { name: 'left', symbol: '⊘', label: 'client left' }
  if (ending === 'failed' || error !== null || (status ?? 0) >= 400)
    return { name: 'failed', symbol: '✕', label: error ?? `status ${status}` }
  if (ending === 'incomplete') return { name: 'incomplete', symbol: '◐', label: ending }
  return { name: 'completed', symbol: '●', label: ending ?? 'answered' }
}

/** Whether the client's own body went to the upstream; null before that is decided. */
export function isPassed({ edits, vendor, wire }: RequestEntry): boolean | null {
  return vendor === null || wire === null ? null : edits !== null
}

/** The attempts that called an upstream. */
export const callsOf = ({ attempts }: RequestEntry): number => attempts.filter(({ skipped }) => !skipped).length

/** Within a shorter time, a whole answer arrives in one read, which measures nothing of the upstream. */
const SHORTEST_MS = 50

/** Tokens a second between the first token and the end; null if that cannot be measured. */
export function tokenRate({ usage, firstTokenMs, durationMs }: RequestEntry): number | null {
  const tokens = usage?.output_tokens ?? null
  if (tokens === null || firstTokenMs === null || durationMs === null || durationMs - firstTokenMs < SHORTEST_MS)
    return null
  return (tokens / (durationMs - firstTokenMs)) * 1000
}
