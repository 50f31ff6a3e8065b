import * as ai6 from 'ai'
import * as ai7 from 'ai-7'
import { describe, expect, it } from 'vitest'
import { createMillrace } from '../../src/ai-sdk.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { ALL_FIXTURES } from '../engine/run-engine.ts'
import type { Behaviour } from '../mock-upstreams/server.ts'
import { scripted } from '../mock-upstreams/wire-bodies.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { CASES, SDKS, UPSTREAMS, withUpstream } from './sdks.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const HELLO = { text: ['Hel', 'lo'], calls: [] }

const fixture = (wire: string, name: string): Uint8Array => {
  const found = ALL_FIXTURES.find((one) => one.wire.name === wire && one.name === name)
  if (found === undefined) throw new Error(`no fixture ${wire}/${name}`)
  return found.stream
}

const playing =
  (wire: keyof typeof WIRE_UPSTREAMS, name: string): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': WIRE_UPSTREAMS[wire].contentType, 'x-request-id': 'req-1' })
    response.end(fixture(wire, name))
  }

const errorBody = { error: { message: 'Slow down', type: 'rate_limit_error' } }

describe.each(CASES)('a call of version $version of the AI SDK over $wire', ({ sdk, wire, version }) => {
  const ai = version === 6 ? ai6 : ai7
  const upstream = WIRE_UPSTREAMS[wire]

  it.each(['generate', 'stream'] as const)('is repeated after a failure that ends, by %s', async (ask) => {
    let calls = 0
    const answer = scripted(upstream, () => HELLO)
    const behave: Behaviour = (response, request) => {
      calls += 1
      if (calls > 1) return answer(response, request)
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after-ms': '1' })
      response.end(JSON.stringify(errorBody))
    }
    await withUpstream(behave, async ({ url }) => {
      expect(await sdk[ask](wire, url, { maxRetries: 2 })).toMatchObject({ text: 'Hello' })
      expect(calls).toBe(2)
    })
  })

  it('fails with the error of the SDK for a refused request, which is not repeated', async () => {
    let calls = 0
    const behave: Behaviour = (response) => {
      calls += 1
      response.writeHead(400, { 'content-type': 'application/json', 'x-request-id': 'req-1' })
      response.end(JSON.stringify({ error: { message: 'No such tool' } }))
    }
    await withUpstream(behave, async ({ url }) => {
      const error = await sdk.generate(wire, url, { maxRetries: 2 }).catch((failure: unknown) => failure)
      expect(ai.APICallError.isInstance(error)).toBe(true)
      expect(error).toMatchObject({
        statusCode: 400,
        isRetryable: false,
        message: expect.stringMatching(/No such tool|HTTP 400/),
      })
      expect(error).toMatchObject({ responseHeaders: { 'x-request-id': 'req-1' }, url: expect.stringContaining(url) })
      expect(error).toMatchObject({ responseBody: expect.stringContaining('No such tool') })
      expect(calls).toBe(1)
    })
  })

  it('ends with an error, and with what has arrived, where its upstream breaks off', async () => {
    const behave: Behaviour = (response) => {
      const bytes = fixture(wire, 'cut-off')
      response.writeHead(200, { 'content-type': upstream.contentType })
      response.end(bytes)
    }
    await withUpstream(behave, async ({ url }) => {
      const model = sdk.model(wire, url)
      const options = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] } as const
      const { stream } = await model.doStream(options)
      const parts: { readonly type: string }[] = []
      for await (const part of stream as unknown as AsyncIterable<{ readonly type: string }>) parts.push(part)
      expect(parts.some(({ type }) => /-(?:delta|start)$/.test(type))).toBe(true)
      expect(parts.slice(-3)).toMatchObject([
        { type: 'error', error: { name: 'AI_APICallError', isRetryable: true } },
        { type: 'response-metadata' },
        { type: 'finish', finishReason: { unified: 'error' } },
      ])
    })
  })

  it('sends sampling settings, or warns of those that the vendor does not have', async () => {
    const settings = { topK: 5, seed: 7, stopSequences: ['END'], temperature: 0.5, topP: 0.9 }
    await withUpstream(
      scripted(upstream, () => HELLO),
      async ({ url, received }) => {
        const { warnings } = await sdk.generate(wire, url, { settings })
        const sent = JSON.stringify(received[0]?.body)
        const warned = JSON.stringify(warnings)
        for (const [name, word] of [
          ['topK', /"(?:top_?k|k)":5/i],
          ['seed', /"seed":7/],
          ['stopSequences', /"END"/],
        ] as const)
          expect({ name, is: word.test(sent) || warned.includes(name) }).toEqual({ name, is: true })
      },
    )
  })

  it('sends a picture and a document, or warns', async () => {
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', image: PNG },
          { type: 'file', data: 'JVBERi0xLjQK', mediaType: 'application/pdf', filename: 'a.pdf' },
        ],
      },
    ]
    await withUpstream(
      scripted(upstream, () => HELLO),
      async ({ url, received }) => {
        const { warnings } = await sdk.generate(wire, url, { messages })
        const sent = JSON.stringify(received[0]?.body)
        expect(sent).toContain(PNG)
        expect(sent.includes('JVBERi0xLjQK') || warnings.length > 0).toBe(true)
      },
    )
  })

  it('has a picture by its URL, which is downloaded where the vendor takes only bytes', async () => {
    const url = 'https://pictures.example/a.png'
    const messages = [{ role: 'user', content: [{ type: 'image', image: new URL(url) }] }]
    const download = async (files: readonly { readonly isUrlSupportedByModel: boolean }[]) =>
      files.map(({ isUrlSupportedByModel: isKept }) =>
        isKept ? null : { data: Buffer.from(PNG, 'base64'), mediaType: 'image/png' },
      )
    await withUpstream(
      scripted(upstream, () => HELLO),
      async (mock) => {
        const settings = { experimental_download: download }
        const { warnings } = await sdk.generate(wire, mock.url, { messages, settings })
        const sent = JSON.stringify(mock.received[0]?.body)
        const isBytes = wire === 'bedrock-converse' || wire === 'ollama-chat'
        expect([sent.includes(url), sent.includes(PNG)]).toEqual([!isBytes, isBytes])
        expect(warnings).toEqual([])
      },
    )
  })

  it('is left when its program aborts', async () => {
    let isClosed = false
    const behave: Behaviour = (response, request) => {
      void request.closed.then(() => {
        isClosed = true
      })
      response.writeHead(200, { 'content-type': upstream.contentType }).flushHeaders()
    }
    await withUpstream(behave, async ({ url, next }) => {
      const controller = new AbortController()
      const asked = sdk
        .generate(wire, url, { settings: { abortSignal: controller.signal } })
        .catch((error: unknown) => error)
      await next()
      controller.abort()
      expect(await asked).toMatchObject({ name: 'AbortError' })
      await expect.poll(() => isClosed).toBe(true)
    })
  })
})

