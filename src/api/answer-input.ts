import { type AnswerTranslator, DISCONNECTED } from '../engine/stream-translator.ts'
import { FRAMINGS } from '../framing/registry.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { checkBytes, checkInput } from '../validation/arguments.ts'
import type { StreamWire } from '../wires/contract.ts'

/**
 * The answer of an upstream. A `Response` of `fetch` may also be an error (status 400 or more) or a whole JSON body;
 * both become an answer like any other.
 */
export type AnswerInput = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | globalThis.Response

interface Reading {
  readonly done?: boolean | undefined
  readonly value?: Uint8Array | undefined
}

/** A `ReadableStreamDefaultReader`, or the iterator of another source. */
interface SourceReader {
  read(): Promise<Reading>
  cancel(reason?: unknown): Promise<unknown>
}

const EMPTY = upstreamError('upstream_truncated', 'The upstream returned no body.')

/** Reads an answer and passes it to a translator, no faster than its output is requested. */
export class AnswerInputReader<Piece> {
  private readonly input: AnswerInput
  private readonly wire: StreamWire
  private readonly translator: AnswerTranslator<Piece>
  private reader: SourceReader | null = null
  private hasEnded = false

  constructor(input: AnswerInput, wire: StreamWire, translator: AnswerTranslator<Piece>) {
    checkInput(input)
    this.input = input
    this.wire = wire
    this.translator = translator
  }

  /**
   * Reads once, and returns the output. Returns null after the end. A source that breaks ends the answer as failed, so
   * that this rejects only for a source of other values than bytes.
   */
  async read(): Promise<Piece | null> {
    if (this.hasEnded) return null
    const { translator } = this
    if (this.reader === null) {
      const opened = await this.open()
      if (!opened.ok) return this.end(opened.piece)
      this.reader = opened.reader
    }
    let reading: Reading
    try {
      reading = await this.reader.read()
    } catch {
      return this.end(translator.abort(DISCONNECTED))
    }
    if (reading.value === undefined) return this.end(translator.end())
    const piece = await this.push(reading.value)
    // A limit was exceeded: nothing more is read.
    if (translator.done) await this.cancel()
    return piece
  }

  /** Throws a TypeError for a source of anything but bytes, such as one with an encoding, and closes it. */
  private async push(bytes: Uint8Array): Promise<Piece> {
    try {
      checkBytes(bytes, 'input')
    } catch (error) {
      await this.cancel()
      throw error
    }
    return this.translator.push(bytes)
  }

  /** Closes the source. A source that cannot be closed has failed, and has nothing left to close. */
  async cancel(reason?: unknown): Promise<void> {
    if (this.hasEnded) return
    this.hasEnded = true
    const { input } = this
    const reader = this.reader ?? (isResponse(input) ? readerOf(input.body) : readerOf(input))
    await reader.cancel(reason).catch(() => undefined)
  }

  private end(piece: Piece): Piece {
    this.hasEnded = true
    return piece
  }

  /** Returns the reader of a stream, or the answer of a response that is no stream. */
  private async open(): Promise<{ ok: true; reader: SourceReader } | { ok: false; piece: Piece }> {
    const { input, translator, wire } = this
    if (!isResponse(input)) return { ok: true, reader: readerOf(input) }
    if (input.body === null || !input.ok) return { ok: false, piece: translator.abort(await readFailure(input, wire)) }
    if (!isJson(input)) return { ok: true, reader: readerOf(input.body) }
    const bytes = await input.arrayBuffer().catch(() => null)
    if (bytes === null) return { ok: false, piece: translator.abort(DISCONNECTED) }
    const text = new TextDecoder().decode(bytes)
    // Some vendors label streams as JSON. The beginning of the body shows its format.
    if (!FRAMINGS[wire.framing].looksLike.test(text.slice(0, BEGINNING)))
      return { ok: false, piece: translator.pushBody(text) }
    return { ok: true, reader: readerOf(new Blob([bytes]).stream()) }
  }
}

/** Characters of a body that show its format. */
const BEGINNING = 256

const isResponse = (input: AnswerInput): input is globalThis.Response => 'headers' in input && 'status' in input

const isJson = ({ headers }: globalThis.Response): boolean =>
  /^application\/json\b/i.test(headers.get('content-type') ?? '')

function readerOf(source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null): SourceReader {
  if (source === null) return { read: async () => ({ done: true }), cancel: async () => undefined }
  if ('getReader' in source) return source.getReader()
  const iterator = source[Symbol.asyncIterator]()
  return { read: () => iterator.next(), cancel: async () => iterator.return?.() }
}

/** Reads the failure of a response with a status of 400 or more, or without a body. */
export async function readFailure(response: globalThis.Response, wire: StreamWire): Promise<GatewayError> {
  const { status, headers, ok } = response
  if (ok) return EMPTY
  const text = await response.text().catch(() => null)
  if (text === null) return DISCONNECTED
  const error = wire.decodeError(status, Object.fromEntries(headers), text)
  const named = `HTTP ${status}`
  return { ...error, message: error.message.includes(named) ? error.message : `${named}: ${error.message}` }
}
