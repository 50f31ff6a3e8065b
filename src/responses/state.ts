import { EMPTY_LIST, type List, listAt, listConcat, listWith } from '../collections/list.ts'
import { mapEntries, mapGet, mapSet, mapSize, type SortedMap, type SortedSet } from '../collections/sorted-map.ts'
import type { Citation, ContentKind, FinishReason, UpstreamWords } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Event } from '../protocol/event.ts'
import type { CallOrigin, CallType, HostedItem, Item, ItemType } from '../protocol/item.ts'
import type { Annotation, Logprob, PartType } from '../protocol/part.ts'
import type { ItemProgress } from '../protocol/progress.ts'
import type { Head } from '../protocol/response.ts'
import type { Served } from '../protocol/served.ts'
import { laterUsage, type Usage } from '../protocol/usage.ts'
import { appendFlat } from '../text/flat-string.ts'
import { type CallJson, withMoreJson } from './call-arguments.ts'
import { type ItemIndex, NO_ITEMS, withCandidates } from './item-index.ts'
import { type CitedText, type EarlierText, longerCited } from './measured-text.ts'

/** A text inside an item: a content part, a summary part, or the arguments of a call. */
export type RunType = PartType | 'arguments' | 'input'

export interface PartState {
  /** The upstream's own name of the part. */
  readonly name: string
  readonly type: RunType
  /** `content_index`, or `summary_index` of a summary part. */
  readonly index: number
  /** Without the text that the active part has received since then; `commitActivePart` adds it. */
  readonly text: string
  readonly logprobs: List<Logprob>
  readonly annotations: List<Annotation>
  /** null until a citation refers to the part. */
  readonly cited: CitedText | null
  /** For the arguments of a function: null until they are first checked for whole JSON. */
  readonly json: CallJson | null
  /** The offset in the text at which the last marked block begins. */
  readonly mark: number
}

export const newPart = (name: string, type: RunType, index: number): PartState => ({
  name,
  type,
  index,
  text: '',
  logprobs: EMPTY_LIST,
  annotations: EMPTY_LIST,
  cited: null,
  json: null,
  mark: 0,
})

export interface ItemState {
  readonly type: ItemType
  /** The upstream's own name of the item. */
  readonly key: string
  readonly id: string
  /** All parts but the last are closed. Empty once the item is done. */
  readonly parts: List<PartState>
  /** The names of the parts of a finished message. */
  readonly names: readonly string[]
  readonly summaries: number
  readonly call: {
    readonly callId: string
    readonly upstreamId: string
    readonly name: string
    readonly namespace: string | null
    readonly origin: CallOrigin | null
    /** A call with free text that is written as a function call. */
    readonly wraps?: true
  } | null
  readonly sealed: string | null
  /** The phase of a message; null if it is unknown. */
  readonly phase: string | null
  readonly hosted: HostedItem | null
  /** The events of a hosted item so far; null if there were none. */
  readonly progress: ItemProgress | null
  /** The item stays open when other items begin. */
  readonly held: boolean
  /** The finished item; null while it is open. */
  readonly item: Item | null
}

/** A call whose name may still grow, or is not known yet. It is announced only when its name is settled. */
export interface PendingCall {
  readonly key: string
  readonly type: CallType
  readonly callId: string
  readonly name: string
  readonly arguments: string
  readonly namespace: string | null
  readonly origin: CallOrigin | null
}

/** The active part, which received the last delta: its address, and the fields that its next delta event repeats. */
export interface ActivePart {
  readonly kind: ContentKind | 'call'
  readonly key: string
  readonly part: string
  readonly type: RunType
  readonly position: number
  readonly response_id: string
  readonly item_id: string
  readonly output_index: number
  /** `content_index` or `summary_index`. */
  readonly index: number
}

interface CallsState {
  /** Call ids that are in use. */
  readonly ids: SortedSet<string>
  /** The call whose name is known, though it may still grow. There is one at most, because another call settles it. */
  readonly named: PendingCall | null
  /** Calls whose name has not arrived yet, by key. */
  readonly nameless: SortedMap<string, PendingCall>
  /** Hosted calls whose id has not arrived yet, by key. */
  readonly unnumbered: SortedMap<string, HostedItem>
}

export interface CitingState {
  /** Citations that arrived before the text they belong to, by key. */
  readonly early: SortedMap<string, List<Citation>>
  /** Texts of finished messages whose key occurred again, by key and name of the part. */
  readonly earlier: SortedMap<string, EarlierText>
  /** The number of citations that wait for the end of an open text. */
  readonly waiting: number
}

/** The messages of an answer whose upstream reports no phases. */
interface PhaseState {
  /** The index of the last item which shows that each earlier text was commentary; -1 if there is none. */
  readonly latest: number
  /** The end of a message of unknown phase, and all events after it. */
  readonly waiting: List<Event>
}

const NO_PHASES: PhaseState = { latest: -1, waiting: EMPTY_LIST }

/** The response state: everything that changes rarely. */
export interface ResponseState {
  readonly head: Head
  readonly created: boolean
  readonly model: string
  /** In output order, open or done. */
  readonly items: List<ItemState>
  readonly index: ItemIndex
  readonly calls: CallsState
  readonly citing: CitingState
  /** Phases of messages, by key. */
  readonly phases: SortedMap<string, string>
  readonly phasing: PhaseState
  readonly usage: Usage | null
  readonly served: Served | null
  /** Null until the upstream reports any. */
  readonly words: UpstreamWords | null
  readonly finish: FinishReason | null
  /** The upstream stopped for calls of tools. */
  readonly called: boolean
  readonly error: GatewayError | null
  readonly cut: GatewayError | null
  /** Each loss with its position in the order of arrival. */
  readonly losses: SortedMap<string, number>
}

