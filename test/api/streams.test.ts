import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
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
  translateStream,
} from '../../src/index.ts'
import { anthropicMessages } from '../../src/wires/anthropic-messages/index.ts'
import { openaiChatStream } from '../../src/wires/openai-chat/index.ts'

const HELLO = new Uint8Array(readFileSync(new URL('../../fixtures/openai-chat/hello.stream.sse', import.meta.url)))

const options: StreamOptions = { from: 'openai-chat', id: 'resp_1', createdAt: 0, model: 'm' }

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

describe.each(forms)('translateStream of $name', ({ input }) => {
  it.each(['beta', 'openai'] as const)('writes the same text as createStreamTranslator: %s', async (to) => {
    const { text, sizes } = await gather(translateStream(input(), { ...options, to }))
    expect(text).toBe(plainly({ ...options, to }))
    expect(checkStream(text, DIALECTS[to])).toEqual([])
    expect(sizes).not.toContain(0)
  })

  it('writes the stream of another client protocol', async () => {
    const { text } = await gather(translateStream(input(), { ...options, to: 'anthropic-messages' }))
    expect(text).toBe(plainly({ ...options, to: 'anthropic-messages' }))
    expect(text).toContain('event: message_stop')
  })

  it('stops at a limit with a failed response', async () => {
    const { text } = await gather(translateStream(input(), SMALL))
    expect(text).toMatch(failed)
    expect(text).toContain('upstream_too_large')
    expect(checkStream(text, openai)).toEqual([])
  })

  it('returns a stream that can be the body of a response', async () => {
    expect(await new Response(translateStream(input(), options)).text()).toBe(plainly())
  })

  it('reports the outcome once, at the end', async () => {
    const outcomes: string[] = []
    const onOutcome = ({ status }: { readonly status: string }): void => void outcomes.push(status)
    await gather(translateStream(input(), { ...options, onOutcome }))
    expect(outcomes).toEqual(['completed'])
  })
})

describe('translateStream of a source', () => {
  it('ends as failed if the source throws', async () => {
    const broken = source(PIECES.slice(0, 90), [], new Error('secret address'))
    const { text } = await gather(translateStream(broken, options))
    expect(text).toMatch(failed)
    expect(text).toContain('upstream_disconnected')
    expect(text).not.toContain('secret')
    expect(checkStream(text, openai)).toEqual([])
  })

  it('is complete if the source throws after the end', async () => {
    const { text } = await gather(translateStream(source(PIECES, [], new Error('late')), options))
    expect(text).toBe(plainly())
  })

  it('closes the source if the consumer stops early', async () => {
    const notes: string[] = []
    for await (const _ of translateStream(source(PIECES, notes), options)) break
    expect(notes.at(-1)).toBe('closed')
    expect(notes.length).toBeLessThan(PIECES.length)
  })

  it('cancels a response that was not read yet', async () => {
    const reasons: unknown[] = []
    const body = new ReadableStream({ cancel: (reason) => void reasons.push(reason) })
    await translateStream(new Response(body), options).cancel('no interest')
    expect(reasons).toEqual(['no interest'])
  })

  it('closes the source when a limit is exceeded', async () => {
    const notes: string[] = []
    await gather(translateStream(source(PIECES, notes), SMALL))
    expect(notes).toEqual(['read', 'read', 'read', 'closed'])
  })

  it('reads no further than its consumer does', async () => {
    const notes: string[] = []
    const reader = translateStream(source(PIECES, notes), options).getReader()
    for (let i = 0; i < 20; i += 1) await setImmediate()
    expect(notes).toEqual([])
    await reader.read()
    const read = notes.length
    for (let i = 0; i < 20; i += 1) await setImmediate()
    expect(notes).toHaveLength(read)
    await reader.cancel()
  })
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
    expect(() => createStreamTranslator({ from })).toThrow(/^from: expected one of openai-chat, .*, got "openai"$/)
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
    const typesOf = async (given: Partial<StreamOptions>): Promise<readonly string[]> =>
      (await collectResponse(new Response(bytes), { ...options, ...given })).output.map(({ type }) => type)
    return Promise.all([
      expect(typesOf({})).resolves.toEqual(['message']),
      expect(typesOf({ quirks: { thinkTags: true } })).resolves.toEqual(['reasoning', 'message']),
    ])
  })
})
