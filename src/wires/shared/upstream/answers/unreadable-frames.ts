import type { Frame } from '../../../../framing/frame.ts'
import { framesOfList, splitFrame } from '../../../../framing/json-array.ts'
import { type Machine, NOTHING, type Step } from '../../../../machine/machine.ts'
import { feed } from '../../../../machine/run.ts'
import type { Delta } from '../../../../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../../../../protocol/error.ts'
import { ANSWER_BOUNDS } from '../../../../protocol/limits.ts'

const FIRST: readonly Delta[] = [{ kind: 'loss', feature: 'a payload that is not a JSON object' }]

const TOO_MANY: readonly Delta[] = [
  {
    kind: 'error',
    error: upstreamError(
      'upstream_invalid',
      `More than ${ANSWER_BOUNDS.unreadable_frames} events of the upstream are not JSON objects.`,
    ),
  },
]

/**
 * Returns the deltas for one more unreadable frame after `count` others: a loss for the first, an error at the limit,
 * else nothing. A few are tolerated, because cut connections and broken proxies leave some.
 */
function unreadableFrame(count: number): readonly Delta[] {
  if (count === 0) return FIRST
  return count === ANSWER_BOUNDS.unreadable_frames ? TOO_MANY : NOTHING
}

/** Whether the limit is exceeded: the answer has failed, and later frames are dropped. */
export const hasTooManyUnreadable = (count: number): boolean => count > ANSWER_BOUNDS.unreadable_frames

/** The part of a decoder that reads frames which are no JSON objects. */
interface UnreadableReader<State> {
  readonly decoder: Pick<Machine<State, Frame, Delta>, 'step'>
  /** The number of unreadable frames so far. */
  readonly noiseOf: (state: State) => number
  readonly withNoise: (state: State, noise: number) => State
  readonly toError: (text: string) => GatewayError
}

/** In UTF-16 units. Longer texts are no messages of failures. */
const LONGEST_SENTENCE = 300

/** Whether a text is several words without any JSON. A part of a chunk that was cut may contain text of the answer. */
export const isSentence = (text: string): boolean =>
  text.length <= LONGEST_SENTENCE &&
  /^"?[A-Za-z]/.test(text) &&
  !/[{}[\]<>\\]/.test(text) &&
  text.includes(' ') &&
  !FIELD.test(text)

/** A line of an SSE stream that is read as another format. */
const FIELD = /^(?:data|event|id|retry):/

/**
 * Reads a frame that is no JSON object. Objects that a proxy joined in one frame, or in a list, are decoded one after
 * another. A frame without data is a heartbeat. Else the frame is dropped, and if it is a sentence, it becomes the reason
 * for an answer that does not finish.
 */
export function readUnreadable<State>(
  { decoder, noiseOf, withNoise, toError }: UnreadableReader<State>,
  state: State,
  frame: Frame,
): Step<State, Delta> {
  const { value } = frame
  const joined = value === undefined ? splitFrame(frame) : Array.isArray(value) ? framesOfList(frame.event, value) : []
  if (joined.length > 0) return feed({ initial: state, step: decoder.step, end: () => NOTHING }, state, joined)
  const noise = noiseOf(state)
  const text = frame.data.trim()
  if (text === '' && value === undefined && frame.event !== 'error') return { state, events: NOTHING }
  const dropped = unreadableFrame(noise)
  const events: readonly Delta[] = isSentence(text)
    ? [...dropped, { kind: 'cut', error: toError(text.replaceAll('"', '')) }]
    : dropped
  return { state: withNoise(state, noise + 1), events }
}
