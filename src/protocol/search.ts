/**
 * Whether an upstream has its own web search, and which domain filters it accepts: none (`plain`), a list of allowed
 * domains (`allowed`), a list of either allowed or excluded domains (`either`), or both lists with wildcards and paths
 * (`both`).
 */
export type NativeSearch = 'none' | 'plain' | 'allowed' | 'either' | 'both'

/** The web search of one model at its upstream. */
export interface OwnSearch {
  readonly domains: NativeSearch
  /** The model can search only in requests without functions. */
  readonly excludesFunctions: boolean
  /** The model searches for every answer, even if the request offers no search. */
  readonly always: boolean
  /** The model accepts functions, so that a function can stand for the search of an engine. */
  readonly takesFunctions: boolean
}
