import type { Party } from '../../protocol/error.ts'
import type { Json } from '../../protocol/json.ts'
import type { ResponseStatus } from '../../protocol/response.ts'
import type { Usage } from '../../protocol/usage.ts'
import { upstreamName } from '../upstream/upstream-guard.ts'
import { type Attempt, attemptLine } from './attempt.ts'

export type LogLine = Readonly<Record<string, Json>>

/** Receives log lines, one object each. */
export type Log = (line: LogLine) => void

/** A text that one upstream has begun and another one has continued. */
export type ContinuedText = {
  readonly from: string
  readonly to: string
  /** The length of the text of the first one. */
  readonly characters: number
}

/**
 * The log entry of one request, filled in during the exchange. It has no field that could contain a prompt, a body, a
 * secret or the value of a header.
 */
export interface LogEntry {
  readonly request_id: string
  readonly method: string
  /** The pattern of a known route. Metrics count by it. */
  path: string | null
  /** The path of a request that belongs to no route, as `loggedPath` shows it. */
  unknown_path: string | null
  status: number | null
  key: string | null
  /** The label of the key in metrics. */
  key_label: string | null
  model: string | null
  vendor: string | null
  /** The member of the vendor's pool that the request went to; null if the vendor has no pool. */
  member: string | null
  /** The vendor and the member of its pool that the conversation prefers; null if it prefers none. */
  preferred: string | null
  dialect: string | null
  stream: boolean | null
  /**
   * Milliseconds since the request began: head of the upstream's answer, first byte to the client, first token, end of
   * the answer.
   */
  upstream_ms: number | null
  first_byte_ms: number | null
  first_token_ms: number | null
  duration_ms: number | null
  outcome: ResponseStatus | null
  usage: Usage | null
  /** The origin of a count of tokens: `upstream` counted, or the basis of an estimate. */
  counted: 'upstream' | 'model' | 'vendor' | 'default' | null
  losses: readonly string[]
  /** The edits of a client's own body that was passed through; null if the hub encoded the request. */
  edits: readonly string[] | null
  /** Lines of configuration for what refusals have shown about the model; null if there are none. */
  learned: readonly string[] | null
  /** The upstreams that continued a text of another one, and where; null if none did. */
  continued: readonly ContinuedText[] | null
  /** Attempts after the first one failed. */
  retries: number
  /** All attempts in their order. */
  attempts: readonly Attempt[]
  error: string | null
  /** The party that caused the failure. */
  party: Party | null
  /** Frames of the upstream that were translated. */
  chunks: number | null
  client_gone: boolean
}

export const createLogEntry = (requestId: string, method: string): LogEntry => ({
  request_id: requestId,
  method,
  path: null,
  unknown_path: null,
  status: null,
  key: null,
  key_label: null,
  model: null,
  vendor: null,
  member: null,
  preferred: null,
  dialect: null,
  stream: null,
  upstream_ms: null,
  first_byte_ms: null,
  first_token_ms: null,
  duration_ms: null,
  outcome: null,
  usage: null,
  counted: null,
  losses: [],
  edits: null,
  learned: null,
  continued: null,
  retries: 0,
  attempts: [],
  error: null,
  party: null,
  chunks: null,
  client_gone: false,
})

/** Whether a request of a conversation did not go to the member that the conversation prefers. */
export const isElsewhere = ({ vendor, member, preferred }: LogEntry): boolean =>
  preferred !== null && vendor !== null && preferred !== upstreamName({ vendor, member })

/** Converts the entry to a line, without the fields that do not apply. */
export function toLogLine(entry: LogEntry): LogLine {
  const { usage, losses, retries, attempts, client_gone, preferred, unknown_path, ...plain } = entry
  const line: Record<string, Json> = { event: 'request' }
  for (const name in plain) {
    const value = plain[name as keyof typeof plain]
    if (value !== null) line[name] = value
  }
  if (isElsewhere(entry)) line.preferred = preferred
  if (unknown_path !== null) line.path = unknown_path
  if (usage !== null) line.usage = { ...usage }
  if (losses.length > 0) line.losses = losses
  if (retries > 0) line.retries = retries
  if (attempts.length > 1) line.attempts = attempts.map(attemptLine)
  if (client_gone) line.client_gone = client_gone
  return line
}

/** Writes each line as JSON with a timestamp. */
export const lineLog =
  (write: (text: string) => void, clock: () => number): Log =>
  (line) =>
    write(`${JSON.stringify({ time: new Date(clock()).toISOString(), ...line })}\n`)

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
