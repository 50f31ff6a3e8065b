import { readdirSync } from 'node:fs'
import { OpenRouter } from '@openrouter/sdk'
import { OpenResponsesResult$inboundSchema } from '@openrouter/sdk/models'
import { describe, expect, it } from 'vitest'
import { recordedModel } from '../../../src/host/config/recordings-account.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { streamOf, withBody } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import {
  ASSISTANT_ANSWERS,
  ASSISTANT_REQUESTS,
  OUTPUTS,
  PARAMETERS,
  REASONING,
  SEALS,
  startConversation,
} from '../conversation.ts'
import { copyWithoutPauses } from '../recordings-without-pauses.ts'
import { eventsOf, json, KEY, type Loose, post, startGateway, startTestServer } from '../test-server.ts'

/**
 * Response objects of `beta`: docs/description.md, 2.8, and the further fields that the service's own client requires.
 */

const DESCRIBED = ['id', 'object', 'created_at', 'model', 'output', 'usage', 'status']
const REQUIRED = [
  'completed_at',
  'error',
  'incomplete_details',
  'instructions',
  'metadata',
  'tools',
  'tool_choice',
  'temperature',
  'top_p',
  'parallel_tool_calls',
  'presence_penalty',
  'frequency_penalty',
]

const recordingsOf = (wire: WireName): readonly string[] =>
  readdirSync(new URL(`../../../fixtures/${wire}/`, import.meta.url)).flatMap((file) => {
    const name = /^(.*)\.stream\.(?:sse|bin|ndjson|json)$/.exec(file)?.[1]
    return name === undefined ? [] : [`replay/${recordedModel(wire, name)}`]
  })
const recordings = copyWithoutPauses()
const RECORDINGS = [...new Set((Object.keys(WIRES) as WireName[]).flatMap(recordingsOf))]

const clientOf = (url: string): OpenRouter =>
  new OpenRouter({ serverURL: `${url}/api/v1`, apiKey: KEY, retryConfig: { strategy: 'none' } })

/** Checks the rules of docs/description.md, 2.8, for a response without using the client. */
function checkDescribed(answer: Loose): void {
  expect(Object.keys(answer)).toEqual(expect.arrayContaining([...DESCRIBED, ...REQUIRED]))
  for (const item of answer.output.filter(({ type }: Loose) => type === 'reasoning')) {
    expect(item).toEqual({
      type: 'reasoning',
      id: expect.any(String),
      summary: expect.any(Array),
      encrypted_content: expect.stringMatching(/^mr1\./),
    })
    for (const words of item.summary) expect(typeof words).toBe('string')
  }
}

describe('the newest @openrouter/sdk on beta', () => {
  it.each(RECORDINGS)('parses the unstreamed answer of %s', async (model) => {
    const { url } = await startGateway({}, { fixtures: recordings() })
    const raw = await post(url, { model, input: 'x' })
    const answer = await json(raw)
    if (raw.status !== 200) return expect(answer.error.code).toMatch(/^(?:upstream|server|content|rate)/)
    checkDescribed(answer)
    const request = { model, input: 'x', stream: false } as const
    const read: Loose = await clientOf(url).responses.send({ responsesRequest: request })
    expect(read).toMatchObject({ object: 'response', model: answer.model, status: answer.status })
    // Summaries are strings in docs/description.md, 2.8; the client returns such an item unparsed.
    const unknown = read.output.filter(({ isUnknown }: Loose) => isUnknown === true)
    expect(unknown.map(({ raw: item }: Loose) => item.type)).toEqual(
      answer.output.flatMap(({ type, summary }: Loose) => (type === 'reasoning' && summary.length > 0 ? [type] : [])),
    )
  })

  it.each(RECORDINGS)('parses the response in the terminal event of %s', async (model) => {
    const { url } = await startGateway({}, { fixtures: recordings() })
    const events = eventsOf(await (await post(url, { model, input: 'x', stream: true })).text())
    const whole = events.filter(({ type }) => /^response\.(?:completed|incomplete|failed)$/.test(type))
    expect(whole).toHaveLength(1)
    checkDescribed(whole[0].response)
    expect(OpenResponsesResult$inboundSchema.safeParse(whole[0].response).error).toBeUndefined()
    const brief = events.filter(({ type }) => type === 'response.created' || type === 'response.done')
    expect(brief.map(({ response }) => Object.keys(response))).toEqual([
      ['id', 'object', 'status'],
      ['id', 'object', 'status', 'usage'],
    ])
  })

  it('parses the echo of a full request', async () => {
    const { url } = await startTestServer(withBody(streamOf('Hi'), 200, { 'content-type': 'text/event-stream' }))
    const request = {
      model: 'acme/mock-1',
      instructions: 'Be short',
      input: 'x',
      tools: [
        { type: 'function', name: 'find', parameters: null },
        { type: 'custom', name: 'note' },
      ] as Loose,
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'note' }] },
      metadata: { a: 'b' },
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: 1,
      frequency_penalty: -1,
      parallel_tool_calls: false,
    }
    const answer = await json(await post(url, request))
    const read: Loose = OpenResponsesResult$inboundSchema.parse(answer)
    expect(read).toMatchObject({
      instructions: 'Be short',
      metadata: { a: 'b' },
      tools: [
        { type: 'function', name: 'find' },
        { type: 'function', name: 'note' },
      ],
      toolChoice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'note' }] },
      temperature: 0.5,
      topP: 0.9,
      presencePenalty: 1,
      frequencyPenalty: -1,
      parallelToolCalls: false,
    })
  })

  it.each([
    ['auto', 'auto'],
    ['required', 'required'],
    [
      { type: 'function', name: 'find' },
      { type: 'function', name: 'find' },
    ],
    [{ type: 'file_search' }, 'required'],
  ])('parses the echoed tool choice %j', async (tool_choice, expected) => {
    const { url } = await startConversation(WIRE_UPSTREAMS['openai-responses'], [ASSISTANT_ANSWERS])
    const tools = [
      { type: 'function', name: 'find', parameters: {} },
      { type: 'file_search', vector_store_ids: ['v'] },
    ]
    const model = `acme/${WIRE_UPSTREAMS['openai-responses'].model}`
    const answer = await json(await post(url, { model, input: 'x', tools, tool_choice }))
    expect(answer.tool_choice).toEqual(expected)
    expect(OpenResponsesResult$inboundSchema.safeParse(answer).error).toBeUndefined()
  })
})

