/**
 * Whether an upstream searches the web by itself, and what it can be told of domains: nothing (`plain`), which ones are
 * `allowed`, `either` which are allowed or which are excluded, or `both`, with wildcards and paths.
 */
export type NativeSearch = 'none' | 'plain' | 'allowed' | 'either' | 'both'

/** The web search of one model at its upstream. */
export interface OwnSearch {
  readonly domains: NativeSearch
  /** The model has it in requests without functions only. */
  readonly excludesFunctions: boolean
  /** The model searches for every answer, whether or not it is offered a search. */
  readonly always: boolean
  /** The model takes functions: one of them can stand for the search of an engine. */
  readonly takesFunctions: boolean
}
