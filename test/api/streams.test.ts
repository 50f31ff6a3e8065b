import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as core from '../../src/core.ts'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import {
  collectResponse,
  createStreamTranslator,
  type StreamOptions,
  streamEvents,
  translateIterable,
  translateStream,
} from '../../src/index.ts'
import { anthropicMessages } from '../../src/wires/anthropic-messages/index.ts'
import { openaiChatStream } from '../../src/wires/openai-chat/index.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { ALL_FIXTURES } from '../engine/run-engine.ts'
import { checkAsync } from '../property.ts'

const HELLO = new Uint8Array(readFileSync(new URL('../../fixtures/openai-chat/hello.stream.sse', import.meta.url)))

const options = { from: 'openai-chat', id: 'resp_1', createdAt: 0, model: 'm' } satisfies StreamOptions

const cut = (bytes: Uint8Array, size: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

const PIECES = cut(HELLO, 7)

/** Yields the pieces one after another, and notes reads and the close of the source. */
async function* source(pieces: readonly Uint8Array[], notes: string[] = [], error?: Error): AsyncGenerator<Uint8Array> {
  try {
    for (const piece of pieces) {
      await setImmediate()
      notes.push('read')
      yield piece
    }
    if (error !== undefined) throw error
  } finally {
    notes.push('closed')
  }
}

/** Wraps the source as a Web stream, because `ReadableStream.from` is not available everywhere. */
const toWeb = (pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await pieces.return(undefined)),
  })

async function gather(output: AsyncIterable<Uint8Array>): Promise<{ readonly text: string; readonly sizes: number[] }> {
  const pieces: Uint8Array[] = []
  for await (const piece of output) pieces.push(piece)
  return { text: Buffer.concat(pieces).toString(), sizes: pieces.map(({ length }) => length) }
}

function plainly(of: StreamOptions = options): string {
  const translator = createStreamTranslator(of)
  const written = PIECES.map((piece) => translator.push(piece))
  return Buffer.concat([...written, translator.end()]).toString()
}

const failed = /"status":"failed"/
const SMALL = { ...options, limits: { upstreamTotal: 20 } }
const forms = [
  { name: 'an async iterable', input: () => source(PIECES) },
  { name: 'a Web stream', input: () => toWeb(source(PIECES)) },
  { name: 'a response of fetch', input: () => new Response(HELLO) },
]

const outputs = [
  { output: 'translateStream', translate: translateStream },
  { output: 'translateIterable', translate: translateIterable },
]
const pairs = forms.flatMap((form) => outputs.map((output) => ({ ...form, ...output })))

describe.each(pairs)('$output of $name', ({ input, translate }) => {
  it.each(['beta', 'openai'] as const)('writes the same text as createStreamTranslator: %s', async (to) => {
    const { text, sizes } = await gather(translate(input(), { ...options, to }))
    expect(text).toBe(plainly({ ...options, to }))
    expect(checkStream(text, DIALECTS[to])).toEqual([])
    expect(sizes).not.toContain(0)
  })

  it('writes the stream of another client protocol', async () => {
    const { text } = await gather(translate(input(), { ...options, to: 'anthropic-messages' }))
    expect(text).toBe(plainly({ ...options, to: 'anthropic-messages' }))
    expect(text).toContain('event: message_stop')
  })

  it('stops at a limit with a failed response', async () => {
    const { text } = await gather(translate(input(), SMALL))
    expect(text).toMatch(failed)
    expect(text).toContain('upstream_too_large')
    expect(checkStream(text, openai)).toEqual([])
  })

  it('reports the outcome once, at the end', async () => {
    const outcomes: string[] = []
    const onOutcome = ({ status }: { readonly status: string }): void => void outcomes.push(status)
    await gather(translate(input(), { ...options, onOutcome }))
    expect(outcomes).toEqual(['completed'])
  })
})

