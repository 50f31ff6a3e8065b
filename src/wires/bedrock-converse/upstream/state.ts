import type { List } from '../../../collections/list.ts'
import type { Queue } from '../../../collections/queue.ts'
import type { SortedMap } from '../../../collections/sorted-map.ts'
import type { Citation } from '../../../protocol/delta.ts'
import type { Json } from '../../../protocol/json.ts'

/** A range in the current message, in UTF-16 units. */
export interface BlockRange {
  readonly start: number
  readonly end: number
}

/** The open content block. */
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

/** The part of the state that rarely changes. */
export interface DecoderProgress {
  /** The number of the current message. Adjacent texts form one message; any other block begins the next message. */
  readonly message: number
  readonly block: Block | null
  /** The last block with text, which a block of only citations refers to. */
  readonly last: BlockRange | null
  /** Calls of server tools that wait for their results, by id. */
  readonly waiting: SortedMap<string, Queue<ServerCall>>
  /** The number of messages that could not be parsed. */
  readonly noise: number
  /** The stop reason has arrived. */
  readonly stopped: boolean
  /** The metadata has arrived, which in some streams precedes the stop reason. */
  readonly counted: boolean
  readonly failed: boolean
}

/** Flat, because it is copied for every token: a token changes one of the first two fields and nothing else. */
export interface ConverseState {
  /** The length of the current message, in UTF-16 units. */
  readonly length: number
  /** The text of the open block of reasoning. */
  readonly reasoning: string
  readonly progress: DecoderProgress
}

export const INITIAL: ConverseState = {
  length: 0,
  reasoning: '',
  progress: {
    message: 0,
    block: null,
    last: null,
    waiting: null,
    noise: 0,
    stopped: false,
    counted: false,
    failed: false,
  },
}

export const updateProgress = (state: ConverseState, change: Partial<DecoderProgress>): ConverseState => ({
  length: state.length,
  reasoning: state.reasoning,
  progress: { ...state.progress, ...change },
})

/** A block other than text was opened: the next text begins another message. */
export const interrupted = (state: ConverseState): ConverseState =>
  state.length === 0
    ? state
    : {
        length: 0,
        reasoning: state.reasoning,
        progress: { ...state.progress, message: state.progress.message + 1, last: null },
      }

export const messageKey = (message: number): string => `message ${message}`
export const reasoningKey = (index: string): string => `thought ${index}`
export const callKey = (index: string): string => `call ${index}`
