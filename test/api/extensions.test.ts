import { describe, expect, it } from 'vitest'
import { encodeFor } from '../../src/api/encode-for.ts'
import { clientNamed } from '../../src/api/names.ts'
import { routeTo } from '../../src/api/upstream-route.ts'
import * as core from '../../src/core.ts'
import {
  type AnswerCodec,
  adaptWire,
  type Delta,
  type Dialect,
  type Frame,
  jsonOf,
  type Machine,
  type RequestRule,
  SSE,
  upstreamError,
  type Wire,
} from '../../src/core.ts'
import { openai, openaiReasoningText } from '../../src/dialects/openai.ts'
import { SETTINGS_EDIT } from '../../src/engine/passthrough/refused-settings.ts'
import { RULE_NAMES } from '../../src/engine/rules/rules.ts'
import {
  collectResponse,
  createTranslator,
  type Outcome,
  outputText,
  streamEvents,
  type TargetName,
  translateIterable,
  translateRequest,
  translateStream,
  validateResponsesStream,
} from '../../src/index.ts'
import { openaiChat } from '../../src/wires/openai-chat/index.ts'

/** A protocol that no wire of the project speaks: pieces of text, then the word for the end. */
const decoder: Machine<null, Frame, Delta> = {
  initial: null,
  step(state, frame) {
    const { t, end } = jsonOf(frame) as { readonly t?: string; readonly end?: string }
    return {
      state,
      events: [
        t === undefined
          ? { kind: 'finish', reason: end === 'cap' ? 'max_output_tokens' : 'stop' }
          : { kind: 'text', key: 'm', part: '', text: t, logprobs: null },
      ],
    }
  },
  end: () => [],
}

const acme: Wire = {
  name: 'acme',
  framing: SSE,
  decodeStream: () => decoder,
  decodeBody: (body) => [
    { kind: 'text', key: 'm', part: '', text: (body as { text: string }).text, logprobs: null },
    { kind: 'finish', reason: 'stop' },
  ],
  decodeError: (status, _headers, body) => upstreamError('upstream_error', `acme ${status}: ${body}`),
  *encodeRequest(request, target) {
    const prompt = request.input.flatMap((item) =>
      item.type === 'message' ? item.content.flatMap((part) => ('text' in part ? [part.text] : [])) : [],
    )
    return { ok: true, body: { model: target.model, prompt, stream: request.stream }, losses: [] }
  },
  address: () => ({ path: '/generate' }),
  authorize: (key) => ({ 'x-acme-key': key }),
}

const MEDIA = { headers: { 'content-type': 'text/event-stream' } }
const sse = (...frames: readonly string[]): Response =>
  new Response(frames.map((data) => `data: ${data}\n\n`).join(''), MEDIA)
const up = (): Response => sse('{"t":"Hel"}', '{"t":"lo"}', '{"end":"cap"}')
const chat = (delta: object): Response =>
  sse(JSON.stringify({ choices: [{ index: 0, delta, finish_reason: 'stop' }] }), '[DONE]')

const VENDOR = { name: 'acme', wire: acme, baseUrl: 'https://acme.test/v1', keyVariable: 'ACME_KEY' }
const MESSAGES = [{ role: 'user', content: 'hi' }]
const BODIES: readonly (readonly [client: TargetName, body: object])[] = [
  ['openai-responses', { model: 'a', input: 'hi', stream: true }],
  ['openai-chat', { model: 'a', messages: MESSAGES, stream: true }],
  ['anthropic-messages', { model: 'a', max_tokens: 5, messages: MESSAGES, stream: true }],
  ['gemini-interactions', { model: 'a', input: 'hi', stream: true }],
  ['ollama-chat', { model: 'a', messages: MESSAGES, stream: true }],
]

