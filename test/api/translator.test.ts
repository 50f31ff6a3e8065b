import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { beta } from '../../src/dialects/beta.ts'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import {
  createTranslator,
  type TargetName,
  type Translator,
  type TranslatorCall,
  type TranslatorOptions,
  translateRequest,
} from '../../src/index.ts'
import { OTHER_WIRES } from '../../src/vendors/other-wires.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import { quirksOn } from '../../src/vendors/vendor.ts'
import type { WireName } from '../../src/wires/contract.ts'

const GROQ = { vendor: 'groq', model: 'llama-3.3-70b', apiKey: 'gsk-secret-key' }
const fixture = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url)))
const HELLO = fixture('openai-chat/hello.stream.sse')
const HELLO_BODY = fixture('openai-chat/hello.body.json')

const streamed = () => new Response(HELLO, { headers: { 'content-type': 'text/event-stream' } })
const whole = () => new Response(HELLO_BODY, { headers: { 'content-type': 'application/json' } })

const encoded = (translator: Translator, ...request: Parameters<Translator['encodeRequest']>): TranslatorCall => {
  const call = translator.encodeRequest(...request)
  return call.ok ? call : expect.unreachable(call.error.message)
}

const MESSAGES = [{ role: 'user', content: 'Hi' }]

/** Each client with a request, its content type and its last bytes in a stream, and a field of its bodies. */
const CLIENTS: readonly {
  readonly client: TargetName
  readonly body: object
  readonly mediaType: string
  readonly ending: RegExp
  readonly field: string
}[] = [
  {
    client: 'openai-responses',
    body: { model: 'm', input: 'Hi' },
    mediaType: 'text/event-stream; charset=utf-8',
    ending: /data: \[DONE\]\n\n$/,
    field: 'output',
  },
  {
    client: 'openai-chat',
    body: { model: 'm', messages: MESSAGES },
    mediaType: 'text/event-stream; charset=utf-8',
    ending: /data: \[DONE\]\n\n$/,
    field: 'choices',
  },
  {
    client: 'anthropic-messages',
    body: { model: 'm', messages: MESSAGES, max_tokens: 100 },
    mediaType: 'text/event-stream; charset=utf-8',
    ending: /data: \{"type":"message_stop"\}\n\n$/,
    field: 'content',
  },
  {
    client: 'gemini-generate',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    mediaType: 'text/event-stream; charset=utf-8',
    ending: /"finishReason":"STOP"[^\n]*\n\n$/,
    field: 'candidates',
  },
  {
    client: 'ollama-chat',
    body: { model: 'm', messages: MESSAGES },
    mediaType: 'application/x-ndjson',
    ending: /"done":true[^\n]*\n$/,
    field: 'message',
  },
]

describe.each(CLIENTS)('a translator for clients of $client', ({ client, body, mediaType, ending, field }) => {
  const translator = createTranslator({ client, upstream: GROQ })
  const asking = (stream: boolean): TranslatorCall =>
    encoded(translator, { ...body, stream }, { ...(client === 'gemini-generate' ? { model: 'm' } : {}), stream })

  it('encodes a request for the upstream', () => {
    const { url, init, stream } = asking(true)
    expect(url).toBe('https://api.groq.com/openai/v1/chat/completions')
    expect(init.headers).toMatchObject({ authorization: 'Bearer gsk-secret-key', 'content-type': 'application/json' })
    expect(JSON.parse(init.body)).toMatchObject({ model: 'llama-3.3-70b', stream: true, messages: MESSAGES })
    expect(stream).toBe(true)
  })

  it.each([streamed, whole])('answers with a stream of the protocol if the client requested one', async (upstream) => {
    const response = await translator.toResponse(upstream(), asking(true))
    expect(response.headers.get('content-type')).toBe(mediaType)
    const text = await response.text()
    expect(text).toMatch(ending)
    expect(text).toContain('Hello')
  })

  it.each([streamed, whole])('answers with one body if the client requested no stream', async (upstream) => {
    const response = await translator.toResponse(upstream(), asking(false))
    expect(response.status).toBe(200)
    expect(await response.json()).toHaveProperty(field)
  })

  it('answers a failed upstream with an error of the protocol, without the key', async () => {
    const refused = new Response('{"error":{"message":"Slow down, gsk-secret-key."}}', {
      status: 429,
      headers: { 'retry-after': '7' },
    })
    const response = await translator.toResponse(refused, asking(true))
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('7')
    const text = await response.text()
    expect(text).toContain('Slow down')
    expect(text).not.toContain('gsk-secret-key')
    expect(JSON.parse(text)).toHaveProperty('error')
  })

  it('answers a body that fails with an error of the protocol', async () => {
    const cut = new Response(HELLO.slice(0, 500))
    const response = await translator.toResponse(cut, asking(false))
    expect(response.status).toBe(502)
    expect(await response.json()).toHaveProperty('error')
  })

  it('answers a connection that fails with an error of the protocol', async () => {
    const response = await translator.toResponse(Promise.reject(new TypeError('fetch failed')), asking(true))
    expect(response.status).toBe(502)
    expect(await response.json()).toHaveProperty('error')
  })

  it('ends a stream that breaks with the failure of the protocol', async () => {
    const response = await translator.toResponse(new Response(HELLO.slice(0, 500)), asking(true))
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(/error|failed/)
  })

  it('rejects an invalid request with an error of the protocol', async () => {
    const call = translator.encodeRequest({ ...body, contents: 1, messages: 1, input: 1, model: 7 }, { model: '' })
    expect(call.ok).toBe(false)
    if (call.ok) return
    const response = translator.errorResponse(call.error)
    expect(response.status).toBe(400)
    expect(await response.json()).toHaveProperty('error')
  })
})

