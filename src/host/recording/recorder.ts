import { mkdirSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import type { UpstreamOwner } from '../../gateway/upstream/tap.ts'
import type {
  BodyReader,
  Trailers,
  Transport,
  UpstreamRequest,
  UpstreamResponse,
} from '../../gateway/upstream/transport.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { ok } from '../../protocol/result.ts'
import { createExchangeFolder, ExchangeWriter, WriteBudget } from './exchange-writer.ts'
import { maskPath, maskRequestHeaders } from './mask-head.ts'
import { RecordedExchange } from './recorded-exchange.ts'
import { bodySecrets, clientSecrets, namedSecrets } from './request-secrets.ts'
import { maskText, type SecretSet, toSecretSet } from './secret-mask.ts'
import type { UpstreamTap } from './upstream-tap.ts'

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
  readonly started: number
  /** Masks this text in all later exchanges. */
  hide(secrets: readonly string[]): void
  /** Resolves when all exchanges that have begun have ended and are written. */
  close(): Promise<void>
}

/** Bytes of all answers that wait for the disk. */
const MOST_WAITING = 64 * 1024 * 1024

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

/** Records each exchange with an upstream in a folder of its own. Throws an Error if the folder cannot be created. */
export function createRecorder({ folder, secrets, onFailure }: RecorderOptions): Recorder {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const open = new Set<Promise<void>>()
  const budget = new WriteBudget(MOST_WAITING)
  const known = new Set(secrets)
  let set = toSecretSet([...known])
  let number = nextNumber(folder)
  let started = 0

  const hide = (more: readonly string[]): void => {
    const fresh = more.filter((secret) => !known.has(secret))
    if (fresh.length === 0) return
    for (const secret of fresh) known.add(secret)
    const [oldest] = [...known].slice(secrets.length)
    if (known.size > MOST_SECRETS + secrets.length && oldest !== undefined) known.delete(oldest)
    set = toSecretSet([...known])
  }

  /** A request with a signature has secrets that no other request has. */
  const setWith = (own: readonly string[]): SecretSet =>
    own.every((secret) => known.has(secret)) ? set : toSecretSet([...known, ...own])

  const begin = (call: UpstreamRequest, owner: UpstreamOwner): RecordedExchange => {
    const { method = 'POST', url, headers, body, model } = call
    const own = [
      ...namedSecrets(headers, url),
      ...bodySecrets(typeof body === 'string' ? body : Buffer.from(body).toString()),
    ]
    const hidden = setWith(own)
    const label = toLabel(maskText([owner.vendor, model].join('-'), hidden)) || 'exchange'
    const created = createExchangeFolder(folder, number, label)
    const planned = `${String(number).padStart(4, '0')}-${label}`
    number += 1
    started += 1
    const request = {
      method,
      path: maskPath(url, hidden),
      headers: maskRequestHeaders(headers, hidden),
      body: method === 'GET' || body.length === 0 ? null : body,
    }
    const writer = new ExchangeWriter(created, request, hidden, budget)
    let finish: (written: Promise<string | null>) => void = () => undefined
    const done = new Promise<string | null>((resolve) => {
      finish = resolve
    }).then(async (reason) => {
      open.delete(done)
      if (reason !== null) onFailure(await created.then(basename, () => planned), reason)
    })
    open.add(done)
    return new RecordedExchange({ call, owner, secretsWith: (more) => setWith([...own, ...more]), writer }, finish)
  }

  return {
    get started() {
      return started
    },
    hide,
    wrap: (source, owner) => recordedSource(source, (call) => begin(call, owner)),
    admit: (request) => hide(clientSecrets(request)),
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
    const opened = await source(call, signal).catch((error: unknown) => {
      exchange.finish('left', null)
      throw error
    })
    if (!opened.ok) {
      exchange.fail(opened.error)
      return opened
    }
    exchange.answer(opened.value)
    return ok(tap(opened.value, exchange))
  }

function tap(response: UpstreamResponse, exchange: RecordedExchange): UpstreamResponse {
  const { status, headers } = response
  return {
    status,
    headers,
    pause: () => response.pause(),
    resume: () => response.resume(),
    read: (reader) => response.read(new TappedReader(reader, exchange)),
    abort: (end) => {
      exchange.finish(end ?? 'left', null)
      response.abort(end)
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
