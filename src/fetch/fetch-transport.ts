import { UNDECODABLE } from '../gateway/body/content-coding.ts'
import type { CancelListener, CancellationSignal } from '../gateway/cancellation.ts'
import type { Config } from '../gateway/config/config.ts'
import type { BodyReader, Transport, UpstreamRequest, UpstreamResponse } from '../gateway/upstream/transport.ts'
import { failureLike } from '../gateway/upstream/transport-error.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { type CodedSource, DamagedBody, isDecodable, openBody, UndecodedBody } from './coded-body.ts'
import { fetchFailure } from './fetch-failure.ts'

/** `fetch` of the platform, or another function that keeps its contract. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>

type Limits = Pick<Config['timeouts'], 'first_byte_seconds' | 'idle_seconds'>

const { process: node } = globalThis as {
  readonly process?: { readonly versions?: Record<string, string | undefined> }
}

/**
 * Whether `fetch` of this runtime may throw in an event of its socket, which ends the process, if a connection ends while
 * its answer is not read: that of Node with undici 7 (nodejs/undici#5360). Any Node may have it, because a package that
 * imports undici replaces the dispatcher of `fetch`.
 */
const NEEDS_READING = node?.versions?.undici !== undefined

/**
 * The bytes of an answer that are stored while its reading is paused. Where reading must not pause, they are as many as
 * an answer may have of text; an answer of which more waits fails.
 */
export const bytesAhead = (answerBytes: number, needsReading = NEEDS_READING): number =>
  needsReading ? answerBytes : 0

const TOO_MUCH_WAITS = upstreamError(
  'upstream_too_large',
  'The client reads too slowly: more of the answer waits than limits.answer_bytes permits.',
)

const LATE_HEAD = failureLike('UND_ERR_HEADERS_TIMEOUT')
const LATE_BODY = failureLike('UND_ERR_BODY_TIMEOUT')

const DAMAGED = upstreamError('upstream_invalid', 'The compressed upstream response is damaged.')

/**
 * The transport to an upstream by `fetch`. Connecting counts as a part of `first_byte_seconds`, because `fetch` reports
 * nothing in between; answers have no trailers. `ahead`: see `bytesAhead`.
 */
export const fetchTransport =
  (send: Fetch, limits: Limits, ahead = 0): Transport =>
  (call, signal) =>
    signal.reason === null ? new FetchCall(send, limits, ahead, call, signal).head : Promise.resolve(err(signal.reason))

class FetchCall implements CancelListener {
  readonly head: Promise<Result<UpstreamResponse>>
  private readonly aborting = new AbortController()
  private readonly signal: CancellationSignal
  private readonly limits: Limits
  private settle: (head: Result<UpstreamResponse>) => void = () => undefined
  private body: CodedSource | null = null
  private reader: BodyReader | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  /** The time since when bytes are awaited, from `performance.now()`; null while the body is paused. */
  private waitingSince: number | null = null
  private isPaused = false
  private isOver = false
  private wake: () => void = () => undefined
  private readonly ahead: number
  /** Bytes, and the end, that arrived during a pause. */
  private readonly waiting: ((reader: BodyReader) => void)[] = []
  private delivered = 0
  private waitingBytes = 0
  private isDelivering = false

  constructor(send: Fetch, limits: Limits, ahead: number, call: UpstreamRequest, signal: CancellationSignal) {
    this.signal = signal
    this.ahead = ahead
    this.limits = limits
    this.head = new Promise((resolve) => {
      this.settle = resolve
    })
    signal.listen(this)
    this.timer = setTimeout(() => this.cut(LATE_HEAD), limits.first_byte_seconds * 1000)
    this.run(send, call).catch((error: unknown) => this.fail(fetchFailure(error)))
  }

