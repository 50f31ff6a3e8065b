import { SignatureV4 } from '@smithy/signature-v4'
import type { HttpRequest, Signing } from '../../observability/exporters/http-request.ts'
import { isObject, parseJson } from '../../text/json.ts'
import type { Hashes } from '../hashes.ts'

/** The outcome of one request. `reason` is a fixed word for logs and metrics, and contains no text of an answer. */
export type SendResult =
  | { readonly kind: 'taken'; readonly rejected: number }
  /** Sending the same request again would not help. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | null }

export interface Sender {
  send(outgoing: HttpRequest): Promise<SendResult>
  close(): Promise<void>
}

interface DestinationAnswer {
  readonly status: number
  /** The values of a header by its lower-case name. */
  header(name: string): string | undefined
  /** The start of its body. */
  readonly text: string
}

/** The highest number of bytes that are read of an answer. */
export const LONGEST_ANSWER = 64 * 1024

/** Sends a request to a destination. Rejects if there is no answer within the time limit. */
type PostTrace = (url: URL, outgoing: HttpRequest) => Promise<DestinationAnswer>

/** Sends requests to destinations by `post`, signed where a destination requires it. Never rejects. */
export const createSender = (post: PostTrace, hashes: Hashes, close: () => Promise<void>): Sender => ({
  async send(outgoing) {
    const { signing } = outgoing
    const url = new URL(outgoing.url)
    try {
      const headers = signing === null ? outgoing.headers : await sign(outgoing, url, signing, hashes)
      return resultOf(await post(url, { ...outgoing, headers }))
    } catch (error) {
      return { kind: 'failed', reason: reasonOf(error), retryAfterMs: null }
    }
  },
  close,
})

const AGAIN: readonly number[] = [408, 425, 429]
const LONGEST_WAIT_MS = 60_000

function resultOf({ status, header, text }: DestinationAnswer): SendResult {
  // ClickHouse may detect an error after it has sent status 200.
  const exception = header('x-clickhouse-exception-code')
  if (exception !== undefined) return { kind: 'refused', reason: `exception_${Number(exception)}` }
  if (status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedSpans(text) }
  const reason = `status_${status}`
  if (status < 500 && !AGAIN.includes(status)) return { kind: 'refused', reason }
  const seconds = Number(header('retry-after'))
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

/**
 * The error code of the system, of undici, or of the cause of a failed `fetch`. Messages are not used, because they may
 * contain addresses.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.cause instanceof Error) return reasonOf(error.cause)
  if (error.name === 'TimeoutError') return 'timeout'
  const code = 'code' in error ? String(error.code) : ''
  return /^[A-Z0-9_]{1,40}$/.test(code) ? code.toLowerCase() : 'unreachable'
}

/** Signs a request right before it is sent, because a signature is valid for some minutes only. */
async function sign(
  { method, headers, body }: HttpRequest,
  url: URL,
  { service, region, accessKeyId, secretAccessKey, sessionToken }: Signing,
  { Sha256 }: Hashes,
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
