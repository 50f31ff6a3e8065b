import { EMPTY_LIST, type List, listAt, listWith } from '../../machine/list.ts'
import type { SortedMap } from '../../machine/sorted-map.ts'
import type { ContentKind, Delta } from '../../protocol/delta.ts'
import type { CallType, HostedItemType } from '../../protocol/item.ts'
import { type MeasuredText, measureMore } from '../../responses/measured-text.ts'
import { append } from '../../text/append.ts'
import { closePosition, NO_POSITIONS, type Positions } from './positions.ts'

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
  /** Without what the live run has added since. */
  readonly text: string
  /** The same text; null while nothing has cited it. */
  readonly measured: MeasuredText | null
  /** How often each annotation, as one word, has been told. */
  readonly cited: SortedMap<string, number>
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
  readonly runs: List<Run>
  readonly places: Positions
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
  readonly items: List<Heard>
  readonly places: Positions
  readonly over: boolean
  /** Frames that could not be read. */
  readonly noise: number
}

/** Hot and flat: a piece of text changes `text` and nothing else. */
export interface ResponsesState {
  readonly live: Live | null
  /** What the live run has added to its text since it is live. */
  readonly text: string
  readonly story: Story
}

const OPENING: Story = { model: '', items: EMPTY_LIST, places: NO_POSITIONS, over: false, noise: 0 }

export const INITIAL: ResponsesState = { live: null, text: '', story: OPENING }

export const toState = (story: Story, live: Live | null = null): ResponsesState => ({ live, text: '', story })

export const itemAt = (story: Story, item: number): Heard => listAt(story.items, item) as Heard

export const runOf = (story: Story, item: number, run: number): Run => listAt(itemAt(story, item).runs, run) as Run

// ---------------------------------------------------------------- names of items and runs

/** By index and type, by id and type, by type, and by what events name beside them. */
export const ITEM_NAMES = {
  index: (index: number | null, type: string): string => JSON.stringify(['index', index, type]),
  id: (id: string, type: string): string => JSON.stringify(['id', id, type]),
  idAt: (id: string, type: string, index: number | null): string => JSON.stringify(['id at', id, type, index]),
  type: (type: string): string => JSON.stringify(['type', type]),
  untyped: (index: number | null): string => JSON.stringify(['untyped', index]),
} as const

export const namesOfItem = ({ index, id, type }: Pick<Heard, 'index' | 'id' | 'type'>): readonly string[] => [
  ITEM_NAMES.index(index, type),
  ITEM_NAMES.id(id, type),
  ITEM_NAMES.idAt(id, type, index),
  ITEM_NAMES.type(type),
  ITEM_NAMES.untyped(index),
]

export const runName = (of: Run['of'], index: number | null): string => `${of} ${index}`

export const namesOfRun = ({ of, index }: Pick<Run, 'of' | 'index'>): readonly string[] => [runName(of, index), of]

// ---------------------------------------------------------------- changing one place

type ItemChange = Partial<Pick<Heard, 'runs' | 'places' | 'named' | 'sealed' | 'done'>>
type RunChange = Partial<Pick<Run, 'text' | 'measured' | 'cited' | 'done'>>

/** The story with one item changed, in O(log n). Written out: a spread is slow where V8 has seen many kinds of objects. */
export function withItem(story: Story, at: number, change: ItemChange): Story {
  const old = itemAt(story, at)
  const { key, index, id, type, hosted } = old
  const item: Heard = {
    key,
    index,
    id,
    type,
    hosted,
    runs: change.runs ?? old.runs,
    places: change.places ?? old.places,
    named: change.named ?? old.named,
    sealed: change.sealed ?? old.sealed,
    done: change.done ?? old.done,
  }
  const isOver = item.done && !old.done
  const places = isOver ? closePosition(story.places, at, namesOfItem(old)) : story.places
  return { model: story.model, items: listWith(story.items, at, item), places, over: story.over, noise: story.noise }
}

/** The story with one run changed; written out as well. */
export function withRun(story: Story, item: number, run: number, change: RunChange): Story {
  const { runs, places } = itemAt(story, item)
  const old = listAt(runs, run) as Run
  const { of, name, index } = old
  const changed: Run = {
    of,
    name,
    index,
    text: change.text ?? old.text,
    measured: change.measured ?? old.measured,
    cited: change.cited ?? old.cited,
    done: change.done ?? old.done,
  }
  const isOver = changed.done && !old.done
  return withItem(story, item, {
    runs: listWith(runs, run, changed),
    places: isOver ? closePosition(places, run, namesOfRun(old)) : places,
  })
}

/** The story with more text in one run. O(k) for k characters. */
export function withText(story: Story, item: number, run: number, piece: string): Story {
  const { text, measured } = runOf(story, item, run)
  const more = { text: append(text, piece) }
  return withRun(story, item, run, measured === null ? more : { ...more, measured: measureMore(measured, piece) })
}

/** The story with the live text put where it belongs. */
export const settle = ({ live, text, story }: ResponsesState): Story =>
  live === null || text === '' ? story : withText(story, live.item, live.run, text)

export const toIndex = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null
