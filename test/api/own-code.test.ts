import { describe, expect, it } from 'vitest'
import * as core from '../../src/core.ts'
import { openai } from '../../src/dialects/openai.ts'
import {
  collectResponse,
  createStreamTranslator,
  createTranslator,
  type Outcome,
  outputText,
  streamFromBody,
  translateBody,
  translateStream,
  type UpstreamOptions,
} from '../../src/index.ts'
import { openaiChat, openaiChatStream } from '../../src/wires/openai-chat/index.ts'

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const STREAM = `${chunk({ content: 'Good ' })}${chunk({ content: 'day.' }, 'stop')}data: [DONE]\n\n`
const BODY = { id: 'c', model: 'm', choices: [{ index: 0, message: { content: 'Good day.' }, finish_reason: 'stop' }] }
const streamed = () => new Response(STREAM, { headers: { 'content-type': 'text/event-stream' } })
const REQUEST = { model: 'm', input: 'Hi' }

const fail = (): never => {
  throw new TypeError('not for clients')
}

const acme: core.Wire = {
  ...openaiChat,
  name: 'acme',
  decodeStream: () => ({ initial: null, step: fail, end: () => [] }),
  decodeBody: fail,
  decodeError: fail,
}
const invalid = { kind: 'nothing' } as unknown as core.Delta
const wrong: core.Wire = {
  ...acme,
  decodeStream: () => ({ initial: null, step: (state) => ({ state, events: [invalid] }), end: () => [] }),
  decodeBody: () => [invalid],
}
const adapted = core.adaptWire(openaiChat, { frame: fail, body: fail })
const throwing: core.Machine<unknown, core.Delta, core.Delta> = { initial: null, step: fail, end: () => [] }

const unmade: core.Wire = { ...acme, decodeStream: fail }
const noMachine = { ...acme, decodeStream: () => null } as unknown as core.Wire

/** An upstream whose answer cannot be read, as a program extends it. */
const EXTENSIONS: readonly (readonly [title: string, code: string, upstream: UpstreamOptions, machines: boolean])[] = [
  ['a decoder that throws', 'decoder_failed', { wire: acme }, false],
  ['a decoder of other values than deltas', 'decoder_failed', { wire: wrong }, false],
  ['a decoder that cannot be made', 'decoder_failed', { wire: unmade }, false],
  ['no decoder', 'decoder_failed', { wire: noMachine }, false],
  ['a changed wire that throws', 'decoder_failed', { wire: adapted }, false],
  ['a machine that throws', 'hook_failed', { wire: openaiChat }, true],
]

describe.each(EXTENSIONS)('%s', (_, code, { wire }, hasMachine) => {
  const given = wire as core.Wire
  const machines = hasMachine ? [throwing] : []
  const upstream = { wire: given, baseUrl: 'https://acme.example' }
  const named = createTranslator({ upstream, machines })
  const ofCore = core.createTranslator({ client: openai, upstream, machines })

  it.each([
    ['createTranslator', named],
    ['createTranslator of core', ofCore],
  ])('ends its own answer as failed, with the cause for the program alone: %s', async (_name, translator) => {
    for (const [stream, answer] of [
      [true, streamed],
      [false, () => Response.json(BODY)],
    ] as const) {
      const outcomes: Outcome[] = []
      const call = translator.encodeRequest({ ...REQUEST, stream }, { onOutcome: (outcome) => outcomes.push(outcome) })
      if (!call.ok) throw new Error(call.error.message)
      const text = await (await translator.toResponse(answer(), call)).text()
      expect(text).toContain(code)
      expect(text).not.toMatch(/not for clients|own-code\.test/)
      expect(outcomes).toMatchObject([{ status: 'failed', error: { code } }])
      expect(outcomes[0]?.cause).toMatch(/^TypeError: .*(?:not for clients|of a delta|expected a machine).* at /s)
    }
  })

  it('ends the answer of a function as failed', async () => {
    const from = hasMachine ? core.withMachines(openaiChatStream, machines) : given
    const options = hasMachine ? { from: openaiChatStream, machines } : { from: given }
    for (const answer of [streamed(), Response.json(BODY), BODY]) {
      const read = [core.collectResponse(answer instanceof Response ? answer.clone() : answer, { from })]
      for (const response of [await collectResponse(answer, options), ...(await Promise.all(read))])
        expect(response).toMatchObject({ status: 'failed', error: { code } })
    }
  })
})

