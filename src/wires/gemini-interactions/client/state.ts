import { EMPTY_LIST, type List } from '../../../collections/list.ts'
import type { SortedMap } from '../../../collections/sorted-map.ts'
import type { CitationDelta } from '../../../protocol/delta.ts'
import type { HostedItem } from '../../../protocol/item.ts'
import type { Served } from '../../../protocol/served.ts'
import type { Usage } from '../../../protocol/usage.ts'

export interface WrittenStep {
  readonly kind: 'text' | 'thought' | 'call' | 'custom'
  readonly key: string
  /** The latest part of a text or of a summary. */
  readonly part: string
  /** The step has a delta. */
  readonly isStarted: boolean
}

/** The fields of the state that change seldom. */
interface EncoderProgress {
  readonly model: string
  readonly started: boolean
  /** The index of the open step, or of the next one. */
  readonly index: number
  readonly open: WrittenStep | null
  /** Where the text of each part begins in the text of the open step, in UTF-16 units. */
  readonly bases: SortedMap<string, number>
  readonly cited: List<CitationDelta>
  /** Finished items of tools. Google's own steps, which may follow them, take their place. */
  readonly hosted: List<HostedItem>
  /** The number of such items so far. */
  readonly tools: number
  /** Whether the answer has any step. */
  readonly hasOutput: boolean
  /** Whether a function was called. */
  readonly called: boolean
  /** Whether a call is unusable: its arguments were cut off, or are no object. */
  readonly broken: boolean
  readonly usage: Usage | null
  readonly served: Served
  readonly over: boolean
}

/** The encoder's state, flat for speed: a piece of text changes `text` alone. */
export interface EncoderState {
  /** The text of the open step, in which citations count. */
  readonly text: string
  readonly progress: EncoderProgress
}

export const initialEncoder = (model: string): EncoderState => ({
  text: '',
  progress: {
    model,
    started: false,
    index: 0,
    open: null,
    bases: null,
    cited: EMPTY_LIST,
    hosted: EMPTY_LIST,
    tools: 0,
    hasOutput: false,
    called: false,
    broken: false,
    usage: null,
    served: {},
    over: false,
  },
})

export const updateEncoder = (state: EncoderState, change: Partial<EncoderProgress>): EncoderState => ({
  text: state.text,
  progress: { ...state.progress, ...change },
})
