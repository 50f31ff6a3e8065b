import type { SortedMap } from '../machine/sorted-map.ts'
import type { Delta, FinishReason } from '../protocol/delta.ts'
import type { Item } from '../protocol/item.ts'
import type { Request } from '../protocol/request.ts'
import type { Head } from '../protocol/response.ts'
import type { Usage } from '../protocol/usage.ts'
import type { Seal } from '../responses/envelope.ts'
import type { SearchAnswer } from './engine.ts'
import type { HeldCalls } from './held-calls.ts'
import type { CitationStyle, Source } from './prompt.ts'

/** What a loop is told: what the upstream says in the open leg, that it has ended, what a search has found. */
export type LoopHeard =
  | Delta
  | { readonly kind: 'leg ended' }
  | { readonly kind: 'found'; readonly key: string; readonly answer: SearchAnswer }

/** What it says: deltas of the one response, and what is to be done. */
export type LoopSaid =
  | Delta
  /** A search to be made; its answer comes back under the same key. */
  | { readonly kind: 'search'; readonly key: string; readonly query: string; readonly maxResults: number }
  /** The next leg: this is what is asked of the upstream. */
  | { readonly kind: 'ask'; readonly request: Request }
  /** The answer is whole. */
  | { readonly kind: 'over' }

export interface LoopSettings {
  /** What the first leg was asked. */
  readonly request: Request
  /** The function that stands for the search; null where the model is offered none. */
  readonly tool: string | null
  readonly head: Head
  /** As the upstream's opaque reasoning is sealed elsewhere: the next leg takes it back. */
  readonly seal: Seal
  readonly style: CitationStyle
  /** Found before the first leg. */
  readonly sources: readonly Source[]
  /** Whether the client is shown what was found, to give it back on its next turn. */
  readonly showResults: boolean
  readonly maxSearches: number
  /** Of one search. */
  readonly maxResults: number
  /** Of all searches together; null for no bound. */
  readonly maxTotalResults: number | null
}

/** A call of the search. */
export interface Search {
  readonly key: string
  readonly callId: string
  readonly query: string
  /** Why nothing is searched. */
  readonly refusal: string | null
}

/** All that changes seldom. */
export interface Plot {
  readonly leg: number
  /** What the open leg was asked. */
  readonly request: Request
  readonly calls: HeldCalls
  /** The key and part of the text that was last given its sources. */
  readonly cited: string | null
  readonly finish: FinishReason | null
  readonly usage: Usage | null
  /** Of the legs before. */
  readonly used: Usage | null
  readonly searches: readonly Search[]
  /** Those of them that are under way, by key: their positions. */
  readonly waiting: SortedMap<string, number>
  /** By position. */
  readonly answers: SortedMap<number, SearchAnswer>
  /** What the leg said that asked for them. */
  readonly said: readonly Item[]
  readonly sources: readonly Source[]
  /** Searches asked for so far. */
  readonly count: number
  readonly over: boolean
}

/** The plot after something was heard, and what is said to it. */
export interface Told {
  readonly plot: Plot
  readonly said: readonly LoopSaid[]
}

export const isSearching = ({ searches }: Plot): boolean => searches.length > 0

/** Tokens that the whole answer may still have; null for no bound. */
export function tokensLeft({ used, usage }: Plot, { request }: LoopSettings): number | null {
  const { max_output_tokens: most } = request
  if (most === null) return null
  return most - (used?.output_tokens ?? 0) - (usage?.output_tokens ?? 0)
}
