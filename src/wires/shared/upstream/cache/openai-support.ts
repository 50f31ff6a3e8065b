import { ANTHROPIC_CACHE, type CachePlace, type CacheSupport, OPENAI_CACHE } from '../../../cache-support.ts'
import type { Quirks } from '../../../quirks.ts'
import { factsOf } from '../model-facts.ts'

/**
 * The breakpoints of a model behind a protocol of OpenAI; null if it has none. `places`: where the protocol has them,
 * with OpenAI's names; `routed`: with `cache_control` of a vendor that routes to other models.
 */
export function openaiCacheSupport(
  target: { readonly model: string; readonly quirks: Quirks },
  places: ReadonlySet<CachePlace>,
  routed: ReadonlySet<CachePlace>,
): CacheSupport | null {
  const { quirks } = target
  const { family, caches } = factsOf(target, 'openai-responses')
  // Only Claude needs breakpoints: the other models that a router has cache prompts by themselves.
  if (quirks.cacheControl === true) return { ...ANTHROPIC_CACHE, places: routed, automatic: family === 'claude' }
  return quirks.openaiModels === true && family === 'gpt' && caches === 'all' ? { ...OPENAI_CACHE, places } : null
}
