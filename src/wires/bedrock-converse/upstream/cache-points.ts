import { dropped, type Loss } from '../../../protocol/loss.ts'
import type { Cacheable, CacheBreakpoint } from '../../../protocol/request.ts'
import { ANTHROPIC_CACHE, type CacheSupport } from '../../cache-support.ts'
import type { Quirks } from '../../quirks.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import type { CachePoint, RequestBlock } from '../json.ts'

/** Bedrock rejects a lifetime for models that have one only, and means five minutes where it is left out. */
export function toCachePoint(breakpoint: CacheBreakpoint | null | undefined): readonly CachePoint[] {
  if (!breakpoint) return []
  const { ttl } = breakpoint
  return [{ cachePoint: ttl === null || ttl === '5m' ? { type: 'default' } : { type: 'default', ttl } }]
}

export const cachePointOf = ({ prompt_cache_breakpoint: breakpoint }: Cacheable): readonly CachePoint[] =>
  toCachePoint(breakpoint)

const isOpaque = (block: RequestBlock | undefined): boolean =>
  block !== undefined && 'document' in block && block.document.format !== 'pdf'

/**
 * Adds the point of a part after its blocks. Bedrock rejects a point directly after a document that is not a PDF
 * (strands-agents/harness-sdk#1966), and one that nothing precedes in its message: it goes before such documents, or is
 * a loss.
 */
export function addCachePoint(blocks: RequestBlock[], part: Cacheable, path: string): readonly Loss[] {
  const [point] = cachePointOf(part)
  if (point === undefined) return []
  let at = blocks.length
  while (at > 0 && isOpaque(blocks[at - 1])) at -= 1
  const before = blocks[at - 1]
  if (before === undefined || 'cachePoint' in before)
    return [dropped(`${path}.prompt_cache_breakpoint`, 'this upstream accepts no cache breakpoint here')]
  blocks.splice(at, 0, point)
  return []
}

const { places } = ANTHROPIC_CACHE

/** Of Nova, only the tools have no breakpoints: it rejects a request with one there. */
const SUPPORT = {
  all: ANTHROPIC_CACHE,
  prompts: { ...ANTHROPIC_CACHE, places: new Set([...places].filter((place) => place !== 'tool')), lifetimes: ['5m'] },
} as const satisfies Record<string, CacheSupport>

/** The breakpoints of a model (docs/prompt-caching.md). Bedrock rejects them for any other model. */
export function cacheSupport(target: { readonly model: string; readonly quirks: Quirks }): CacheSupport | null {
  const { caches = 'none', cachesForHours } = factsOf(target, 'bedrock-converse')
  if (caches === 'none') return null
  return cachesForHours === true ? SUPPORT[caches] : { ...SUPPORT[caches], lifetimes: ['5m'] }
}
