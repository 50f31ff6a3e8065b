import type { List } from '../../../collections/list.ts'
import type { SortedMap } from '../../../collections/sorted-map.ts'
import type { CitationDelta, FinishReason } from '../../../protocol/delta.ts'
import type { Served } from '../../../protocol/served.ts'
import type { Usage } from '../../../protocol/usage.ts'
import { NO_SIGNATURES, type WaitingSignatures } from './call-signatures.ts'
import type { ReasoningRuns } from './reasoning-stream.ts'

/** The part of the state that does not change while the same text continues. */
export interface EncoderProgress {
  readonly model: string
  readonly started: boolean
  /** The part that receives text. */
  readonly part: { readonly key: string; readonly name: string } | null
  /**
   * The offset in the content of the message at which the text of each part begins, by key and part: spans count from
   * there.
   */
  readonly bases: SortedMap<string, SortedMap<string, number>>
  /** Citations of text that has not ended, by key. */
  readonly cited: SortedMap<string, List<CitationDelta>>
  /** The indices of the calls, by key. */
  readonly calls: SortedMap<string, number>
  /** The same, by their ids. */
  readonly callsById: SortedMap<string, number>
  readonly signatures: WaitingSignatures
  readonly train: ReasoningRuns | null
  /** The number of runs and of sealed entries emitted so far. */
  readonly details: number
  readonly images: number
  readonly usage: Usage | null
  readonly served: Served
  readonly finish: FinishReason | null
  /** A call cannot be executed: its arguments were cut off, or are not an object. */
  readonly broken: boolean
  readonly failed: boolean
}

export interface EncoderState {
  readonly progress: EncoderProgress
  /** Of the content so far, in UTF-16 units. */
  readonly length: number
  /** The text of the open run. */
  readonly reasoning: string
}

export const BLANK: EncoderProgress = {
  model: '',
  started: false,
  part: null,
  bases: null,
  cited: null,
  calls: null,
  callsById: null,
  signatures: NO_SIGNATURES,
  train: null,
  details: 0,
  images: 0,
  usage: null,
  served: {},
  finish: null,
  broken: false,
  failed: false,
}

export const withProgress = ({ length, reasoning }: EncoderState, progress: EncoderProgress): EncoderState => ({
  progress,
  length,
  reasoning,
})
