import { describe, expect, it } from 'vitest'
import type { ScriptedTurn } from '../../src/testing/scripted/wire-upstream.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { scripted } from '../mock-upstreams/wire-bodies.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { CASES, type Tool, withUpstream } from './sdks.ts'

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

const TURNS: readonly ScriptedTurn[] = [
  {
    reasoning: { text: 'Both cities are needed.', seal: 'c2VhbC1vbmU=' },
    text: ['Let me ', 'look.'],
    calls: [
      { id: 'call_1', name: 'weather', args: { city: 'Bern' } },
      { id: 'call_2', name: 'weather', args: { city: 'Genève' } },
    ],
  },
  {
    reasoning: { text: 'One is missing.', seal: 'c2VhbC10d28=' },
    text: [],
    calls: [{ id: 'call_3', name: 'weather', args: { city: 'Lyon' } }],
  },
  { text: ['Sun ', 'everywhere.'], calls: [] },
]

/** Wires whose upstreams sign or encrypt reasoning, and expect it back. */
const SEALED: readonly WireName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
  'gemini-interactions',
  'bedrock-converse',
]

/** The mock has the signatures of these wires in streams only. */
const SEALED_STREAMS: readonly WireName[] = ['openai-chat', 'gemini-generate']

describe.each(CASES)('version $version of the AI SDK over $wire', ({ sdk, wire }) => {
  const upstream = WIRE_UPSTREAMS[wire]

  it.each(['generate', 'stream'] as const)('runs a loop of tools by %s, with reasoning in each step', async (ask) => {
    let turn = 0
    const asked: string[] = []
    const weather: Tool = {
      description: 'The weather of a city.',
      parameters: SCHEMA,
      execute: ({ city }: { readonly city: string }) => {
        asked.push(city)
        return { sky: `sun in ${city}` }
      },
    }
    const behave = scripted(upstream, () => TURNS[turn++] ?? { text: ['No more.'], calls: [] })
    await withUpstream(behave, async ({ url, received }) => {
      const result = await sdk[ask](wire, url, { tools: { weather }, steps: 5, reasoning: 'high' })
      expect(result).toMatchObject({ text: 'Sun everywhere.', steps: 3, finishReason: 'stop' })
      expect(result.calls).toEqual(['Bern', 'Genève', 'Lyon'].map((city) => ['weather', { city }]))
      expect(asked).toEqual(['Bern', 'Genève', 'Lyon'])
      const [, second = '', third = ''] = received.map(({ body }) => JSON.stringify(body))
      expect([second, third].map((body) => body.includes('sun in Genève'))).toEqual([true, true])
      const isSealed = SEALED.includes(wire) && (ask === 'stream' || !SEALED_STREAMS.includes(wire))
      expect([second.includes('c2VhbC1vbmU='), third.includes('c2VhbC10d28=')]).toEqual([isSealed, isSealed])
    })
  })

  it('generates an object by a schema', async () => {
    const behave = scripted(upstream, () => ({ text: ['{"city":', '"Bern"}'], calls: [] }))
    await withUpstream(behave, async ({ url }) => {
      expect(await sdk.object(wire, url, SCHEMA)).toEqual({ city: 'Bern' })
    })
  })

  it('has no warning for a plain request, and ends by the words of its upstream', async () => {
    await withUpstream(
      scripted(upstream, () => ({ text: ['Hel', 'lo'], calls: [] })),
      async ({ url }) => {
        const whole = await sdk.generate(wire, url, { settings: { maxOutputTokens: 100 } })
        const streamed = await sdk.stream(wire, url, { settings: { maxOutputTokens: 100 } })
        for (const result of [whole, streamed]) {
          expect(result).toMatchObject({ text: 'Hello', finishReason: 'stop', inputTokens: 11, warnings: [] })
          expect(result.responseId).not.toBe('')
        }
      },
    )
  })

  it('ends at the limit of tokens', async () => {
    await withUpstream(
      scripted(upstream, () => ({ text: ['Hel'], calls: [], finish: 'length' })),
      async ({ url }) => {
        for (const ask of ['generate', 'stream'] as const)
          expect(await sdk[ask](wire, url, {})).toMatchObject({ text: 'Hel', finishReason: 'length' })
      },
    )
  })
})
