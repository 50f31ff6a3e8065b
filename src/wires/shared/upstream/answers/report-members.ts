import { type Frame, jsonOf } from '../../../../framing/frame.ts'
import type { LongStep, Machine, Step } from '../../../../machine/machine.ts'
import { innerState } from '../../../../machine/pipe.ts'
import type { Delta } from '../../../../protocol/delta.ts'
import { isObject } from '../../../../text/json.ts'
import type { StreamWire } from '../../../contract.ts'
import { ERROR_MEMBERS } from './error-members.ts'
import type { Decoder } from './join-calls.ts'
import { type AnswerMembers, lostMembers, type MemberTable, toMemberTable } from './members.ts'

/** The state of a decoder, and the run of equal frames that its last frame belongs to. */
interface ReportState<State> {
  readonly inner: State
  /** The type of the frame, and the kind and the key of the delta. */
  readonly type: string
  readonly kind: string
  readonly key: string
}

/** In a failure without an answer, only the members of the failure are examined. */
const FAILURE = toMemberTable(ERROR_MEMBERS)

/**
 * Adds the losses of members that the decoder neither reads nor ignores on purpose. Frames that continue a text or the
 * arguments of a call are not examined, except for the first one: the fast path accepts no decoder that reads the names
 * of all members (docs/fast-path.md).
 */
export function reportMembers<State>(
  { decodeStream, decodeBody }: Decoder<State>,
  members: AnswerMembers,
): Pick<StreamWire, 'decodeStream' | 'decodeBody'> {
  const frame = toMemberTable(members.frame)
  const body = toMemberTable(members.body)
  return {
    decodeStream: (quirks) => reportingDecoder(decodeStream(quirks), frame),
    decodeBody(value, quirks) {
      const deltas = decodeBody(value, quirks)
      // A body without any part of an answer is none, and has no losses.
      if (deltas.length === 0) return deltas
      const losses = lossesIn(body, value, '', deltas)
      return losses.length === 0 ? deltas : [...deltas, ...losses]
    },
  }
}

function reportingDecoder<State>(
  decoder: Machine<State, Frame, Delta>,
  table: MemberTable,
): Machine<ReportState<State>, Frame, Delta> {
  return {
    initial: { inner: decoder.initial, type: '', kind: '', key: '' },

    step(state, frame): Step<ReportState<State>, Delta> {
      const { inner } = state
      const parsed = parsedFrame(frame)
      const { state: after, events } = decoder.step(inner, parsed)
      const head = headOf(events)
      const type = typeOf(parsed)
      const isSilent = events.length === 0 && after === inner
      const goesOn = !isSilent && head.alone && isSameRun(state, type, head)
      // A frame without an effect, such as a ping, does not end the run.
      const next =
        (isSilent || goesOn) && after === inner ? state : { inner: after, type, kind: head.kind, key: head.key }
      if (goesOn || decoder.remainder?.(inner) === 'nothing') return { state: next, events }
      const losses = lossesIn(table, parsed.value, frame.event, events)
      // The losses come first: after them, no part is active.
      return { state: next, events: losses.length === 0 ? events : [...losses, ...events] }
    },

    stepInSlices(state, frame): LongStep<ReportState<State>, Delta> | null {
      const steps = decoder.stepInSlices?.(state.inner, frame) ?? null
      return steps === null ? null : reportingSteps(steps, table, frame)
    },

    remainder: ({ inner }) => decoder.remainder?.(inner) ?? 'more',

    held: ({ inner }) => decoder.held?.(inner) ?? 0,

    innerState: ({ inner }) => innerState(decoder, inner),

    end: ({ inner }) => decoder.end(inner),
  }
}

function* reportingSteps<State>(
  steps: LongStep<State, Delta>,
  table: MemberTable,
  frame: Frame,
): LongStep<ReportState<State>, Delta> {
  const inner = yield* steps
  yield* lossesIn(table, frame.value, frame.event, NO_LOSSES)
  return { inner, type: '', kind: '', key: '' }
}

/** Returns the frame with its parsed payload, so that it is parsed once. */
function parsedFrame(frame: Frame): Frame {
  if (frame.value !== undefined) return frame
  const value = jsonOf(frame)
  return typeof value === 'object' && value !== null ? { event: frame.event, data: frame.data, value } : frame
}

/** The text or the call to which the deltas of a step belong. */
interface Head {
  readonly kind: string
  readonly key: string
  /** The step has no deltas of another kind. */
  readonly alone: boolean
}

/** A step without deltas: the decoder may accumulate a text. */
const HELD: Head = { kind: 'held', key: '', alone: true }

/** Usage, losses and the way in which an answer is served may be beside each text. */
function headOf(events: readonly Delta[]): Head {
  if (events.length === 0) return HELD
  let kind = ''
  let key = ''
  let alone = true
  for (const delta of events) {
    switch (delta.kind) {
      case 'usage':
      case 'loss':
      case 'served':
        break
      case 'text':
      case 'refusal':
      case 'reasoning':
      case 'summary':
      case 'call':
        alone &&= kind === ''
        kind = delta.kind
        key = delta.key
        break
      default:
        alone = false
    }
  }
  return { kind, key, alone: alone && kind !== '' }
}

/** Google names the type of an event in `event_type`. */
function typeOf({ event, value }: Frame): string {
  if (!isObject(value)) return event
  const { type, event_type } = value
  return typeof type === 'string' ? type : typeof event_type === 'string' ? event_type : event
}

const isSameRun = (run: ReportState<unknown>, type: string, { kind, key }: Head): boolean =>
  run.kind === kind && run.key === key && run.type === type

const NO_LOSSES: readonly Delta[] = []

function lossesIn(table: MemberTable, value: unknown, event: string, deltas: readonly Delta[]): readonly Delta[] {
  if (typeof value !== 'object' || value === null) return NO_LOSSES
  const failed = deltas.some(({ kind }) => kind === 'error')
  const own = failed && !isAnswer(table, value) ? [] : lostMembers(table, value, event)
  const paths = failed ? [...new Set([...own, ...failurePaths(value)])] : own
  if (paths.length === 0) return NO_LOSSES
  const known = deltas.flatMap((delta) => (delta.kind === 'loss' ? [delta.feature] : []))
  return paths
    .filter((path) => !known.some((feature) => feature.endsWith(` ${lastName(path)}`)))
    .map((feature) => ({ kind: 'loss', feature }))
}

/** The decoder names the kind of a block or a part that it does not read: `content video`. */
const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1)

/** Whether a value is an answer, which may have failed, and no bare failure. */
const isAnswer = (table: MemberTable, value: unknown): boolean =>
  isObject(value) &&
  (isObject(value.response) ||
    [...table.members].some(
      ([name, inside]) =>
        inside !== null && name !== 'error' && typeof value[name] === 'object' && value[name] !== null,
    ))

/** Returns the members of a failure that the reader of failures does not read. */
function failurePaths(value: unknown): readonly string[] {
  const entries = Array.isArray(value) ? value : [value]
  return entries.flatMap((entry) => {
    if (!isObject(entry)) return []
    const holder = isObject(entry.response) ? entry.response : entry
    return lostMembers(FAILURE, holder.error)
  })
}
