import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  collectResponse,
  createStreamTranslator,
  createTranslator,
  type Outcome,
  type StreamOptions,
  streamEvents,
  streamFromBody,
  translateBody,
  translateIterable,
  translateStream,
} from '../../src/index.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { ALL_FIXTURES, type Fixture } from '../engine/run-engine.ts'
import { checkAsync } from '../property.ts'

const HELLO = new Uint8Array(readFileSync(new URL('../../fixtures/openai-chat/hello.stream.sse', import.meta.url)))
const CHAT: StreamOptions = { from: 'openai-chat', id: 'resp_1', createdAt: 0, model: 'm' }

const optionsOf = ({ wire, quirks, name }: Fixture): StreamOptions => ({
  ...CHAT,
  from: wire.name,
  quirks,
  id: `resp_${name}`,
})

/** How many chunks took the fast path depends on the cuts; nothing else does. */
const withoutChunks = ({ chunks: _, ...rest }: Outcome) => rest

/** The outcome of a translator that receives all bytes at once. */
function atOnce(options: StreamOptions, bytes: Uint8Array) {
  const translator = createStreamTranslator(options)
  translator.push(bytes)
  translator.end()
  return withoutChunks(translator.outcome)
}

async function* source(pieces: readonly Uint8Array[], error?: Error): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield piece
  if (error !== undefined) throw error
}

async function readAll(output: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of output) count += 1
  return count
}

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(async () => {
  // Rejections are reported after the microtasks of a turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled.splice(0)).toEqual([])
})

const fixture = fc.constantFrom(...ALL_FIXTURES)
/** The part of a stream that arrives. */
const share = fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }))
const forms = [
  ['translateStream', translateStream],
  ['translateIterable', translateIterable],
  [
    'streamEvents',
    (input: AsyncIterable<Uint8Array>, { to: _, ...options }: StreamOptions) => streamEvents(input, options),
  ],
] as const

describe.each(forms)('the outcome of %s', (_, open) => {
  it('is that of all bytes at once, for any cuts of a whole or a truncated stream', () =>
    checkAsync(
      fc.asyncProperty(fixture, share, cuts, async (one, part, at) => {
        const bytes = one.stream.subarray(0, Math.floor(part * one.stream.length))
        const stream = open(source(cutBytes(bytes, at)), optionsOf(one))
        await readAll(stream)
        expect(withoutChunks(await stream.outcome)).toEqual(atOnce(optionsOf(one), bytes))
      }),
      400,
    ))

  it('settles if the source throws, as failed unless the answer was complete', () =>
    checkAsync(
      fc.asyncProperty(fixture, share, cuts, async (one, part, at) => {
        const bytes = one.stream.subarray(0, Math.floor(part * one.stream.length))
        const stream = open(source(cutBytes(bytes, at), new Error('secret address')), optionsOf(one))
        await readAll(stream)
        const { ending, status, error } = await stream.outcome
        expect(JSON.stringify(error)).not.toContain('secret')
        const failed = error?.code === 'upstream_disconnected' ? 'cut' : 'failed'
        expect(ending).toBe(error === null ? 'complete' : failed)
        expect(status === 'failed').toBe(error !== null)
      }),
      400,
    ))

  it('settles as soon as the consumer leaves, and closes the source', () =>
    checkAsync(
      fc.asyncProperty(fixture, fc.nat(12), cuts, async (one, most, at) => {
        const reported: Outcome[] = []
        const input = source(cutBytes(one.stream, at))
        const stream = open(input, { ...optionsOf(one), onOutcome: (outcome) => void reported.push(outcome) })
        let read = 0
        for await (const _ of stream) {
          read += 1
          if (read > most) break
        }
        const outcome = await stream.outcome
        if (outcome.ending === 'left') expect(outcome).toMatchObject({ status: 'in_progress', answer: null })
        else expect(withoutChunks(outcome)).toEqual(atOnce(optionsOf(one), one.stream))
        expect(reported).toEqual([outcome])
        expect(await input.next()).toEqual({ done: true, value: undefined })
      }),
      400,
    ))
})

/** A source whose first read never ends. */
const silent = (): ReadableStream<Uint8Array> => new ReadableStream({ pull: () => new Promise(() => undefined) })

describe('the outcome of a stream that is left', () => {
  it('settles before anything was read', async () => {
    const web = translateStream(silent(), CHAT)
    await web.cancel()
    const events = streamEvents(silent(), CHAT)
    await events.return()
    for (const { outcome } of [web, events]) expect(await outcome).toMatchObject({ ending: 'left', error: null })
  })

  it('settles while a read of the source takes long', async () => {
    const reader = translateStream(silent(), CHAT)
    const reading = reader.getReader()
    const pending = reading.read()
    await reading.cancel()
    expect([await pending, (await reader.outcome).ending]).toEqual([{ done: true, value: undefined }, 'left'])
    const events = streamEvents(silent(), CHAT)
    const next = events.next()
    await events.return()
    expect([await next, (await events.outcome).ending]).toEqual([{ done: true, value: undefined }, 'left'])
  })

  it.each([200, 401])('settles while the JSON body of an HTTP %i is read', async (status) => {
    const headers = { 'content-type': 'application/json' }
    const stream = translateStream(new Response(silent(), { status, headers }), CHAT)
    const reader = stream.getReader()
    const pending = reader.read()
    await reader.cancel()
    expect([(await pending).done, (await stream.outcome).ending]).toEqual([true, 'left'])
  })

  it('is complete if the consumer leaves after the last event', async () => {
    const events = streamEvents(source([HELLO]), CHAT)
    for await (const { type } of events) if (type === 'response.completed') break
    expect(await events.outcome).toMatchObject({ ending: 'complete', status: 'completed' })
  })
})