const CUSTOM_CALL = {
  id: 'resp_up',
  object: 'response',
  status: 'completed',
  model: 'gpt-5-mini',
  output: [
    {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'call_1',
      name: 'patch',
      input: '*** Begin Patch',
      status: 'completed',
    },
  ],
}

describe.each(SDKS)('version $version of the AI SDK', (sdk) => {
  const ai: typeof ai7 = sdk.version === 6 ? (ai6 as never) : ai7
  const generate = (options: object) => ai.generateText(options as Parameters<typeof ai.generateText>[0])

  it('has the sources, the calls of the vendor and its own words', async () => {
    await withUpstream(playing('anthropic-messages', 'search'), async ({ url }) => {
      const result = await sdk.stream('anthropic-messages', url, {})
      expect(result.sources).toEqual(['https://lamps.example/oldest', 'https://torre.example/visite'])
      expect(result).toMatchObject({
        rawFinishReason: 'end_turn',
        finishReason: 'stop',
        responseId: expect.stringMatching(/^msg_/),
      })
      expect(result.calls).toEqual([['web_search', { action: expect.objectContaining({ type: 'search' }) }]])
    })
  })

  it('sends the items of the vendor back as they were', async () => {
    await withUpstream(playing('anthropic-messages', 'search'), async ({ url, received }) => {
      const model = sdk.model('anthropic-messages', url)
      const search = { type: 'provider', id: 'anthropic.web_search_20250305', args: { maxUses: 2 } }
      const tools = { web_search: { ...search, inputSchema: ai.jsonSchema({}) } }
      const first = await generate({ model, tools, prompt: 'Which is the oldest lighthouse?' })
      await generate({
        model,
        tools,
        messages: [{ role: 'user', content: 'Which?' }, ...first.response.messages, { role: 'user', content: 'And?' }],
      })
      const body = JSON.stringify(received[1]?.body)
      expect(body).toContain('server_tool_use')
      expect(body).toContain('web_search_tool_result')
    })
  })

  it('calls a tool that takes free text, whose result is one of its kind', async () => {
    const model = (url: string) => sdk.model('openai-responses', url)
    await withUpstream(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(CUSTOM_CALL))
      },
      async ({ url, received }) => {
        const tools = [
          { type: 'provider', id: 'openai.custom', name: 'patch', args: { description: 'Edits.' } },
        ] as const
        const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] as const
        const { content } = await model(url).doGenerate({ prompt, tools })
        expect(content).toContainEqual(
          expect.objectContaining({ type: 'tool-call', toolName: 'patch', input: '"*** Begin Patch"' }),
        )
        await model(url).doGenerate({
          tools,
          prompt: [
            ...prompt,
            {
              role: 'assistant',
              content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'patch', input: '*** Begin Patch' }],
            },
            {
              role: 'tool',
              content: [
                {
                  type: 'tool-result',
                  toolCallId: 'call_1',
                  toolName: 'patch',
                  output: { type: 'text', value: 'Done' },
                },
              ],
            },
          ],
        })
        expect(received[0]?.body.tools).toEqual([expect.objectContaining({ type: 'custom', name: 'patch' })])
        const input = received[1]?.body.input as readonly JsonObject[]
        expect(input.slice(1)).toMatchObject([
          { type: 'custom_tool_call', call_id: 'call_1', input: '*** Begin Patch' },
          { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Done' },
        ])
      },
    )
  })

  it('runs its own middleware over a model', async () => {
    const text = '<think>Hm.</think>The answer'
    await withUpstream(
      scripted(WIRE_UPSTREAMS['anthropic-messages'], () => ({ text: [text], calls: [] })),
      async ({ url, received }) => {
        const model = ai.wrapLanguageModel({
          model: sdk.model('anthropic-messages', url) as never,
          middleware: [
            ai.extractReasoningMiddleware({ tagName: 'think' }),
            ai.defaultSettingsMiddleware({ settings: { temperature: 0.25 } }),
            ai.simulateStreamingMiddleware(),
          ],
        })
        const result = ai.streamText({ model, prompt: 'Hi' })
        expect((await result.text).trim()).toBe('The answer')
        expect(await result.reasoningText).toBe('Hm.')
        expect(received[0]?.body).toMatchObject({ temperature: 0.25 })
      },
    )
  })

  it('is a provider of a registry', async () => {
    await withUpstream(
      scripted(WIRE_UPSTREAMS['openai-chat'], () => HELLO),
      async ({ url }) => {
        const own = { vendor: 'groq', apiKey: 'k', baseUrl: url } as const
        const provider = sdk.version === 6 ? createMillrace({ ...own, specification: 'v3' }) : createMillrace(own)
        const registry = ai.createProviderRegistry({ groq: provider as never })
        const { text } = await ai.generateText({ model: registry.languageModel('groq:m'), prompt: 'Hi' })
        expect(text).toBe('Hello')
      },
    )
  })

  it('gives the whole usage, with the cache, and the headers of the response', async () => {
    await withUpstream(playing('anthropic-messages', 'hello'), async ({ url }) => {
      const { stream, response } = await sdk.model('anthropic-messages', url).doStream({
        prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      })
      expect(response.headers).toMatchObject({ 'x-request-id': 'req-1' })
      let usage: unknown
      for await (const part of stream as unknown as AsyncIterable<{ readonly type: string; readonly usage?: unknown }>)
        if (part.type === 'finish') usage = part.usage
      expect(usage).toMatchObject({
        inputTokens: { total: expect.any(Number), noCache: expect.any(Number) },
        outputTokens: { total: expect.any(Number) },
        raw: { input_tokens: expect.any(Number) },
      })
    })
  })
})

