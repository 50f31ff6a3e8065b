import { type TranslateOptions, translate } from './engine.ts'
import { upstreamError } from './protocol/error.ts'

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