it('reports the status of a failure that its own decoder cannot read', async () => {
  const outcomes: Outcome[] = []
  const translator = createTranslator({
    upstream: { wire: acme, baseUrl: 'https://acme.example' },
    onOutcome: (outcome) => outcomes.push(outcome),
  })
  const call = translator.encodeRequest(REQUEST)
  if (!call.ok) throw new Error(call.error.message)
  const response = await translator.toResponse(new Response('no', { status: 503 }), call)
  expect([response.status, outcomes[0]?.upstream.status]).toEqual([502, 503])
  expect(outcomes[0]?.cause).toContain('TypeError: not for clients')
})

describe('a connection', () => {
  const outcomeOf = async (
    answer: Promise<Response> | Response,
    signal?: AbortSignal,
  ): Promise<Outcome | undefined> => {
    const outcomes: Outcome[] = []
    const translator = createTranslator({ upstream: { vendor: 'groq', apiKey: 'gsk-secret-of-mine' } })
    const onOutcome = (outcome: Outcome) => outcomes.push(outcome)
    const call = translator.encodeRequest({ ...REQUEST, stream: true }, { onOutcome, ...(signal && { signal }) })
    if (!call.ok) throw new Error(call.error.message)
    const text = await (await translator.toResponse(answer, call)).text()
    expect(text).not.toMatch(/for the program/)
    return outcomes[0]
  }
  const breaking = (error: unknown, text = chunk({ content: 'Good ' })) =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
        pull: (controller) => controller.error(error),
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    )

  it('that fails has the cause in the outcome, without the key', async () => {
    const cause = new Error('for the program: gsk-secret-of-mine')
    const rejected = Promise.reject(Object.assign(new TypeError('fetch failed'), { cause }))
    const expected = { ending: 'cut', cause: 'TypeError: fetch failed: for the program: [secret]' }
    expect(await outcomeOf(rejected)).toMatchObject(expected)
    expect(await outcomeOf(breaking(Object.assign(new TypeError('fetch failed'), { cause })))).toMatchObject(expected)
  })

  it.each([
    ['Node', Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED', message: 'connect' } })],
    ['Bun', Object.assign(new Error('Unable to connect'), { code: 'ECONNREFUSED' })],
  ])('that is refused names the host, as %s reports it', async (_, error) => {
    expect(await outcomeOf(Promise.reject(error))).toMatchObject({
      error: { code: 'upstream_unreachable', message: 'The upstream api.groq.com cannot be reached (ECONNREFUSED).' },
    })
  })

  it.each(['before the answer', 'inside the answer'])('that a signal ends is left: %s', async (when) => {
    const controller = new AbortController()
    controller.abort()
    const error = new DOMException('for the program', 'AbortError')
    const answer = when === 'before the answer' ? Promise.reject(error) : breaking(error)
    expect(await outcomeOf(answer, controller.signal)).toMatchObject({ ending: 'left' })
    expect(await outcomeOf(when === 'before the answer' ? Promise.reject(error) : breaking(error))).toMatchObject({
      ending: 'cut',
    })
  })
})

describe('bytes as an answer', () => {
  const bytes = new TextEncoder().encode(STREAM)

  it('are a whole stream, or a whole body', async () => {
    for (const input of [bytes, Buffer.from(bytes), new TextEncoder().encode(JSON.stringify(BODY))])
      expect(outputText(await collectResponse(input, { from: 'openai-chat' }))).toBe('Good day.')
    expect(await new Response(translateStream(bytes, { from: 'openai-chat', id: 'a', createdAt: 1 })).text()).toBe(
      await new Response(translateStream(streamed(), { from: 'openai-chat', id: 'a', createdAt: 1 })).text(),
    )
  })
})

