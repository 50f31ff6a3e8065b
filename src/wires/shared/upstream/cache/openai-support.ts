import type { Quirks } from '../../../quirks.ts'
import { openaiTraitsOf } from '../openai-models.ts'
import { ANTHROPIC_CACHE, type CachePlace, type CacheSupport, OPENAI_CACHE } from './support.ts'

/** Only Claude needs breakpoints: the other models that a router has cache prompts by themselves. */
const CLAUDE = /claude/i

/**
 * The breakpoints of a model behind a protocol of OpenAI; null if it has none. `places`: where the protocol has them,
 * with OpenAI's names; `routed`: with `cache_control` of a vendor that routes to other models.
 */
export function openaiCacheSupport(
  { model, quirks }: { readonly model: string; readonly quirks: Quirks },
  places: ReadonlySet<CachePlace>,
  routed: ReadonlySet<CachePlace>,
): CacheSupport | null {
  if (quirks.cacheControl === true) return { ...ANTHROPIC_CACHE, places: routed, automatic: CLAUDE.test(model) }
  return quirks.openaiModels === true && openaiTraitsOf(model, quirks).breakpoints ? { ...OPENAI_CACHE, places } : null
}
