import { NO_BODY } from '../engine/bare-body.ts'
import { httpFailure, withKeyRemedy } from '../engine/call/http-failure.ts'
import type { Outcome } from '../engine/outcome.ts'
import { type AnswerTranslator, DISCONNECTED } from '../engine/stream-translator.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { type Limits, maxBodyBytes } from '../protocol/limits.ts'
import { checkBytes, checkInput } from '../validation/arguments.ts'
import type { StreamWire } from '../wires/contract.ts'
import { type Redact, redactError } from '../wires/redact.ts'
import { openSource, readBounded, type SourceReader, type SourceReading, sourceOf } from './source-reader.ts'

/**
 * The answer of an upstream. A `Response` of `fetch` may also be an error (status 300 or more) or a whole JSON body;
 * both become an answer like any other.
 */
export type AnswerInput = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | globalThis.Response

export interface AnswerSource {
  readonly wire: StreamWire
  readonly limits: Limits
  /** The remedy for a key that the upstream refuses; null if none is known. */
  readonly keyRemedy: string | null
  /** Hides the key of the program. */
  readonly redact?: Redact
}

/** Reads an answer and passes it to a translator, no faster than its output is requested. */
export class AnswerInputReader<Piece> {
  /**
   * Settles when the answer has ended, also if its source throws, or if the reader is cancelled. It never rejects, and
   * stays open as long as nothing is read or cancelled.
   */
  readonly outcome: Promise<Outcome>
  private readonly input: AnswerInput
  private readonly source: AnswerSource
  private readonly translator: AnswerTranslator<Piece>
  private readonly onOutcome: ((outcome: Outcome) => void) | undefined
  private resolveOutcome: (outcome: Outcome) => void = () => undefined
  private reader: SourceReader | null = null
  private ended: Outcome | null = null
  private isReported = false

  constructor(
    input: AnswerInput,
    source: AnswerSource,
    translator: AnswerTranslator<Piece>,
    onOutcome?: (outcome: Outcome) => void,
  ) {
    checkInput(input)
    this.input = input
    this.source = source
    this.translator = translator
    this.onOutcome = onOutcome
    this.outcome = new Promise((resolve) => {
      this.resolveOutcome = resolve
    })
  }

  /**
   * Returns a function that reads once, and returns what `give` returns for the output: for null after the end. A source
   * that breaks ends the answer as failed, so that `fail` is called only for a source of other values than bytes; without
   * it, the promise rejects. A read makes one promise beside that of the source.
   */
  readsTo<Out>(give: (piece: Piece | null) => Out | Promise<Out>, fail?: (error: unknown) => Out): () => Promise<Out> {
    const breakOff = (): Out | Promise<Out> => give(this.breakOff())
    // The iterator of a program may have no result.
    const take = (reading: SourceReading | null | undefined): Out | Promise<Out> => {
      if (reading == null) return breakOff()
      const piece = this.take(reading)
      return piece instanceof Promise ? piece.then(give, fail) : give(piece)
    }
    return () => {
      const { reader } = this
      return reader === null || this.ended !== null
        ? this.readFirst().then(give, fail)
        : reader.read().then(take, breakOff)
    }
  }

  /** Opens the source, and reads once. */
  private async readFirst(): Promise<Piece | null> {
    if (this.ended !== null) return this.report()
    try {
      const answer = await this.open()
      if (this.ended !== null) return this.report()
      if (answer !== null) return this.end(answer.made)
    } catch (error) {
      return this.refuse(error)
    }
    const reading = await this.reader?.read().catch(() => null)
    return reading == null ? this.breakOff() : this.take(reading)
  }

  private take({ value }: SourceReading): Piece | null | Promise<Piece> {
    const { translator } = this
    if (this.ended !== null) return this.report()
    if (value === undefined) return this.end(translator.end())
    try {
      checkBytes(value, 'input')
      const piece = translator.push(value)
      return translator.done ? this.stop(piece) : piece
    } catch (error) {
      return this.refuse(error)
    }
  }

  private breakOff(): Piece | null {
    return this.ended === null ? this.end(this.translator.abort(DISCONNECTED)) : this.report()
  }

