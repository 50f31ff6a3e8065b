import type { Frame } from '../framing/frame.ts'
import { splitFrame } from '../framing/json-array.ts'
import { emitAll } from '../machine/emit-all.ts'
import type { Machine, Step } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { type Limits, MAX_LENGTHS, UPSTREAM_MEMBERS } from '../protocol/limits.ts'
import type { Excess, JsonLimits } from '../text/json-cost.ts'
import { parseLong } from '../text/json-long.ts'
import type { Steps } from '../text/steps.ts'
import type { FrameOutput } from './answer.ts'
import type { InSlices } from './in-slices.ts'
import type { PipelineOptions } from './reducer.ts'
import { decodeValue, decodeWholeBody, openEnvelope, readWholeBody } from './whole-body.ts'

type LongFrame =
  | { readonly ok: true; readonly step: Step<unknown, Delta> }
  | { readonly ok: false; readonly error: GatewayError }

/**
 * Bounds the depth of a long text: parsing in slices takes time for each open level at each cut. Values and members are
 * counted elsewhere.
 */
export const DEPTH_ONLY: JsonLimits = {
  depth: MAX_LENGTHS.nesting,
  values: Number.POSITIVE_INFINITY,
  members: Number.POSITIVE_INFINITY,
}

const limitsOf = ({ upstreamValues }: Limits): JsonLimits => ({
  ...DEPTH_ONLY,
  values: upstreamValues,
  members: UPSTREAM_MEMBERS,
})

const COUNTED: Readonly<Record<keyof JsonLimits, string>> = {
  depth: 'levels of lists and objects',
  values: 'values',
  members: 'members in one object',
}

const tooMany = (what: string, { of, most }: Excess): GatewayError =>
  upstreamError('upstream_too_large', `${what} of the upstream has more than ${most} ${COUNTED[of]}.`)

/** How long frames are parsed. */
interface LongReading {
  readonly inSlices: InSlices | undefined
  readonly limits: Limits
  /** Ends the slice at the next pause. */
  endSlice(): void
  /** Sends each frame after its step; null if the answer is not passed. */
  readonly frameOutput: FrameOutput | null
}

/** Parses a long frame in slices, and decodes it in slices if the decoder supports that. */
export function* decodeFrame(
  decode: Machine<unknown, Frame, Delta>,
  state: unknown,
  frame: Frame,
  reading: LongReading,
): Steps<LongFrame> {
  const read = yield* parseLong(frame.data, limitsOf(reading.limits), reading.inSlices?.parse)
  if (!read.ok) return { ok: false, error: tooMany('One event', read.excess) }
  const parts = isJson(read.value) ? [] : splitFrame(frame)
  reading.endSlice()
  yield
  if (parts.length > 0) return yield* decodeFrames(decode, state, parts, reading)
  const parsed = { ...frame, value: read.value }
  const step = yield* stepInSlices(decode, state, parsed)
  const sending = reading.frameOutput?.sendLong(decode, { frame: parsed, value: read.value, before: state, step })
  if (sending) yield* sending
  return { ok: true, step }
}

function* stepInSlices(
  decode: Machine<unknown, Frame, Delta>,
  state: unknown,
  frame: Frame,
): Steps<Step<unknown, Delta>> {
  const long = decode.stepInSlices?.(state, frame)
  if (!long) return decode.step(state, frame)
  const events: Delta[] = []
  const next = yield* emitAll(long, (delta) => void events.push(delta))
  return { state: next, events }
}

const isJson = (value: unknown): boolean => value !== undefined && value !== null

/** Decodes the frames that a proxy joined in one. */
function* decodeFrames(
  decode: Machine<unknown, Frame, Delta>,
  state: unknown,
  frames: readonly Frame[],
  reading: LongReading,
): Steps<LongFrame> {
  const events: Delta[] = []
  let now = state
  for (const frame of frames) {
    const read = yield* decodeFrame(decode, now, frame, reading)
    if (!read.ok) return read
    now = read.step.state
    for (const delta of read.step.events) events.push(delta)
  }
  return { ok: true, step: { state: now, events } }
}

/** Parses a whole body at once, and decodes it to deltas. `output`: sends it; null if the answer is not passed. */
export function decodeShortBody(
  options: Pick<PipelineOptions, 'wire' | 'quirks'>,
  text: string,
  output: FrameOutput | null,
): readonly Delta[] {
  const body = readWholeBody(options, text)
  output?.sendBody(body)
  return decodeWholeBody(options, body)
}

/**
 * Parses a long whole body in slices and decodes it to deltas. A gateway has counted its cost while it arrived, but not
 * that of a body in place of a stream.
 */
export function* decodeLongBody(
  options: Pick<PipelineOptions, 'wire' | 'quirks' | 'inSlices'>,
  text: string,
  output: FrameOutput | null,
): Steps<readonly Delta[]> {
  const read = yield* parseLong(text, DEPTH_ONLY, options.inSlices?.parse)
  if (!read.ok) return [{ kind: 'error', error: tooMany('The answer', read.excess) }]
  const body = openEnvelope(options, { text, value: read.value, isStrict: true })
  output?.sendBody(body)
  return decodeValue(options, body.value ?? undefined)
}
