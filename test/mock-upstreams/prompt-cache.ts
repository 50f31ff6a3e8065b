import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { isObject, toArray } from '../../src/text/json.ts'
import { breakpointsIn, withoutBreakpoints } from '../without-breakpoints.ts'

/** The prompt cache of Anthropic: prefixes that end at a breakpoint are stored, and found again by their content. */

/** A prefix must have so many tokens to be stored. */
const LEAST_TOKENS = 1024
/** A stored prefix is found if it ends at most so many blocks before a breakpoint. */
const LOOKBACK = 20

interface Prefix {
  readonly hash: string
  /** The tokens up to the end of this block. */
  readonly tokens: number
  /** The lifetime of the breakpoint at its end; null without one. */
  readonly ttl: string | null
}

const ttlOf = (block: Json): string | null => {
  const control = isObject(block) ? block.cache_control : null
  if (!isObject(control)) return null
  return typeof control.ttl === 'string' ? control.ttl : '5m'
}

/** Returns the blocks of a body in the order of the prompt: tools, system, messages. */
function blocksOf({ tools, system, messages }: JsonObject): readonly Json[] {
  const texts = typeof system === 'string' ? [{ type: 'text', text: system }] : toArray(system)
  const contents = toArray(messages)
    .filter(isObject)
    .flatMap(({ role, content }) =>
      typeof content === 'string'
        ? [{ role, type: 'text', text: content }]
        : toArray(content)
            .filter(isObject)
            .map((block) => ({ role, ...block })),
    )
  return [...toArray(tools), ...texts, ...contents] as readonly Json[]
}

function prefixesOf(body: JsonObject): readonly Prefix[] {
  let hash = ''
  let tokens = 0
  return blocksOf(body).map((block) => {
    const text = JSON.stringify(withoutBreakpoints(block))
    hash = createHash('sha256').update(hash).update(text).digest('hex')
    tokens += Math.ceil(text.length / 4)
    return { hash, tokens, ttl: ttlOf(block) }
  })
}

export interface PromptCache {
  /** Returns the usage of a request, and stores the prefixes at its breakpoints. */
  use(body: JsonObject): JsonObject
}

export function createPromptCache(): PromptCache {
  const stored = new Set<string>()
  return {
    use(body) {
      if (breakpointsIn(body) > 4) throw new Error('A maximum of 4 blocks with cache_control may be provided')
      const prefixes = prefixesOf(body)
      const ends = prefixes.flatMap(({ ttl }, at) => (ttl === null ? [] : [at]))
      const found = ends.flatMap((end) =>
        prefixes.slice(Math.max(0, end - LOOKBACK), end + 1).filter(({ hash }) => stored.has(hash)),
      )
      const read = Math.max(0, ...found.map(({ tokens }) => tokens))
      const written = { '5m': 0, '1h': 0 } as Record<string, number>
      let last = read
      for (const end of ends) {
        const { hash, tokens, ttl } = prefixes[end] as Prefix
        if (tokens < LEAST_TOKENS) continue
        stored.add(hash)
        written[ttl ?? '5m'] = (written[ttl ?? '5m'] ?? 0) + Math.max(0, tokens - last)
        last = Math.max(last, tokens)
      }
      return {
        input_tokens: (prefixes.at(-1)?.tokens ?? 0) - last,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: last - read,
        cache_creation: {
          ephemeral_5m_input_tokens: written['5m'] ?? 0,
          ephemeral_1h_input_tokens: written['1h'] ?? 0,
        },
        output_tokens: 50,
      }
    },
  }
}