// ---------------------------------------------------------------- reasoning

const WEATHER = { type: 'function', name: 'get_weather', parameters: PARAMETERS }

const unsigned = { ...ASSISTANT_REQUESTS, reasoning: { text: REASONING, seal: '' } }
/**
 * Quirks with which a vendor of these wires accepts text as reasoning. The other wires accept only reasoning that they
 * signed, or none.
 */
const TAKES_WORDS: Partial<Record<WireName, object>> = {
  'openai-chat': { reasoningHistory: 'reasoning_content' },
  'openai-responses': { reasoningHistory: 'reasoning_content' },
  'gemini-generate': {},
  'cohere-chat': {},
  'ollama-chat': {},
}

const outputs = (calls: readonly Loose[]) =>
  calls.map(({ call_id }, i) => ({ type: 'function_call_output', call_id, output: OUTPUTS[i] }))

describe.each(Object.values(WIRE_UPSTREAMS))('reasoning on beta, over $wire', (wireUpstream) => {
  const { wire } = wireUpstream
  const { reasoningHistory: _, ...others } = wireUpstream.quirks
  const plain = { ...wireUpstream, quirks: { ...others, ...TAKES_WORDS[wire] } }

  it.each([false, true])(
    'without an upstream signature is sealed, and returns if the wire accepts it: streamed %s',
    async (stream) => {
      const { url, model, upstream } = await startConversation(plain, [unsigned, ASSISTANT_ANSWERS])
      const question = { role: 'user', content: 'Where is it warmer?' }
      const raw = await post(url, { model, input: [question], tools: [WEATHER], stream })
      const events = stream ? eventsOf(await raw.text()) : []
      const answer = stream ? events.find(({ type }) => type === 'response.completed').response : await json(raw)
      checkDescribed(answer)
      const items = answer.output.filter(({ type }: Loose) => type === 'reasoning')
      const summaryText = items.flatMap(({ summary }: Loose) => summary).join('')
      expect(summaryText).toBe(REASONING)
      // The client keeps only the field that docs/description.md, 2.8, calls encrypted.
      const kept = answer.output.map((item: Loose) => (item.type === 'reasoning' ? { ...item, summary: [] } : item))
      const calls = kept.filter(({ type }: Loose) => type === 'function_call')
      const next = await post(url, { model, input: [question, ...kept, ...outputs(calls)], tools: [WEATHER] })
      expect(next.status).toBe(200)
      const sent = JSON.stringify(upstream.received[1]?.body)
      expect(sent.includes(REASONING)).toBe(wire in TAKES_WORDS)
      const losses = next.headers.get('x-responses-losses') ?? ''
      expect(losses.includes('input[1] dropped')).toBe(!(wire in TAKES_WORDS))
      expect(sent).not.toContain('mr1.')
    },
  )

  it('with an upstream signature returns to the upstream unchanged', async () => {
    const { url, model, upstream } = await startConversation(wireUpstream, [ASSISTANT_REQUESTS, ASSISTANT_ANSWERS])
    const question = { role: 'user', content: 'Where is it warmer?' }
    const answer = await json(await post(url, { model, input: [question], tools: [WEATHER] }))
    checkDescribed(answer)
    const calls = answer.output.filter(({ type }: Loose) => type === 'function_call')
    await post(url, { model, input: [question, ...answer.output, ...outputs(calls)], tools: [WEATHER] })
    expect(JSON.stringify(upstream.received[1]?.body).includes('c2VhbA==')).toBe(SEALS.includes(wire))
  })
})

it('sealed reasoning returns to the upstream, and is dropped if its envelope was changed', async () => {
  const thinking = JSON.stringify({
    model: 'm',
    choices: [
      { index: 0, message: { role: 'assistant', reasoning_content: REASONING, content: 'Hi' }, finish_reason: 'stop' },
    ],
  })
  const quirks = { reasoningHistory: 'thinking' } as const
  const { url, upstream } = await startTestServer(withBody(thinking), { encrypted_content_secret: 's' }, {}, quirks)
  const ask = (input: unknown) => post(url, { model: 'acme/m', input })
  const [reasoning, message] = (await json(await ask('x'))).output
  const goOn = async (encrypted_content: string) => {
    const response = await ask([
      { ...reasoning, encrypted_content, summary: [] },
      message,
      { role: 'user', content: 'y' },
    ])
    const sent = JSON.stringify(upstream.received.at(-1)?.body).includes(REASONING)
    return [sent, response.headers.get('x-responses-losses')]
  }
  expect(await goOn(reasoning.encrypted_content)).toEqual([true, null])
  expect(await goOn(`${reasoning.encrypted_content.slice(0, -1)}!`)).toEqual([false, 'input[0] dropped'])
})