  private async run(send: Fetch, { method, url, headers, body }: UpstreamRequest): Promise<void> {
    const answer = await send(url, {
      method: method ?? 'POST',
      headers: { ...headers },
      body: method === 'GET' ? null : (body as BodyInit),
      redirect: 'manual',
      signal: this.aborting.signal,
    })
    clearTimeout(this.timer)
    if (this.isOver) {
      await answer.body?.cancel()
      return
    }
    this.body = openBody(answer)
    this.settle(
      ok({
        status: answer.status,
        headers: headersOf(answer),
        read: (reader) => this.read(reader),
        pause: () => {
          this.isPaused = true
        },
        resume: () => this.resume(),
        abort: () => {
          this.close()
          this.aborting.abort()
        },
      }),
    )
  }

  private read(reader: BodyReader): void {
    this.reader = reader
    if (this.isOver) {
      if (this.signal.reason !== null) reader.fail(this.signal.reason)
      return
    }
    this.watch()
    this.pump().catch((error: unknown) => this.deliver(() => this.fail(failureOf(error))))
  }

  private async pump(): Promise<void> {
    while (!this.isOver) {
      this.waitingSince = performance.now()
      const { done, value } = (await this.body?.read()) ?? { done: true as const, value: undefined }
      this.waitingSince = null
      if (done) {
        this.deliver((reader) => {
          if (this.close()) reader.end()
        })
        return
      }
      this.deliverBytes(value)
      if (this.ahead > 0 && this.waitingBytes > this.ahead) {
        this.deliver(() => this.cut(TOO_MUCH_WAITS))
        await this.body?.cancel()
        return
      }
      if (this.ahead === 0 && this.isPaused && !this.isOver) await new Promise<void>((wake) => (this.wake = wake))
    }
  }

  private deliverBytes(bytes: Uint8Array): void {
    this.waitingBytes += bytes.length
    this.deliver((reader) => {
      this.waitingBytes -= bytes.length
      reader.bytes(bytes)
    })
  }

  private deliver(what: (reader: BodyReader) => void): void {
    this.waiting.push(what)
    this.deliverWaiting()
  }

  private deliverWaiting(): void {
    const { reader, waiting } = this
    if (this.isDelivering || reader === null) return
    this.isDelivering = true
    try {
      while (this.delivered < waiting.length && !this.isPaused && !this.isOver) {
        this.delivered += 1
        waiting[this.delivered - 1]?.(reader)
      }
    } finally {
      this.isDelivering = false
    }
    if (this.delivered < waiting.length) return
    waiting.length = 0
    this.delivered = 0
  }

  private resume(): void {
    this.isPaused = false
    // The wait for the next bytes begins anew.
    if (this.waitingSince !== null) this.waitingSince = performance.now()
    this.deliverWaiting()
    this.wake()
  }

  /** Reads do not restart the timer; when it fires, it compares the clock with the start of the read. */
  private watch(): void {
    const ms = this.limits.idle_seconds * 1000
    const passed = this.waitingSince === null || this.isPaused ? 0 : performance.now() - this.waitingSince
    this.timer = setTimeout(
      () => {
        const isLate = this.waitingSince !== null && !this.isPaused && performance.now() - this.waitingSince >= ms
        if (isLate) this.cut(LATE_BODY)
        else if (!this.isOver) this.watch()
      },
      Math.max(1, Math.ceil(ms - passed)),
    )
  }

  private cut(error: GatewayError): void {
    this.fail(error)
    this.aborting.abort()
  }

  onCancel(): void {
    if (this.signal.reason !== null) this.cut(this.signal.reason)
  }

  private fail(error: GatewayError): void {
    if (!this.close()) return
    this.settle(err(error))
    this.reader?.fail(error)
  }

  private close(): boolean {
    if (this.isOver) return false
    this.isOver = true
    clearTimeout(this.timer)
    this.signal.forget(this)
    this.wake()
    return true
  }
}

function failureOf(error: unknown): GatewayError {
  if (error instanceof UndecodedBody) return UNDECODABLE
  return error instanceof DamagedBody ? DAMAGED : fetchFailure(error)
}

function headersOf({ headers }: Response): UpstreamResponse['headers'] {
  const { 'content-encoding': coding, 'content-length': length, ...others } = Object.fromEntries(headers)
  if (isDecodable(coding)) return others
  return {
    ...others,
    ...(coding === undefined ? {} : { 'content-encoding': coding }),
    ...(length === undefined ? {} : { 'content-length': length }),
  }
}