describe('a wire of a program', () => {
  it.each(BODIES)('serves clients of %s, with a vendor of the program', async (client, body) => {
    const translator = createTranslator({ client, upstream: { vendor: VENDOR, apiKey: 'k' } })
    const call = translator.encodeRequest(body)
    if (!call.ok) expect.unreachable(call.error.message)
    expect(call).toMatchObject({
      url: 'https://acme.test/v1/generate',
      init: { headers: { 'x-acme-key': 'k' } },
      body: { model: 'a', prompt: ['hi'], stream: true },
    })
    expect(await (await translator.toResponse(up(), call)).text()).toMatch(/Hel[\s\S]*lo/)
    const collected = translator.collect(up(), call)
    await collected
    expect((await collected.outcome).status).toBe('incomplete')
  })

  it('is accepted by every function, with a name of its vendor', async () => {
    const made = translateRequest({ model: 'a', input: 'hi' }, { to: acme, vendor: 'acme' })
    expect(made).toMatchObject({ ok: true, path: '/generate' })
    expect(outputText(await collectResponse(up(), { from: acme, vendor: 'acme' }))).toBe('Hello')
    const types: string[] = []
    for await (const { type } of streamEvents(up(), { from: acme, vendor: VENDOR })) types.push(type)
    expect(types.at(-1)).toBe('response.incomplete')
  })

  it.each([
    ['openai-chat', 'openai-chat'],
    [acme, 'acme'],
  ] as const)('its vendor has its name if none is given', (wire, name) => {
    const upstream = { wire, baseUrl: 'https://acme.test/v1', model: 'm' }
    const call = createTranslator({ upstream }).encodeRequest({ model: 'm', input: 'Hello!' })
    expect(call).toMatchObject({ ok: true, answer: { context: { origin: { vendor: name } } } })
  })

  it('ends its answer as failed if its decoder throws', async () => {
    const broken: Wire = { ...acme, decodeStream: () => ({ ...decoder, step: () => expect.unreachable() }) }
    const answer = collectResponse(up(), { from: broken })
    expect((await answer).status).toBe('failed')
    expect((await answer.outcome).error?.code).toBe('decoder_failed')
  })

  it('serves a translator of objects', async () => {
    const translator = core.createTranslator({ upstream: { wire: acme, baseUrl: 'https://acme.test/v1', apiKey: 'k' } })
    const call = translator.encodeRequest({ model: 'a', input: 'hi' })
    if (!call.ok) expect.unreachable(call.error.message)
    expect(outputText(await translator.collect(up(), call))).toBe('Hello')
  })
})

it('a difference of a vendor changes requests and answers, also of clients of the same protocol', async () => {
  const lane = adaptWire(openaiChat, {
    request: (body) => ({ ...body, priority_lane: true }),
    frame: (frame) => ({ ...frame, data: frame.data.replace('"done_ok"', '"stop"') }),
  })
  const translator = createTranslator({
    client: 'openai-chat',
    upstream: { vendor: { name: 'lane', wire: lane, baseUrl: 'https://lane.test/v1' } },
  })
  const call = translator.encodeRequest({ model: 'a', messages: MESSAGES })
  if (!call.ok) expect.unreachable(call.error.message)
  expect(call.body).toMatchObject({ priority_lane: true, messages: MESSAGES })
  const answer = sse('{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"done_ok"}]}', '[DONE]')
  expect(await translator.collect(answer, call)).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
})

const plain: AnswerCodec = {
  format: 'sse',
  headers: { 'x-plain': 'v1' },
  keepAlive: null,
  encodeStream: () => ({
    initial: null,
    step: (state, delta) => ({
      state,
      events: delta.kind === 'text' ? [{ event: '', data: JSON.stringify({ say: delta.text }) }] : [],
    }),
    end: () => [{ event: '', data: '[DONE]' }],
  }),
  encodeBody: (deltas) => ({ said: deltas.flatMap((delta) => (delta.kind === 'text' ? [delta.text] : [])).join('') }),
  encodeError: ({ status, message }) => ({ status, body: { error: message } }),
  supports: {
    hosted: [],
    annotations: [],
    logprobs: false,
    argumentObjects: 'none',
    sealed: false,
    openedPages: false,
    namespaces: false,
    served: [],
    cost: false,
    details: [],
    parts: [],
    lifetimes: [],
  },
}

