import type { Delta } from '../../protocol/delta.ts'
import type { Json } from '../../protocol/json.ts'
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
  readonly marks: readonly Mark[]
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
  /** Without the text that is growing. */
  readonly args: Json
  /** The path of that text; empty where the last piece was none. */
  readonly growing: string
}

/** A tool that the upstream runs, until its result is there. */
export interface OpenStep {
  readonly key: string
  readonly id: string
  readonly part: Bag
}

/** What is known of the searches behind a grounded answer. */
export interface Search {
  readonly queries: readonly string[]
  readonly sources: readonly string[]
}

/** All that changes seldom. */
export interface Story {
  readonly model: string
  /** How many keys were given away. */
  readonly keys: number
  readonly run: Run | null
  readonly texts: readonly PastText[]
  readonly call: OpenCall | null
  /** The upstream's ids of the calls so far. */
  readonly callIds: readonly string[]
  readonly steps: readonly OpenStep[]
  /** Parts of those steps, to be sent back as they are. */
  readonly raw: readonly Json[]
  /** Citations will come: texts are held open for them. */
  readonly grounded: boolean
  /** Citations and pages that were told. */
  readonly told: readonly string[]
  readonly search: Search
  /** A search was told as a step of its own. */
  readonly searched: boolean
  /** Items that may not interrupt the text that is being told. */
  readonly later: readonly Delta[]
  readonly finish: string
  readonly finishMessage: string
  readonly blocked: boolean
  readonly spoke: boolean
  /** Something said that nothing more would come. */
  readonly ended: boolean
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
    texts: [],
    call: null,
    callIds: [],
    steps: [],
    raw: [],
    grounded: false,
    told: [],
    search: { queries: [], sources: [] },
    searched: false,
    later: [],
    finish: '',
    finishMessage: '',
    blocked: false,
    spoke: false,
    ended: false,
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
