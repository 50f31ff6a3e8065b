import { mkdirSync, readdirSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { FRAMINGS } from '../../framing/registry.ts'
import { SECRET_NAME, secretsIn } from '../../gateway/auth/upstream-secrets.ts'
import type {
  BodyReader,
  Trailers,
  Transport,
  UpstreamRequest,
  UpstreamResponse,
} from '../../gateway/upstream/transport.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { ok } from '../../protocol/result.ts'
import { WIRES } from '../../wires/registry.ts'
import { decodeAnswer } from './content-decoder.ts'
import type { PacedRead, RecordedEnd } from './exchange-format.ts'
import { createExchangeFolder, ExchangeWriter, WriteBudget } from './exchange-writer.ts'
import { maskAnswerHeaders, maskBaseUrl, maskPath, maskRequestHeaders } from './mask-head.ts'
import { maskText, type SecretSet, toSecretSet } from './secret-mask.ts'
import type { UpstreamOwner, UpstreamTap } from './upstream-tap.ts'

export interface RecorderOptions {
  /** The folder of the exchanges; it is created. */
  readonly folder: string
  /** Masked wherever they occur, besides those of headers and parameters. */
  readonly secrets: readonly string[]
  /** Called with the name of an exchange that is not stored as it was, and the reason. */
  readonly onFailure: (exchange: string, reason: string) => void
}

export interface Recorder extends UpstreamTap {
  /** The exchanges that have begun. */
  readonly begun: number
  /** Masks this text in all later exchanges. */
  hide(secrets: readonly string[]): void
  /** Resolves when all exchanges that have ended are written. */
  close(): Promise<void>
}

/** Bytes of all answers that wait for the disk. */
const MOST_WAITING = 64 * 1024 * 1024

/** Reads of one answer; further ones count as parts of the last. */
const MOST_READS = 100_000

/** Keys of clients that are remembered, the oldest forgotten first. */
const MOST_SECRETS = 1000

const LONGEST_LABEL = 60

const toLabel = (text: string): string =>
  (text.toLowerCase().match(/[a-z0-9]+(?:\.[a-z0-9]+)*/g) ?? []).join('-').slice(0, LONGEST_LABEL)

/** The number after the last exchange of a folder. */
function nextNumber(folder: string): number {
  const numbers = readdirSync(folder).map((name) => Number(/^(\d{4,})-/.exec(name)?.[1] ?? 0))
  return numbers.reduce((one, other) => Math.max(one, other), 0) + 1
}

const NO_QUERY = new URL('http://localhost')

/** The secrets of a request by their names. Other headers are masked where they are, but may be ordinary words. */
function namedSecrets(headers: UpstreamRequest['headers'], { searchParams }: URL): readonly string[] {
  const all = [...Object.entries(headers), ...searchParams].filter(([name]) => SECRET_NAME.test(name))
  return secretsIn({ key: null, headers: Object.fromEntries(all), baseUrl: '' })
}

/** Records each exchange with an upstream in a folder of its own. Throws an Error if the folder cannot be created. */
export function createRecorder({ folder, secrets, onFailure }: RecorderOptions): Recorder {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const open = new Set<Promise<void>>()
  const budget = new WriteBudget(MOST_WAITING)
  const known = new Set(secrets)
  let set = toSecretSet([...known])
  let number = nextNumber(folder)
  let begun = 0

  const hide = (more: readonly string[]): void => {
    const fresh = more.filter((secret) => !known.has(secret))
    if (fresh.length === 0) return
    for (const secret of fresh) known.add(secret)
    const [oldest] = [...known].slice(secrets.length)
    if (known.size > MOST_SECRETS + secrets.length && oldest !== undefined) known.delete(oldest)
    set = toSecretSet([...known])
  }

  const begin = (call: UpstreamRequest, owner: UpstreamOwner): RecordedExchange => {
    const { method = 'POST', url, headers, body, model } = call
    hide(namedSecrets(headers, url))
    const label = toLabel(maskText([owner.vendor, model].join('-'), set)) || 'exchange'
    const created = createExchangeFolder(folder, number, label)
    const name = `${String(number).padStart(4, '0')}-${label}`
    number += 1
    begun += 1
    const request = {
      method,
      path: maskPath(url, set),
      headers: maskRequestHeaders(headers, set),
      body: method === 'GET' ? null : body,
    }
    const writer = new ExchangeWriter(created, request, set, budget)
    return new RecordedExchange({ call, owner, secrets: set, writer }, (written) => {
      const done = written.then((reason) => {
        open.delete(done)
        if (reason !== null) onFailure(name, reason)
      })
      open.add(done)
    })
  }

  return {
    get begun() {
      return begun
    },
    hide,
    wrap: (source, owner) => recordedSource(source, (call) => begin(call, owner)),
    admit: ({ headers, url = '/' }: IncomingMessage) => {
      const address = `http://localhost${url}`
      const texts = Object.entries(headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      )
      hide(namedSecrets(Object.fromEntries(texts), URL.canParse(address) ? new URL(address) : NO_QUERY))
    },
    async close() {
      while (open.size > 0) await Promise.all(open)
    },
  }
}

/** Passes everything on at once; the recording is beside the path of the bytes. */
const recordedSource =
  (source: Transport, begin: (call: UpstreamRequest) => RecordedExchange): Transport =>
  async (call, signal) => {
    const exchange = begin(call)
    const opened = await source(call, signal)
    if (!opened.ok) {
      exchange.fail(opened.error)
      return opened
    }
    const { response, coding } = decodeAnswer(opened.value)
    exchange.answer(response, coding)
    return ok(tap(response, exchange))
  }

function tap(response: UpstreamResponse, exchange: RecordedExchange): UpstreamResponse {
  return {
    ...response,
    read: (reader) => response.read(new TappedReader(reader, exchange)),
    abort: () => {
      exchange.finish('left', null)
      response.abort()
    },
  }
}

class TappedReader implements BodyReader {
  private reader: BodyReader
  private readonly exchange: RecordedExchange

  constructor(reader: BodyReader, exchange: RecordedExchange) {
    this.reader = reader
    this.exchange = exchange
  }

  bytes(chunk: Uint8Array): void {
    this.exchange.read(chunk)
    this.reader.bytes(chunk)
    this.reader = this.reader.instead ?? this.reader
  }

  end(trailers?: Trailers): void {
    this.exchange.finish('complete', null, trailers)
    this.reader.end(trailers)
  }

  fail(error: GatewayError): void {
    this.exchange.fail(error)
    this.reader.fail(error)
  }
}

interface ExchangeParts {
  readonly call: UpstreamRequest
  readonly owner: UpstreamOwner
  readonly secrets: SecretSet
  readonly writer: ExchangeWriter
}

const NO_HEAD = { status: null, headers: {}, coding: null, file: null } as const

/** The state of one exchange while it runs. */
class RecordedExchange {
  private readonly parts: ExchangeParts
  private readonly onFinished: (written: Promise<string | null>) => void
  private readonly startedAt = performance.now()
  private readonly recordedAt = new Date().toISOString()
  private lastAt = 0
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
    this.onFinished = onFinished
  }

  answer(response: UpstreamResponse, coding: string | null): void {
    this.lastAt = performance.now()
    this.headMs = Math.round(this.lastAt - this.startedAt)
    const { status, headers } = response
    const file = this.fileFor(status, headers['content-type'] ?? '')
    this.head = { status, headers, coding, file }
    this.parts.writer.open(file)
  }

  read(chunk: Uint8Array): void {
    if (this.isOver || chunk.length === 0) return
    const now = performance.now()
    const delay = Math.round(now - this.lastAt)
    this.lastAt = now
    const last = this.reads.at(-1)
    if (last !== undefined && this.reads.length >= MOST_READS) {
      this.reads[this.reads.length - 1] = [last[0], last[1] + chunk.length]
    } else this.reads.push([delay, chunk.length])
    // The memory of a chunk may be reused.
    this.parts.writer.write(new Uint8Array(chunk))
  }

  /** A failure of the client is not one of the upstream. */
  fail(error: GatewayError): void {
    if (error.party === 'client') this.finish('left', null)
    else this.finish('broken', error)
  }

  /** The first end counts: an answer is also aborted after its end. */
  finish(end: RecordedEnd, error: GatewayError | null, trailers: Trailers = {}): void {
    if (this.isOver) return
    this.isOver = true
    const { call, owner, secrets, writer } = this.parts
    const { status, headers, coding, file } = this.head
    const settings = {
      wire: owner.wire,
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
      error: error === null ? null : { ...error, message: maskText(error.message, secrets) },
      recorded_at: this.recordedAt,
    }
    this.onFinished(writer.finish(settings))
  }

  /** A stream has the extension of its framing. Failures and whole answers are bodies. */
  private fileFor(status: number, contentType: string): string {
    const { call, owner } = this.parts
    if (call.stream && status < 300 && owner.wire !== null) {
      return `stream.${FRAMINGS[WIRES[owner.wire].framing].extension}`
    }
    return /json/i.test(contentType) ? 'body.json' : 'body.txt'
  }
}
