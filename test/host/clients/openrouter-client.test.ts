import { readdirSync } from 'node:fs'
import { OpenRouter } from '@openrouter/sdk'
import { describe, expect, it } from 'vitest'
import { type Behaviour, doneFrame, inPieces, startMockUpstream, withBody } from '../../mock-upstreams/server.ts'
import { copyWithoutPauses } from '../recordings-without-pauses.ts'
import { KEY, startGateway, startTestServer, whenDone } from '../test-server.ts'

const RECORDINGS = readdirSync(new URL('../../../fixtures/openai-chat/', import.meta.url)).flatMap(
  (file) => /^(.*)\.stream\.sse$/.exec(file)?.[1] ?? [],
)

const recordings = copyWithoutPauses()

const clientOf = (url: string): OpenRouter =>
  new OpenRouter({ serverURL: `${url}/openai/v1`, apiKey: KEY, retryConfig: { strategy: 'none' } })

/** The paths at which the client marks a value as unknown, at any depth. */
function unknownIn(value: unknown, place = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'isUnknown' in value && value.isUnknown === true ? [`${place}: ${JSON.stringify(value)}`] : []
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => unknownIn(inner, `${place}.${key}`))]
}

/** Reads all events of a stream as the client parses them. */
async function streamed(client: OpenRouter, model: string, more: object = {}) {
  const request = { model, input: 'x', ...more, stream: true as const }
  const events: { readonly type: string }[] = []
  const stream = await client.responses.send({ responsesRequest: request })
  if (!(Symbol.asyncIterator in stream)) throw new Error('no stream')
  for await (const event of stream) events.push(event)
  return events
}

async function whole(client: OpenRouter, model: string, more: object = {}) {
  return client.responses.send({ responsesRequest: { model, input: 'x', ...more, stream: false } as const })
}

describe('the newest @openrouter/sdk', () => {
  it('marks unknown values in a form that unknownIn finds', () => {
    expect(unknownIn({ a: [{ isUnknown: true, raw: 1 }] })).toEqual(['.a.0: {"isUnknown":true,"raw":1}'])
  })

  it.each(RECORDINGS)('parses every event of %s', async (name) => {
    const { url } = await startGateway({}, { fixtures: recordings() })
    const events = await streamed(clientOf(url), `replay/${name}`)
    expect(events.length).toBeGreaterThan(2)
    expect(unknownIn(events)).toEqual([])
    expect(events[0]?.type).toBe('response.created')
    expect(events.at(-1)?.type).toMatch(/^response\.(?:completed|incomplete|failed)$/)
  })

  it.each(RECORDINGS.filter((name) => !/cut-off|error|content-filter/.test(name)))(
    'parses the unstreamed answer of %s',
    async (name) => {
      const { url } = await startGateway({}, { fixtures: recordings() })
      const answer = await whole(clientOf(url), `replay/${name}`)
      expect(unknownIn(answer)).toEqual([])
      expect(answer).toMatchObject({ object: 'response', usage: expect.anything() })
    },
  )

  it('parses custom tools, logprobs, namespaced tools and the echo of a full request', async () => {
    const upstream = await startMockUpstream(talkative)
    whenDone(upstream.close)
    const server = await startGateway({
      vendors: { acme: { vendor: 'openai-chat', base_url: upstream.url, key: 'x' } },
    })
    const request = {
      instructions: 'Be short',
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'function_call', callId: 'c', name: 'find', namespace: 'crm', arguments: '{}' },
        { type: 'function_call_output', callId: 'c', output: 'none' },
      ],
      tools: [
        { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: null },
        { type: 'custom', name: 'note' },
      ],
      toolChoice: 'auto',
      topLogprobs: 2,
      include: ['reasoning.encrypted_content'],
      metadata: { a: 'b' },
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } },
      serviceTier: 'flex',
      maxToolCalls: 3,
      promptCacheKey: 'k',
      safetyIdentifier: 's',
      user: 'u',
    }
    const events = await streamed(clientOf(server.url), 'acme/mock-1', request)
    expect(unknownIn(events)).toEqual([])
    const types = new Set(events.map(({ type }) => type))
    for (const type of ['response.custom_tool_call_input.delta', 'response.output_text.delta']) {
      expect(types).toContain(type)
    }
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta')
    expect(deltas[0]).toMatchObject({ logprobs: [{ token: 'Hi', topLogprobs: [{ token: 'Hi' }, { token: 'Yo' }] }] })
    const last = events.at(-1) as unknown as { response: { metadata: unknown; output: { type: string }[] } }
    expect(last.response.metadata).toEqual({ a: 'b' })
    expect(last.response.output.map(({ type }) => type)).toEqual(['message', 'custom_tool_call'])
  })

  it('throws errors with the status of the failure', async () => {
    const { url } = await startTestServer(withBody('{"error":{"message":"Slow down."}}', 429))
    const client = clientOf(url)
    await expect(whole(client, 'acme/mock-1')).rejects.toMatchObject({ statusCode: 429 })
    await expect(whole(client, 'groq/x')).rejects.toMatchObject({ statusCode: 404 })
    await expect(whole(client, 'acme/mock-1', { maxOutputTokens: -1 })).rejects.toMatchObject({
      statusCode: 400,
      body: expect.stringContaining('"param":"max_output_tokens"'),
    })
    const stranger = new OpenRouter({
      serverURL: `${url}/openai/v1`,
      apiKey: 'wrong',
      retryConfig: { strategy: 'none' },
    })
    await expect(whole(stranger, 'acme/mock-1')).rejects.toMatchObject({ statusCode: 401 })
  })
})

const chunk = (choice: object): string =>
  `data: ${JSON.stringify({ model: 'mock-1', choices: [{ index: 0, ...choice }] })}\n\n`
const prob = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] })

/** Text with log probabilities, and a call of a custom tool. */
const talkative: Behaviour = inPieces(
  [
    chunk({
      delta: { role: 'assistant', content: 'Hi' },
      logprobs: { content: [{ ...prob('Hi', -0.1), top_logprobs: [prob('Hi', -0.1), prob('Yo', -2)] }] },
    }),
    chunk({
      delta: { tool_calls: [{ index: 0, id: 'call_1', type: 'custom', custom: { name: 'note', input: 'mi' } }] },
    }),
    chunk({ delta: { tool_calls: [{ index: 0, custom: { input: 'lk' } }] } }),
    chunk({ delta: {}, finish_reason: 'tool_calls' }),
    'data: {"model":"mock-1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}}\n\n',
    doneFrame,
  ].join(''),
  200,
)
