import type { Request } from '../../protocol/request.ts'
import type { PathMap } from '../../protocol/source-map.ts'
import { isNonEmptyString } from '../../text/json.ts'
import type { HeaderRule, Wire } from '../../wires/contract.ts'
import type { ClientHeader, Quirks } from '../../wires/quirks.ts'

/** The headers of a client's request. Lower-case names. */
export type ReceivedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

type Headers = Readonly<Record<string, string>>

/**
 * The headers of a client that reach an upstream of the client's own wire, by the table of the wire; a vendor's row may
 * narrow it.
 */
export function pickClientHeaders(
  { clientHeaders = {} }: Pick<Wire, 'clientHeaders'>,
  { clientHeaders: accepted, betas }: Quirks,
  received: ReceivedHeaders,
): Headers {
  const names = Object.keys(clientHeaders) as ClientHeader[]
  return Object.fromEntries(
    names
      .filter((name) => accepted === undefined || accepted.includes(name))
      .flatMap((name) => {
        const value = received[name]
        const own = isNonEmptyString(value) ? withoutTransports(value) : ''
        const kept = name === BETA && betas !== undefined ? acceptedBetas(own, betas) : own
        return kept === '' ? [] : [[name, kept] as const]
      }),
  )
}

/** The headers of a trace (W3C Trace Context). A state without a parent means nothing. */
export function traceHeaders({ traceparent, tracestate }: ReceivedHeaders): Headers {
  if (typeof traceparent !== 'string' || !/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(?:-|$)/.test(traceparent))
    return {}
  return { traceparent, ...(isNonEmptyString(tracestate) ? { tracestate } : {}) }
}

const BETA = 'anthropic-beta' satisfies ClientHeader

/** Entries that some platforms have under the name of a part of theirs. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  // Claude Code's search of tools, on Vertex and Bedrock.
  ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'],
])

const entriesOf = (list: string): readonly string[] => list.split(',').map((entry) => entry.trim())

/** The entries of a list that a platform accepts, each once. */
function acceptedBetas(list: string, betas: readonly string[]): string {
  const named = entriesOf(list).map((entry) => (betas.includes(entry) ? entry : (OTHER_NAMES.get(entry) ?? entry)))
  return [...new Set(named.filter((entry) => betas.includes(entry)))].join(',')
}

/** The headers without the entries that the upstream refuses. */
export function withoutRefusedBetas(headers: Headers, { refusesBetas = [] }: Quirks): Headers {
  const { [BETA]: list, ...others } = headers
  if (list === undefined || refusesBetas.length === 0) return headers
  const kept = entriesOf(list).filter((entry) => !refusesBetas.includes(entry))
  return kept.length === 0 ? others : { ...headers, [BETA]: kept.join(',') }
}

/** Codex requests its WebSocket transport of this gateway (`responses_websockets=2026-02-06`); calls of upstreams are HTTP. */
const TRANSPORT = /^responses_websockets\b/

const withoutTransports = (value: string): string =>
  value.includes('responses_websockets')
    ? value
        .split(',')
        .filter((entry) => !TRANSPORT.test(entry.trim()))
        .join(',')
        .trim()
    : value

/** Adds them to the headers that the wire sets itself. */
export function withClientHeaders(
  { clientHeaders = {} }: Pick<Wire, 'clientHeaders'>,
  own: Headers,
  sent: Headers,
): Headers {
  if (Object.keys(sent).length === 0) return own
  const rules: ReadonlyMap<string, HeaderRule> = new Map(Object.entries(clientHeaders))
  const added = Object.entries(sent).map(([name, value]): [string, string] => [
    name,
    rules.get(name) === 'joins' ? joinLists(own[name] ?? '', value) : value,
  ])
  return { ...own, ...Object.fromEntries(added) }
}

/** Joins two comma-separated lists. Each entry is listed once. */
const joinLists = (one: string, other: string): string =>
  [...new Set(entriesOf(`${one},${other}`))].filter(isNonEmptyString).join(',')

const hasImage = ({ input }: Pick<Request, 'input'>): boolean =>
  input.some((item) => {
    const parts = 'output' in item ? item.output : item.type === 'message' ? item.content : []
    return parts.some(({ type }) => type === 'input_image')
  })

/** The header that some vendors require for images (GitHub Copilot). */
export const imageHeaders = (request: Pick<Request, 'input'>, { imageHeader }: Quirks): Headers =>
  imageHeader === undefined || !hasImage(request) ? {} : { [imageHeader]: 'true' }

/** Whether the last message is the agent's own work: an answer of the model, or a result of a tool. */
function continuesAgent({ input }: Pick<Request, 'input'>, toClientPath: PathMap): boolean {
  const at = input.findLastIndex((item) => item.type !== 'message' || item.role === 'assistant' || item.role === 'user')
  const last = input[at]
  if (last === undefined || last.type !== 'message' || last.role === 'assistant') return last !== undefined
  // A message of a Messages client has the results and a text behind them.
  const before = input[at - 1]
  const message = messageOf(toClientPath(`input[${at}]`))
  const isOfOne = message !== null && message === messageOf(toClientPath(`input[${at - 1}]`))
  return before !== undefined && 'output' in before && isOfOne
}

const messageOf = (path: string | null): string | null => /^\w+\[\d+\]/.exec(path ?? '')?.[0] ?? null

/** The header by which a vendor tells the work of an agent from a request of its user (GitHub Copilot). */
export const initiatorHeaders = (
  request: Pick<Request, 'input'>,
  { initiatorHeader }: Quirks,
  toClientPath: PathMap,
): Headers =>
  initiatorHeader === undefined ? {} : { [initiatorHeader]: continuesAgent(request, toClientPath) ? 'agent' : 'user' }

/** The header by which a vendor finds the prompt of a conversation in its cache (xAI). */
export function conversationHeaders(key: string | null, { conversationHeader }: Quirks): Headers {
  if (conversationHeader === undefined || !isNonEmptyString(key)) return {}
  return { [conversationHeader]: key.replace(/[^\x21-\x7e]/g, '_') }
}

/** The upstream, as far as the headers of a call depend on it. */
interface CalledUpstream {
  readonly wire: Wire
  readonly quirks: Quirks
  readonly key: string | null
  readonly headers: Headers
}

/** All headers of a call. `versions`: those of the request alone. The operator's own headers replace all others. */
export const callHeaders = (
  { wire, quirks, key, headers }: CalledUpstream,
  versions: Headers,
  stream: boolean,
): Headers => ({
  'content-type': 'application/json',
  'accept-encoding': 'identity',
  accept: stream ? wire.framing.mediaTypes[0] : 'application/json',
  'user-agent': 'millrace',
  ...versions,
  ...(key === null ? {} : wire.authorize(key, quirks)),
  ...headers,
})