describe('a translator of the Responses API', () => {
  it('streams without violations in both dialects', async () => {
    for (const [client, dialect] of [
      ['openai', openai],
      ['beta', beta],
    ] as const) {
      const translator = createTranslator({ client, upstream: GROQ })
      const call = encoded(translator, { model: 'm', input: 'Hi', stream: true })
      const text = await (await translator.toResponse(streamed(), call)).text()
      expect(checkStream(text, dialect)).toEqual([])
    }
  })

  it('repeats fields of the request in the response, and lists the losses of both directions', async () => {
    const statuses: string[] = []
    const onOutcome: TranslatorOptions['onOutcome'] = ({ status }) => void statuses.push(status)
    const translator = createTranslator({ upstream: GROQ, onOutcome })
    const call = encoded(translator, '{"model":"m","input":"Hi","metadata":{"run":"1"},"instructions":"Be brief."}')
    expect(call.losses).toContainEqual(expect.objectContaining({ path: 'metadata', action: 'dropped' }))
    const response = await (await translator.toResponse(whole(), call)).json()
    expect(response).toMatchObject({ instructions: 'Be brief.', metadata: { run: '1' } })
    expect(statuses).toEqual(['completed'])
  })

  it('uses the model of the request if the upstream names none', () => {
    const translator = createTranslator({ upstream: { vendor: 'groq' } })
    const { init } = encoded(translator, { model: 'qwen/qwen3-32b', input: 'Hi' })
    expect(JSON.parse(init.body)).toMatchObject({ model: 'qwen/qwen3-32b' })
  })

  it('signs encrypted reasoning, and drops one with another signature', async () => {
    const upstream = { vendor: 'anthropic', model: 'claude-sonnet-4-5', apiKey: 'key' }
    const translator = createTranslator({ upstream, sign: (text) => `s${text.length}` })
    const call = encoded(translator, { model: 'm', input: 'Hi', max_output_tokens: 100 })
    const thinking = new Response(fixture('anthropic-messages/reasoning.stream.sse'))
    const answer = await (await translator.toResponse(thinking, call)).json()
    const reasoning = answer.output.find(({ type }: { type: string }) => type === 'reasoning')
    const again = (encrypted_content: string) =>
      encoded(translator, {
        model: 'm',
        max_output_tokens: 100,
        input: [{ ...reasoning, encrypted_content }, ...MESSAGES],
      }).init.body
    expect(again(reasoning.encrypted_content)).toContain('signature')
    expect(again(`${reasoning.encrypted_content}0`)).not.toContain('signature')
  })
})

