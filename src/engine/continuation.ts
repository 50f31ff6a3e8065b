import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type {
  Citation,
  CitationDelta,
  ContentDelta,
  CutDelta,
  Delta,
  ErrorDelta,
  FinishDelta,
  OffsetUnit,
} from '../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { Usage } from '../protocol/usage.ts'
import { addUsage } from '../search/loop/turn-history.ts'
import { codePoints } from '../text/offsets.ts'
import { utf8Length } from '../text/utf8.ts'

/** The inputs of a continuation beside deltas. */
export type ContinuationInput =
  | { readonly kind: 'turn ended' }
  /**
   * Another upstream continues the open text, or begins the answer if there is none. `text`: all of it; `feature`: the
   * loss that names both, once the other one has written something.
   */
  | { readonly kind: 'continued'; readonly text: string; readonly feature: string }
  /** No upstream continues it. */
  | { readonly kind: 'given up' }

export type ContinuationCommand =
  /**
   * The upstream has died in the middle of a text, which another one may continue, or before any content. `wrote`: false
   * if the answer contains nothing of it, although it was called to continue.
   */
  | { readonly kind: 'died'; readonly error: GatewayError; readonly wrote: boolean }
  /** The answer is complete. */
  | { readonly kind: 'over' }

/** An open text: the key of its item, and its part. */
interface Place {
  readonly key: string
  readonly part: string
}

interface ContinuationState {
  readonly turn: number
  /** The text that may be continued: nothing but text has arrived since it began. */
  readonly open: Place | null
  /** The answer has calls or items of tools. */
  readonly hasCalls: boolean
  /** An item has begun. */
  readonly hasContent: boolean
  readonly finish: FinishDelta | null
  readonly failure: ErrorDelta | CutDelta | null
  /** The failure of the last upstream that has written something; null in the first turn. */
  readonly broke: ErrorDelta | CutDelta | null
  /** The loss of this turn, until it has written something. */
  readonly due: string | null
  readonly usage: Usage | null
  /** The usage of the earlier turns. */
  readonly used: Usage | null
  /** The text of the earlier turns; its place; the place of this turn's own text, null before it has begun. */
  readonly before: string
  readonly into: Place | null
  readonly own: Place | null
  /** White space at the beginning of this turn's own text, of which it is not known how much is repeated; null: it is. */
  readonly lead: string | null
  readonly waits: boolean
  readonly over: boolean
}

const INITIAL: ContinuationState = {
  turn: 1,
  open: null,
  hasCalls: false,
  hasContent: false,
  finish: null,
  failure: null,
  broke: null,
  due: null,
  usage: null,
  used: null,
  before: '',
  into: null,
  own: null,
  lead: null,
  waits: false,
  over: false,
}

const TRUNCATED = upstreamError('upstream_truncated', 'The upstream response ended before it was complete.')

type Output = Delta | ContinuationCommand

/**
 * An answer whose upstream may die in the middle of a text, and which another upstream continues in the same item. The
 * first upstream's deltas pass as they are; those of later ones have keys of their own, but for the continued text. The
 * end of an upstream is held back until it is known whether another one goes on. A text in its run changes no state.
 */
export const continuation: Machine<ContinuationState, Delta | ContinuationInput, Output> = {
  initial: INITIAL,
  step(state, input): Step<ContinuationState, Output> {
    if (state.over) return { state, events: NOTHING }
    const step = applyInput(state, input)
    const { due } = step.state
    if (due === null || !step.events.some(isWritten)) return step
    return { state: { ...step.state, due: null }, events: [{ kind: 'loss', feature: due }, ...step.events] }
  },
  end: () => NOTHING,
}

const UNWRITTEN: ReadonlySet<Output['kind']> = new Set<Output['kind']>([
  ...(['start', 'usage', 'served', 'loss', 'error', 'cut', 'died', 'over'] as const),
])

/** Whether an output adds to the answer, or completes it. */
const isWritten = ({ kind }: Output): boolean => !UNWRITTEN.has(kind)

function applyInput(state: ContinuationState, input: Delta | ContinuationInput): Step<ContinuationState, Output> {
  switch (input.kind) {
    case 'turn ended':
      return endTurn(state)
    case 'given up':
      return conclude(state)
    case 'continued':
      return continueTurn(state, input)
    default:
      return state.waits ? { state, events: NOTHING } : applyDelta(state, input)
  }
}