describe.each(outputs)('$output of a source', ({ translate }) => {
  it('ends as failed if the source throws', async () => {
    const broken = source(PIECES.slice(0, 90), [], new Error('secret address'))
    const { text } = await gather(translate(broken, options))
    expect(text).toMatch(failed)
    expect(text).toContain('upstream_disconnected')
    expect(text).not.toContain('secret')
    expect(checkStream(text, openai)).toEqual([])
  })

  it('ends as failed if a read of the source has no result', async () => {
    const pieces = PIECES.slice(0, 9)
    const next = (): unknown => {
      const value = pieces.shift()
      return Promise.resolve(value === undefined ? null : { value })
    }
    const broken = { [Symbol.asyncIterator]: () => ({ next }) } as unknown as AsyncIterable<Uint8Array>
    const { text } = await gather(translate(broken, options))
    expect(text).toContain('upstream_disconnected')
    expect(checkStream(text, openai)).toEqual([])
  })

  it('is complete if the source throws after the end', async () => {
    const { text } = await gather(translate(source(PIECES, [], new Error('late')), options))
    expect(text).toBe(plainly())
  })

  it('closes the source if the consumer stops early', async () => {
    const notes: string[] = []
    for await (const _ of translate(source(PIECES, notes), options)) break
    expect(notes.at(-1)).toBe('closed')
    expect(notes.length).toBeLessThan(PIECES.length)
  })

  it('closes the source when a limit is exceeded', async () => {
    const notes: string[] = []
    await gather(translate(source(PIECES, notes), SMALL))
    expect(notes).toEqual(['read', 'read', 'read', 'closed'])
  })

  it('reads no further than its consumer does', async () => {
    const notes: string[] = []
    const output = translate(source(PIECES, notes), options)[Symbol.asyncIterator]()
    for (let i = 0; i < 20; i += 1) await setImmediate()
    expect(notes).toEqual([])
    await output.next()
    const read = notes.length
    for (let i = 0; i < 20; i += 1) await setImmediate()
    expect(notes).toHaveLength(read)
    await output.return?.()
  })

  it('reads one piece at a time, and answers in order, if its consumer does not wait', async () => {
    let reading = 0
    let most = 0
    const pieces = source(PIECES)
    const input = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          reading += 1
          most = Math.max(most, reading)
          const next = await pieces.next()
          reading -= 1
          return next
        },
      }),
    }
    const output = translate(input, options)[Symbol.asyncIterator]()
    const results = await Promise.all(PIECES.map(() => output.next()))
    const written = results.flatMap(({ value }) => (value === undefined ? [] : [value]))
    expect(Buffer.concat(written).toString()).toBe(plainly())
    expect(most).toBe(1)
    expect((await output.next()).done).toBe(true)
  })

  it('ends as failed for an iterator that throws in place of a promise', async () => {
    const next = (): never => {
      throw new Error('secret address')
    }
    const { text } = await gather(translate({ [Symbol.asyncIterator]: () => ({ next }) }, options))
    expect(text).toContain('upstream_disconnected')
    expect(text).not.toContain('secret')
  })
})

describe('translateStream', () => {
  it('returns a stream that can be the body of a response', async () => {
    expect(await new Response(translateStream(source(PIECES), options)).text()).toBe(plainly())
  })

  it('cancels a response that was not read yet', async () => {
    const reasons: unknown[] = []
    const body = new ReadableStream({ cancel: (reason) => void reasons.push(reason) })
    await translateStream(new Response(body), options).cancel('no interest')
    expect(reasons).toEqual(['no interest'])
  })
})

/** A source that counts how often it is released. */
function counted(): { readonly input: AsyncIterable<Uint8Array>; readonly released: unknown[] } {
  const released: unknown[] = []
  const pieces = source(PIECES)
  const input = {
    [Symbol.asyncIterator]: () => ({
      next: () => pieces.next(),
      async return(value?: unknown) {
        released.push(value)
        return pieces.return(undefined)
      },
    }),
  }
  return { input, released }
}

