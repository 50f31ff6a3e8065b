import { type BlockText, NO_TEXT } from '../../../collections/block-text.ts'
import { EMPTY_LIST, type List } from '../../../collections/list.ts'
import type { HostedItem } from '../../../protocol/item.ts'
import type { Served } from '../../../protocol/served.ts'
import type { Usage } from '../../../protocol/usage.ts'
import { type CitedPages, NO_CITED, type PendingPages } from './search-results.ts'

/** The item that is being written. */
export interface Open {
  /**
   * `hosted` has no block yet: its blocks are known only at its end. `held` is a call whose arguments have not begun, or
   * begin as no object: they are written at its end.
   */
  readonly kind: 'text' | 'thinking' | 'held' | 'call' | 'custom' | 'hosted'
  readonly key: string
  /** The latest part of a text or reasoning item. */
  readonly part: string
  /**
   * Further text starts another block: this block is cited or a cited span begins, and a citation applies to its whole
   * block.
   */
  readonly full: boolean
  readonly hosted: HostedItem | null
}

/** The fields of the state that change seldom. */
export interface EncoderProgress {
  readonly model: string
  readonly started: boolean
  /** The index of the open block, or of the next one. */
  readonly index: number
  readonly open: Open | null
  /** The text of the open part, except its end, which is `text`. */
  readonly before: BlockText
  /** Whether a tool of the client was called. */
  readonly called: boolean
  /** Whether a call of the client's tools is unusable: its arguments were cut off, or are no object. */
  readonly broken: boolean
  /** The number of web searches so far. */
  readonly searches: number
  /** Searches whose pages wait for the titles that citations name. */
  readonly pending: List<PendingPages>
  /** Pages that were cited since then. */
  readonly cited: CitedPages
  readonly refusal: string
  readonly usage: Usage | null
  readonly served: Served
  readonly over: boolean
}

/** The encoder's state, flat for speed: a piece of text or reasoning usually changes `text` alone. */
export interface EncoderState {
  /**
   * The end of the text of the open part, after its last citation at the earliest; or the text of the open reasoning, or
   * of arguments that are held.
   */
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
    before: NO_TEXT,
    called: false,
    broken: false,
    searches: 0,
    pending: EMPTY_LIST,
    cited: NO_CITED,
    refusal: '',
    usage: null,
    served: {},
    over: false,
  },
})

export const updateEncoder = (state: EncoderState, change: Partial<EncoderProgress>): EncoderState => ({
  text: state.text,
  progress: { ...state.progress, ...change },
})
