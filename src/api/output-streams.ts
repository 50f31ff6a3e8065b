import type { Outcome } from '../engine/outcome.ts'
import type { Target } from '../engine/target.ts'
import { FORMATS } from '../framing/format.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import type { AnswerInputReader } from './answer-input.ts'

/** Has the result of an answer that is read as a stream. */
export interface WithOutcome {
  /**
   * Settles when the answer has ended, when its source throws, or when its consumer leaves. It never rejects. It does
   * not settle before the answer is read.
   */
  readonly outcome: Promise<Outcome>
}

/** The bytes for a client, and the result. */
export type TranslatedStream = ReadableStream<Uint8Array> & WithOutcome

/** The bytes for a client as an iterator, and the result. */
export type TranslatedIterable = AsyncIterableIterator<Uint8Array, undefined, undefined> & WithOutcome

/** The events of an answer, and the result. */
export type EventStream<Event = ResponseEvent> = AsyncGenerator<Event, void, undefined> & WithOutcome

/** A whole answer, and the result. */
export type Collected<Body = ResponseObject> = Promise<Body> & WithOutcome

/** Options of a stream that is read over a network. */
export interface KeepAliveOptions {
  /**
   * Milliseconds of silence after which the stream has a sign of life of the client's protocol, so that no proxy closes
   * the connection. Protocols without one have none. Default: never.
   */
  readonly keepAlive?: number
}

/** A proxy that collects small writes would delay the stream. */
export const streamHeaders = ({ format, headers }: Target): Record<string, string> => ({
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  'content-type': FORMATS[format].mediaType,
  ...headers,
})

/** A sign of life, and the silence before it in milliseconds. */
interface SignOfLife {
  readonly bytes: Uint8Array
  readonly after: number
}

export const keepAliveOf = ({ keepAlive: text }: Target, { keepAlive }: KeepAliveOptions): SignOfLife | null =>
  keepAlive === undefined || text === null ? null : { bytes: new TextEncoder().encode(text), after: keepAlive }

/**
 * The output of a reader as a Web stream. `pull` returns no promise, so that a read has only those of its source and of
 * its consumer.
 */
export function toWebStream(reader: AnswerInputReader<Uint8Array>, sign: SignOfLife | null = null): TranslatedStream {
  let out: ReadableStreamDefaultController<Uint8Array>
  let isReading = false
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const arm = (): void => {
    if (sign === null) return
    clearTimeout(timer)
    // Each output is whole frames, so that nothing is written inside of one.
    timer = setTimeout(() => {
      if (!isOver) out.enqueue(sign.bytes)
    }, sign.after)
  }
  const give = (bytes: Uint8Array | null): void => {
    if (isOver) return
    if (sign !== null && (bytes === null || bytes.length > 0)) clearTimeout(timer)
    if (bytes === null) {
      isOver = true
      out.close()
    } else if (bytes.length > 0) {
      isReading = false
      out.enqueue(bytes)
    } else next()
  }
  const fail = (error: unknown): void => {
    isOver = true
    clearTimeout(timer)
    out.error(error)
  }
  const read = reader.readsTo(give, fail)
  const next = (): void => {
    isReading = true
    void read()
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        out = controller
      },
      pull() {
        arm()
        // A consumer with two reads pulls twice. `enqueue` pulls again for the second one.
        if (!isReading) next()
      },
      cancel(reason) {
        isOver = true
        clearTimeout(timer)
        return reader.cancel(reason)
      },
    },
    // Nothing is read before it is requested.
    { highWaterMark: 0 },
  )
  return Object.assign(stream, { outcome: reader.outcome })
}

/** The output of a reader as an iterator, with signs of life where `sign` is not null. */
export const toIterator = (
  reader: AnswerInputReader<Uint8Array>,
  sign: SignOfLife | null,
): AsyncIterableIterator<Uint8Array, undefined, undefined> & WithOutcome =>
  sign === null ? new OutputIterator(reader) : new WatchedIterator(toWebStream(reader, sign))

/** A consumer that leaves closes the source. */
abstract class BytesIterator<Reader extends { cancel(reason?: unknown): Promise<unknown> }>
  implements AsyncIterableIterator<Uint8Array, undefined, undefined>
{
  readonly outcome: Promise<Outcome>
  protected readonly reader: Reader

  constructor(reader: Reader, outcome: Promise<Outcome>) {
    this.outcome = outcome
    this.reader = reader
  }

  abstract next(): Promise<IteratorResult<Uint8Array, undefined>>

  [Symbol.asyncIterator](): this {
    return this
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.reader.cancel()
    return { done: true, value: undefined }
  }

  async throw(error: unknown): Promise<never> {
    await this.reader.cancel(error)
    throw error
  }
}

/** The bytes of a stream whose silence is watched. */
class WatchedIterator extends BytesIterator<ReadableStreamDefaultReader<Uint8Array>> {
  constructor(stream: TranslatedStream) {
    super(stream.getReader(), stream.outcome)
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { value } = await this.reader.read()
    return value === undefined ? { done: true, value } : { done: false, value }
  }
}

/** The output of a reader as an iterator. Calls of `next` are served in their order, as by a generator. */
class OutputIterator extends BytesIterator<AnswerInputReader<Uint8Array>> {
  private readonly read: () => Promise<IteratorResult<Uint8Array, undefined>>
  private readonly readNext: () => Promise<Uint8Array | null>
  private last: Promise<IteratorResult<Uint8Array, undefined>> | null = null
  /** Calls of `next` whose promise is open. */
  private open = 0

  constructor(reader: AnswerInputReader<Uint8Array>) {
    super(reader, reader.outcome)
    this.read = reader.readsTo((bytes) => (bytes !== null && bytes.length === 0 ? this.readOn() : this.give(bytes)))
    this.readNext = reader.readsTo((bytes) => bytes)
  }

  private give(bytes: Uint8Array | null): IteratorResult<Uint8Array, undefined> {
    this.open -= 1
    return bytes === null ? { done: true, value: undefined } : { done: false, value: bytes }
  }

  /** Reads on to the next output. A loop, because a promise that waits for the next one would keep all of them. */
  private async readOn(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const bytes = await this.readNext()
      if (bytes === null || bytes.length > 0) return this.give(bytes)
    }
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.open += 1
    this.last = this.last === null || this.open === 1 ? this.read() : this.last.then(this.read, this.read)
    return this.last
  }
}

/** The events of a reader one by one. */
export async function* eventsOf(
  reader: AnswerInputReader<readonly JsonObject[]>,
): AsyncGenerator<JsonObject, void, undefined> {
  const read = reader.readsTo((events) => events)
  try {
    for (;;) {
      const events = await read()
      if (events === null) break
      for (const event of events) yield event
    }
  } finally {
    await reader.cancel()
  }
}
