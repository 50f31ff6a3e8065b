import type { Lease } from '../gateway/body/body-budget.ts'
import { BodyIntake, type BodyLimits, DAMAGED, type RequestBody } from '../gateway/body/body-intake.ts'
import { codingOf } from '../gateway/body/content-coding.ts'
import { type BodyLimiter, receive } from '../gateway/body/receive-request.ts'
import { checkContentType } from '../gateway/exchange/content-type.ts'
import type { RequestHead } from '../gateway/exchange/http-types.ts'
import { GONE, type RequestContext, STALLED, StartedExchange } from '../gateway/exchange/request-context.ts'
import { clientError } from '../protocol/error.ts'
import { REFUSED_BODY } from '../protocol/limits.ts'
import type { Result } from '../protocol/result.ts'
import { FetchReply } from './fetch-reply.ts'

/** One `Request` with its answer. */
export interface FetchContext extends RequestContext {
  readonly reply: FetchReply
}

interface ExchangeLimits {
  /** The longest time in which the client may read nothing of its answer, and that its body may take. */
  readonly stalledMs: number
  readonly bodyMs: number
}

/** The head of a request. The name of the host is a part of the URL, and not of the headers, on most platforms. */
export function toRequestHead({ method, url, headers }: Request): RequestHead {
  const { host, pathname, search } = new URL(url)
  return { method, url: pathname + search, httpVersion: '1.1', headers: { host, ...Object.fromEntries(headers) } }
}

export function createFetchContext(
  request: Request,
  head: RequestHead,
  id: string,
  { stalledMs, bodyMs }: ExchangeLimits,
): FetchContext {
  const started = new StartedExchange(id, request.method)
  const { journal } = started
  const reply = new FetchReply(request.method === 'HEAD', stalledMs)
  const leave = (): void => reply.leave()
  const closed = new Promise<void>((resolve) => {
    const onClose = (): void => {
      request.signal.removeEventListener('abort', leave)
      journal.mark('ended')
      if (reply.isGone() && started.keeps?.() !== true) {
        const reason = reply.end === 'stalled' ? STALLED : GONE
        journal.mark('gone')
        started.abort(reason)
        if (reason === STALLED) journal.add({ type: 'cut', code: reason.code, party: reason.party })
      }
      resolve()
    }
    reply.onClose({ onClose })
  })
  reply.setHeader('x-request-id', id)
  request.signal.addEventListener('abort', leave)
  if (request.signal.aborted) leave()
  return Object.assign(started, {
    request: head,
    body: {
      codings: CODINGS,
      check: (isTypeOptional: boolean) => checkContentType(head, CODINGS, isTypeOptional),
      read: (limiter: BodyLimiter) =>
        receive(
          limiter,
          (limits, lease, done) => readBytes(request, { limits, lease, bodyMs }, done),
          (lease) => void closed.then(() => lease.release()),
        ),
    },
    reply,
    closed,
  })
}

const LATE = clientError(
  'request_timeout',
  'The request did not arrive within connections.body_seconds of this server.',
)

const FORMATS: Readonly<Record<string, string>> = { br: 'brotli' }

const openDecoder = (coding: string): DecompressionStream =>
  new DecompressionStream((FORMATS[coding] ?? coding) as CompressionFormat)

/** The content codings that a platform may decode: `br` and `zstd` are not in the standard of Compression Streams. */
const CODINGS: readonly string[] = ['gzip', 'deflate', 'br', 'zstd'].filter(canDecode)

function canDecode(coding: string): boolean {
  try {
    openDecoder(coding)
    return true
  } catch {
    return false
  }
}

const decoded = (body: ReadableStream<Uint8Array> | null, coding: string): ReadableStream<Uint8Array> | null =>
  body?.pipeThrough(openDecoder(coding) as ReadableWritablePair<Uint8Array, Uint8Array>) ?? null

interface Reading {
  readonly limits: BodyLimits
  readonly lease: Lease
  readonly bodyMs: number
}

function readBytes(
  { body, headers }: Request,
  { limits, lease, bodyMs }: Reading,
  done: (body: Result<RequestBody>) => void,
): void {
  const intake = new BodyIntake(limits, lease, done)
  const coding = codingOf(headers.get('content-encoding') ?? undefined)
  intake.expect(headers.get('content-length') ?? undefined, coding)
  const timer = setTimeout(() => intake.breakOff(LATE), bodyMs)
  readInto(intake, coding === '' ? body : decoded(body, coding))
    .catch(() => intake.breakOff(coding === '' ? undefined : DAMAGED))
    .finally(() => clearTimeout(timer))
}

/** A refusal that a client does not read before it has sent everything must still reach it. */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), REFUSED_BODY.ms)
  try {
    for (let size = 0; size < REFUSED_BODY.bytes; ) {
      const { done, value } = await reader.read()
      if (done) return
      size += value.length
    }
    await reader.cancel()
  } finally {
    clearTimeout(timer)
  }
}

async function readInto(intake: BodyIntake, body: ReadableStream<Uint8Array> | null): Promise<void> {
  const reader = body?.getReader()
  while (reader !== undefined && !intake.refused) {
    const { done, value } = await reader.read()
    if (done) break
    intake.add(value)
  }
  if (!intake.refused) return intake.end()
  if (reader !== undefined) await discard(reader)
}