describe('the outcome of a source that cannot be read', () => {
  it('settles as failed, and the consumer receives the TypeError', async () => {
    async function* texts() {
      yield 'data: {}' as unknown as Uint8Array
    }
    const locked = silent()
    locked.getReader()
    for (const input of [texts(), locked]) {
      const stream = translateStream(input, CHAT)
      await expect(stream.getReader().read()).rejects.toThrow(TypeError)
      expect(await stream.outcome).toMatchObject({ ending: 'failed', error: { code: 'upstream_invalid' } })
    }
  })
})

describe('the outcome of an answer that is no stream', () => {
  const whole = '{"model":"m","choices":[{"message":{"content":"Hi"},"finish_reason":"length"}]}'
  const page = '<!doctype html><title>Sign in</title>'
  const html = { 'content-type': 'text/html' }

  it('is the same for a whole body in each form', async () => {
    const stream = translateStream(new Response(whole, { headers: { 'content-type': 'application/json' } }), CHAT)
    await readAll(stream)
    const { upstream, ...outcome } = withoutChunks(await stream.outcome)
    expect(outcome).toMatchObject({ status: 'incomplete', ending: 'complete' })
    expect(upstream).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    const reported: Outcome[] = []
    await collectResponse(source([new TextEncoder().encode(whole)]), {
      ...CHAT,
      onOutcome: (one) => void reported.push(one),
    })
    const others = [translateBody(whole, CHAT).outcome, streamFromBody(whole, CHAT).outcome, ...reported]
    for (const other of others) expect(withoutChunks(other)).toMatchObject(outcome)
    expect(others).toHaveLength(3)
  })

  it.each([
    ['an empty body', new Response('', { headers: { 'content-type': 'application/json' } }), 'cut', /no body/],
    ['no body', new Response(null, { status: 204 }), 'cut', /no body/],
    [
      'a web page',
      new Response(page, { headers: html }),
      'failed',
      /a web page in place of a response.* base URL .* Its title: Sign in$/,
    ],
    ['another body', new Response('{"a":1}'), 'failed', /not a response of openai-chat/],
    [
      'a web page of HTTP 503',
      new Response(page, { status: 503, headers: html }),
      'failed',
      /^The .*HTTP 503 .*Sign in/,
    ],
    ['a redirect', new Response(null, { status: 302 }), 'failed', /status 302, which is a redirect\. Check the base/],
    ['a rate limit', new Response('{"error":{"message":"Slow."}}', { status: 429 }), 'failed', /^HTTP 429: Slow\.$/],
  ])('names %s', async (_, response, ending, message) => {
    const stream = translateStream(response, CHAT)
    await readAll(stream)
    const outcome = await stream.outcome
    expect(outcome).toMatchObject({ status: 'failed', ending, error: { message: expect.stringMatching(message) } })
  })
})

describe('onOutcome of a translator', () => {
  const ask = (stream: boolean) => {
    const outcomes: Outcome[] = []
    const upstream = { vendor: 'groq', model: 'm', apiKey: 'gsk-secret-key' }
    const translator = createTranslator({ upstream, onOutcome: (outcome) => void outcomes.push(outcome) })
    const call = translator.encodeRequest({ model: 'm', input: 'Hi', stream })
    if (!call.ok) return expect.unreachable(call.error.message)
    return { outcomes, answer: (upstream: Response | Promise<Response>) => translator.toResponse(upstream, call) }
  }

  it('is called once for an answer that is left', async () => {
    const { outcomes, answer } = ask(true)
    const reader = (await answer(new Response(HELLO.subarray(0, HELLO.length / 2)))).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await reader?.cancel()
    expect(outcomes.map(({ ending, model }) => [ending, model])).toEqual([['left', 'gpt-5-mini-2025-08-07']])
    const early = ask(true)
    await (await early.answer(new Response(silent()))).body?.cancel()
    expect(early.outcomes.map(({ ending }) => ending)).toEqual(['left'])
  })

  it.each([true, false])('is called once for a failure before the answer, streamed: %s', async (stream) => {
    const { outcomes, answer } = ask(stream)
    const refused = await answer(new Response('{"error":{"message":"Slow."}}', { status: 429 }))
    expect([refused.status, (await answer(Promise.reject(new TypeError('x')))).status]).toEqual([429, 502])
    const unknown = new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })
    expect(await (await answer(Promise.reject(unknown))).text()).toContain('api.groq.com cannot be reached (ENOTFOUND)')
    expect(outcomes.map(({ ending, error }) => [ending, error?.code])).toEqual([
      ['failed', 'rate_limit_exceeded'],
      ['cut', 'upstream_disconnected'],
      ['failed', 'upstream_unreachable'],
    ])
  })
})