describe('the upstream of a translator', () => {
  const create = (upstream: TranslatorOptions['upstream']) => () => createTranslator({ upstream })

  it('may be of no known vendor if wire and base URL are given', () => {
    const upstream = { vendor: 'acme', wire: 'ollama-chat', baseUrl: 'http://127.0.0.1:1/x' } as const
    const call = encoded(createTranslator({ upstream }), { model: 'm', input: 'Hi' })
    expect(call.url).toBe('http://127.0.0.1:1/x/api/chat')
  })

  it('has the base URL and the quirks of the wire, if its vendor has several', () => {
    const callOf = (options: object) =>
      encoded(
        createTranslator({ upstream: { vendor: 'deepseek', wire: 'anthropic-messages', apiKey: 'k', ...options } }),
        {
          model: 'm',
          input: 'Hi',
        },
      )
    const call = callOf({})
    expect(call.url).toBe('https://api.deepseek.com/anthropic/v1/messages')
    expect(call.init.headers).toMatchObject({ authorization: 'Bearer k' })
    expect(callOf({ baseUrl: 'https://a.example' }).url).toBe('https://a.example/v1/messages')
  })

  it('is refused with a TypeError if its vendor is unknown, or has no base URL', () => {
    expect(create({ vendor: 'acme' })).toThrow(/^upstream\.vendor: expected one of .* got "acme"$/)
    expect(create({ vendor: 'azure' })).toThrow(/^upstream\.baseUrl: required/)
    expect(create({ vendor: 'bedrock' })).toThrow(/^upstream\.baseUrl: required/)
  })

  it('has the headers of the options, with names in lower case', () => {
    const upstream = { ...GROQ, headers: { 'X-Team': 'blue', Authorization: 'Basic x' } }
    const call = encoded(createTranslator({ upstream }), { model: 'm', input: 'Hi' })
    expect(call.init.headers).toMatchObject({ 'x-team': 'blue', authorization: 'Basic x' })
  })

  it('rejects a name of a model that cannot be part of its path', () => {
    const translator = createTranslator({ upstream: { vendor: 'google', apiKey: 'k' } })
    const call = translator.encodeRequest({ model: '../x', input: 'Hi' })
    expect(call.ok ? '' : call.error.message).toMatch(/^model: expected a name/)
  })
})

describe('translateRequest of a body', () => {
  it('returns body, path and headers of the upstream, without credentials', () => {
    const request = { model: 'claude', messages: MESSAGES, max_tokens: 9, stream: true }
    const found = translateRequest(request, { from: 'anthropic-messages', vendor: 'groq', model: 'llama' })
    expect(found).toMatchObject({
      ok: true,
      path: '/chat/completions',
      stream: true,
      body: { model: 'llama', messages: MESSAGES, stream: true },
    })
    expect(found.ok && Object.keys(found.headers)).toEqual(['content-type', 'accept-encoding', 'accept', 'user-agent'])
  })

  it.each(
    Object.entries(OTHER_WIRES).flatMap(([vendor, wires]) => Object.keys(wires).map((wire) => [vendor, wire] as const)),
  )('has the quirks of %s on its further wire %s', (vendor, name) => {
    const wire = name as WireName
    const request = {
      model: 'm',
      reasoning: { effort: 'high' },
      text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } },
      input: [
        {
          role: 'user',
          content: [{ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,eA==' }],
        },
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] },
        { role: 'user', content: 'Go on' },
      ],
    }
    const found = translateRequest(request, { vendor, to: wire })
    const call = encoded(createTranslator({ upstream: { vendor, wire, apiKey: 'k' } }), request)
    expect(found).toMatchObject({ ok: true, body: JSON.parse(call.init.body), losses: call.losses })
    expect(quirksOn(findVendor(vendor) ?? expect.unreachable(), wire)).toBe(OTHER_WIRES[vendor]?.[wire]?.quirks)
  })

  it('returns the failure of an invalid request', () => {
    const found = translateRequest({ model: 'm', input: 5 }, { to: 'openai-chat' })
    expect(found).toMatchObject({ ok: false, error: { party: 'client', param: 'input' } })
    expect(translateRequest('{', { to: 'openai-chat' })).toMatchObject({ ok: false, error: { code: 'invalid_json' } })
  })

  it('needs a wire or a vendor', () => {
    expect(() => translateRequest({}, {})).toThrow('to: required without vendor')
  })
})

it('a request has whole characters only, passed and translated', () => {
  for (const client of ['openai-chat', 'anthropic-messages'] as const) {
    const messages = [{ role: 'user', content: 'cut \ud83d' }]
    const { init } = encoded(createTranslator({ client, upstream: GROQ }), { model: 'm', max_tokens: 9, messages })
    expect(init.body).toContain('cut \ufffd')
    expect(init.body).not.toContain('\\ud83d')
  }
})
