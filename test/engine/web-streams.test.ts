import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { beta } from '../../src/dialects/beta.ts'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { translateIterable, translateStream } from '../../src/engine/web-streams.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import { openaiChat } from '../../src/wires/openai-chat/index.ts'

const HELLO = new Uint8Array(readFileSync(new URL('../../fixtures/openai-chat/hello.stream.sse', import.meta.url)))

const head = { id: 'resp_1', created_at: 0, model: 'm', echo: EMPTY_ECHO }
const options: TranslationOptions = { wire: openaiChat, target: dialectTarget(openai), head }

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

function plainly(of: TranslationOptions = options): string {
  const translation = createTranslation(of)
  const written = PIECES.map((piece) => translation.receive(piece))
  return Buffer.concat([...written, translation.end()]).toString()
}

const failed = /"status":"failed"/
const forms = [
  { name: 'translateIterable', open: (of: TranslationOptions) => translateIterable(source(PIECES), of) },
  {
    name: 'translateStream',
    open: (of: TranslationOptions) => toWeb(source(PIECES)).pipeThrough(translateStream(of)),
  },
]

describe.each(forms)('translation of a stream with $name', ({ open }) => {
  it.each([beta, openai])('writes the same text as createTranslation: $name', async (dialect) => {
    const { text, sizes } = await gather(open({ ...options, target: dialectTarget(dialect) }))
    expect(text).toBe(plainly({ ...options, target: dialectTarget(dialect) }))
    expect(checkStream(text, dialect)).toEqual([])
    expect(sizes).not.toContain(0)
  })

  it('never returns borrowed buffers, even with the option lend', async () => {
    const lending = { ...options, lend: true }
    expect((await gather(open(lending))).text).toBe(plainly())
  })

  it('stops at a limit with a failed response', async () => {
    const { text } = await gather(open({ ...options, limits: { ...LIMITS, upstreamTotal: 20 } }))
    expect(text).toMatch(failed)
    expect(text).toContain('upstream_too_large')
    expect(checkStream(text, openai)).toEqual([])
  })
})

describe('translateIterable of a source', () => {
  it('ends as failed if the source throws', async () => {
    const { text } = await gather(
      translateIterable(source(PIECES.slice(0, 90), [], new Error('secret address')), options),
    )
    expect(text).toMatch(failed)
    expect(text).toContain('upstream_disconnected')
    expect(text).not.toContain('secret')
    expect(checkStream(text, openai)).toEqual([])
  })

  it('is complete if the source throws after the end', async () => {
    const { text } = await gather(translateIterable(source(PIECES, [], new Error('late')), options))
    expect(text).toBe(plainly())
  })

  it('closes the source if the consumer stops early', async () => {
    const notes: string[] = []
    for await (const _ of translateIterable(source(PIECES, notes), options)) break
    expect(notes.at(-1)).toBe('closed')
    expect(notes.length).toBeLessThan(PIECES.length)
  })

  it('closes the source when a limit is exceeded', async () => {
    const notes: string[] = []
    await gather(translateIterable(source(PIECES, notes), { ...options, limits: { ...LIMITS, upstreamTotal: 20 } }))
    expect(notes).toEqual(['read', 'read', 'read', 'closed'])
  })

  it('reads no further than its consumer does', async () => {
    const notes: string[] = []
    const output = translateIterable(source(PIECES, notes), options)
    await output.next()
    const read = notes.length
    for (let i = 0; i < 20; i += 1) await setImmediate()
    expect(notes).toHaveLength(read)
    await output.return()
  })

  it('does not report an error of its consumer as an upstream error', async () => {
    const output = translateIterable(source(PIECES), options)
    await output.next()
    await expect(output.throw(new Error('mine'))).rejects.toThrow('mine')
  })
})

describe('translateStream of a source', () => {
  it('closes its source when a limit is exceeded', async () => {
    const notes: string[] = []
    const limits = { ...LIMITS, upstreamTotal: 20 }
    await gather(toWeb(source(PIECES, notes)).pipeThrough(translateStream({ ...options, limits })))
    await expect.poll(() => notes.at(-1), { timeout: 30_000 }).toBe('closed')
    expect(notes.length).toBeLessThan(10)
  })

  it('fails if the upstream fails', async () => {
    const broken = toWeb(source(PIECES.slice(0, 90), [], new Error('reset')))
    await expect(gather(broken.pipeThrough(translateStream(options)))).rejects.toThrow('reset')
  })

  it('accepts the body of a fetch and provides the body of a Response', async () => {
    const body = new Response(HELLO).body?.pipeThrough(translateStream(options))
    expect(await new Response(body).text()).toBe(plainly())
  })
})