describe('translateIterable', () => {
  it('releases its source once, however often its consumer leaves', async () => {
    const { input, released } = counted()
    const output = translateIterable(input, options)
    await output.next()
    expect(await output.return?.()).toEqual({ done: true, value: undefined })
    await output.return?.()
    await expect(output.throw?.(new Error('late'))).rejects.toThrow('late')
    expect(await output.next()).toEqual({ done: true, value: undefined })
    expect(released).toHaveLength(1)
    expect(await output.outcome).toMatchObject({ ending: 'left' })
  })

  it('releases its source if its consumer throws, also before the first read', async () => {
    const { input, released } = counted()
    const output = translateIterable(input, options)
    await expect(output.throw?.(new Error('mistake'))).rejects.toThrow('mistake')
    expect(released).toHaveLength(1)
    expect(await output.next()).toEqual({ done: true, value: undefined })
  })

  it('releases its source once, if the answer is complete before its end', async () => {
    const { input, released } = counted()
    const output = translateIterable(input, options)
    await gather(output)
    await output.return?.()
    expect(released).toHaveLength(1)
  })

  it('rejects for a source of texts, and has ended then', async () => {
    const texts = (async function* () {
      yield 'data: {}'
    })() as unknown as AsyncIterable<Uint8Array>
    const output = translateIterable(texts, options)
    await expect(output.next()).rejects.toThrow('input: expected bytes (Uint8Array), got "data: {}"')
    expect(await output.next()).toEqual({ done: true, value: undefined })
    expect((await output.outcome).status).toBe('failed')
  })

  it('reads and destroys a stream of Node', async () => {
    const whole = await gather(translateIterable(Readable.from(PIECES), options))
    expect(whole.text).toBe(plainly())
    const input = Readable.from(PIECES)
    for await (const _ of translateIterable(input, options)) break
    expect(input.destroyed).toBe(true)
  })

  it('writes the pieces of translateStream, for any cuts of any fixture', () =>
    checkAsync(
      fc.asyncProperty(fc.constantFrom(...ALL_FIXTURES), cuts, async ({ wire, quirks, stream }, at) => {
        const of = { ...options, from: wire, quirks }
        const read = async (output: AsyncIterable<Uint8Array>) => {
          const pieces: string[] = []
          for await (const piece of output) pieces.push(Buffer.from(piece).toString())
          return pieces
        }
        const web = await read(translateStream(source(cutBytes(stream, at)), of))
        expect(await read(translateIterable(source(cutBytes(stream, at)), of))).toEqual(web)
      }),
      200,
    ))
})

describe('a response of fetch that is no stream', () => {
  const whole = '{"id":"1","model":"m","choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}'
  const asJson = (body: string | Uint8Array<ArrayBuffer>, status = 200): Response =>
    new Response(body, { status, headers: { 'content-type': 'application/json' } })

  it('becomes the same answer as a stream if it is a JSON body', async () => {
    const response = await collectResponse(asJson(whole), options)
    expect(response).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hi' }] }] })
  })

  it('is read as a stream if its body is one, in spite of its content type', async () => {
    expect((await gather(translateStream(asJson(HELLO), options))).text).toBe(plainly())
  })

  it('ends as failed, with status and message of the vendor, for a status of 400 or more', async () => {
    const refused = () => asJson('{"error":{"message":"Incorrect key."}}', 401)
    expect(await collectResponse(refused(), options)).toMatchObject({
      status: 'failed',
      error: { message: 'HTTP 401: Incorrect key.' },
    })
    const types: string[] = []
    for await (const { type } of streamEvents(refused(), options)) types.push(type)
    expect(types.at(-1)).toBe('response.failed')
  })

  it('ends as failed without a body', async () => {
    const response = await collectResponse(new Response(null), options)
    expect(response.error?.code).toBe('upstream_truncated')
  })
})

describe('the promise of an answer', () => {
  it('that is rejected before the first read ends the answer as failed, and is no unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    try {
      const [events, bytes] = [
        streamEvents(Promise.reject(new TypeError('fetch failed')), options),
        translateIterable(Promise.reject(new TypeError('fetch failed')), options),
      ]
      translateStream(Promise.reject(new TypeError('fetch failed')), options)
      await setImmediate()
      await setImmediate()
      const types = []
      for await (const { type } of events) types.push(type)
      expect(types.at(-1)).toBe('response.failed')
      let written = 0
      for await (const piece of bytes) written += piece.length
      expect(written).toBeGreaterThan(0)
    } finally {
      process.off('unhandledRejection', note)
    }
    expect(unhandled).toEqual([])
  })

  it('is closed when it arrives, if the consumer has left, whose read ends', async () => {
    let arrive: (response: Response) => void = () => undefined
    const events = streamEvents(
      new Promise<Response>((resolve) => {
        arrive = resolve
      }),
      options,
    )
    const iterator = events[Symbol.asyncIterator]()
    const waiting = iterator.next()
    await setImmediate()
    const leaving = iterator.return?.()
    let isClosed = false
    const body = new ReadableStream({
      cancel() {
        isClosed = true
      },
    })
    arrive(new Response(body))
    expect(await waiting).toEqual({ done: true, value: undefined })
    await leaving
    expect(await events.outcome).toMatchObject({ ending: 'left' })
    await setImmediate()
    expect(isClosed).toBe(true)
  })
})

