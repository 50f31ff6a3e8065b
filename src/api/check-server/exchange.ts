import type { JsonObject } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import { concatenated } from '../../text/bytes.ts'
import { parseJson } from '../../text/json.ts'
import { trimSlashes } from '../../text/trim-slashes.ts'
import { translateRequest } from '../translate-request.ts'
import type { ProtocolUnderCheck } from './protocols.ts'

export type AnswerForm = 'streamed' | 'whole'

/** The server under check, and the means to reach it. */
export interface CheckedServer {
  readonly url: string
  readonly model: string
  readonly key: string | null
  readonly protocol: ProtocolUnderCheck
  readonly fetch: typeof globalThis.fetch
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly forms: readonly AnswerForm[]
  readonly budget: Budget
}

/** Counts requests and output tokens, and refuses those beyond the bounds. */
export interface Budget {
  readonly mostRequests: number
  readonly mostTokens: number
  requests: number
  tokens: number
}

/** Thrown in place of a request that the bounds do not allow. */
export class BudgetExceeded extends Error {}

export function spend(budget: Budget, tokens: number): void {
  if (budget.requests + 1 > budget.mostRequests)
    throw new BudgetExceeded(`the bound of ${budget.mostRequests} requests is reached`)
  if (budget.tokens + tokens > budget.mostTokens)
    throw new BudgetExceeded(`the bound of ${budget.mostTokens} output tokens is reached`)
  budget.requests += 1
  budget.tokens += tokens
}

/** A request in the protocol of the server. */
export interface EncodedCheck {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
  readonly losses: readonly Loss[]
  /** The largest number of output tokens. */
  readonly tokens: number
}

const NO_TOKENS = 0

/** Encodes a body of the Responses API for the server; a text with the reason if its protocol cannot carry it. */
export function encodeCheck(
  { protocol, model: own }: Pick<CheckedServer, 'protocol' | 'model'>,
  request: JsonObject,
  stream: boolean,
  model: string = own,
): EncodedCheck | string {
  const encoded = translateRequest({ model, store: false, ...request, stream }, { to: protocol.wire, model })
  if (!encoded.ok) return encoded.error.message
  const { path, headers, body, losses } = encoded
  const { max_output_tokens: tokens } = request
  return { path, headers, body, losses, tokens: typeof tokens === 'number' ? tokens : NO_TOKENS }
}

/** When the bytes of a body arrived, in milliseconds of one clock. */
export interface Arrival {
  readonly sentAt: number
  /** Of an empty body, its end. */
  readonly firstAt: number
  readonly lastAt: number
}

/** An answer as it was received, or the reason why there is none. */
export type ReceivedAnswer =
  | {
      readonly ok: true
      readonly status: number
      readonly type: string
      readonly bytes: Uint8Array
      /** The JSON value of the bytes; undefined if they are not JSON. */
      readonly value: unknown
      readonly arrival: Arrival
      /** The header that repeats the key of the request, or `the body`; null: none. */
      readonly leak: string | null
    }
  | { readonly ok: false; readonly reason: string }

interface CheckRequest {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Default: the key of the server. */
  readonly key?: string | null
  readonly signal?: AbortSignal
}

/**
 * The URL of a path below the base URL, which may have a query of its own, and may end with the version with which the
 * path begins.
 */
export function requestUrl(base: string, path: string): string {
  const url = new URL(base)
  const [name = '', query = ''] = path.split('?', 2)
  const below = trimSlashes(url.pathname)
  const [, version = ''] = name.split('/', 2)
  url.pathname = below.endsWith(`/${version}`) ? `${below}${name.slice(version.length + 1)}` : `${below}${name}`
  for (const [parameter, value] of new URLSearchParams(query)) url.searchParams.append(parameter, value)
  return url.href
}

export const headersOf = (server: CheckedServer, key: string | null = server.key): Record<string, string> => {
  const [name, before] = server.protocol.key
  return { ...server.headers, ...(key === null ? {} : { [name]: before + key }) }
}

/** Sends a request without reading its answer. */
export function openRequest(server: CheckedServer, request: CheckRequest): Promise<Response> {
  const { method = 'POST', path, headers = {}, body, key = server.key, signal } = request
  const late = AbortSignal.timeout(server.timeoutMs)
  return server.fetch(requestUrl(server.url, path), {
    method,
    headers: { 'content-type': 'application/json', ...headers, ...headersOf(server, key) },
    // The key is for this server alone.
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
    signal: signal === undefined ? late : AbortSignal.any([late, signal]),
  })
}

/** Sends a request and reads its whole answer. */
export async function receiveAnswer(server: CheckedServer, request: CheckRequest): Promise<ReceivedAnswer> {
  try {
    const sentAt = performance.now()
    const response = await openRequest(server, request)
    const { bytes, ...times } = await readBody(response)
    const type = response.headers.get('content-type') ?? ''
    const text = new TextDecoder().decode(bytes)
    const leak = leakOf(request.key === undefined ? server.key : request.key, response.headers, text)
    return {
      ok: true,
      status: response.status,
      type,
      bytes,
      value: parseJson(text),
      arrival: { sentAt, ...times },
      leak,
    }
  } catch (error) {
    return { ok: false, reason: reasonOf(error) }
  }
}

/** A key that is shorter would be found in words and numbers of the server. */
export const isSought = (key: string | null): key is string => key !== null && key.length >= 8

function leakOf(key: string | null, headers: Headers, text: string): string | null {
  if (!isSought(key)) return null
  const [header] = [...headers].find(([, value]) => value.includes(key)) ?? []
  if (header !== undefined) return `the header ${header}`
  return text.includes(key) ? 'the body' : null
}

const LONGEST_ANSWER = 64 * 1024 * 1024

interface ReadBody extends Omit<Arrival, 'sentAt'> {
  readonly bytes: Uint8Array
}

async function readBody({ body }: Response): Promise<ReadBody> {
  const pieces: Uint8Array[] = []
  let firstAt: number | null = null
  let lastAt = performance.now()
  if (body === null) return { bytes: new Uint8Array(0), firstAt: lastAt, lastAt }
  let size = 0
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    lastAt = performance.now()
    firstAt ??= lastAt
    pieces.push(read.value)
    size += read.value.length
    if (size <= LONGEST_ANSWER) continue
    await reader.cancel()
    throw new Error(`the answer has more than ${LONGEST_ANSWER} bytes`)
  }
  return { bytes: concatenated(pieces), firstAt: firstAt ?? lastAt, lastAt }
}

/** The message of an error with that of its cause, which names the refused connection. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error && error.cause.message !== '' ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}`
}
