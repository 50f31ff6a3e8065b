import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OTHER_WIRES } from '../../src/vendors/other-wires.ts'
import { VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { withoutBillingLine } from '../../src/wires/shared/billing-line.ts'
import { check } from '../property.ts'
import { encodeFrom, protocolOf, routeTo } from './encode-from.ts'

/** Requests of Claude Code at other vendors than Anthropic: its billing line, and the features of its header. */

// biome-ignore lint/suspicious/noExplicitAny: reads fields of bodies of every wire
type Loose = any

const LINE = 'x-anthropic-billing-header: cc_version=2.1.180.1ab; cc_entrypoint=cli; cch=9f3c1;'
const RULE = 'You answer briefly.'
const BLOCK = { type: 'text', text: RULE, cache_control: { type: 'ephemeral' } }

const SYSTEMS: readonly (readonly [string, unknown, unknown])[] = [
  ['as a list', [{ type: 'text', text: LINE }, BLOCK], [BLOCK]],
  ['as a list behind another block', [BLOCK, { type: 'text', text: LINE }], [BLOCK]],
  ['in one block', [{ ...BLOCK, text: `${LINE}\n${RULE}` }], [BLOCK]],
  ['in one text', `${LINE}\n\n${RULE}`, RULE],
  ['alone', LINE, undefined],
]

const request = (system: unknown, client = 'anthropic-messages') => {
  const messages = [{ role: 'user', content: 'Hi' }]
  return client === 'anthropic-messages'
    ? { model: 'acme/m', max_tokens: 900, system, messages }
    : { model: 'acme/m', messages: [{ role: 'system', content: `${LINE}\n\n${RULE}` }, ...messages] }
}

/** Every row of vendors, and the rows of their other wires. */
const ROUTES = [
  ...VENDOR_NAMES.map((vendor) => ({ vendor, route: routeTo(vendor, modelAt(vendor)) })),
  ...Object.entries(OTHER_WIRES).flatMap(([vendor, wires]) =>
    Object.entries(wires).map(([wire, { baseUrl, quirks }]) => ({
      vendor,
      route: routeTo(vendor, modelAt(vendor), { wire: WIRES[wire as keyof typeof WIRES], baseUrl, quirks }),
    })),
  ),
]

/** DeepSeek and others accept Claude's names for their own models. */
function modelAt(vendor: string): string {
  return /^perplexity/.test(vendor) ? 'sonar' : 'claude-sonnet-4-6'
}

const sentTo = (
  route: (typeof ROUTES)[number]['route'],
  body: object,
  client: 'anthropic-messages' | 'openai-chat' = 'anthropic-messages',
  headers = {},
) => {
  const call = encodeFrom(body, protocolOf(client, route), route, headers)
  return call.ok ? call.value : expect.unreachable(call.error.message)
}

describe("Claude Code's billing line", () => {
  it.each(SYSTEMS)('reaches no vendor but Anthropic (%s)', (_, system) => {
    for (const { vendor, route } of ROUTES) {
      if (vendor === 'anthropic') continue
      for (const passthrough of [true, false]) {
        const text = JSON.stringify(sentTo({ ...route, passthrough }, request(system)).body)
        expect(text, `${vendor} ${route.wire.name}`).not.toContain('x-anthropic-billing')
        expect(text.includes(RULE), vendor).toBe(system !== LINE)
      }
    }
  })

  it.each(SYSTEMS)('stays at Anthropic, and at servers of Claude without a row (%s)', (_, system) => {
    for (const passthrough of [true, false])
      for (const quirks of [routeTo('anthropic', 'm').quirks, {}]) {
        const route = routeTo('anthropic', 'claude-sonnet-4-6', { passthrough, quirks })
        expect(JSON.stringify(sentTo(route, request(system)).body)).toContain('cch=9f3c1')
      }
  })

  it.each(SYSTEMS)('leaves the rest of a passed body as it is (%s)', (_, system, left) => {
    const call = sentTo(routeTo('foundry-anthropic', 'claude-sonnet-4-6'), request(system))
    expect(call.edits).toContain('billing line')
    expect((call.body as Loose).system).toEqual(left)
    expect(call.losses).toEqual([])
  })

  it('is left out of the first message of a chat client as well', () => {
    for (const vendor of ['openai', 'ollama', 'google', 'bedrock', 'foundry-anthropic'])
      expect(
        JSON.stringify(sentTo(routeTo(vendor, 'm'), request('', 'openai-chat'), 'openai-chat').body),
      ).not.toContain('x-anthropic')
  })

  it('keeps cache breakpoints at their places', () => {
    const system = [{ type: 'text', text: LINE }, BLOCK, { type: 'text', text: 'More.' }]
    const { body } = sentTo(routeTo('bedrock', 'anthropic.claude-sonnet-4-6'), request(system))
    expect((body as Loose).system).toEqual([
      { text: RULE },
      { cachePoint: { type: 'default' } },
      { text: expect.stringContaining('More.') },
    ])
  })

  it('is cut out of a text so that every other line stays, and offsets lead to the same characters', () => {
    const word = fc.constantFrom(LINE, '', 'x-anthropic', RULE, 'a')
    check(
      fc.property(fc.array(word, { minLength: 1 }), (lines) => {
        const text = lines.join('\n')
        const cut = withoutBillingLine(text)
        const isOwn = (line: string): boolean => line !== LINE && line !== ''
        expect(cut.text.split('\n').filter((line) => line !== '')).toEqual(lines.filter(isOwn))
        let at = 0
        for (const line of lines) {
          if (isOwn(line)) expect(cut.text.slice(cut.toPlace(at), cut.toPlace(at + line.length))).toBe(line)
          at += line.length + 1
        }
      }),
      1000,
    )
  })
})

describe('the features of its header', () => {
  const BETA =
    'claude-code-20250219,oauth-2025-04-20,interleaved-thinking-2025-05-14,advanced-tool-use-2025-11-20,prompt-caching-scope-2026-01-05,a-new-feature-2026-11-01'
  const betasAt = (vendor: string, quirks = {}) => {
    const { route } =
      ROUTES.findLast((one) => one.vendor === vendor && one.route.wire.name === 'anthropic-messages') ??
      expect.unreachable(vendor)
    const sent = sentTo({ ...route, quirks: { ...route.quirks, ...quirks } }, request(RULE), 'anthropic-messages', {
      'anthropic-beta': BETA,
      'anthropic-version': '2023-06-01',
    })
    return sent.headers['anthropic-beta']
  }

  it('all reach Anthropic', () => {
    expect(betasAt('anthropic')).toBe(BETA)
  })

  it.each([
    ['vertex-anthropic', 'interleaved-thinking-2025-05-14,tool-search-tool-2025-10-19'],
    ['bedrock-mantle-anthropic', 'claude-code-20250219,interleaved-thinking-2025-05-14,tool-search-tool-2025-10-19'],
    [
      'foundry-anthropic',
      'interleaved-thinking-2025-05-14,advanced-tool-use-2025-11-20,prompt-caching-scope-2026-01-05',
    ],
    ['openrouter', 'interleaved-thinking-2025-05-14'],
  ])('reach %s as far as it accepts them', (vendor, betas) => {
    expect(betasAt(vendor)).toBe(betas)
  })

  it.each(['deepseek', 'deepinfra', 'fireworks', 'xiaomi', 'zai'])(
    'do not reach %s, which serves other models',
    (vendor) => {
      expect(betasAt(vendor)).toBeUndefined()
    },
  )

  it('do not contain an entry that a vendor refuses', () => {
    expect(betasAt('anthropic', { refusesBetas: ['oauth-2025-04-20', 'a-new-feature-2026-11-01'] })).toBe(
      'claude-code-20250219,interleaved-thinking-2025-05-14,advanced-tool-use-2025-11-20,prompt-caching-scope-2026-01-05',
    )
    expect(betasAt('anthropic', { refusesBetas: BETA.split(',') })).toBeUndefined()
  })

  it('do not contain an entry of the gateway that a vendor refuses', () => {
    const body = { ...request(RULE), tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }
    const betasWith = (quirks: object) =>
      sentTo(routeTo('anthropic', 'claude-sonnet-4-6', { quirks }), body).headers['anthropic-beta']
    expect(betasWith({})).toBe('code-execution-2025-08-25')
    expect(betasWith({ refusesBetas: ['code-execution-2025-08-25'] })).toBeUndefined()
  })
})
