import type { SortedMap } from '../../collections/sorted-map.ts'
import type { Delta, FinishDelta } from '../../protocol/delta.ts'
import type { Item } from '../../protocol/item.ts'
import type { Request } from '../../protocol/request.ts'
import type { Head } from '../../protocol/response.ts'
import type { Usage } from '../../protocol/usage.ts'
import type { Seal } from '../../responses/encrypted-content.ts'
import type { SearchAnswer } from '../engine.ts'
import type { CitationStyle, CitedSource } from '../prompt.ts'
import type { BufferedCalls } from './buffered-calls.ts'

/** The inputs of a loop: deltas of the open turn, the end of a turn, and the answer of a search. */
export type LoopInput =
  | Delta
  | { readonly kind: 'turn ended' }
  | { readonly kind: 'found'; readonly key: string; readonly answer: SearchAnswer }

/** The outputs of a loop: deltas of the one response, and commands to the host. */
export type LoopOutput =
  | Delta
  /** Run a search; its answer returns under the same key. */
  | { readonly kind: 'search'; readonly key: string; readonly query: string; readonly maxResults: number }
  /** Begin the next turn: send this request to the upstream. */
  | { readonly kind: 'request'; readonly request: Request }
  /** The answer is complete. */
  | { readonly kind: 'over' }

/** The outputs of a loop that are no deltas. */
export type LoopCommand = Exclude<LoopOutput, Delta>

export const isLoopCommand = (output: LoopOutput): output is LoopCommand =>
  output.kind === 'search' || output.kind === 'request' || output.kind === 'over'

export interface LoopSettings {
  /** The request of the first turn. */
  readonly request: Request
  /** The name of the function that represents the search; null if the model is offered none. */
  readonly tool: string | null
  readonly head: Head
  /** The function that seals the upstream's encrypted reasoning: the next turn sends it back. */
  readonly seal: Seal
  readonly style: CitationStyle
  /** Sources that were found before the first turn. */
  readonly sources: readonly CitedSource[]
  /** Whether the client receives the results, to return them with its next request. */
  readonly showResults: boolean
  readonly maxSearches: number
  /** The most results of one search. */
  readonly maxResults: number
  /** The most results of all searches together; null for no bound. */
  readonly maxTotalResults: number | null
}

export interface PendingSearch {
  readonly key: string
  readonly callId: string
  readonly query: string
  /** The reason why the call is answered without a search; null if the search runs. */
  readonly refusal: string | null
}

/** The part of the state that rarely changes. */
export interface LoopState {
  readonly turn: number
  /** The request of the open turn. */
  readonly request: Request
  readonly calls: BufferedCalls
  /** The part and key of the text that last received citations of the sources. */
  readonly cited: string | null
  /** Why the upstream stopped in this turn. */
  readonly finish: FinishDelta | null
  readonly usage: Usage | null
  /** The usage of the earlier turns. */
  readonly used: Usage | null
  readonly searches: readonly PendingSearch[]
  /** The searches that are still running: positions in `searches`, by key. */
  readonly waiting: SortedMap<string, number>
  /** By position in `searches`. */
  readonly answers: SortedMap<number, SearchAnswer>
  /** The output of the turn that called the searches. */
  readonly outputs: readonly Item[]
  readonly sources: readonly CitedSource[]
  /** The number of searches called so far. */
  readonly count: number
  readonly over: boolean
}

/** The state after an input, with the outputs that result. */
export interface LoopTransition {
  readonly state: LoopState
  readonly outputs: readonly LoopOutput[]
}

export const isSearching = ({ searches }: LoopState): boolean => searches.length > 0

/** Returns how many output tokens remain for the whole answer; null for no bound. */
export function remainingTokens({ used, usage }: LoopState, { request }: LoopSettings): number | null {
  const { max_output_tokens: most } = request
  if (most === null) return null
  return most - (used?.output_tokens ?? 0) - (usage?.output_tokens ?? 0)
}