describe('a target of a program', () => {
  const form = { name: 'plain', client: plain }

  it('is written by the functions for streams, as bytes and as events', async () => {
    expect(await new Response(translateStream(chat({ content: 'Hi' }), { from: 'openai-chat', to: form })).text()).toBe(
      'data: {"say":"Hi"}\n\ndata: [DONE]\n\n',
    )
    const events: object[] = []
    for await (const event of streamEvents(chat({ content: 'Hi' }), { from: 'openai-chat', to: form }))
      events.push(event)
    expect(events).toEqual([{ say: 'Hi' }])
  })

  it('is the answer to a request of another protocol, with its headers', async () => {
    const translator = createTranslator({ upstream: { vendor: 'groq', model: 'm', apiKey: 'k' } })
    const call = translator.encodeRequest({ model: 'm', input: 'hi', stream: true })
    if (!call.ok) expect.unreachable(call.error.message)
    const response = await translator.toResponse(chat({ content: 'Hi' }), call, { to: form })
    expect(response.headers.get('x-plain')).toBe('v1')
    expect(await response.text()).toContain('{"say":"Hi"}')
    expect(await translator.collect(chat({ content: 'Hi' }), call, { to: form })).toEqual({ said: 'Hi' })
  })
})

it('events and responses have every dialect, also one of a program', async () => {
  const reasoning = () => chat({ reasoning_content: 'Hm.', content: 'Hi' })
  const mine: Dialect = { ...openai, name: 'mine', numbered: false }
  const { output } = await collectResponse(reasoning(), { from: 'openai-chat', to: openaiReasoningText })
  expect(output[0]).toMatchObject({ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm.' }] })
  for await (const event of streamEvents(reasoning(), { from: 'openai-chat', to: mine }))
    expect(event).not.toHaveProperty('sequence_number')
})

describe('options of one request', () => {
  const GROQ = { vendor: 'groq', model: 'a', apiKey: 'k' }
  const ask = (options: object, upstream: object = GROQ) => {
    const call = createTranslator({ upstream: upstream as typeof GROQ }).encodeRequest(
      { model: 'm', input: 'hi' },
      options,
    )
    return call.ok ? call : expect.unreachable(call.error.message)
  }

  it('replace those of the translator', async () => {
    const { signal } = new AbortController()
    const call = ask({ model: 'b', apiKey: 'other', headers: { 'X-Turn': '1' }, id: 'resp_mine', signal })
    expect(call.body.model).toBe('b')
    expect(call.init).toMatchObject({ headers: { authorization: 'Bearer other', 'x-turn': '1' }, signal })
    expect((await collectResponse(chat({ content: 'Hi' }), { answer: call.answer })).id).toBe('resp_mine')
  })

  it('have settings that the Responses API has no field for, and their losses', () => {
    const settings = { stop: ['X'], seed: 7, top_k: 5 }
    expect(ask(settings)).toMatchObject({
      body: { stop: ['X'], seed: 7 },
      losses: [{ path: 'top_k', action: 'dropped' }],
    })
    expect(ask(settings, { vendor: 'google', model: 'gemini-2.5-flash', apiKey: 'k' }).body).toMatchObject({
      generationConfig: { stopSequences: ['X'], seed: 7, topK: 5 },
    })
    expect(ask(settings, { vendor: 'anthropic', model: 'claude-sonnet-4-5', apiKey: 'k' }).body).toMatchObject({
      stop_sequences: ['X'],
      top_k: 5,
    })
  })

  it('have machines and functions for requests, which follow those of the translator', async () => {
    const order: string[] = []
    const machine = (name: string): Machine<unknown, Delta, Delta> => ({
      initial: null,
      step: (state, delta) => {
        if (delta.kind === 'text') order.push(name)
        return { state, events: [delta] }
      },
      end: () => [],
    })
    const translator = createTranslator({
      upstream: GROQ,
      machines: [machine('translator')],
      requests: [(request) => ({ ...request, instructions: 'Be brief.' })],
    })
    const refusing = () => ({ refusal: { message: 'No.' } })
    const call = translator.encodeRequest({ model: 'm', input: 'hi' }, { machines: [machine('call')] })
    if (!call.ok) expect.unreachable(call.error.message)
    expect(JSON.stringify(call.body)).toContain('Be brief.')
    await translator.collect(chat({ content: 'Hi' }), call)
    expect(order).toEqual(['translator', 'call'])
    const refused = translator.encodeRequest({ model: 'm', input: 'hi' }, { requests: [refusing] })
    expect(refused).toMatchObject({ ok: false, error: { code: 'request_refused', message: 'No.' } })
  })

  it('report the outcome with its call', async () => {
    const seen: unknown[] = []
    const onOutcome = ({ status }: Outcome, call: unknown): void => void seen.push(status, call)
    const translator = createTranslator({ upstream: GROQ, onOutcome })
    const call = translator.encodeRequest({ model: 'm', input: 'hi' })
    if (!call.ok) expect.unreachable(call.error.message)
    await translator.collect(Promise.resolve(chat({ content: 'Hi' })), call)
    expect(seen).toEqual(['completed', call])
  })

  it.each([
    [
      'createTranslator',
      () => createTranslator({ upstream: GROQ, machine: [] } as never),
      /^machine: no such option\. Did you mean "machines"\?/,
    ],
    [
      'upstream',
      () => createTranslator({ upstream: { ...GROQ, apikey: 'k' } } as never),
      /^upstream\.apikey: no such option\. Did you mean "apiKey"\?/,
    ],
    [
      'a quirk',
      () => createTranslator({ upstream: { ...GROQ, quirks: { thinkTag: true } } } as never),
      /^upstream\.quirks\.thinkTag: no such option\. Did you mean "thinkTags"/,
    ],
    ['encodeRequest', () => ask({ header: {} }), /^encodeRequest\.header: no such option\. Did you mean "headers"/],
    [
      'translateStream',
      () => translateStream(chat({}), { from: 'openai-chat', vendors: 'groq' } as never),
      /^vendors: no such option\. Did you mean "vendor"/,
    ],
    [
      'translateRequest',
      () => translateRequest({}, { vendor: 'groq', modle: 'm' } as never),
      /^modle: no such option\. Did you mean "model"/,
    ],
    [
      'streamEvents, which writes no bytes',
      () => streamEvents(chat({}), { from: 'openai-chat', keepAlive: 5 } as never),
      /^keepAlive: no such option\./,
    ],
    [
      'a function of objects',
      () => core.translateStream(chat({}), { from: openaiChat, to: core.dialectTarget(openai), idd: 'x' } as never),
      /^idd: no such option\. Did you mean "id"\?/,
    ],
    [
      'validateResponsesStream',
      () => validateResponsesStream('', { dialekt: 'beta' } as never),
      /^dialekt: no such option\. Did you mean "dialect"/,
    ],
    [
      'a machine',
      () => createTranslator({ upstream: GROQ, machines: [{}] } as never),
      /^machines\[0\]: expected a machine/,
    ],
  ])('have no misspelt name: %s', (_, run, message) => {
    expect(run).toThrow(TypeError)
    expect(run).toThrow(message)
  })
})

describe('a rule of a program', () => {
  const upstream = { vendor: 'groq', model: 'a', apiKey: 'k' } as const
  /** A gateway in front of the vendor that refuses high temperatures. */
  const rules: readonly RequestRule[] = [
    {
      name: 'temperature of the house',
      when: ({ quirks }) => quirks.modelFacts === undefined,
      mend: (request) =>
        (request.temperature ?? 0) > 1
          ? {
              request: { ...request, temperature: 1 },
              losses: [{ path: 'temperature', action: 'mapped', why: 'the house allows 1' }],
            }
          : { request, losses: [] },
    },
  ]
  const CHAT = { model: 'm', messages: [...MESSAGES, ...MESSAGES], temperature: 1.5, x_own: 1 }

  it.each([
    ['of a translator, for a translated request', 'openai', { model: 'm', input: 'hi', temperature: 1.5 }, true],
    ['of a call, for a translated request', 'openai', { model: 'm', input: 'hi', temperature: 1.5 }, false],
    ['of a translator, for a passed request', 'openai-chat', CHAT, true],
    ['of a call, for a passed request', 'openai-chat', CHAT, false],
  ] as const)('mends requests: %s', (_, client, body, isOfTranslator) => {
    const translator = createTranslator({ client, upstream, ...(isOfTranslator ? { rules } : {}) })
    const call = translator.encodeRequest(body, isOfTranslator ? {} : { rules })
    if (!call.ok) expect.unreachable(call.error.message)
    expect(call.body.temperature).toBe(1)
    expect(call.losses).toMatchObject([{ path: 'temperature', action: 'mapped', why: 'the house allows 1' }])
    // The client's own body, with an unknown member.
    expect(call.body.x_own).toBe(client === 'openai' ? undefined : 1)
  })

  it('edits the body that is passed through, and translates it where more has changed', () => {
    const route = routeTo({ ...upstream, wire: openaiChat, baseUrl: 'https://up.test/v1' })
    const editsWith = (own: readonly RequestRule[]) => {
      const encoded = encodeFor(clientNamed('client', 'openai-chat'), route, CHAT, { rules: own })
      return encoded.ok ? encoded.value.call.edits : expect.unreachable(encoded.error.message)
    }
    expect(editsWith([])).not.toContain(SETTINGS_EDIT)
    expect(editsWith(rules)).toContain(SETTINGS_EDIT)
    const silent: RequestRule = {
      name: 'no conversation',
      mend: (request) => ({ request: { ...request, input: request.input.slice(0, 1) }, losses: [] }),
    }
    expect(editsWith([silent])).toBeNull()
  })

  it('is not run where its upstream does not have it', () => {
    const known = { ...upstream, quirks: { modelFacts: { a: {} } } }
    const call = createTranslator({ client: 'openai-chat', upstream: known, rules }).encodeRequest(CHAT)
    expect(call).toMatchObject({ ok: true, losses: [], body: { temperature: 1.5 } })
  })

  it.each([
    [[{ name: 'x' }], /^rules\[0\]: expected a rule with name and mend/],
    [[{ ...rules[0], name: RULE_NAMES[0] }], /^rules\[0\]\.name: .* is a rule of this package/],
  ])('is checked', (given, message) => {
    expect(() => createTranslator({ upstream, rules: given as never })).toThrow(message)
  })
})

it('reads the chunks of an SDK as objects', async () => {
  interface Chunk {
    readonly choices: readonly {
      readonly index: number
      readonly delta: object
      readonly finish_reason: string | null
    }[]
  }
  async function* chunks(): AsyncGenerator<Chunk> {
    yield { choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }] }
    yield { choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: 'stop' }] }
  }
  expect(outputText(await collectResponse(chunks(), { from: 'openai-chat' }))).toBe('Hello')
  async function* events() {
    yield { event: 'message', data: '{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}' }
  }
  expect(outputText(await collectResponse(events(), { from: 'openai-chat' }))).toBe('Hi')
})

/** The bytes of a Web stream, in a loop that leaves none. */
async function* bytesIn(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
}

it.each([
  ['translateStream', (...given: Parameters<typeof translateStream>) => bytesIn(translateStream(...given))],
  ['translateIterable', translateIterable],
] as const)('a silent upstream gives signs of life: %s', async (_, open) => {
  let send: ReadableStreamDefaultController<Uint8Array> | undefined
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      send = controller
    },
  })
  const active: number[] = []
  const bytesOf = open(input, { from: 'openai-chat', keepAlive: 5, onActivity: () => void active.push(1) })
  const first = bytesOf.next()
  send?.enqueue(bytes(': ping\n\n'))
  expect(new TextDecoder().decode((await first).value ?? undefined)).toBe(': keep-alive\n\n')
  expect(active.length).toBe(1)
  send?.enqueue(bytes('data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'))
  send?.close()
  let rest = ''
  for await (const piece of bytesOf) rest += new TextDecoder().decode(piece)
  expect(rest).toContain('response.completed')
})
