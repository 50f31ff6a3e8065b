import type { Json } from '../../protocol/json.ts'
import type { Attempt, Attempted, Summary, TimedAttempt } from '../exchange/journal.ts'
import { type UpstreamChange, upstreamName } from '../upstream/upstream-guard.ts'

type LoggedAttempt = Attempt & Pick<TimedAttempt, 'message'>

export type LogLine = Readonly<Record<string, Json>>

/** Receives log lines, one object each. */
export type Log = (line: LogLine) => void

const attemptLine = ({ vendor, member, model, error, isSkipped, message }: LoggedAttempt): Json => ({
  vendor,
  ...(member === null ? {} : { member }),
  model,
  ...(error === null ? {} : { error }),
  ...(message === null ? {} : { upstream_message: message }),
  ...(isSkipped ? { skipped: true } : {}),
})

/** `<vendor>/<model>` or `<vendor>@<member>/<model>`, the code of the failure, and `skipped` if no call was made. */
export const formatAttempt = ({ error, isSkipped, ...upstream }: Attempt): string =>
  [formatUpstream(upstream), error ?? [], isSkipped ? 'skipped' : []].flat().join(' ')

/**
 * Names of models are text of the client: characters that a header cannot contain, or that separate its entries, are
 * replaced.
 */
export const formatUpstream = ({ model, ...place }: Attempted): string =>
  `${upstreamName(place)}/${model}`.replace(/[^\x21-\x2b\x2d-\x7e]/g, '?')

/** Whether a request of a conversation did not go to the member that the conversation prefers. */
export const isElsewhere = ({ vendor, member, preferred }: Summary): boolean =>
  preferred !== null && vendor !== null && preferred !== upstreamName({ vendor, member })

/** The fields of a line that are those of the exchange, unless they are null. */
const FIELDS = [
  ...(['request_id', 'method', 'path', 'status', 'key', 'key_label', 'model', 'vendor', 'member', 'dialect'] as const),
  ...(['stream', 'upstream_ms', 'first_byte_ms', 'first_token_ms', 'duration_ms', 'outcome', 'counted'] as const),
  ...(['edits', 'learned', 'continued', 'error', 'party', 'chunks'] as const),
]

/** The contents of a log line beyond the fields of the exchange. */
interface LogContents {
  /** Whether upstreams' own messages are logged, masked. */
  readonly upstream_messages: boolean
}

const FACTS_ONLY: LogContents = { upstream_messages: false }

/** The log line of an exchange, without the fields that do not apply. */
export function toLogLine(exchange: Summary, { upstream_messages }: LogContents = FACTS_ONLY): LogLine {
  const { usage, losses, retries, client_gone, preferred, unknown_path } = exchange
  const attempts = upstream_messages ? exchange.attempts : exchange.attempts.map(withoutMessage)
  // The failure of an answer that others were called to continue is not that of the last attempt.
  const failed = exchange.error === null ? undefined : attempts.findLast(({ error }) => error === exchange.error)
  const message = failed?.message ?? null
  const line: Record<string, Json> = { event: 'request' }
  for (const name of FIELDS) {
    const value = exchange[name]
    if (value !== null) line[name] = value
  }
  if (isElsewhere(exchange)) line.preferred = preferred
  if (unknown_path !== null) line.path = unknown_path
  if (usage !== null) line.usage = { ...usage }
  if (losses.length > 0) line.losses = losses
  if (message !== null) line.upstream_message = message
  if (retries > 0) line.retries = retries
  if (attempts.length > 1) line.attempts = attempts.map(attemptLine)
  if (client_gone) line.client_gone = client_gone
  return line
}

const withoutMessage = (attempt: TimedAttempt): TimedAttempt => ({ ...attempt, message: null })

/** The line of an upstream that has asked for a pause, whose breaker has opened, or that answers again. */
export const upstreamLine = ({ upstream, state, reason, seconds }: UpstreamChange): LogLine => ({
  event: 'upstream',
  state,
  vendor: upstream.vendor,
  ...(upstream.member === null ? {} : { member: upstream.member }),
  model: upstream.model,
  ...(reason === null ? {} : { reason }),
  ...(seconds === null ? {} : { seconds }),
})

/** Writes each line as JSON with a timestamp. */
export const lineLog =
  (write: (text: string) => void, clock: () => number): Log =>
  (line) =>
    write(`${visible(JSON.stringify({ time: new Date(clock()).toISOString(), ...line }))}\n`)

/** Control characters above those that JSON escapes, line separators, and marks that turn the direction of a text. */
const HIDDEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Names of models and paths are texts of clients, and must not change how a terminal shows the line. */
const visible = (json: string): string =>
  json.replace(HIDDEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * The line of an exception, which is a bug of the gateway or of its HTTP client. Its message may contain anything, so
 * only the positions in the stack are logged. `requestId`: null if the exchange is unknown.
 */
export function bugLine(requestId: string | null, error: unknown): LogLine {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const calls = stack.split('\n').filter((line) => /^ +at /.test(line))
  return {
    event: 'bug',
    request_id: requestId,
    name: error instanceof Error ? error.name : typeof error,
    places: calls.map((line) => line.trim()),
  }
}
