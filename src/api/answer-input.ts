import { NO_BODY } from '../engine/bare-body.ts'
import { httpFailure } from '../engine/call/http-failure.ts'
import type { Outcome, UpstreamReport } from '../engine/outcome.ts'
import { type AnswerTranslator, DISCONNECTED } from '../engine/stream-translator.ts'
import { FORMATS } from '../framing/format.ts'
import { run } from '../machine/run.ts'
import { type GatewayError, upstreamError, withCause } from '../protocol/error.ts'
import { type Limits, maxBodyBytes } from '../protocol/limits.ts'
import { bytesToBase64 } from '../text/base64.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { checkBytes, checkInput, checkReadOnce, isReadable } from '../validation/arguments.ts'
import type { StreamWire } from '../wires/contract.ts'
import { type Redact, redactError } from '../wires/redact.ts'
import { openSource, readBounded, type SourceReader, type SourceReading, sourceOf } from './source-reader.ts'

/**
 * The answer of an upstream. A `Response` of `fetch` may also be an error (status 300 or more) or a whole JSON body;
 * both become an answer like any other. Bytes are a whole stream. A source may also have the chunks of a stream as objects, as SDKs of vendors
 * return them, or server-sent events `{ event, data }`, and a whole body may be the object that an SDK returns.
 */
export type AnswerInput =
  | Uint8Array
  | AnswerSourceOf<Uint8Array>
  | AnswerSourceOf<object>
  | globalThis.Response
  | AnswerBodyObject

/** A whole body as an object. One without any of these members belongs to no protocol of the package. */
interface AnswerBodyObject {
  readonly choices?: unknown
  readonly content?: unknown
  readonly candidates?: unknown
  readonly output?: unknown
  readonly steps?: unknown
  readonly message?: unknown
}

type AnswerSourceOf<Value> = ReadableStream<Value> | AsyncIterable<Value>

/** An answer, or the promise of `fetch`: a broken connection is an answer as well. */
export type PendingInput = AnswerInput | Promise<AnswerInput>

export interface AnswerSource {
  readonly wire: StreamWire
  readonly limits: Limits
  /** The remedy for a key that the upstream refuses; null if none is known. */
  readonly keyRemedy: string | null
  /** Hides the key of the program. */
  readonly redact?: Redact
  /** Is called for each read of the upstream, also if it has no output. */
  readonly onActivity?: (() => void) | undefined
  /** The failure of a promise of an answer that was rejected. */
  readonly toUnsent?: ((error: unknown) => Unsent) | undefined
}

/** The failure of a request that was not sent, and whether the client of the program has left. */
export interface Unsent {
  readonly error: GatewayError
  readonly hasLeft: boolean
}

/** Reads an answer and passes it to a translator, no faster than its output is requested. */
export class AnswerInputReader<Piece> {
  /**
   * Settles when the answer has ended, also if its source throws, or if the reader is cancelled. It never rejects, and
   * stays open as long as nothing is read or cancelled.
   */
  readonly outcome: Promise<Outcome>
  private readonly input: PendingInput
  private readonly source: AnswerSource
  private readonly translator: AnswerTranslator<Piece>
  private readonly onOutcome: ((outcome: Outcome) => void) | undefined
  private resolveOutcome: (outcome: Outcome) => void = () => undefined
  private reader: SourceReader | null = null
  private ended: Outcome | null = null
  private isReported = false
  /** Of a response. */
  private http: Pick<UpstreamReport, 'status' | 'headers' | 'text'> | null = null
  private hasLeft = false

  /** `input`: a promise may be rejected. */
  constructor(
    input: PendingInput,
    source: AnswerSource,
    translator: AnswerTranslator<Piece>,
    onOutcome?: (outcome: Outcome) => void,
  ) {
    if (!isPromise(input)) checkInput(input, 'input')
    // The first read meets the failure, which may be long after it: until then, the runtime must not call it unhandled.
    else if (isNativePromise(input)) void input.catch(() => undefined)
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
    const breakOff = (error?: unknown): Out | Promise<Out> => give(this.breakOff(error))
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
    let reading: SourceReading | null | undefined
    try {
      reading = await this.reader?.read()
    } catch (error) {
      return this.breakOff(error)
    }
    return reading == null ? this.breakOff() : this.take(reading)
  }

