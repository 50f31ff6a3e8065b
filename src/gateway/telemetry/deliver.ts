import { SignatureV4 } from '@smithy/signature-v4'
import { Agent, type Dispatcher, request } from 'undici/index.js'
import type { HttpRequest, Signing } from '../../observability/exporters/http-request.ts'
import { isObject, parseJson } from '../../text/json.ts'
import { Sha256 } from '../auth/sha256.ts'

/** The outcome of one request. `reason` is a fixed word for logs and metrics, and contains no text of an answer. */
export type DeliveryResult =
  | { readonly kind: 'taken'; readonly rejected: number }
  /** Sending the same request again would not help. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | null }

export interface Sender {
  send(outgoing: HttpRequest): Promise<DeliveryResult>
  close(): Promise<void>
}

/** The highest number of bytes that are read of an answer. */
const LONGEST_ANSWER = 64 * 1024
const CONNECTIONS = 8

/**
 * Creates a sender with a connection pool of its own, so that destinations and upstreams do not wait for each other.
 */
export function openSender(timeoutMs: number): Sender {
  const agent = new Agent({ connections: CONNECTIONS, connect: { timeout: timeoutMs } })
  return {
    send: async (outgoing) => {
      try {
        return await exchange(agent, outgoing, timeoutMs)
      } catch (error) {
        return { kind: 'failed', reason: reasonOf(error), retryAfterMs: null }
      }
    },
    close: () => agent.destroy(),
  }
}

async function exchange(agent: Agent, outgoing: HttpRequest, timeoutMs: number): Promise<DeliveryResult> {
  const { method, body, signing } = outgoing
  const url = new URL(outgoing.url)
  const headers = signing === null ? outgoing.headers : await sign(outgoing, url, signing)
  const signal = AbortSignal.timeout(timeoutMs)
  const answer = await request(url, { dispatcher: agent, method, headers, body, signal })
  return resultOf(answer, await readSome(answer.body))
}

async function readSome(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop releases the connection.
    if (size > LONGEST_ANSWER) break
  }
  return Buffer.concat(chunks).toString()
}

const AGAIN: readonly number[] = [408, 425, 429]
const LONGEST_WAIT_MS = 60_000

function resultOf({ statusCode, headers }: Dispatcher.ResponseData, text: string): DeliveryResult {
  // ClickHouse may detect an error after it has sent status 200.
  const exception = headers['x-clickhouse-exception-code']
  if (exception !== undefined) return { kind: 'refused', reason: `exception_${Number(exception)}` }
  if (statusCode >= 200 && statusCode < 300) return { kind: 'taken', rejected: rejectedSpans(text) }
  const reason = `status_${statusCode}`
  if (statusCode < 500 && !AGAIN.includes(statusCode)) return { kind: 'refused', reason }
  const seconds = Number(headers['retry-after'])
  const retryAfterMs = seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : null
  return { kind: 'failed', reason, retryAfterMs }
}

/** OTLP reports the rejected part of a batch with status 200. */
function rejectedSpans(text: string): number {
  const answer = parseJson(text)
  const partial = isObject(answer) && isObject(answer.partialSuccess) ? answer.partialSuccess : {}
  const rejected = Number(partial.rejectedSpans ?? 0)
  return rejected > 0 ? rejected : 0
}

/** The error code of the system or of undici. Messages are not used, because they may contain addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.name === 'TimeoutError') return 'timeout'
  const code = 'code' in error ? String(error.code) : ''
  return /^[A-Z0-9_]{1,40}$/.test(code) ? code.toLowerCase() : 'unreachable'
}

/** Signs a request right before it is sent, because a signature is valid for some minutes only. */
async function sign(
  { method, headers, body }: HttpRequest,
  url: URL,
  { service, region, accessKeyId, secretAccessKey, sessionToken }: Signing,
): Promise<Record<string, string>> {
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) }
  // An S3 path is signed as it is sent, without escaping it a second time.
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath: false })
  const signed = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    path: url.pathname,
    headers: { ...headers, host: url.host },
    body,
  })
  return signed.headers
}