/** Flat, because it is on the hot path: a token changes `text` and nothing else. */
export interface RespondState {
  readonly active: ActivePart | null
  /** Text of the active part that is not yet in the response state. */
  readonly text: string
  readonly response: ResponseState
}

export const initialResponse = (head: Head): ResponseState => ({
  head,
  created: false,
  model: head.model,
  items: EMPTY_LIST,
  index: NO_ITEMS,
  calls: { ids: null, named: null, nameless: null, unnumbered: null },
  citing: { early: null, earlier: null, waiting: 0 },
  phases: null,
  phasing: NO_PHASES,
  usage: null,
  served: null,
  words: null,
  finish: null,
  called: false,
  error: null,
  cut: null,
  losses: null,
})

export const withUsage = ({ active, text, response }: RespondState, usage: Usage): RespondState => ({
  active,
  text,
  response: changed(response, response.items, response.index, laterUsage(response.usage, usage)),
})

/** The response state with other items and usage. A spread would cost more than all other work of a chunk. */
const changed = (
  response: ResponseState,
  items: ResponseState['items'],
  index: ItemIndex,
  usage: ResponseState['usage'],
): ResponseState => ({
  head: response.head,
  created: response.created,
  model: response.model,
  items,
  index,
  calls: response.calls,
  citing: response.citing,
  phases: response.phases,
  phasing: response.phasing,
  usage,
  served: response.served,
  words: response.words,
  finish: response.finish,
  called: response.called,
  error: response.error,
  cut: response.cut,
  losses: response.losses,
})

export const isKnownLoss = ({ losses }: ResponseState, loss: string): boolean => mapGet(losses, loss) !== undefined

/** Records each loss once. O(log n). */
export const withLoss = (state: ResponseState, loss: string): ResponseState =>
  isKnownLoss(state, loss) ? state : { ...state, losses: mapSet(state.losses, loss, mapSize(state.losses)) }

/** In the order of arrival. */
export const lossesOf = ({ losses }: ResponseState): readonly string[] =>
  mapEntries(losses)
    .sort(([, a], [, b]) => a - b)
    .map(([loss]) => loss)

export const itemAt = (response: ResponseState, at: number): ItemState => listAt(response.items, at) as ItemState

export const lastPart = ({ parts }: ItemState): PartState | undefined => listAt(parts, parts.length - 1)

export const runOf = (response: ResponseState, live: ActivePart): PartState =>
  listAt(itemAt(response, live.output_index).parts, live.position) as PartState

/** Adds the pending text of the active part to the response state. O(k) for a text of k characters. */
export const commitActivePart = ({ active, text, response }: RespondState): ResponseState =>
  active === null || text === '' ? response : withText(response, active.output_index, active.position, text)

export const withItem = (response: ResponseState, at: number, item: ItemState): ResponseState =>
  changed(response, listWith(response.items, at, item), response.index, response.usage)

export const withItems = (response: ResponseState, items: ResponseState['items'], index: ItemIndex): ResponseState =>
  changed(response, items, index, response.usage)

export const withIndex = (response: ResponseState, index: ItemIndex): ResponseState =>
  changed(response, response.items, index, response.usage)

export function withPart(response: ResponseState, at: number, position: number, part: PartState): ResponseState {
  const item = itemAt(response, at)
  return withItem(response, at, withParts(item, listWith(item.parts, position, part), item.summaries))
}

export const withParts = (item: ItemState, parts: ItemState['parts'], summaries: number): ItemState => ({
  type: item.type,
  key: item.key,
  id: item.id,
  parts,
  names: item.names,
  summaries,
  call: item.call,
  sealed: item.sealed,
  phase: item.phase,
  hosted: item.hosted,
  progress: item.progress,
  held: item.held,
  item: item.item,
})

export const withLastPart = (response: ResponseState, at: number, part: PartState): ResponseState =>
  withPart(response, at, itemAt(response, at).parts.length - 1, part)

/** Appends text to a part, in O(k). A call that it may complete is checked before the next item begins. */
function withText(response: ResponseState, at: number, position: number, text: string): ResponseState {
  const item = itemAt(response, at)
  const part = listAt(item.parts, position) as PartState
  const parts = listWith(item.parts, position, longer(part, text, part.logprobs))
  const items = listWith(response.items, at, withParts(item, parts, item.summaries))
  const { index } = response
  const isCall = item.type === 'function_call'
  return withItems(response, items, isCall ? withCandidates(index, mapSet(index.candidates, at, true)) : index)
}

/** Appends text with the log probabilities of its tokens. */
export function withTokens(
  response: ResponseState,
  live: ActivePart,
  text: string,
  logprobs: readonly Logprob[],
): ResponseState {
  const part = runOf(response, live)
  return withPart(response, live.output_index, live.position, longer(part, text, listConcat(part.logprobs, logprobs)))
}

const longer = (part: PartState, text: string, logprobs: PartState['logprobs']): PartState => ({
  name: part.name,
  type: part.type,
  index: part.index,
  text: appendFlat(part.text, text),
  logprobs,
  annotations: part.annotations,
  cited: longerCited(part.cited, text),
  json: part.json === null ? null : withMoreJson(part.json, part.text, text),
  mark: part.mark,
})
