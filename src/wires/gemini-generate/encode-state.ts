import { type Distinct, NO_VALUES } from '../../machine/distinct.ts'
import { EMPTY_LIST, type List } from '../../machine/list.ts'
import type { SortedMap } from '../../machine/sorted-map.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { type HeldParts, NOTHING_HELD } from './encode-parts.ts'
import { NO_SEALS, type Seals } from './encode-seals.ts'
import type { GroundingChunk, UsageMetadata } from './wire.ts'

/** A piece of the visible text: from `at` on, all text of the answer is that of one part, from its own offset `from` on. */
export interface Stretch {
  readonly at: number
  readonly from: number
}

/** A source, and where in all text of the answer it is cited, in UTF-16 units; null where nobody knows. */
export interface Cited {
  readonly source: GroundingChunk
  readonly place: { readonly start: number; readonly end: number } | null
}

/** All that changes seldom. */
export interface ChunkStory {
  readonly model: string
  /** Something was told, or would have been to who asks for thoughts. */
  readonly spoke: boolean
  /** The text or thought that more of the same goes on with. */
  readonly run: { readonly kind: 'text' | 'thought'; readonly key: string; readonly part: string } | null
  /** By the name of their part, each in the order of the text. */
  readonly stretches: SortedMap<string, List<Stretch>>
  /** Of each part, the text of its stretches but the last of all. */
  readonly lengths: SortedMap<string, number>
  /** The last stretch: its part, and where it begins. */
  readonly last: { readonly name: string; readonly at: number } | null
  /** The key of the call whose arguments are being told. */
  readonly telling: string | null
  readonly held: HeldParts
  readonly seals: Seals
  readonly cited: List<Cited>
  readonly queries: Distinct
  readonly sources: Distinct
  readonly pages: List<JsonObject>
  /** Whether the client was told that grounding will come, as Google does: by an empty object. */
  readonly hint: 'none' | 'due' | 'given'
  readonly usage: UsageMetadata | null
  /** A call was told. */
  readonly called: boolean
  /** Calls that cannot be told as calls. */
  readonly broken: List<string>
}

/** A piece of text changes `said`, a piece of arguments `args`, and nothing else. */
export interface ChunkState {
  /** All visible text of the answer: citations count through it. */
  readonly said: string
  readonly args: string
  readonly story: ChunkStory
}

export const INITIAL: ChunkState = {
  said: '',
  args: '',
  story: {
    model: '',
    spoke: false,
    run: null,
    stretches: null,
    lengths: null,
    last: null,
    telling: null,
    held: NOTHING_HELD,
    seals: NO_SEALS,
    cited: EMPTY_LIST,
    queries: NO_VALUES,
    sources: NO_VALUES,
    pages: EMPTY_LIST,
    hint: 'none',
    usage: null,
    called: false,
    broken: EMPTY_LIST,
  },
}

/** The state with some of what changes seldom changed: what went on until now is over. */
export const change = (state: ChunkState, changed: Partial<ChunkStory>): ChunkState => ({
  said: state.said,
  args: state.args,
  story: { ...state.story, run: null, ...changed },
})
