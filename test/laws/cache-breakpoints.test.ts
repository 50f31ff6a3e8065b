import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import { validateRequest } from '../../src/validation/request.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import type { CachePolicy } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { type Fields, requestsOf } from '../arbitraries/requests.ts'
import { encodeFor } from '../engine/encode-request.ts'
import { targetOf } from '../engine/target.ts'
import { check, expectEqual, expectSame } from '../property.ts'
import { breakpointsIn, withoutBreakpoints } from '../without-breakpoints.ts'

/** Upstreams with breakpoints of every kind, and one without any. */
const UPSTREAMS: readonly (readonly [vendor: string, model: string])[] = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['bedrock', 'amazon.nova-pro-v1:0'],
  ['openrouter', 'anthropic/claude-sonnet-4.5'],
  ['openrouter-responses', 'anthropic/claude-sonnet-4.5'],
  ['openai', 'gpt-5.6'],
  ['openai-chat', 'gpt-5.6'],
  ['google', 'gemini-3-pro'],
]

function encode([vendor, model]: readonly [vendor: string, model: string], fields: Fields, cache: CachePolicy) {
  const valid = validateRequest({ model, ...fields })
  const row = findVendor(vendor)
  if (!valid.ok || row === undefined) throw new Error(vendor)
  return encodeFor(WIRES[row.wire], valid.request, { ...targetOf(row.wire, row.quirks, model), cache })
}

const breakpoint = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('5m', '30m', '1h', '12h', null)
      .map((ttl) => ({ prompt_cache_breakpoint: { mode: 'explicit', ttl } })),
  },
)

/** Sets breakpoints on everything that may have one: the list is used again from its beginning when it ends. */
function withBreakpoints(fields: Fields, ends: readonly object[]): Fields {
  let next = 0
  const end = () => ends[next++ % ends.length]
  const onParts = (parts: unknown) => (Array.isArray(parts) ? parts.map((part) => ({ ...part, ...end() })) : parts)
  const input = (fields.input as readonly Record<string, unknown>[]).map((item) => ({
    ...item,
    ...(item.type === undefined || item.type === 'message' ? { content: onParts(item.content) } : {}),
    ...(item.output === undefined ? {} : { output: onParts(item.output) }),
    ...(item.call_id === undefined || String(item.type).startsWith('tool_search') ? {} : end()),
  }))
  const tools = (fields.tools as readonly object[] | undefined)?.map((tool) => ({ ...tool, ...end() }))
  return { ...fields, input, ...(tools === undefined ? {} : { tools }) }
}

const options = fc.constantFrom<Fields>(
  {},
  { cache_control: { type: 'ephemeral' } },
  { prompt_cache_options: { mode: 'explicit', ttl: '1h' } },
  { prompt_cache_options: { mode: 'implicit' } },
)

describe.each(UPSTREAMS)('a request to %s, model %s', (...upstream) => {
  const [vendor, model] = upstream
  const wire = findVendor(vendor)?.wire ?? 'openai-chat'

  it('never has more than four breakpoints, whatever the client and the policy', () => {
    const policy = fc.constantFrom<CachePolicy>('auto', 'client', 'off')
    const ends = fc.array(breakpoint, { minLength: 1, maxLength: 8 })
    check(
      fc.property(requestsOf(wire, model), ends, options, policy, (fields, list, more, cache) => {
        const encoded = encode(upstream, { ...withBreakpoints(fields, list), ...more }, cache)
        if (!encoded.ok) return
        const most = cache === 'off' ? 0 : 4
        expect(breakpointsIn(encoded.body)).toBeLessThanOrEqual(most)
      }),
      300,
    )
  })

  it('differs by nothing but breakpoints if the policy places them', () => {
    check(
      fc.property(requestsOf(wire, model), (fields) => {
        const usual = encode(upstream, fields, 'client')
        const automatic = encode(upstream, fields, 'auto')
        if (!usual.ok || !automatic.ok) {
          expectEqual(automatic, usual)
          return
        }
        expectSame(breakpointsIn(usual.body), 0)
        expectEqual(plain(automatic.body), plain(usual.body))
        expectEqual({ ...automatic, body: null }, { ...usual, body: null })
      }),
      300,
    )
  })
})

/** A text with a breakpoint is a list of parts in chat protocols: such a list becomes a string again. */
function plain(body: Json): Json {
  const joined = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(joined)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const isText = (name === 'content' || name === 'output') && Array.isArray(inner)
        const texts = isText ? inner.map((part) => textOf(part)) : []
        const all = isText && texts.length > 0 && texts.every((text) => text !== null)
        return [name, all ? texts.join('\n') : joined(inner)]
      }),
    )
  }
  return joined(withoutBreakpoints(body))
}

const textOf = (part: Json): string | null =>
  typeof part === 'object' && part !== null && !Array.isArray(part) && 'text' in part && part.type !== 'tool_result'
    ? `${part.text}`
    : null