describe('streamEvents of a source', () => {
  it('closes the source if its consumer leaves the loop', async () => {
    const notes: string[] = []
    for await (const { type } of streamEvents(source(PIECES, notes), options)) {
      if (type === 'response.output_text.delta') break
    }
    expect(notes.at(-1)).toBe('closed')
    expect(notes.length).toBeLessThan(PIECES.length)
  })

  it('ends with a failed response if the source throws', async () => {
    const types: string[] = []
    for await (const { type } of streamEvents(source(PIECES.slice(0, 90), [], new Error('x')), options))
      types.push(type)
    expect(types.at(-1)).toBe('response.failed')
  })

  it('ends with a failed response at a limit', async () => {
    const types: string[] = []
    for await (const { type } of streamEvents(source(PIECES), SMALL)) types.push(type)
    expect(types.at(-1)).toBe('response.failed')
    expect((await collectResponse(source(PIECES), SMALL)).status).toBe('failed')
  })
})

describe('the names in options', () => {
  it('are listed in the error for an unknown one', () => {
    const from = 'openai' as 'openai-chat'
    expect(() => createStreamTranslator({ from })).toThrow(
      /^from: expected one of openai-chat, .*, got "openai"\. Did you mean "openai-chat" or "openai-responses"\?$/,
    )
    const to = 'cohere-chat' as 'openai-chat'
    expect(() => createStreamTranslator({ ...options, to })).toThrow(
      /^to: expected one of beta, openai, .* got "cohere/,
    )
    expect(() => createStreamTranslator({ ...options, vendor: 'x' })).toThrow(/^vendor: expected one of .* got "x"$/)
  })
})

describe('objects in place of names', () => {
  it('give the same output in millrace and in millrace/core', () => {
    const bytesOf = ({ push, end }: core.StreamTranslator): string => Buffer.concat([push(HELLO), end()]).toString()
    const { id, createdAt, model } = { id: 'resp_1', createdAt: 0, model: 'm' }
    const shared = { id, createdAt, model, from: openaiChatStream }
    const expected = bytesOf(createStreamTranslator(options))
    expect(bytesOf(createStreamTranslator({ ...shared, to: openai }))).toBe(expected)
    expect(bytesOf(core.createStreamTranslator({ ...shared, to: core.dialectTarget(openai) }))).toBe(expected)

    const messages = bytesOf(createStreamTranslator({ ...options, to: 'anthropic-messages' }))
    expect(bytesOf(createStreamTranslator({ ...shared, to: anthropicMessages }))).toBe(messages)
    expect(bytesOf(core.createStreamTranslator({ ...shared, to: core.wireTarget(anthropicMessages) }))).toBe(messages)
  })

  it('take the fast path in millrace, and in millrace/core with the option fastPath', () => {
    const shared = { from: openaiChatStream, to: core.dialectTarget(openai) }
    const fastOf = (translator: core.StreamTranslator): number => {
      translator.push(HELLO)
      translator.end()
      return translator.outcome.chunks.fast
    }
    expect(fastOf(createStreamTranslator(options))).toBeGreaterThan(10)
    expect(fastOf(core.createStreamTranslator({ ...shared, fastPath: core.fastPath }))).toBeGreaterThan(10)
    expect(fastOf(core.createStreamTranslator(shared))).toBe(0)
  })

  it('have the settings and the format of the options', () => {
    const usage = createStreamTranslator({ ...options, to: 'openai-chat', settings: { usage: true } })
    expect(Buffer.concat([usage.push(HELLO), usage.end()]).toString()).toContain('"usage":{')
    const list = createStreamTranslator({ ...options, to: 'gemini-generate', format: 'array' })
    const text = Buffer.concat([list.push(HELLO), list.end()]).toString()
    expect(JSON.parse(text)).toBeInstanceOf(Array)
  })

  it('have the quirks of the vendor, and those of the options', () => {
    const bytes = new TextEncoder().encode(
      'data: {"choices":[{"delta":{"content":"<think>Hm.</think>Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    )
    const typesOf = async (given: Omit<Partial<StreamOptions>, 'to'>): Promise<readonly string[]> =>
      (await collectResponse(new Response(bytes), { ...options, ...given })).output.map(({ type }) => type)
    return Promise.all([
      expect(typesOf({})).resolves.toEqual(['message']),
      expect(typesOf({ quirks: { thinkTags: true } })).resolves.toEqual(['reasoning', 'message']),
    ])
  })
})

it('leaving before the first read destroys an input that is a stream of Node', async () => {
  for (const leave of [
    (input: Readable) => translateIterable(input, options).return?.(),
    (input: Readable) => translateStream(input, options).cancel(),
  ]) {
    const input = new Readable({ read: () => undefined })
    await leave(input)
    expect(input.destroyed).toBe(true)
  }
})
