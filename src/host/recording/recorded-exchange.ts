import { codingOf } from '../../gateway/body/content-coding.ts'
import type { UpstreamOwner } from '../../gateway/upstream/tap.ts'
import type { Trailers, UpstreamRequest, UpstreamResponse } from '../../gateway/upstream/transport.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { KnownWire } from '../../wires/contract.ts'
import { findWire } from '../../wires/find-wire.ts'
import type { PacedRead, RecordedEnd } from './exchange-format.ts'
import type { ExchangeWriter } from './exchange-writer.ts'
import { maskAnswerHeaders, maskBaseUrl } from './mask-head.ts'
import { answerSecrets } from './request-secrets.ts'
import { maskText, type SecretSet } from './secret-mask.ts'

/** Reads of one answer; further ones count as parts of the last. */
const MOST_READS = 100_000

interface ExchangeParts {
  readonly call: UpstreamRequest
  readonly owner: UpstreamOwner
  /** Those of the exchange, and these. */
  readonly secretsWith: (more: readonly string[]) => SecretSet
  readonly writer: ExchangeWriter
}

const NO_HEAD = { status: null, headers: {}, coding: null, file: null } as const

/** The state of one exchange while it runs. */
type UpstreamAnswer = Pick<UpstreamResponse, 'status' | 'headers' | 'decoded'>

export class RecordedExchange {
  private readonly parts: ExchangeParts
  private readonly onFinished: (written: Promise<string | null>) => void
  private readonly startedAt = performance.now()
  private readonly recordedAt = new Date().toISOString()
  private openedAt = 0
  private lastMs = 0
  private secrets: SecretSet
  private headMs = 0
  private head: {
    readonly status: number | null
    readonly headers: UpstreamResponse['headers']
    readonly coding: string | null
    readonly file: string | null
  } = NO_HEAD
  private readonly reads: PacedRead[] = []
  private isOver = false

  constructor(parts: ExchangeParts, onFinished: (written: Promise<string | null>) => void) {
    this.parts = parts
    this.secrets = parts.secretsWith([])
    this.onFinished = onFinished
  }

  answer({ status, headers, decoded }: UpstreamAnswer): void {
    this.openedAt = performance.now()
    this.headMs = Math.round(this.openedAt - this.startedAt)
    const file = this.fileFor(status, headers['content-type'] ?? '')
    this.head = { status, headers, coding: decoded ?? null, file }
    const { writer, secretsWith } = this.parts
    this.secrets = secretsWith(answerSecrets(headers))
    writer.open(file, this.secrets)
    const unknown = codingOf(headers['content-encoding'])
    if (unknown !== '') writer.giveUp(`Its content coding "${unknown}" cannot be decoded, and may hide secrets.`)
  }

  read(chunk: Uint8Array): void {
    if (this.isOver || chunk.length === 0) return
    // Rounded sums: the rounded delays of many reads would add up to another duration.
    const now = Math.round(performance.now() - this.openedAt)
    const delay = now - this.lastMs
    this.lastMs = now
    const last = this.reads.at(-1)
    if (last !== undefined && this.reads.length >= MOST_READS) {
      this.reads[this.reads.length - 1] = [last[0], last[1] + chunk.length]
    } else this.reads.push([delay, chunk.length])
    // The memory of a chunk may be reused.
    this.parts.writer.write(new Uint8Array(chunk))
  }

  /** A failure of the client, or the end of this server, is not one of the upstream. */
  fail(error: GatewayError): void {
    if (error.party === 'upstream') this.finish('broken', error)
    else this.finish('left', null)
  }

  /** The first end counts: an answer is also aborted after its end. */
  finish(end: RecordedEnd, error: GatewayError | null, trailers: Trailers = {}): void {
    if (this.isOver) return
    this.isOver = true
    const { secrets } = this
    const { call, owner, writer } = this.parts
    const { status, headers, coding, file } = this.head
    const settings = {
      wire: this.wire?.name ?? null,
      vendor: owner.vendor,
      model: maskText(call.model, secrets),
      base_url: maskBaseUrl(owner.baseUrl, secrets),
      quirks: owner.quirks,
      status,
      headers: maskAnswerHeaders(headers, secrets),
      trailers: maskAnswerHeaders(trailers, secrets),
      file,
      decoded: coding,
      head_ms: this.headMs,
      pace: this.reads,
      end,
      error:
        error === null
          ? null
          : { ...error, code: maskText(error.code, secrets), message: maskText(error.message, secrets) },
      recorded_at: this.recordedAt,
    }
    this.onFinished(writer.finish(settings))
  }

  /** Undefined for a wire of a program, whose recordings cannot be played. */
  private get wire(): KnownWire | undefined {
    return findWire(this.parts.owner.wire ?? '')
  }

  /** A stream has the extension of its framing. Failures and whole answers are bodies. */
  private fileFor(status: number, contentType: string): string {
    const { call } = this.parts
    if (call.stream && status < 300 && this.wire !== undefined) return `stream.${this.wire.framing.extension}`
    return /json/i.test(contentType) ? 'body.json' : 'body.txt'
  }
}
