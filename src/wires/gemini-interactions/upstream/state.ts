import { EMPTY_LIST, type List } from '../../../collections/list.ts'
import type { Queue } from '../../../collections/queue.ts'
import type { SortedMap } from '../../../collections/sorted-map.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'

/** A step that has not stopped. */
export interface OpenStep {
  /** Its number among all steps, from which its key is made. */
  readonly number: number
  readonly key: string
  readonly type: string
  /** The upstream's id of a call; empty if it has none. */
  readonly id: string
  /**
   * The content in the start of the step: text, which the first delta may repeat; or arguments, which count only if no
   * delta has any.
   */
  readonly given: string
  /** A step of a tool that Google runs, as far as it is known. */
  readonly raw: JsonObject | null
}

/** A call of a tool that Google runs, without its result. */
export interface HostedCall {
  readonly key: string
  readonly raw: JsonObject
  /** Its item has begun. */
  readonly started: boolean
}

/** Hosted calls that wait for their results, by the number of their step, and these numbers by their id and type. */
export interface WaitingCalls {
  readonly open: SortedMap<number, HostedCall>
  readonly byName: SortedMap<string, Queue<number>>
}

/** The state of the decoder. A piece of text or of arguments changes nothing, except for the first one of its step. */
export interface InteractionState {
  readonly model: string
  /** The id and the model of the first event; null before it. */
  readonly created: JsonObject | null
  /** Steps that have not stopped, by the upstream's index. */
  readonly steps: SortedMap<string, OpenStep>
  /** The number of steps that have begun. */
  readonly count: number
  /**
   * The last step that no tool of Google is was a text. Google reports the searches for a text after it: such an item
   * begins with its result, because the text before it is the answer, and not commentary.
   */
  readonly afterText: boolean
  /** The key of the open message that the next step must not close; empty if there is none. */
  readonly unheld: string
  readonly calls: WaitingCalls
  /** Steps of Google's tools that are sealed together, because they go back unchanged and in their order. */
  readonly raw: List<JsonObject>
  readonly hasContent: boolean
  /** A failure has arrived: only usage may follow. */
  readonly failed: boolean
  /** The verdict of a filter, which is the end of an answer with content, unless its status is that of a failure. */
  readonly filtered: GatewayError | null
  readonly over: boolean
  /** The number of frames that could not be read. */
  readonly noise: number
}

export const INITIAL: InteractionState = {
  model: '',
  created: null,
  steps: null,
  count: 0,
  afterText: false,
  unheld: '',
  calls: { open: null, byName: null },
  raw: EMPTY_LIST,
  hasContent: false,
  failed: false,
  filtered: null,
  over: false,
  noise: 0,
}
