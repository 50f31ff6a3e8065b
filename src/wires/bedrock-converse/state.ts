import type { List } from '../../machine/list.ts'
import type { Queue } from '../../machine/queue.ts'
import type { SortedMap } from '../../machine/sorted-map.ts'
import type { Citation } from '../../protocol/delta.ts'
import type { Json } from '../../protocol/json.ts'

/** A JSON object of a vendor: any field may be anything. */
export type Bag = Readonly<Record<string, unknown>>

/** From where to where, in UTF-16 units of the current message. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** The content block that is being told. */
export type Block =
  | { readonly kind: 'text'; readonly index: string; readonly start: number; readonly citations: List<Citation> }
  | {
      readonly kind: 'thought'
      readonly index: string
      readonly signature: string
      readonly redacted: List<string>
    }
  | { readonly kind: 'call'; readonly index: string; readonly empty: boolean }
  | { readonly kind: 'server call'; readonly index: string; readonly call: ServerCall }
  | {
      readonly kind: 'server result'
      readonly index: string
      readonly id: string
      readonly parts: List<Json>
      readonly failed: boolean
    }
  | { readonly kind: 'image'; readonly index: string; readonly format: string; readonly bytes: string }

/** A call of a tool that Bedrock runs itself. */
export interface ServerCall {
  readonly key: string
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly input: string
}

/** All that changes seldom. */
export interface Story {
  /** Texts that follow one another are one message; whatever comes between begins the next. */
  readonly message: number
  readonly block: Block | null
  /** The last block with text: what a block of nothing but citations is about. */
  readonly last: Place | null
  /** Calls of server tools whose results are yet to come, by id. */
  readonly waiting: SortedMap<string, Queue<ServerCall>>
  /** Messages that could not be read. */
  readonly noise: number
}

/** Hot and flat: a token changes one of the first two and nothing else. */
export interface ConverseState {
  /** The length of the current message. */
  readonly length: number
  /** What the open block of reasoning has said. */
  readonly thought: string
  readonly story: Story
}

export const INITIAL: ConverseState = {
  length: 0,
  thought: '',
  story: { message: 0, block: null, last: null, waiting: null, noise: 0 },
}

/** The state with these parts of its story replaced. */
export const retold = (state: ConverseState, change: Partial<Story>): ConverseState => ({
  length: state.length,
  thought: state.thought,
  story: { ...state.story, ...change },
})

/** Something that is no text has been said: text that follows is another message. */
export const interrupted = (state: ConverseState): ConverseState =>
  state.length === 0
    ? state
    : { length: 0, thought: state.thought, story: { ...state.story, message: state.story.message + 1, last: null } }
