import { streamBody, type TranslateOptions, translate } from './engine.ts'
import { FRAMINGS } from './framing/table.ts'
import { type GatewayError, upstreamError } from './protocol/error.ts'
import { joined } from './text/joined.ts'
import type { Wire } from './wires/wire.ts'

const LOST = upstreamError('upstream_disconnected', 'The connection to the upstream broke.')

/** Who reads may keep what he has read for as long as he likes: nothing is only lent. */
export type StreamOptions = Omit<TranslateOptions, 'lend'>

const open = (options: StreamOptions) => translate({ ...options, lend: false })

/** What a source gives; where it breaks, null as the last thing. */
async function* readSource(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | null> {
  try {
    yield* source
  } catch {
    yield null
  }
}

/**
 * `translate()` for `for await`: upstream bytes → the events of a dialect, whole frames only. Pulls no faster than it is
 * pulled. A source that throws ends the stream as failed; who stops early closes the source.
 */
export async function* translateIterable(
  source: AsyncIterable<Uint8Array>,
  options: StreamOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const translation = open(options)
  for await (const bytes of readSource(source)) {
    const said = bytes === null ? translation.fail(LOST) : translation.receive(bytes)
    if (said.length > 0) yield said
    // Failed, or a limit was passed: to leave the loop closes the source.
    if (translation.over()) return
  }
  const owed = translation.end()
  if (owed.length > 0) yield owed
}

/**
 * `translateIterable()` for what `fetch` gives. A status of 400 or more ends the stream as failed, with that status and the
 * vendor's own words; a whole body becomes the same answer as a stream.
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

/** An answer without a body says nothing. */
const EMPTY = upstreamError('upstream_truncated', 'The upstream answered without a body.')

async function readFailure(response: globalThis.Response, wire: Wire): Promise<GatewayError> {
  const { status, headers, ok } = response
  if (ok) return EMPTY
  const text = await response.text().catch(() => null)
  if (text === null) return LOST
  const error = wire.decodeError(status, Object.fromEntries(headers), text)
  const named = `HTTP ${status}`
  return { ...error, message: error.message.includes(named) ? error.message : `${named}: ${error.message}` }
}

const isJson = ({ headers }: globalThis.Response): boolean =>
  /^application\/json\b/i.test(headers.get('content-type') ?? '')

const START = 256

/** Some vendors label their streams as JSON: what it is, its beginning shows. */
async function readWhole(response: globalThis.Response, options: StreamOptions): Promise<Uint8Array> {
  const translation = open(options)
  const bytes = await response.arrayBuffer().catch(() => null)
  if (bytes === null) return translation.fail(LOST)
  const text = new TextDecoder().decode(bytes)
  if (!FRAMINGS[options.wire.framing].looksLike.test(text.slice(0, START))) return streamBody(options, text).bytes
  return joined(translation.receive(new Uint8Array(bytes)), translation.end())
}

/**
 * `translate()` for `pipeThrough`. An upstream that breaks breaks the whole pipe, as Web streams have it: where the client
 * is owed a failure in words, take `translateIterable`.
 */
export function translateStream(options: StreamOptions): TransformStream<Uint8Array, Uint8Array> {
  const translation = open(options)
  const say = (said: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
    if (said.length > 0) controller.enqueue(said)
  }
  return new TransformStream({
    transform(bytes, controller) {
      say(translation.receive(bytes), controller)
      // A limit was passed: nothing more is read.
      if (translation.over()) controller.terminate()
    },
    flush: (controller) => say(translation.end(), controller),
  })
}
