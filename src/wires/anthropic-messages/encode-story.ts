import { type BlockText, NO_TEXT } from '../../machine/block-text.ts'
import { EMPTY_LIST, type List } from '../../machine/list.ts'
import type { HostedItem } from '../../protocol/item.ts'
import type { Usage } from '../../protocol/usage.ts'
import { type CitedPages, NO_CITED, type OwedPages } from './encode-pages.ts'

/** The item that is being told. */
export interface Open {
  /** `hosted` has no block yet: what it is worth telling is known at its end. */
  readonly kind: 'text' | 'thinking' | 'call' | 'custom' | 'hosted'
  readonly key: string
  /** Of a text or a thought: the part that came last. */
  readonly part: string
  /** What comes next is another block: this one is cited, and a citation is of the whole of its block. */
  readonly full: boolean
  readonly hosted: HostedItem | null
}

/** All that changes seldom. */
export interface Story {
  readonly model: string
  readonly started: boolean
  /** The index of the block that is open, or of the next one. */
  readonly index: number
  readonly open: Open | null
  /** The text of the part that is open, but for its end. */
  readonly before: BlockText
  /** A tool of the client was called. */
  readonly called: boolean
  /** A call of it cannot be made: its arguments were cut off, or are no object. */
  readonly broken: boolean
  /** How many searches of the web were run. */
  readonly searches: number
  /** Searches whose pages wait for the titles that citations name. */
  readonly owed: List<OwedPages>
  /** Pages that were cited since. */
  readonly cited: CitedPages
  readonly refusal: string
  readonly usage: Usage | null
  readonly over: boolean
}

/** Hot and flat: a piece of text or thought changes `said` and nothing else. */
export interface TellState {
  /** The end of the text of the part that is open, behind the last citation of it at most; or the thought. */
  readonly said: string
  readonly story: Story
}

export const openingTold = (model: string): TellState => ({
  said: '',
  story: {
    model,
    started: false,
    index: 0,
    open: null,
    before: NO_TEXT,
    called: false,
    broken: false,
    searches: 0,
    owed: EMPTY_LIST,
    cited: NO_CITED,
    refusal: '',
    usage: null,
    over: false,
  },
})

export const retold = (state: TellState, change: Partial<Story>): TellState => ({
  said: state.said,
  story: { ...state.story, ...change },
})