  private take({ value }: SourceReading): Piece | null | Promise<Piece> {
    const { translator } = this
    if (this.ended !== null) return this.report()
    if (value === undefined) return this.end(translator.end())
    let bytes: Uint8Array
    try {
      this.source.onActivity?.()
      bytes = this.toBytes(value)
    } catch (error) {
      return this.refuse(error)
    }
    const piece = translator.push(bytes)
    return translator.done ? this.stop(piece) : piece
  }

  /** The bytes of one read: a chunk that is an object is written as its upstream writes it. */
  private toBytes(value: Uint8Array | object): Uint8Array {
    // The names of classes are read only for what is rare: that takes a tenth of a read.
    if (value instanceof Uint8Array) return value
    if (isChunk(value)) return chunkBytes(value, this.source.wire)
    checkBytes(value, 'input')
    return value
  }

  private breakOff(error?: unknown): Piece | null {
    return this.ended === null ? this.end(this.translator.abort(this.broken(error))) : this.report()
  }

  /** The failure of a source that broke. The client of the program may have left it. */
  private broken(error: unknown): GatewayError {
    const { toUnsent, redact } = this.source
    if (toUnsent?.(error).hasLeft === true) this.hasLeft = true
    return redactError(withCause(DISCONNECTED, error), redact ?? hideNothing)
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
    if (isOpen) {
      this.hasLeft = true
      this.settle(this.translator.outcome)
    }
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

  private settle(found: Outcome): void {
    const outcome: Outcome = {
      ...found,
      ...(this.hasLeft ? { ending: 'left' as const } : {}),
      upstream: { ...found.upstream, ...this.http },
      remedy: found.error?.code === 'upstream_authentication' ? this.source.keyRemedy : null,
    }
    this.ended = outcome
    this.resolveOutcome(outcome)
  }

  private end(piece: Piece): Piece {
    this.settle(this.translator.outcome)
    return piece
  }

  private async close(reason?: unknown): Promise<void> {
    const { input } = this
    const cancel = (source: AnswerInput): Promise<unknown> =>
      (this.reader ?? openSource(sourceIn(source))).cancel(reason)
    try {
      if (this.reader !== null) await this.reader.cancel(reason)
      else if (!isPromise(input)) await cancel(input)
      // An answer that has not arrived yet is not waited for.
      else void input.then(cancel).catch(() => undefined)
    } catch {
      // A source that cannot be closed has failed, and has nothing left to close.
    }
  }

  /** The answer that was sent, or the failure of its request. */
  private async sent(input: Promise<AnswerInput>): Promise<AnswerInput | Unsent> {
    let sent: AnswerInput
    try {
      sent = await input
    } catch (error) {
      const refused = sdkFailure(error)
      if (refused !== null)
        return { error: this.failureOf(refused.status, refused.headers, refused.text), hasLeft: false }
      const unsent = this.source.toUnsent?.(error) ?? { error: withCause(DISCONNECTED, error), hasLeft: false }
      return { ...unsent, error: redactError(unsent.error, this.source.redact ?? hideNothing) }
    }
    checkInput(sent, 'input')
    return sent
  }

  /** Reads the failure of a response with a status of 300 or more. `reader`: of its body. Never rejects. */
  private async readFailure(response: globalThis.Response, reader: SourceReader): Promise<GatewayError> {
    try {
      const { bytes } = await readBounded(reader, MOST_OF_FAILURE)
      return this.failureOf(response.status, headersOf(response), new TextDecoder().decode(bytes))
    } catch (error) {
      return this.broken(error)
    }
  }

  private failureOf(status: number, headers: Readonly<Record<string, string>>, text: string): GatewayError {
    const { wire, redact = hideNothing } = this.source
    this.http = { status, headers, text: redact(text) }
    const error = redactError(httpFailure(wire, status, headers, text), redact)
    const named = `HTTP ${status}`
    return status < 400 || error.message.includes(named) ? error : { ...error, message: `${named}: ${error.message}` }
  }

  /** Opens the source. Returns the answer of a response that is no stream, null for a stream. */
  private async open(): Promise<{ readonly made: Piece } | null> {
    const { translator } = this
    const { wire, limits } = this.source
    const failed = (error: GatewayError) => ({ made: translator.abort(error) })
    // A source that is here is opened at once, so that a consumer that leaves closes it.
    const input = isPromise(this.input) ? await this.sent(this.input) : this.input
    // The consumer has left meanwhile, and the answer is closed as soon as it arrives.
    if (this.ended !== null) return null
    if ('hasLeft' in input) {
      this.hasLeft = input.hasLeft
      return failed(input.error)
    }
    if (isBodyObject(input)) return { made: translator.pushBody(JSON.stringify(input, withBase64)) }
    checkReadOnce(input, 'input')
    const reader = openSource(sourceIn(input))
    this.reader = reader
    if (!isFetchResponse(input)) return null
    this.http = { status: input.status, headers: headersOf(input), text: null }
    if (!input.ok) {
      const error = await this.readFailure(input, reader)
      return this.ended === null ? failed(error) : null
    }
    if (input.body === null) return failed(NO_BODY)
    if (!isJson(input)) return null
    const most = maxBodyBytes(limits)
    const whole = await readBounded(reader, most).catch((error: unknown) => this.broken(error))
    if (this.ended !== null) return null
    if ('code' in whole) return failed(whole)
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
  upstreamError('upstream_too_large', `The upstream response is too large: expected at most ${most} bytes.`)

const hideNothing: Redact = (text) => text

export const isFetchResponse = (input: AnswerInput): input is globalThis.Response =>
  'headers' in input && 'status' in input

const isJson = ({ headers }: globalThis.Response): boolean =>
  /^application\/json\b/i.test(headers.get('content-type') ?? '')

/** The bytes that are read of the body of a failure; its message is at the beginning. */
const MOST_OF_FAILURE = 1024 * 1024

const headersOf = ({ headers }: Pick<globalThis.Response, 'headers'>): Readonly<Record<string, string>> =>
  Object.fromEntries([...headers].filter(([name]) => name !== 'set-cookie'))

const isPromise = (input: PendingInput): input is Promise<AnswerInput> =>
  isObject(input) && typeof (input as Partial<Promise<unknown>>).then === 'function'

/** Also one of another realm. Asking any other thenable for its value may begin its work. */
const isNativePromise = (input: unknown): input is Promise<AnswerInput> =>
  Object.prototype.toString.call(input) === '[object Promise]'

/** Null for an answer without a source: an object has nothing to close. */
const sourceIn = (input: AnswerInput): Parameters<typeof openSource>[0] =>
  isFetchResponse(input) ? input.body : isBodyObject(input) ? null : input

const isBodyObject = (input: AnswerInput): input is AnswerBodyObject => !isReadable(input)

/** The failure of an SDK, which has read the response of the upstream: OpenAI's and Anthropic's have these members. */
function sdkFailure(
  error: unknown,
): { status: number; headers: Readonly<Record<string, string>>; text: string } | null {
  if (!isObject(error)) return null
  const { status, headers, error: body, message } = error
  if (typeof status !== 'number' || status < 400 || status > 599) return null
  const text = isObject(body) ? JSON.stringify('error' in body ? body : { error: body }) : String(message)
  return { status, headers: headersOf({ headers: new Headers(headers as HeadersInit) }), text }
}

/** A chunk of a stream as an object. Bytes of another realm are no instance of its class here. */
const isChunk = (value: unknown): value is object => Object.prototype.toString.call(value) === '[object Object]'

const encoder = new TextEncoder()

/** A server-sent event has its data as text, and no other members than these. */
const OF_FRAMES: ReadonlySet<string> = new Set(['event', 'data', 'id', 'retry', 'comment'])

const isFrame = (chunk: object): chunk is { readonly data: string; readonly event?: unknown } =>
  'data' in chunk && typeof chunk.data === 'string' && Object.keys(chunk).every((name) => OF_FRAMES.has(name))

/** Bytes inside a chunk are base64 in JSON (Bedrock, `redactedContent`). */
const withBase64 = (_: string, value: unknown): unknown => (value instanceof Uint8Array ? bytesToBase64(value) : value)

/** The bytes of a chunk, as its upstream writes them. */
function chunkBytes(chunk: object, { framing }: StreamWire): Uint8Array {
  const { type } = chunk as { readonly type?: unknown }
  const frame = isFrame(chunk)
    ? { event: isNonEmptyString(chunk.event) ? chunk.event : '', data: chunk.data }
    : { event: isNonEmptyString(type) ? type : '', data: JSON.stringify(chunk, withBase64) }
  return encoder.encode(run(FORMATS[framing.format].write, [frame]).join(''))
}