  /** A limit was exceeded: nothing more is read. */
  private async stop(piece: Piece): Promise<Piece> {
    this.translator.end()
    this.end(piece)
    await this.close()
    return piece
  }

  private async refuse(error: unknown): Promise<never> {
    if (this.ended === null) this.end(this.translator.abort(UNREADABLE))
    this.report()
    await this.close()
    throw error
  }

  /** Stops reading, and closes the source. An answer that has not ended is left. */
  async cancel(reason?: unknown): Promise<void> {
    const isOpen = this.ended === null
    // The outcome does not wait for the source, which may be in the middle of a read that takes long.
    if (isOpen) this.settle({ ...this.translator.outcome, ending: 'left' })
    this.report()
    if (isOpen) await this.close(reason)
  }

  /** Calls `onOutcome` once, after the output of the answer was read. */
  private report(): null {
    if (this.isReported || this.ended === null) return null
    this.isReported = true
    this.onOutcome?.(this.ended)
    return null
  }

  private settle(outcome: Outcome): void {
    this.ended = outcome
    this.resolveOutcome(outcome)
  }

  private end(piece: Piece): Piece {
    this.settle(this.translator.outcome)
    return piece
  }

  private async close(reason?: unknown): Promise<void> {
    const { input } = this
    try {
      const reader = this.reader ?? openSource(isResponse(input) ? input.body : input)
      await reader.cancel(reason)
    } catch {
      // A source that cannot be closed has failed, and has nothing left to close.
    }
  }

  /** Opens the source. Returns the answer of a response that is no stream, null for a stream. */
  private async open(): Promise<{ readonly made: Piece } | null> {
    const { input, translator } = this
    const { wire, limits, keyRemedy, redact } = this.source
    const reader = openSource(isResponse(input) ? input.body : input)
    this.reader = reader
    if (!isResponse(input)) return null
    const failed = (error: GatewayError) => ({ made: translator.abort(error) })
    if (!input.ok) {
      const error = await readFailure(input, reader, wire)
      return this.ended === null
        ? failed(withKeyRemedy(redact === undefined ? error : redactError(error, redact), keyRemedy))
        : null
    }
    if (input.body === null) return failed(NO_BODY)
    if (!isJson(input)) return null
    const most = maxBodyBytes(limits)
    const whole = await readBounded(reader, most).catch(() => null)
    if (this.ended !== null) return null
    if (whole === null) return failed(DISCONNECTED)
    if (whole.isCut) return failed(tooLarge(most))
    const text = new TextDecoder().decode(whole.bytes)
    // Some vendors label streams as JSON. The beginning of the body shows its format.
    this.reader = sourceOf(whole.bytes)
    const isStream = text.trim() === '' || wire.framing.looksLike.test(text.slice(0, BEGINNING))
    return isStream ? null : { made: translator.pushBody(text) }
  }
}

/** Characters of a body that show its format. */
const BEGINNING = 256

const UNREADABLE = upstreamError('upstream_invalid', 'The input is not a stream of bytes that can be read.')

const tooLarge = (most: number): GatewayError =>
  upstreamError('upstream_too_large', `The answer of the upstream is too large: expected at most ${most} bytes.`)

const isResponse = (input: AnswerInput): input is globalThis.Response => 'headers' in input && 'status' in input

const isJson = ({ headers }: globalThis.Response): boolean =>
  /^application\/json\b/i.test(headers.get('content-type') ?? '')

/** The bytes that are read of the body of a failure; its message is at the beginning. */
const MOST_OF_FAILURE = 1024 * 1024

/** Reads the failure of a response with a status of 300 or more. `reader`: of its body. Never rejects. */
async function readFailure(
  { status, headers }: globalThis.Response,
  reader: SourceReader,
  wire: StreamWire,
): Promise<GatewayError> {
  const body = await readBounded(reader, MOST_OF_FAILURE).catch(() => null)
  if (body === null) return DISCONNECTED
  const error = httpFailure(wire, status, Object.fromEntries(headers), new TextDecoder().decode(body.bytes))
  const named = `HTTP ${status}`
  if (status < 400 || error.message.includes(named)) return error
  return { ...error, message: `${named}: ${error.message}` }
}
