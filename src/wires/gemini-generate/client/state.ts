import { type Distinct, NO_VALUES } from '../../../collections/distinct.ts'
import { EMPTY_LIST, type List } from '../../../collections/list.ts'
import type { SortedMap } from '../../../collections/sorted-map.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import type { Served } from '../../../protocol/served.ts'
import type { GroundingChunk, UsageMetadata } from '../json.ts'
import { type HeldParts, NOTHING_HELD } from './part-buffer.ts'
import { NO_SEALS, type Seals } from './pending-signatures.ts'

/** A piece of one part, at offset `at` in all text of the answer and at offset `from` in the text of the part. */
interface Stretch {
  readonly at: number
  readonly from: number
}

/** A source, and the span in all text of the answer that cites it, in UTF-16 units; null if the span is unknown. */
export interface Cited {
  readonly source: GroundingChunk
  readonly span: { readonly start: number; readonly end: number } | null
}

/** The fields that change seldom, so that a text delta does not copy them. */
export interface EncoderProgress {
  readonly model: string
  /** There was output, or reasoning that the client declined. */
  readonly hasOutput: boolean
  /** The open text or reasoning, which further deltas of the same part continue. */
  readonly run: { readonly kind: 'text' | 'thought'; readonly key: string; readonly part: string } | null
  /** Stretches by the name of their part, in the order of the text. */
  readonly stretches: SortedMap<string, List<Stretch>>
  /** The length of the text of each part, without the last stretch of the answer. */
  readonly lengths: SortedMap<string, number>
  /** The last stretch: the name of its part, and its start in all text. */
  readonly last: { readonly name: string; readonly at: number } | null
  /** The key of the call whose arguments are being collected. */
  readonly collecting: string | null
  readonly held: HeldParts
  readonly seals: Seals
  readonly cited: List<Cited>
  readonly queries: Distinct
  readonly sources: Distinct
  readonly pages: List<JsonObject>
  /** Whether the grounding was announced to the client. Google announces it by an empty object. */
  readonly hint: 'none' | 'due' | 'given'
  readonly usage: UsageMetadata | null
  readonly served: Served
  readonly called: boolean
  /** Calls that cannot be emitted, as text for `finishMessage`. */
  readonly broken: List<string>
}

/** A piece of text changes only `text`, a piece of arguments only `args`. */
export interface EncoderState {
  /** All visible text of the answer, in which the offsets of citations count. */
  readonly text: string
  readonly args: string
  readonly progress: EncoderProgress
}

export const INITIAL: EncoderState = {
  text: '',
  args: '',
  progress: {
    model: '',
    hasOutput: false,
    run: null,
    stretches: null,
    lengths: null,
    last: null,
    collecting: null,
    held: NOTHING_HELD,
    seals: NO_SEALS,
    cited: EMPTY_LIST,
    queries: NO_VALUES,
    sources: NO_VALUES,
    pages: EMPTY_LIST,
    hint: 'none',
    usage: null,
    served: {},
    called: false,
    broken: EMPTY_LIST,
  },
}

/** Changes fields of `progress`. The open text or reasoning ends, unless `changed` sets `run`. */
export const updateEncoder = (state: EncoderState, changed: Partial<EncoderProgress>): EncoderState => ({
  text: state.text,
  args: state.args,
  progress: { ...state.progress, run: null, ...changed },
})
