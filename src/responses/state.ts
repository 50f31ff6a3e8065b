import { EMPTY_LIST, type List, listAt, listConcat, listWith } from '../collections/list.ts'
import { mapEntries, mapGet, mapSet, mapSize, type SortedMap, type SortedSet } from '../collections/sorted-map.ts'
import type { Citation, ContentKind, FinishReason } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { CallType, HostedItem, Item, ItemType } from '../protocol/item.ts'
import type { Annotation, Logprob, PartType } from '../protocol/part.ts'
import type { Head } from '../protocol/response.ts'
import type { Usage } from '../protocol/usage.ts'
import { append } from '../text/flat-string.ts'
import { type CallJson, withMoreJson } from './call-arguments.ts'
import { type ItemIndex, NO_ITEMS, withRipe } from './item-index.ts'
import { type EarlierText, type MeasuredText, measureMore } from './measured-text.ts'

/** A text inside an item: a content part, a summary part, or the arguments of a call. */
export type RunType = PartType | 'arguments' | 'input'

export interface PartState {
  /** The upstream's own name of the part. */
  readonly name: string
  readonly type: RunType
  /** `content_index`, or `summary_index` of a summary part. */
  readonly index: number
  /** Without the text that the active part has received since then; `settle` adds it. */
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

/** The data that is kept for the citations of a text. */
export interface CitedText {
  /** The same text, measured; null until a citation has to be placed in it. */
  readonly measured: MeasuredText | null
  /** Citations that cannot be placed before the part closes. */
  readonly waiting: List<Citation>
  /** The waiting sources that are searched in the whole text, by address and marker. */
  readonly linked: SortedSet<string>
  /** The waiting citations, placed ahead of the end of the text; null if not, or if either has grown since. */
  readonly placed: readonly Annotation[] | null
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

export const UNCITED: CitedText = { measured: null, waiting: EMPTY_LIST, linked: null, placed: null }

export interface ItemState {
  readonly type: ItemType
  /** The upstream's own name of the item. */
  readonly key: string
  readonly id: string
  /** All parts but the last are closed. Empty once the item is done. */
  readonly parts: List<PartState>
  /** The names of the parts of a finished message. */
  readonly names: readonly string[]
  /** The number of summary parts. */
  readonly summaries: number
  readonly call: {
    readonly callId: string
    readonly upstreamId: string
    readonly name: string
    readonly namespace: string | null
    /** A call with free text that is written as a function call. */
    readonly wraps?: true
  } | null
  readonly sealed: string | null
  readonly hosted: HostedItem | null
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
}

/** The active part, which received the last delta: its address, and the fields that its next delta event repeats. */
export interface Live {
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

export interface CallsState {
  /** Call ids that are in use. */
  readonly ids: SortedSet<string>
  /** The call whose name is known, though it may still grow. There is one at most, because another call settles it. */
  readonly named: PendingCall | null
  /** Calls whose name has not arrived yet, by key. */
  readonly nameless: SortedMap<string, PendingCall>
}

export interface CitingState {
  /** Citations that arrived before the text they belong to, by key. */
  readonly early: SortedMap<string, List<Citation>>
  /** Texts of finished messages whose key occurred again, by key and name of the part. */
  readonly earlier: SortedMap<string, EarlierText>
  /** The number of citations that wait for the end of an open text. */
  readonly waiting: number
}

/** The response state: everything that changes rarely. */
export interface Story {
  readonly head: Head
  readonly created: boolean
  readonly model: string
  /** In output order, open or done. */
  readonly items: List<ItemState>
  readonly index: ItemIndex
  readonly calls: CallsState
  readonly citing: CitingState
  readonly usage: Usage | null
  readonly finish: FinishReason | null
  readonly error: GatewayError | null
  readonly cut: GatewayError | null
  /** Each loss with its position in the order of arrival. */
  readonly losses: SortedMap<string, number>
}

/** Flat, because it is on the hot path: a token changes `text` and nothing else. */
export interface RespondState {
  readonly live: Live | null
  /** Text of the active part that is not yet in the response state. */
  readonly text: string
  readonly story: Story
}

export const openingStory = (head: Head): Story => ({
  head,
  created: false,
  model: head.model,
  items: EMPTY_LIST,
  index: NO_ITEMS,
  calls: { ids: null, named: null, nameless: null },
  citing: { early: null, earlier: null, waiting: 0 },
  usage: null,
  finish: null,
  error: null,
  cut: null,
  losses: null,
})

/** Replaces the usage. */
export const counted = ({ live, text, story }: RespondState, usage: Usage): RespondState => ({
  live,
  text,
  story: changed(story, story.items, story.index, usage),
})

/** The response state with other items and usage. A spread would cost more than all other work of a chunk. */
const changed = (story: Story, items: Story['items'], index: ItemIndex, usage: Story['usage']): Story => ({
  head: story.head,
  created: story.created,
  model: story.model,
  items,
  index,
  calls: story.calls,
  citing: story.citing,
  usage,
  finish: story.finish,
  error: story.error,
  cut: story.cut,
  losses: story.losses,
})

export const isKnownLoss = ({ losses }: Story, loss: string): boolean => mapGet(losses, loss) !== undefined

/** Records each loss once. O(log n). */
export const withLoss = (story: Story, loss: string): Story =>
  isKnownLoss(story, loss) ? story : { ...story, losses: mapSet(story.losses, loss, mapSize(story.losses)) }

/** In the order of arrival. */
export const lossesOf = ({ losses }: Story): readonly string[] =>
  mapEntries(losses)
    .sort(([, a], [, b]) => a - b)
    .map(([loss]) => loss)

export const itemAt = (story: Story, at: number): ItemState => listAt(story.items, at) as ItemState

export const lastPart = ({ parts }: ItemState): PartState | undefined => listAt(parts, parts.length - 1)

/** Returns the active part. */
export const runOf = (story: Story, live: Live): PartState =>
  listAt(itemAt(story, live.output_index).parts, live.position) as PartState

/** Returns all text of the active part so far. */
export const liveText = ({ live, text, story }: RespondState): string =>
  live === null ? '' : runOf(story, live).text + text

/** Adds the pending text of the active part to the response state. O(k) for a text of k characters. */
export const settle = ({ live, text, story }: RespondState): Story =>
  live === null || text === '' ? story : withText(story, live.output_index, live.position, text)

export const withItem = (story: Story, at: number, item: ItemState): Story =>
  changed(story, listWith(story.items, at, item), story.index, story.usage)

export const withItems = (story: Story, items: Story['items'], index: ItemIndex): Story =>
  changed(story, items, index, story.usage)

export const withIndex = (story: Story, index: ItemIndex): Story => changed(story, story.items, index, story.usage)

export function withPart(story: Story, at: number, position: number, part: PartState): Story {
  const item = itemAt(story, at)
  return withItem(story, at, withParts(item, listWith(item.parts, position, part), item.summaries))
}

/** Written out, as `changed`. */
export const withParts = (item: ItemState, parts: ItemState['parts'], summaries: number): ItemState => ({
  type: item.type,
  key: item.key,
  id: item.id,
  parts,
  names: item.names,
  summaries,
  call: item.call,
  sealed: item.sealed,
  hosted: item.hosted,
  held: item.held,
  item: item.item,
})

export const withLastPart = (story: Story, at: number, part: PartState): Story =>
  withPart(story, at, itemAt(story, at).parts.length - 1, part)

/** Appends text to a part, in O(k). A call that it may complete is checked before the next item begins. */
function withText(story: Story, at: number, position: number, text: string): Story {
  const item = itemAt(story, at)
  const part = listAt(item.parts, position) as PartState
  const parts = listWith(item.parts, position, longer(part, text, part.logprobs))
  const items = listWith(story.items, at, withParts(item, parts, item.summaries))
  const { index } = story
  const isCall = item.type === 'function_call'
  return withItems(story, items, isCall ? withRipe(index, mapSet(index.ripe, at, true)) : index)
}

/** Appends text with the log probabilities of its tokens. */
export function withTokens(story: Story, live: Live, text: string, logprobs: readonly Logprob[]): Story {
  const part = runOf(story, live)
  return withPart(story, live.output_index, live.position, longer(part, text, listConcat(part.logprobs, logprobs)))
}

const longer = (part: PartState, text: string, logprobs: PartState['logprobs']): PartState => ({
  name: part.name,
  type: part.type,
  index: part.index,
  text: append(part.text, text),
  logprobs,
  annotations: part.annotations,
  cited: longerCited(part.cited, text),
  json: part.json === null ? null : withMoreJson(part.json, part.text, text),
  mark: part.mark,
})

function longerCited(cited: CitedText | null, text: string): CitedText | null {
  if (cited === null || cited.measured === null) return cited
  return { measured: measureMore(cited.measured, text), waiting: cited.waiting, linked: cited.linked, placed: null }
}
