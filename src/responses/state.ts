import { EMPTY_LIST, type List, listAt, listConcat, listWith } from '../machine/list.ts'
import { mapEntries, mapGet, mapSet, mapSize, type SortedMap, type SortedSet } from '../machine/sorted-map.ts'
import type { Citation, ContentKind, FinishReason } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { CallType, HostedItem, Item, ItemType } from '../protocol/item.ts'
import type { Annotation, Logprob, PartType } from '../protocol/part.ts'
import type { Head } from '../protocol/response.ts'
import type { Usage } from '../protocol/usage.ts'
import { append } from '../text/append.ts'
import { type CallJson, withMoreJson } from './call-json.ts'
import type { EarlierText } from './earlier-text.ts'
import { type ItemIndex, NO_ITEMS, withRipe } from './item-index.ts'
import { type MeasuredText, measureMore } from './measured-text.ts'

/** A run of text inside an item: a content part, a summary part, or the arguments of a call. */
export type RunType = PartType | 'arguments' | 'input'

export interface PartState {
  /** The upstream's own name of the part. */
  readonly name: string
  readonly type: RunType
  /** content_index, or summary_index of a summary part. */
  readonly index: number
  /** Without what the live run has added since. */
  readonly text: string
  readonly logprobs: List<Logprob>
  readonly annotations: List<Annotation>
  /** null while nothing cites it. */
  readonly cited: CitedText | null
  /** Of the arguments of a function: null while nothing has asked whether they are whole. */
  readonly json: CallJson | null
  /** Where in the text the last marked block begins. */
  readonly mark: number
}

/** What is kept of a text that is cited. */
export interface CitedText {
  /** The same text; null while no citation had to be placed in it. */
  readonly measured: MeasuredText | null
  /** Citations whose place is not known before the part closes. */
  readonly waiting: List<Citation>
  /** The sources among them that are looked for everywhere in the text, by address and mark. */
  readonly linked: SortedSet<string>
  /** Those citations, placed ahead of the end of the text: null while they are not, or once either has grown. */
  readonly placed: readonly Annotation[] | null
}

/** A part that has said nothing yet. */
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
  /** All but the last are over. Empty once the item is done. */
  readonly parts: List<PartState>
  /** Of a message that is done: the names of its parts. */
  readonly names: readonly string[]
  /** How many of them are of a summary. */
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
  /** Stays open, whatever else begins. */
  readonly held: boolean
  /** The finished item, once it is done. */
  readonly item: Item | null
}

/** A call whose name may still grow, or is not known yet: not announced before that is settled. */
export interface PendingCall {
  readonly key: string
  readonly type: CallType
  readonly callId: string
  readonly name: string
  readonly arguments: string
}

/** The run of text that the last delta went to: its address, and what its next delta event repeats. */
export interface Live {
  readonly kind: ContentKind | 'call'
  readonly key: string
  readonly part: string
  readonly type: RunType
  readonly position: number
  readonly response_id: string
  readonly item_id: string
  readonly output_index: number
  /** content_index or summary_index. */
  readonly index: number
}

export interface CallsState {
  /** Ids that are taken. */
  readonly ids: SortedSet<string>
  /** The call whose name is known, though it may still grow: one at most, for another call settles it. */
  readonly named: PendingCall | null
  /** Calls whose name has not come yet, by key. */
  readonly nameless: SortedMap<string, PendingCall>
}

export interface CitingState {
  /** Citations that came before the text they belong to, by key. */
  readonly early: SortedMap<string, List<Citation>>
  /** What messages of a key have said that came back later, by key and name of the part. */
  readonly earlier: SortedMap<string, EarlierText>
  /** How many wait in open texts for the end of these. */
  readonly waiting: number
}

/** All that changes seldom. */
export interface Story {
  readonly head: Head
  readonly created: boolean
  readonly model: string
  /** In output order, done or not. */
  readonly items: List<ItemState>
  readonly index: ItemIndex
  readonly calls: CallsState
  readonly citing: CitingState
  readonly usage: Usage | null
  readonly finish: FinishReason | null
  readonly error: GatewayError | null
  readonly cut: GatewayError | null
  /** Each with its place in the order in which they came. */
  readonly losses: SortedMap<string, number>
}

/** Hot and flat: a token changes `text` and nothing else. */
export interface RespondState {
  readonly live: Live | null
  /** What the live run has added to its part since it is live. */
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

/** Counts were told. */
export const counted = ({ live, text, story }: RespondState, usage: Usage): RespondState => ({
  live,
  text,
  story: changed(story, story.items, story.index, usage),
})

/** The story with other items and other counts. Written out: a spread would cost more than all else that a chunk costs. */
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

/** Each loss is told once. O(log n). */
export const withLoss = (story: Story, loss: string): Story =>
  isKnownLoss(story, loss) ? story : { ...story, losses: mapSet(story.losses, loss, mapSize(story.losses)) }

/** In the order in which they came. */
export const lossesOf = ({ losses }: Story): readonly string[] =>
  mapEntries(losses)
    .sort(([, a], [, b]) => a - b)
    .map(([loss]) => loss)

// ---------------------------------------------------------------- looking into a story, and changing one place of it

export const itemAt = (story: Story, at: number): ItemState => listAt(story.items, at) as ItemState

/** The last part of an item. */
export const lastPart = ({ parts }: ItemState): PartState | undefined => listAt(parts, parts.length - 1)

/** The part that is live. */
export const runOf = (story: Story, live: Live): PartState =>
  listAt(itemAt(story, live.output_index).parts, live.position) as PartState

/** All text of the run that is live, as far as it has come. */
export const liveText = ({ live, text, story }: RespondState): string =>
  live === null ? '' : runOf(story, live).text + text

/** The story with the live text put where it belongs. O(k) for a text of k characters. */
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

/** With more text in that part, in O(k) for k characters. A call that it may complete is looked at before the next item begins. */
function withText(story: Story, at: number, position: number, text: string): Story {
  const item = itemAt(story, at)
  const part = listAt(item.parts, position) as PartState
  const parts = listWith(item.parts, position, longer(part, text, part.logprobs))
  const items = listWith(story.items, at, withParts(item, parts, item.summaries))
  const { index } = story
  const isCall = item.type === 'function_call'
  return withItems(story, items, isCall ? withRipe(index, mapSet(index.ripe, at, true)) : index)
}

/** The same, and what is known of its tokens. */
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

/** Where the events of a part say that it stands. */
export const addressOf = (story: Story, at: number, part: PartState) => ({
  response_id: story.head.id,
  item_id: itemAt(story, at).id,
  output_index: at,
  index: part.index,
  type: part.type,
})
