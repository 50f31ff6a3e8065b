import type { JsonObject } from '../../protocol/json.ts'
import type { GroundingChunk, ResponsePart, UsageMetadata } from './wire.ts'

/** A piece of the visible text: from `at` on, all text of the answer is that of this part, from its own offset `from` on. */
export interface Stretch {
  readonly key: string
  readonly part: string
  readonly at: number
  readonly from: number
}

/** A call is told when it is whole, and not before something else comes: what it is signed with may follow it. */
export interface HeldCall {
  readonly kind: 'call'
  readonly key: string
  readonly id: string
  readonly name: string
  /** Its arguments are free text. */
  readonly free: boolean
  readonly args: string
  readonly whole: boolean
  readonly signature: string | null
}

/** `step`: of a tool that the upstream ran; `loose`: a part that exists for its signature. */
export interface HeldPart {
  readonly kind: 'image' | 'step' | 'loose'
  readonly part: ResponsePart
}

export type Held = HeldCall | HeldPart

/** A signature whose part is yet to come. `call`: the id of its call, empty for the next one; null for any part. */
export interface Seal {
  readonly signature: string
  readonly call: string | null
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
  readonly stretches: readonly Stretch[]
  /** The key of the call whose arguments are being told. */
  readonly telling: string | null
  readonly held: readonly Held[]
  readonly seals: readonly Seal[]
  readonly cited: readonly Cited[]
  readonly queries: readonly string[]
  readonly sources: readonly string[]
  readonly pages: readonly JsonObject[]
  /** Whether the client was told that grounding will come, as Google does: by an empty object. */
  readonly hint: 'none' | 'due' | 'given'
  readonly usage: UsageMetadata | null
  /** A call was told. */
  readonly called: boolean
  /** Calls that cannot be told as calls. */
  readonly broken: readonly string[]
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
    stretches: [],
    telling: null,
    held: [],
    seals: [],
    cited: [],
    queries: [],
    sources: [],
    pages: [],
    hint: 'none',
    usage: null,
    called: false,
    broken: [],
  },
}

/** The state with some of what changes seldom changed: what went on until now is over. */
export const change = (state: ChunkState, changed: Partial<ChunkStory>): ChunkState => ({
  said: state.said,
  args: state.args,
  story: { ...state.story, run: null, ...changed },
})