describe('a request that cannot be sent', () => {
  it('is an error that names its place', async () => {
    const model = createMillrace({ vendor: 'anthropic', apiKey: 'k' })(UPSTREAMS['anthropic-messages'].model)
    const asked = model.doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      providerOptions: { millrace: { metadata: 7 } },
    })
    await expect(asked).rejects.toMatchObject({
      name: 'AI_APICallError',
      isRetryable: false,
      message: expect.stringContaining('metadata'),
    })
  })

  it('is an error that may be repeated where the server cannot be reached', async () => {
    const fetch = (() => Promise.reject(new TypeError('fetch failed'))) as typeof globalThis.fetch
    const model = createMillrace({ vendor: 'anthropic', apiKey: 'k', fetch })('claude-sonnet-4-5')
    const asked = model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] })
    await expect(asked).rejects.toMatchObject({ name: 'AI_APICallError', isRetryable: true })
  })
})

describe('a provider', () => {
  const failing = (): Promise<Response> =>
    Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: new Error('bad port') }))

  it('says why no connection was made', async () => {
    const model = createMillrace({ vendor: 'groq', apiKey: 'k', fetch: failing })('m')
    const thrown = await ai7.generateText({ model, prompt: 'x', maxRetries: 0 }).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ name: 'AI_APICallError', cause: 'TypeError: fetch failed: bad port' })
  })

  it('names its own option in the remedy for a key', async () => {
    const remedies: unknown[] = []
    for (const apiKey of ['k', '']) {
      const fetch = async () => Response.json({ error: { message: 'no' } }, { status: 401 })
      const onOutcome = ({ remedy }: { readonly remedy: string | null }) => remedies.push(remedy)
      const model = createMillrace({ vendor: 'groq', apiKey, fetch, onOutcome })('m')
      await ai7.generateText({ model, prompt: 'x', maxRetries: 0 }).catch(() => undefined)
    }
    expect(remedies).toEqual([
      'Check apiKey, usually from GROQ_API_KEY.',
      'The request had no key: set the environment variable GROQ_API_KEY, and pass it as apiKey.',
    ])
  })

  it('refuses a model without a name', () => {
    const provider = createMillrace({ vendor: 'groq' }) as unknown as (model?: unknown) => unknown
    expect(() => provider()).toThrow(new TypeError('modelId: expected text, got nothing'))
  })
})