const continueTurn = (
  state: ContinuationState,
  { text, feature }: Extract<ContinuationInput, { readonly kind: 'continued' }>,
): Step<ContinuationState, Output> =>
  none({
    ...INITIAL,
    turn: state.turn + 1,
    open: state.open,
    broke: reasonOf(state) ?? { kind: 'cut', error: TRUNCATED },
    due: feature,
    used: state.usage === null ? state.used : addUsage(state.used, state.usage),
    before: text,
    into: state.open,
    lead: state.open === null ? null : '',
    hasContent: state.open !== null,
  })

/** The failure of an answer without a finish: an upstream that has written nothing did not break it. */
const reasonOf = ({ failure, broke, due }: ContinuationState): ErrorDelta | CutDelta | null =>
  due === null ? failure : broke

export const isContinuationCommand = (output: Output): output is ContinuationCommand =>
  output.kind === 'died' || output.kind === 'over'

export const hasTurnFailed = (state: ContinuationState): boolean => state.failure !== null

function endTurn(state: ContinuationState): Step<ContinuationState, Output> {
  const { finish, failure, open, due, hasCalls, hasContent } = state
  if (finish !== null || (open === null && hasContent) || hasCalls) return conclude(state)
  const lead = leadOf(state)
  const wrote = due === null || lead.length > 0
  const events: Output[] = [...lead, { kind: 'died', error: failure?.error ?? TRUNCATED, wrote }]
  return { state: { ...state, lead: null, waits: true }, events }
}

function conclude(state: ContinuationState): Step<ContinuationState, Output> {
  const { finish } = state
  const failure = finish === null ? reasonOf(state) : state.failure
  const events: Output[] = [...leadOf(state)]
  if (failure !== null) events.push(failure)
  if (finish !== null) events.push(finish)
  return { state: { ...state, over: true }, events: [...events, { kind: 'over' }] }
}

const one = (state: ContinuationState, delta: Delta): Step<ContinuationState, Output> => ({ state, events: [delta] })
const none = (state: ContinuationState): Step<ContinuationState, Output> => ({ state, events: NOTHING })

function applyDelta(state: ContinuationState, delta: Delta): Step<ContinuationState, Output> {
  switch (delta.kind) {
    case 'finish':
      return none({ ...state, finish: delta })
    case 'error':
    case 'cut':
      return none(state.failure === null ? { ...state, failure: delta } : state)
    case 'usage': {
      const all = state.used === null ? delta : { ...delta, usage: addUsage(state.used, delta.usage) }
      return one({ ...state, usage: delta.usage }, all)
    }
    case 'served':
    case 'loss':
      return one(state, delta)
    default: {
      // An answer that another upstream has begun anew is that of one upstream.
      if (state.into === null)
        return state.turn > 1 && delta.kind === 'start' ? none(state) : one(afterFirst(state, delta), delta)
      if (delta.kind === 'text' || delta.kind === 'start' || isReasoning(delta)) return applyLater(state, delta)
      const later = applyLater({ ...state, lead: null }, delta)
      return { state: later.state, events: [...leadOf(state), ...later.events] }
    }
  }
}

const isReasoning = ({ kind }: Delta): boolean => kind === 'reasoning' || kind === 'summary' || kind === 'opaque'

/** The white space that was held back, without what it repeats. */
function leadOf({ lead, before, own, into }: ContinuationState): readonly Delta[] {
  const text = lead === null ? '' : joint(before, lead)
  return text === '' || own === null || into === null ? [] : [{ kind: 'text', ...into, text, logprobs: null }]
}

/** Returns the state after a delta of the first upstream. */
function afterFirst(given: ContinuationState, delta: ItemDelta): ContinuationState {
  const state = given.hasContent || delta.kind === 'start' ? given : { ...given, hasContent: true }
  switch (delta.kind) {
    case 'text': {
      const { open } = state
      if (delta.text === '' || (open?.key === delta.key && open.part === delta.part)) return state
      return { ...state, open: { key: delta.key, part: delta.part } }
    }
    case 'call':
    case 'hosted':
    case 'progress':
      return { ...state, open: null, hasCalls: true }
    case 'refusal':
    case 'reasoning':
    case 'summary':
    case 'final':
    case 'stop':
      return state.open === null ? state : { ...state, open: null }
    default:
      return state
  }
}

