import type { Citation, ContentKind, FinishReason } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { CallType, HostedItem, Item, ItemType } from '../protocol/item.ts'
import type { Annotation, Logprob, PartType } from '../protocol/part.ts'
import type { Head } from '../protocol/response.ts'
import type { Usage } from '../protocol/usage.ts'

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
  readonly logprobs: readonly Logprob[]
  readonly annotations: readonly Annotation[]
  /** Citations whose place is not known before the part closes. */
  readonly waiting: readonly Citation[]
  /** Where in the text the last marked block begins. */
  readonly mark: number
  readonly done: boolean
}

export interface ItemState {
  readonly type: ItemType
  /** The upstream's own name of the item. */
  readonly key: string
  readonly id: string
  readonly parts: readonly PartState[]
  readonly call: {
    readonly callId: string
    readonly upstreamId: string
    readonly name: string
    readonly namespace: string | null
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

/** All that changes seldom. */
export interface Story {
  readonly head: Head
  readonly created: boolean
  readonly model: string
  /** In output order, done or not. */
  readonly items: readonly ItemState[]
  readonly pending: readonly PendingCall[]
  /** Citations that came before the text they belong to. */
  readonly early: readonly { readonly key: string; readonly citation: Citation }[]
  readonly usage: Usage | null
  readonly finish: FinishReason | null
  readonly error: GatewayError | null
  readonly cut: GatewayError | null
  readonly losses: readonly string[]
}

/** Hot and flat: a token changes `text` and nothing else. */
export interface RespondState {
  readonly live: Live | null
  /** All text of the live run. */
  readonly text: string
  readonly story: Story
}

export const openingStory = (head: Head): Story => ({
  head,
  created: false,
  model: head.model,
  items: [],
  pending: [],
  early: [],
  usage: null,
  finish: null,
  error: null,
  cut: null,
  losses: [],
})

/** Counts were told. */
export const counted = ({ live, text, story }: RespondState, usage: Usage): RespondState => ({
  live,
  text,
  story: changed(story, story.items, usage),
})

/** The story with other items and other counts. Written out: a spread would cost more than all else that a chunk costs. */
const changed = (story: Story, items: Story['items'], usage: Story['usage']): Story => ({
  head: story.head,
  created: story.created,
  model: story.model,
  items,
  pending: story.pending,
  early: story.early,
  usage,
  finish: story.finish,
  error: story.error,
  cut: story.cut,
  losses: story.losses,
})

/** A list with one element replaced. */
export const replaced = <T>(list: readonly T[], at: number, value: T): readonly T[] =>
  list.map((old, i) => (i === at ? value : old))

/** Each loss is told once. */
export const withLoss = (story: Story, loss: string): Story =>
  story.losses.includes(loss) ? story : { ...story, losses: [...story.losses, loss] }

// ---------------------------------------------------------------- looking into a story, and changing one place of it

/** The part that is live. */
export const runOf = (story: Story, live: Live): PartState =>
  story.items[live.output_index]?.parts[live.position] as PartState

/** The story with the live text put where it belongs. */
export function settle({ live, text, story }: RespondState): Story {
  if (live === null || runOf(story, live).text === text) return story
  return withPart(story, live.output_index, live.position, { ...runOf(story, live), text })
}

export function withItem(story: Story, at: number, item: ItemState): Story {
  return changed(story, replaced(story.items, at, item), story.usage)
}

export function withPart(story: Story, at: number, position: number, part: PartState): Story {
  const item = story.items[at] as ItemState
  return withItem(story, at, { ...item, parts: replaced(item.parts, position, part) })
}

/** Where the events of a part say that it stands. */
export const addressOf = (story: Story, at: number, part: PartState) => ({
  response_id: story.head.id,
  item_id: story.items[at]?.id ?? '',
  output_index: at,
  index: part.index,
  type: part.type,
})

/** What was said under the same key in messages that are done: its spans count that too. */
export const textBefore = ({ items }: Story, at: number, name: string): string =>
  items
    .slice(0, at)
    .flatMap(({ type, key, parts }) => (type === 'message' && key === items[at]?.key ? parts : []))
    .reduce((text, part) => (part.type === 'output_text' && part.name === name ? text + part.text : text), '')

/** The position of the last part of an item. */
export const lastOf = (story: Story, at: number): number => (story.items[at] as ItemState).parts.length - 1
