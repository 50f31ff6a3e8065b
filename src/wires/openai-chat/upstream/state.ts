import { EMPTY_LIST, type List, listAppend, listToArray } from '../../../collections/list.ts'
import { mapEntries, mapGet, mapSet, type SortedMap, type SortedSet } from '../../../collections/sorted-map.ts'
import type { ContentDelta, ContentKind, FinishDelta } from '../../../protocol/delta.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import type { Served } from '../../../protocol/served.ts'
import { formatJson, isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import type { Quirks } from '../../quirks.ts'
import { readObjects, readText } from '../../shared/upstream/answers/answer-values.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import { initialThinkTags, type ThinkTagState } from '../../shared/upstream/think-tags.ts'
import { type Details, NO_BLOCKS, NO_ENTRIES, type SignedBlocks } from '../sealed-reasoning.ts'
import type { ReportedUsage } from '../usage.ts'
import { type ReadMembers, type ReadSoFar, type Repeated, repeatedIn, withMembers } from './content-members.ts'

// ---------------------------------------------------------------- choices beside the first one

/** A choice beside the first one: its chunks, until the answer ends and shows what the first choice lacks. */
interface OtherChoice {
  /** The upstream numbers its choices. */
  readonly numbered: boolean
  readonly hasText: boolean
  readonly hasCalls: boolean
  readonly hasStarted: boolean
  readonly finished: boolean
  readonly members: ReadMembers
  readonly chunks: List<JsonRecord>
  /** The size of the chunks, as JSON. */
  readonly size: number
}

interface OtherChoices {
  readonly byIndex: SortedMap<number, OtherChoice>
  /** A choice with the index 0, or without one, has started. */
  readonly hasFirst: boolean
  /** The number of those that have started and have no finish reason. */
  readonly open: number
  /** The size of all chunks that are kept. */
  readonly size: number
}

const NO_OTHERS: OtherChoices = { byIndex: null, hasFirst: false, open: 0, size: 0 }

const NO_CHUNKS: OtherChoice = {
  numbered: false,
  hasText: false,
  hasCalls: false,
  hasStarted: false,
  finished: false,
  members: null,
  chunks: EMPTY_LIST,
  size: 0,
}

/** Whether a piece has a role, content or the end. Some upstreams send empty pieces before. */
const starts = ({ delta, message, text, finish_reason }: JsonRecord): boolean =>
  [{ text, finish_reason }, delta, message].some((record) =>
    Object.values(record ?? {}).some((one) => (one ?? '') !== ''),
  )

/** The index of a choice; its position if it has none. One vendor sends the index as a string. */
export const indexOfChoice = ({ index }: JsonRecord, position: number): number => {
  const text = scalarToString(index)
  return /^\d{1,9}$/.test(text) ? Number(text) : position
}

interface SplitChoices {
  /** The pieces of the first choice. */
  readonly first: readonly JsonRecord[]
  readonly others: OtherChoices
}

/**
 * Takes the first choice out of a chunk, and keeps the others. O(1) for a chunk of the first choice alone, O(log n) for
 * each chunk of another one. `hasText`: the first choice has text already.
 */
export function splitChoices(known: OtherChoices, choices: unknown, hasText: boolean, deltas: Deltas): SplitChoices {
  const found = readObjects(choices, 'choices', deltas)
  const [only] = found
  if (only === undefined) return { first: found, others: known }
  if (found.length === 1 && indexOfChoice(only, 0) === 0)
    return { first: found, others: known.hasFirst ? known : { ...known, hasFirst: starts(only) } }
  const first = found.filter((choice, position) => indexOfChoice(choice, position) === 0)
  const others = found.reduce((now, choice, position) => {
    const index = indexOfChoice(choice, position)
    return index === 0 ? now : withOther(now, index, choice, hasText)
  }, known)
  return { first, others: { ...others, hasFirst: known.hasFirst || first.some(starts) } }
}

function withOther(others: OtherChoices, index: number, choice: JsonRecord, firstHasText: boolean): OtherChoices {
  const before = mapGet(others.byIndex, index) ?? NO_CHUNKS
  const after = withChunk(before, choice, firstHasText)
  const opened = Number(isOpen(after)) - Number(isOpen(before))
  const size = others.size + after.size - before.size
  return { ...others, byIndex: mapSet(others.byIndex, index, after), open: others.open + opened, size }
}

const isOpen = ({ hasStarted, finished }: OtherChoice): boolean => hasStarted && !finished

export const hasSomeCall = ({ tool_calls, function_call }: JsonRecord): boolean =>
  Array.isArray(tool_calls) ? tool_calls.length > 0 : Boolean(tool_calls || function_call)

function withChunk(other: OtherChoice, choice: JsonRecord, firstHasText: boolean): OtherChoice {
  const { delta, message } = choice
  const records = [delta, message].filter(isObject)
  const hasText =
    other.hasText ||
    isNonEmptyString(choice.text) ||
    records.some(({ content, refusal }) => readText(content) !== '' || isNonEmptyString(refusal))
  return {
    numbered: other.numbered || (choice.index !== undefined && choice.index !== null),
    hasText,
    hasCalls: other.hasCalls || records.some(hasSomeCall),
    hasStarted: other.hasStarted || starts(choice),
    finished: other.finished || isNonEmptyString(choice.finish_reason),
    members: withMembers(other, choice),
    // An alternative is not kept.
    ...(hasText && firstHasText
      ? { chunks: EMPTY_LIST, size: 0 }
      : { chunks: listAppend(other.chunks, choice), size: other.size + formatJson(choice).length }),
  }
}

type IndexedChoice = readonly [index: number, other: OtherChoice]

export const otherChoices = ({ byIndex }: OtherChoices): readonly IndexedChoice[] => mapEntries(byIndex)

export const chunksOf = ({ chunks }: OtherChoice): readonly JsonRecord[] => listToArray(chunks)

/** The content of the answer so far. `called`: the first choice has calls. */
interface AnswerSoFar {
  readonly hasText: boolean
  readonly called: boolean
}

/**
 * Whether a choice is an alternative to the answer (`n`), in contrast to a further part of one answer: Copilot sends the
 * text in one choice and each call in another. An alternative repeats what the answer has already. `splits`: the vendor
 * is known to split its answers.
 */
export const isAlternative = (
  { numbered, hasText, hasCalls }: OtherChoice,
  answer: AnswerSoFar,
  splits: boolean,
): boolean => (hasText && answer.hasText) || (hasCalls && answer.called && numbered && !splits)

// ---------------------------------------------------------------- the whole state

export interface ChatState {
  readonly model: string
  /** The key of the last fragment of a call, and the last id under it. */
  readonly call: string
  readonly callId: string
  /** The first choice has calls other than those of the older form. */
  readonly hasToolCalls: boolean
  /** The members that every chunk repeats, of the first one. Null before it. */
  readonly head: JsonObject | null
  /** The members of content that were read from the first choice. */
  readonly members: ReadMembers
  /** Entries of `reasoning_details` that are not sealed yet. */
  readonly details: Details
  /** Blocks of reasoning that are not sealed yet. */
  readonly blocks: SignedBlocks
  /** The place of the readable reasoning. Other places repeat it. */
  readonly reasoningIn: 'field' | 'blocks' | ''
  /** The signatures of calls and messages so far, and the payloads of those that are emitted at the end. */
  readonly signatures: SortedSet<string>
  readonly later: List<Json>
  /** Choices beside the first one. */
  readonly others: OtherChoices
  /** Annotations that were emitted. */
  readonly cited: SortedSet<string>
  /** The number of numbered sources that were emitted. */
  readonly sources: number
  readonly usage: ReportedUsage | null
  /** The last chunk had the usage of the answer, and no choice. */
  readonly counted: boolean
  readonly served: Served
  readonly hasContent: boolean
  readonly hasText: boolean
  /** A call has begun, also one without a name. */
  readonly called: boolean
  /** The finish reason stands for calls. */
  readonly endsWithCalls: boolean
  readonly finished: boolean
  /** The finish of a stream that is passed on, which counts when all of its choices have ended. */
  readonly finish: FinishDelta | null
  readonly over: boolean
  /** The number of frames that could not be parsed. */
  readonly noise: number
  readonly think: ThinkTagState
  /** A whole answer, not a stream. */
  readonly whole: boolean
  /** The request asked for JSON output. */
  readonly json: boolean
  /** A stream that is passed on, with all of its choices. */
  readonly passed: boolean
}

export const initialState = (quirks: Quirks): ChatState => ({
  model: '',
  call: '',
  callId: '',
  hasToolCalls: false,
  head: null,
  members: null,
  details: NO_ENTRIES,
  blocks: NO_BLOCKS,
  reasoningIn: '',
  signatures: null,
  later: EMPTY_LIST,
  others: NO_OTHERS,
  cited: null,
  sources: 0,
  usage: null,
  counted: false,
  served: {},
  hasContent: false,
  hasText: false,
  called: false,
  endsWithCalls: false,
  finished: false,
  finish: null,
  over: false,
  noise: 0,
  think: initialThinkTags(quirks),
  whole: false,
  json: quirks.jsonAnswer === true,
  passed: quirks.passedAnswer === true,
})

/** Whether a choice of this index has calls so far. */
export const isCalling = ({ hasToolCalls, others }: ChatState, index: number): boolean =>
  index === 0 ? hasToolCalls : mapGet(others.byIndex, index)?.hasCalls === true

/** Whether a piece with a role, content or the end of the choice of this index has arrived. */
export const hasStarted = ({ others }: ChatState, index: number): boolean =>
  index === 0 ? others.hasFirst : mapGet(others.byIndex, index)?.hasStarted === true

/** Notes the members of content that are read from a piece of the first choice. */
export function withReadMembers(state: ChatState, choice: JsonRecord): ChatState {
  const members = withMembers(state, choice)
  return members === state.members ? state : { ...state, members }
}

/** The message of a piece of the first choice if it repeats the others. */
export const repeatedBy = (state: ChatState, choice: JsonRecord): Repeated | null =>
  state.whole ? null : repeatedIn(choice, state)

/** The content that was read of the choice with this index. */
export const readSoFar = (state: ChatState, index: number): ReadSoFar =>
  index === 0 ? state : (mapGet(state.others.byIndex, index) ?? NO_CHUNKS)

/** The number of choices that have started. */
export const startedChoices = ({ others }: ChatState): number =>
  Number(others.hasFirst) + otherChoices(others).filter(([, { hasStarted }]) => hasStarted).length

/** Whether a choice lacks its finish reason: one that has started, and the first one in any case. */
export const hasOpenChoices = (state: ChatState): boolean => state.others.open > 0 || isFirstOpen(state)

const isFirstOpen = ({ finished, others }: ChatState): boolean =>
  !finished && (others.hasFirst || others.byIndex === null)

/** The indices of those choices. */
export const openChoices = (state: ChatState): readonly number[] => [
  ...(isFirstOpen(state) ? [0] : []),
  ...otherChoices(state.others).flatMap(([index, other]) => (isOpen(other) ? [index] : [])),
]

/** Keys of the items of a chat answer: it has one message and one reasoning item. */
export const MESSAGE = 'message'
export const REASONING = 'thought'

export const contentDelta = (
  kind: ContentKind,
  text: string,
  logprobs: readonly Logprob[] | null = null,
): ContentDelta => ({
  kind,
  key: kind === 'text' || kind === 'refusal' ? MESSAGE : REASONING,
  part: '',
  text,
  logprobs,
})
