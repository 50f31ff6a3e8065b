import { FRAMINGS } from '../framing/registry.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { joined } from '../text/bytes.ts'
import type { Wire } from '../wires/contract.ts'
import type { TranslationOptions } from './answer.ts'
import { createTranslation, streamWholeBody } from './translation.ts'

const DISCONNECTED = upstreamError('upstream_disconnected', 'The connection to the upstream broke.')

/** Consumers may keep the returned bytes, so that these are never views of the shared buffer. */
export type StreamOptions = Omit<TranslationOptions, 'lend'>

const open = (options: StreamOptions) => createTranslation({ ...options, lend: false })

/** The bytes of a source. If the source throws, the last value is null. */
async function* readSource(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | null> {
  try {
    yield* source
  } catch {
    yield null
  }
}

/**
 * `createTranslation()` for `for await`: upstream bytes → the events of a dialect, complete frames only. Reads the source no
 * faster than the consumer reads. A source that throws ends the stream as failed. A consumer that stops early closes
 * the source.
 */
export async function* translateIterable(
  source: AsyncIterable<Uint8Array>,
  options: StreamOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const translation = open(options)
  for await (const bytes of readSource(source)) {
    const output = bytes === null ? translation.fail(DISCONNECTED) : translation.receive(bytes)
    if (output.length > 0) yield output
    // The stream failed, or exceeded a limit. Returning from the loop closes the source.
    if (translation.over()) return
  }
  const owed = translation.end()
  if (owed.length > 0) yield owed
}

/**
 * `translateIterable()` for a response of `fetch`. A status of 400 or more ends the stream as failed, with that status
 * and the vendor's own message. A whole body becomes the same answer as a stream.
 */
export async function* translateResponse(
  response: globalThis.Response,
  options: StreamOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { body, ok } = response
  if (body === null || !ok) yield open(options).fail(await readFailure(response, options.wire))
  else if (isJson(response)) yield await readWhole(response, options)
  else yield* translateIterable(body, options)
}

const EMPTY = upstreamError('upstream_truncated', 'The upstream returned no body.')

async function readFailure(response: globalThis.Response, wire: Wire): Promise<GatewayError> {
  const { status, headers, ok } = response
  if (ok) return EMPTY
  const text = await response.text().catch(() => null)
  if (text === null) return DISCONNECTED
  const error = wire.decodeError(status, Object.fromEntries(headers), text)
  const named = `HTTP ${status}`
  return { ...error, message: error.message.includes(named) ? error.message : `${named}: ${error.message}` }
}

const isJson = ({ headers }: globalThis.Response): boolean =>
  /^application\/json\b/i.test(headers.get('content-type') ?? '')

const START = 256

/** Some vendors label streams as JSON. The beginning of the body shows its format. */
async function readWhole(response: globalThis.Response, options: StreamOptions): Promise<Uint8Array> {
  const translation = open(options)
  const bytes = await response.arrayBuffer().catch(() => null)
  if (bytes === null) return translation.fail(DISCONNECTED)
  const text = new TextDecoder().decode(bytes)
  if (!FRAMINGS[options.wire.framing].looksLike.test(text.slice(0, START))) return streamWholeBody(options, text).bytes
  return joined(translation.receive(new Uint8Array(bytes)), translation.end())
}

/**
 * `createTranslation()` for `pipeThrough`. An upstream that breaks also breaks the pipe, as Web streams specify. Use
 * `translateIterable` if the client must receive the failure as an event.
 */
export function translateStream(options: StreamOptions): TransformStream<Uint8Array, Uint8Array> {
  const translation = open(options)
  const enqueue = (output: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
    if (output.length > 0) controller.enqueue(output)
  }
  return new TransformStream({
    transform(bytes, controller) {
      enqueue(translation.receive(bytes), controller)
      // A limit was exceeded: nothing more is read.
      if (translation.over()) controller.terminate()
    },
    flush: (controller) => enqueue(translation.end(), controller),
  })
}
