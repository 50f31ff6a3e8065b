import { EMPTY_LIST, type List } from '../../machine/list.ts'
import { EMPTY_QUEUE, type Queue } from '../../machine/queue.ts'
import type { SortedMap, SortedSet } from '../../machine/sorted-map.ts'
import type { Citation, Delta } from '../../protocol/delta.ts'
import type { Json } from '../../protocol/json.ts'
import type { MeasuredText } from '../../responses/measured-text.ts'
import type { ArgsPiece } from './partial-args.ts'
import type { Mark } from './signatures.ts'

/** A JSON object of the vendor: any field may be anything. */
export type Bag = Readonly<Record<string, unknown>>

/** The deltas that one chunk gives, in the order in which they were meant. */
export type Say = Delta[]

/** A text or a thought that goes on as long as nothing else comes. */
export interface Run {
  readonly kind: 'text' | 'summary'
  readonly key: string
  /** The parts of it that bear a signature. */
  readonly marks: List<Mark>
}

/** A text that is over. Kept, since citations count through all texts of the answer. */
export interface PastText {
  readonly key: string
  readonly text: string
  /** Its item is still open. */
  readonly held: boolean
}

/** A call whose arguments are still being told. */
export interface OpenCall {
  readonly key: string
  /** The upstream's id of it; empty where it gave none. */
  readonly id: string
  /** What its beginning brought. */
  readonly args: Json
  /** What followed it, without the text that is growing. */
  readonly pieces: List<ArgsPiece>
  /** The path of that text; empty where the last piece was none. */
  readonly growing: string
}

/** A tool that the upstream runs, until its result is there. */
export interface OpenStep {
  readonly key: string
  readonly part: Bag
}

/** Code that runs, or other tools that do. */
export interface OpenSteps {
  readonly open: SortedMap<number, OpenStep>
  /** In their order, of all and of each id: those that are over may be among them. */
  readonly order: Queue<number>
  readonly byId: SortedMap<string, Queue<number>>
}

const NO_STEPS: OpenSteps = { open: null, order: EMPTY_QUEUE, byId: null }

/** A citation whose words do not stand where it says: placed when all texts are there. */
export interface UnplacedCitation {
  readonly source: Source
  readonly segment: Segment
}

/** In UTF-8 bytes of all text of the answer. `quote`: the words that stand there, empty where they are not told. */
export interface Segment {
  readonly start: number
  readonly end: number
  readonly quote: string
}

export type Source = Pick<Citation, 'url' | 'title' | 'content' | 'file'>

/** What is known of the searches behind a grounded answer. */
export interface Search {
  readonly queries: readonly string[]
  readonly sources: readonly FoundPage[]
}

export interface FoundPage {
  readonly url: string
  readonly title: string | null
}

/** All that changes seldom. */
export interface Story {
  readonly model: string
  /** How many keys were given away. */
  readonly keys: number
  readonly run: Run | null
  readonly texts: List<PastText>
  /** Where those of them that were counted begin, and how long they are together, in UTF-8 bytes. */
  readonly starts: List<number>
  readonly bytes: number
  /** Those that were looked into, by index. */
  readonly measured: SortedMap<number, MeasuredText>
  readonly unplaced: List<UnplacedCitation>
  readonly call: OpenCall | null
  /** The upstream's ids of the calls so far. */
  readonly callIds: SortedSet<string>
  readonly code: OpenSteps
  readonly tools: OpenSteps
  /** Parts of those steps, to be sent back as they are, and whether one of them is signed. */
  readonly raw: List<Json>
  readonly signed: boolean
  /** Citations will come: texts are held open for them. */
  readonly grounded: boolean
  /** Citations and pages that were told. */
  readonly told: SortedSet<string>
  readonly search: Search
  /** A search was told as a step of its own. */
  readonly searched: boolean
  /** Items that may not interrupt the text that is being told. */
  readonly later: List<Delta>
  readonly finish: string
  readonly finishMessage: string
  readonly blocked: boolean
  readonly spoke: boolean
  /** Something said that nothing more would come. */
  readonly ended: boolean
  /** Frames that could not be read. */
  readonly noise: number
}

/** A piece of text changes `said` and nothing else, a piece of a long argument `grown`. */
export interface GeminiState {
  /** All text of the run. */
  readonly said: string
  /** The text at `call.growing`, as far as it was told. */
  readonly grown: string
  readonly story: Story
}

export const INITIAL: GeminiState = {
  said: '',
  grown: '',
  story: {
    model: '',
    keys: 0,
    run: null,
    texts: EMPTY_LIST,
    starts: EMPTY_LIST,
    bytes: 0,
    measured: null,
    unplaced: EMPTY_LIST,
    call: null,
    callIds: null,
    code: NO_STEPS,
    tools: NO_STEPS,
    raw: EMPTY_LIST,
    signed: false,
    grounded: false,
    told: null,
    search: { queries: [], sources: [] },
    searched: false,
    later: EMPTY_LIST,
    finish: '',
    finishMessage: '',
    blocked: false,
    spoke: false,
    ended: false,
    noise: 0,
  },
}

/** The state with some of what changes seldom changed. */
export const tell = (state: GeminiState, changed: Partial<Story>): GeminiState => ({
  said: state.said,
  grown: state.grown,
  story: { ...state.story, ...changed },
})

export function loss(feature: string, say: Say): void {
  say.push({ kind: 'loss', feature })
}