class Acme {
  readonly name = 'acme'
  readonly framing = openaiChat.framing
  readonly #inner = openaiChat
  decodeStream(...given: Parameters<core.Wire['decodeStream']>) {
    return this.#inner.decodeStream(...given)
  }
  decodeBody(...given: Parameters<core.Wire['decodeBody']>) {
    return this.#inner.decodeBody(...given)
  }
  decodeError(...given: Parameters<core.Wire['decodeError']>) {
    return this.#inner.decodeError(...given)
  }
  encodeRequest(...given: Parameters<core.Wire['encodeRequest']>) {
    return this.#inner.encodeRequest(...given)
  }
  address(...given: Parameters<core.Wire['address']>) {
    return this.#inner.address(...given)
  }
  authorize(...given: Parameters<core.Wire['authorize']>) {
    return this.#inner.authorize(...given)
  }
}

describe.each([
  ['a class', () => new Acme()],
  ['a class, changed', () => core.adaptWire(new Acme(), { frame: (frame) => frame })],
])('a wire of %s', (_, newWire) => {
  const upstream = { wire: newWire(), baseUrl: 'https://a.example', apiKey: 'k' }

  it.each([
    ['createTranslator', createTranslator({ upstream })],
    ['createTranslator of core', core.createTranslator({ upstream })],
  ] as const)('reads requests and answers of %s', async (__, translator) => {
    const call = translator.encodeRequest(REQUEST)
    if (!call.ok) throw new Error(call.error.message)
    expect(call.init.headers).toMatchObject({ authorization: 'Bearer k' })
    expect(outputText(await translator.collect(streamed(), call))).toBe('Good day.')
  })
})

it('is a failure of the status if a decoder of errors returns something else', async () => {
  for (const decodeError of [() => null, () => new Error('not for clients')]) {
    const wire = { ...acme, decodeError } as unknown as core.Wire
    const collected = collectResponse(new Response('no', { status: 503 }), { from: wire })
    expect((await collected).error).toMatchObject({ message: 'The upstream returned HTTP 503.' })
  }
})

describe('a member of a wire that is no function', () => {
  const encodeLater = async () => ({ ok: true })

  it.each([
    [{ encodeRequest: 5 }, 'encodeRequest: expected a synchronous function, got 5'],
    [{ encodeRequest: encodeLater }, 'encodeRequest: expected a synchronous function, got a function'],
    [{ decodeStream: 5 }, 'decodeStream: expected a synchronous function, got 5'],
    [{ authorize: {} }, 'authorize: expected a synchronous function, got an object'],
  ])('is a TypeError with its name before any request: %j', (members, message) => {
    const wire = { ...acme, ...members } as unknown as core.Wire
    const upstream = { wire, baseUrl: 'https://acme.example' }
    for (const create of [createTranslator, core.createTranslator])
      expect(() => create({ upstream })).toThrow(`upstream.wire.${message}`)
    if ('decodeStream' in members || 'encodeRequest' in members)
      expect(() => core.adaptWire(wire, {})).toThrow(`wire.${message}`)
    if ('authorize' in members || 'encodeRequest' in members) return
    expect(() => createStreamTranslator({ from: wire })).toThrow(`from.${message}`)
    expect(() => core.createStreamTranslator({ from: wire, to: core.dialectTarget(openai) })).toThrow(`from.${message}`)
  })
})

describe('onOutcome', () => {
  it.each(['translateBody', 'streamFromBody', 'createStreamTranslator'] as const)('is called once by %s', (name) => {
    const outcomes: Outcome[] = []
    const options = { from: 'openai-chat', onOutcome: (outcome: Outcome) => void outcomes.push(outcome) } as const
    if (name === 'createStreamTranslator') {
      const translator = createStreamTranslator(options)
      for (const byte of new TextEncoder().encode(STREAM)) translator.push(Uint8Array.of(byte))
      translator.end()
    } else if (name === 'translateBody') translateBody(BODY, options)
    else streamFromBody(BODY, options)
    expect(outcomes.map(({ status, ending }) => [status, ending])).toEqual([['completed', 'complete']])
  })
})
