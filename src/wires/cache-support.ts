import type { CacheLifetime } from '../protocol/request.ts'

/** The values of a request on which a breakpoint may stand. `rules`: parts of system and developer messages. */
export type CachePlace = 'tool' | 'instructions' | 'rules' | 'prompt' | 'answer' | 'call' | 'output' | 'output part'

/** The breakpoints that a model of an upstream accepts. */
export interface CacheSupport {
  readonly places: ReadonlySet<CachePlace>
  /** The lifetimes that it accepts, the shortest first. The first one is its default. */
  readonly lifetimes: readonly [CacheLifetime, ...CacheLifetime[]]
  /** Rejects a breakpoint with a shorter lifetime before one with a longer lifetime. */
  readonly longestFirst: boolean
  /** Accepts `prompt_cache_options`: it caches the end of each prompt by itself. */
  readonly options: boolean
  /** Caches nothing without breakpoints, so that the policy `auto` places them. */
  readonly automatic: boolean
}

/** Anthropic's breakpoints: on anything but reasoning, for five minutes or an hour. */
export const ANTHROPIC_CACHE: CacheSupport = {
  places: new Set(['tool', 'instructions', 'rules', 'prompt', 'answer', 'call', 'output']),
  lifetimes: ['5m', '1h'],
  longestFirst: true,
  options: false,
  automatic: true,
}

/** OpenAI's breakpoints (gpt-5.6 and later), beside the implicit one. Each of its protocols has other places for them. */
export const OPENAI_CACHE: Omit<CacheSupport, 'places'> = {
  lifetimes: ['30m', '12h'],
  longestFirst: false,
  options: true,
  automatic: false,
}
