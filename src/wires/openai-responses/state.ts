import type { ContentKind, Delta } from '../../protocol/delta.ts'
import type { CallType, HostedItemType } from '../../protocol/item.ts'

/** A JSON object of a vendor: any field may be anything. */
export type Bag = Readonly<Record<string, unknown>>

/** The deltas that one event gives, in the order in which they were meant. */
export type Say = Delta[]

/** A run of text as far as it has been said: a part of a message or of thoughts, or the arguments of a call. */
export interface Run {
  readonly of: ContentKind | CallType
  /** Ours, told as `part`. */
  readonly name: string
  /** The upstream's content_index or summary_index; null where it gives none. */
  readonly index: number | null
  readonly text: string
  /** The annotations that have been told, each as one word. */
  readonly cited: readonly string[]
  readonly done: boolean
}

/** An output item as far as it has been heard. */
export interface Heard {
  /** Ours, told as `key`: ids change from event to event at some vendors, and an index may be used again. */
  readonly key: string
  readonly index: number | null
  readonly id: string
  readonly type: string
  /** What it is told as, where the upstream runs it. */
  readonly hosted: HostedItemType | null
  readonly runs: readonly Run[]
  /** The call has been told by its name. */
  readonly named: boolean
  /** The last encrypted_content: what comes with the finished item differs from what came before. */
  readonly sealed: string
  readonly done: boolean
}

/** Where the last piece went, so that the next one finds its way at a glance. */
export interface Live {
  readonly event: string
  readonly index: number
  readonly inner: number | null
  /** Positions in the story. */
  readonly item: number
  readonly run: number
  readonly of: ContentKind | CallType
  readonly key: string
  readonly part: string
}

/** All that changes seldom. */
export interface Story {
  readonly model: string
  readonly items: readonly Heard[]
  readonly over: boolean
}

/** Hot and flat: a piece of text changes `text` and nothing else. */
export interface ResponsesState {
  readonly live: Live | null
  /** All text of the live run. */
  readonly text: string
  readonly story: Story
}

const OPENING: Story = { model: '', items: [], over: false }

export const INITIAL: ResponsesState = { live: null, text: '', story: OPENING }

export const toState = (story: Story, live: Live | null = null): ResponsesState => ({
  live,
  text: live === null ? '' : runOf(story, live.item, live.run).text,
  story,
})

export const runOf = (story: Story, item: number, run: number): Run => story.items[item]?.runs[run] as Run

const replaced = <T>(list: readonly T[], at: number, value: T): readonly T[] =>
  list.map((old, i) => (i === at ? value : old))

type ItemChange = Partial<Pick<Heard, 'runs' | 'named' | 'sealed' | 'done'>>
type RunChange = Partial<Pick<Run, 'text' | 'cited' | 'done'>>

/** The story with one item changed. Written out: a spread is slow where V8 has seen many kinds of objects. */
export function withItem({ model, items, over }: Story, at: number, change: ItemChange): Story {
  const { key, index, id, type, hosted, runs, named, sealed, done } = items[at] as Heard
  const item: Heard = {
    key,
    index,
    id,
    type,
    hosted,
    runs: change.runs ?? runs,
    named: change.named ?? named,
    sealed: change.sealed ?? sealed,
    done: change.done ?? done,
  }
  return { model, items: replaced(items, at, item), over }
}

/** The story with one run changed; written out as well. */
export function withRun(story: Story, item: number, run: number, change: RunChange): Story {
  const { runs } = story.items[item] as Heard
  const { of, name, index, text, cited, done } = runs[run] as Run
  const changed: Run = {
    of,
    name,
    index,
    text: change.text ?? text,
    cited: change.cited ?? cited,
    done: change.done ?? done,
  }
  return withItem(story, item, { runs: replaced(runs, run, changed) })
}

/** The story with the live text put where it belongs. */
export function settle({ live, text, story }: ResponsesState): Story {
  if (live === null || runOf(story, live.item, live.run).text === text) return story
  return withRun(story, live.item, live.run, { text })
}

export const toIndex = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null
