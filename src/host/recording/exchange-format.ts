import type { GatewayError } from '../../protocol/error.ts'
import { isObject, parseJson } from '../../text/json.ts'
import type { WireName } from '../../wires/contract.ts'
import { findWire } from '../../wires/find-wire.ts'
import type { Quirks } from '../../wires/quirks.ts'

/** One read of a connection: milliseconds since the read before it (of the first: since the head), and its bytes. */
export type PacedRead = readonly [delayMs: number, bytes: number]

/** Milliseconds from one event to the next, or the reads as they were. */
export type Pace = number | readonly PacedRead[]

/** The request of a recorded exchange, as the upstream received it, without secrets. */
export interface RecordedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The value of a JSON body, another body as text; null: no body. */
  readonly body: unknown
}

/**
 * How the answer of a recorded exchange ended: `complete`; `broken` by the upstream or the network; `left` by its reader,
 * such as a client that had disconnected.
 */
export type RecordedEnd = 'complete' | 'broken' | 'left'

/** The file `settings.json` of a recorded exchange. */
export interface ExchangeSettings {
  /** null: the exchange is not with a vendor, such as a web search. */
  readonly wire: WireName | null
  readonly vendor: string
  /** The upstream's own name of the model; empty for a request without one. */
  readonly model: string
  /** Without query and credentials. */
  readonly base_url: string
  readonly quirks: Quirks
  /** null: no answer came. */
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>>
  readonly trailers: Readonly<Record<string, string>>
  /** The file with the body of the answer; null if it has none. */
  readonly file: string | null
  /** The content coding that was removed from the body, such as `gzip`; null: the bytes are as they came. */
  readonly decoded: string | null
  /** Milliseconds from the request to the head of the answer. */
  readonly head_ms: number
  readonly pace: Pace
  readonly end: RecordedEnd
  /** Why no answer came, or why it broke. */
  readonly error: GatewayError | null
  /** Why the stored body is not what came; null: it is. */
  readonly lost: string | null
  /** Number of secrets that were masked in request and body. */
  readonly masked: number
  /** ISO 8601. */
  readonly recorded_at: string
}

export const REQUEST_FILE = 'request.json'
export const SETTINGS_FILE = 'settings.json'

/** The pace of recordings without one, in milliseconds. */
const DEFAULT_PACE = 25

const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0

const isRead = (value: unknown): value is PacedRead =>
  Array.isArray(value) && value.length === 2 && isCount(value[0]) && isCount(value[1])

const toPace = (value: unknown): Pace => {
  if (isCount(value)) return value
  return Array.isArray(value) && value.every(isRead) ? value : DEFAULT_PACE
}

/**
 * Reads what all recordings have in their settings, `{"pace": 40, "quirks": {"thinkTags": true}}`; a `pace` of reads is
 * `[[delay, bytes], …]`.
 */
export function parseSettings(text: string): { readonly pace: Pace; readonly quirks: Quirks } {
  const settings = parseJson(text)
  const { pace, quirks } = isObject(settings) ? settings : {}
  return { pace: toPace(pace), quirks: isObject(quirks) ? (quirks as Quirks) : {} }
}

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, one]) => (typeof one === 'string' ? [[name, one] as const] : [])),
      )
    : {}

const textOr = <Other>(value: unknown, other: Other): string | Other => (typeof value === 'string' ? value : other)

/** A file of a recorded exchange is in its own folder. */
const fileOf = (value: unknown): string | null =>
  typeof value === 'string' && /^[\w.-]+$/.test(value) && !value.startsWith('.') ? value : null

function toError(value: unknown): GatewayError | null {
  if (!isObject(value)) return null
  const { party, code, message, status, param, retryAfter } = value
  return {
    party: party === 'client' || party === 'gateway' ? party : 'upstream',
    code: textOr(code, 'upstream_disconnected'),
    message: textOr(message, 'The recorded connection to the upstream was lost.'),
    status: isCount(status) ? status : 502,
    param: textOr(param, null),
    retryAfter: isCount(retryAfter) ? retryAfter : null,
  }
}

const toEnd = (value: unknown): RecordedEnd => (value === 'broken' || value === 'left' ? value : 'complete')

/**
 * Reads the settings of a recorded exchange; null if the text is not such an object. Missing members have the values of
 * a complete answer with status 200, so that a folder can also be written by hand.
 */
export function parseExchangeSettings(text: string): ExchangeSettings | null {
  const settings = parseJson(text)
  if (!isObject(settings)) return null
  const { status } = settings
  return {
    ...parseSettings(text),
    wire: findWire(textOr(settings.wire, ''))?.name ?? null,
    vendor: textOr(settings.vendor, ''),
    model: textOr(settings.model, ''),
    base_url: textOr(settings.base_url, ''),
    status: status === null ? null : isCount(status) ? status : 200,
    headers: textsOf(settings.headers),
    trailers: textsOf(settings.trailers),
    file: fileOf(settings.file),
    decoded: textOr(settings.decoded, null),
    head_ms: isCount(settings.head_ms) ? settings.head_ms : 0,
    end: toEnd(settings.end),
    error: toError(settings.error),
    lost: textOr(settings.lost, null),
    masked: isCount(settings.masked) ? settings.masked : 0,
    recorded_at: textOr(settings.recorded_at, ''),
  }
}

/** Reads the request of a recorded exchange; null if the text is not one, such as a client's request. */
export function parseRecordedRequest(text: string): RecordedRequest | null {
  const request = parseJson(text)
  if (!isObject(request) || typeof request.method !== 'string' || typeof request.path !== 'string') return null
  return { method: request.method, path: request.path, headers: textsOf(request.headers), body: request.body ?? null }
}

/** The text of `settings.json`: a line for each member. */
export function formatSettings(settings: ExchangeSettings): string {
  const lines = Object.entries(settings).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

/** The path of a request below the base URL of its vendor, without the query: all that two servers have in common. */
export function wirePath(path: string, baseUrl: string): string {
  const [name = ''] = path.split('?', 1)
  const base = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/$/, '') : ''
  return base !== '' && name.startsWith(`${base}/`) ? name.slice(base.length) : name
}