const DROPPED = 'reasoning of an upstream that continues an answer'

/** A delta that belongs to an item, or names the model. */
type ItemDelta = Exclude<Delta, { readonly kind: 'finish' | 'error' | 'cut' | 'usage' | 'served' | 'loss' }>

function applyLater(state: ContinuationState, delta: ItemDelta): Step<ContinuationState, Output> {
  switch (delta.kind) {
    case 'start':
      return none(state)
    case 'reasoning':
    case 'summary':
    case 'opaque':
      // Its item would be between the two halves of the text.
      return one(state, { kind: 'loss', feature: DROPPED })
    case 'text':
      return applyText(state, delta)
    case 'citation':
      return one(state, movedCitation(state, delta))
    case 'call':
    case 'hosted':
    case 'progress':
      return one({ ...state, open: null, hasCalls: true }, { ...delta, key: apart(state, delta.key) })
    case 'refusal':
      return one({ ...state, open: null }, { ...delta, key: apart(state, delta.key) })
    case 'final': {
      const { whole } = delta
      const isOwn = whole.kind === 'text' && isOwnText(state, whole)
      if (!isOwn) return one(state, { ...delta, whole: { ...whole, key: apart(state, whole.key) } })
      const text = state.before + joint(state.before, whole.text)
      return one({ ...state, open: null }, { ...delta, whole: { ...whole, ...state.into, text } })
    }
    default: {
      // Of an item that is not part of the answer.
      if (state.own === null) return none(state)
      const isOwn = state.own.key === delta.key
      const key = isOwn && state.into !== null ? state.into.key : apart(state, delta.key)
      return one(delta.kind === 'stop' && isOwn ? { ...state, open: null } : state, { ...delta, key })
    }
  }
}

type TextDelta = ContentDelta

function applyText(state: ContinuationState, delta: TextDelta): Step<ContinuationState, Output> {
  const { own, into } = state
  if (own !== null && state.lead === null) {
    if (!isOwnText(state, delta)) return one({ ...state, open: null }, { ...delta, key: apart(state, delta.key) })
    return one(state, { ...delta, ...into })
  }
  // The text of a request ends without white space, so that the upstream may write it again.
  const lead = (state.lead ?? '') + delta.text
  const started = { ...state, own: own ?? { key: delta.key, part: delta.part } }
  if (isUndecided(state.before, lead)) return none({ ...started, lead })
  const text = joint(state.before, lead)
  const decided = { ...started, lead: null }
  return text === '' ? none(decided) : one(decided, { ...delta, ...into, text })
}

const endOf = (text: string): string => text.slice(text.trimEnd().length)

/** Whether more of a text decides how much of the end of another one its white space repeats. */
const isUndecided = (before: string, lead: string): boolean =>
  lead.trimStart() === '' && lead.length < endOf(before).length

/** The beginning of a text that goes on after another one: without the white space that it repeats. */
function joint(before: string, text: string): string {
  const end = endOf(before)
  for (let size = Math.min(end.length, text.length - text.trimStart().length); size > 0; size -= 1)
    if (end.endsWith(text.slice(0, size))) return text.slice(size)
  return text
}

const isOwnText = ({ own }: ContinuationState, { key, part }: Place): boolean =>
  own === null || (own.key === key && own.part === part)

const apart = ({ turn }: ContinuationState, key: string): string => `${turn} ${key}`

function movedCitation(state: ContinuationState, delta: CitationDelta): Delta {
  if (!isOwnText(state, delta)) return { ...delta, key: apart(state, delta.key) }
  return { ...delta, ...state.into, citation: shifted(delta.citation, state.before) }
}

const LENGTHS = {
  utf16: (text: string) => text.length,
  'code-point': codePoints,
  utf8: utf8Length,
} satisfies Record<OffsetUnit, (text: string) => number>

/** White space that was not repeated does not move a citation far: its words are searched again. */
function shifted(citation: Citation, before: string): Citation {
  const { span, settled: _, ...rest } = citation
  if (span === null) return citation
  const length = LENGTHS[span.unit](before)
  return { ...rest, span: { ...span, start: span.start + length, end: span.end + length } }
}
