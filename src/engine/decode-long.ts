import { FIELD, type Frame } from '../framing/frame.ts'
import { framesOfList, splitFrame } from '../framing/json-array.ts'
import { emitAll } from '../machine/emit-all.ts'
import type { Machine, Step } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { type Limits, MAX_LENGTHS, UPSTREAM_MEMBERS } from '../protocol/limits.ts'
import type { Excess, JsonLimits } from '../text/json-cost.ts'
import { LONG_JSON, type LongJson, parseLong } from '../text/json-long.ts'
import { toStrictJson } from '../text/lenient-json.ts'
import type { Steps } from '../text/steps.ts'
import type { FrameOutput } from './answer.ts'
import type { InSlices } from './in-slices.ts'
import type { PipelineOptions } from './reducer.ts'
import { decodeWholeBody, openEnvelope, readWholeBody } from './whole-body.ts'

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

/** In UTF-16 units. A longer text that is not strict JSON is not read, because words outside of strings are replaced at once. */
const LONGEST_LENIENT = 512 * 1024

/** `text`: that of the value, which is another one if the long text is lenient JSON, or JSON text of JSON. */
type LongText = LongJson & { readonly text: string }

/** The strict JSON that a text stands for; the text itself if it stands for none. `value`: that of the text. */
function* innerText(text: string, value: unknown): Steps<string> {
  if (typeof value === 'string' && value.startsWith('{')) return value
  if (isJson(value) || text.length > LONGEST_LENIENT) return text
  return yield* toStrictJson(text.replace(FIELD, ''))
}

/** Reads a long text as short ones are read. */
function* readLong(text: string, limits: JsonLimits, inPieces: InSlices['parse'] | undefined): Steps<LongText> {
  const read = yield* parseLong(text, limits, inPieces)
  const own = { ...read, text }
  if (!read.ok) return own
  const inner = yield* innerText(text, read.value)
  if (inner === text) return own
  const again = yield* parseLong(inner, limits, inPieces)
  return again.ok && !isJson(again.value) ? own : { ...again, text: inner }
}

/** Decodes a frame: a long one is parsed in slices, and decoded in slices if the decoder supports that. */
export function* decodeFrame(
  decode: Machine<unknown, Frame, Delta>,
  state: unknown,
  frame: Frame,
  reading: LongReading,
): Steps<LongFrame> {
  const output = reading.frameOutput
  if (frame.data.length <= LONG_JSON)
    return { ok: true, step: output === null ? decode.step(state, frame) : output.step(decode, state, frame) }
  const read = yield* readLong(frame.data, limitsOf(reading.limits), reading.inSlices?.parse)
  if (!read.ok) return { ok: false, error: tooMany('One event', read.excess) }
  const { value, text } = read
  const isOwn = text === frame.data
  const parsed: Frame = isOwn ? { ...frame, value } : { event: frame.event, data: text, value }
  const parts = partsOf(decode, state, parsed, output?.splitsLists === true)
  if (!isOwn || parts.length > 0) output?.rewrites(parts)
  reading.endSlice()
  yield
  if (parts.length > 0) return yield* decodeFrames(decode, state, parts, reading)
  const step = yield* stepInSlices(decode, state, parsed)
  const sending = output?.sendLong(decode, { frame: parsed, value, before: state, step })
  if (sending) yield* sending
  return { ok: true, step }
}

/**
 * The frames that a proxy joined in one, or in a list. None for an event that its decoder reads as one failure, by its
 * name. `frame`: with its value.
 */
export function partsOf(
  decode: Machine<unknown, Frame, Delta>,
  state: unknown,
  frame: Frame,
  splitsLists: boolean,
): readonly Frame[] {
  const { event, value } = frame
  const parts = !isJson(value)
    ? splitFrame(frame)
    : splitsLists && Array.isArray(value)
      ? framesOfList(event, value)
      : []
  if (parts.length === 0 || event !== 'error') return parts
  const { events } = decode.step(state, frame)
  return events.length === 1 && events[0]?.kind === 'error' ? [] : parts
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
    yield
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
  const read = yield* readLong(text, DEPTH_ONLY, options.inSlices?.parse)
  if (!read.ok) return [{ kind: 'error', error: tooMany('The answer', read.excess) }]
  const value = read.value ?? undefined
  const body = openEnvelope(options, { text, value, isStrict: read.text === text })
  output?.sendBody(body)
  return decodeWholeBody(options, body)
}
