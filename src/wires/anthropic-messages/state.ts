import type { List } from '../../machine/list.ts'
import type { Queue } from '../../machine/queue.ts'
import type { SortedMap } from '../../machine/sorted-map.ts'
import type { Citation, FinishReason } from '../../protocol/delta.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Counts } from './usage.ts'

/** A JSON object of a vendor: any field may be anything. */
export type Bag = Readonly<Record<string, unknown>>

/** A tool that the vendor runs itself, as far as it is known. `input` is the JSON text of its input. */
export interface ServerTool {
  readonly key: string
  readonly id: string
  readonly name: string
  /** Of an MCP tool; null of the vendor's own. */
  readonly server: string | null
  readonly input: string
  /** The block of its call as it began; null where the call was in an earlier answer. */
  readonly call: JsonObject | null
}

/** An open content block, under the vendor's index of it. */
export type Block =
  | {
      readonly kind: 'text'
      readonly index: string
      readonly key: string
      /** Where the block begins in its run of text. */
      readonly start: number
      readonly citations: List<Citation>
    }
  | { readonly kind: 'thought'; readonly index: string; readonly key: string; readonly signature: string }
  | {
      readonly kind: 'call'
      readonly index: string
      readonly key: string
      readonly id: string
      readonly name: string
      /** What its start brought as a whole, as JSON text: counts where nothing is streamed. */
      readonly input: string
      readonly told: boolean
    }
  /** `given` is the input that its start brought; `tool.input` grows piece by piece. */
  | { readonly kind: 'server'; readonly index: string; readonly tool: ServerTool; readonly given: string }
  | { readonly kind: 'compaction'; readonly index: string; readonly key: string; readonly text: string }
  /** One of which nothing can be told: its deltas are passed over. */
  | { readonly kind: 'other'; readonly index: string }

/** With its place among all blocks: they are closed in the order in which they began. */
interface OpenBlock {
  readonly block: Block
  readonly order: number
}

/** All that changes seldom. */
export interface Story {
  readonly model: string
  readonly started: boolean
  /** The vendor's id of the message. */
  readonly message: string
  /** How many items have begun: each gets a key of its own. */
  readonly items: number
  /** The key of the run of text that may go on; empty where an item of another kind came between. */
  readonly run: string
  /** Open content blocks, by their index. */
  readonly blocks: SortedMap<string, OpenBlock>
  /** The index of the one among them that is no tool; null where there is none. */
  readonly lone: string | null
  /** How many blocks have begun. */
  readonly begun: number
  /** Server tools whose results are still to come, by id. */
  readonly tools: SortedMap<string, Queue<ServerTool>>
  /** Where code is run; empty where it is not known. */
  readonly container: string
  readonly counts: Counts | null
  readonly finish: FinishReason | null
  readonly over: boolean
  /** Frames that could not be read. */
  readonly noise: number
}

/** Hot and flat: a token of text changes `length`, a token of thought `thought`. */
export interface MessagesState {
  /** UTF-16 units of the run of text so far. */
  readonly length: number
  /** The words of the open thinking block. */
  readonly thought: string
  readonly story: Story
}

export const INITIAL: MessagesState = {
  length: 0,
  thought: '',
  story: {
    model: '',
    started: false,
    message: '',
    items: 0,
    run: '',
    blocks: null,
    lone: null,
    begun: 0,
    tools: null,
    container: '',
    counts: null,
    finish: null,
    over: false,
    noise: 0,
  },
}

export const tell = (state: MessagesState, change: Partial<Story>): MessagesState => ({
  length: state.length,
  thought: state.thought,
  story: { ...state.story, ...change },
})

/** What goes back to the vendor on the next turn: the very blocks, and the order of items is the order of blocks. */
export type Sealed = JsonObject &
  (
    | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
    | { readonly type: 'redacted_thinking'; readonly data: string }
    | { readonly type: 'compaction'; readonly content: string }
    /** A call of a server tool and its result: both, or the one that this answer had. */
    | { readonly type: 'server_tool'; readonly blocks: readonly JsonObject[] }
  )
