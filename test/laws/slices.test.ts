import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { Sliced, TranslationOptions } from '../../src/engine/answer.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { CLIENT_WIRES } from '../cross-translate.ts'
import { ALL_FIXTURES, collected, endOf, optionsOf, toBytes, translated } from '../engine/run-engine.ts'
import { check, expectSame } from '../property.ts'

/** Work in slices gives the same bytes as work at once, however small the slices are. */

/** Bound of one written piece in bytes. Only a frame that is not a long text may exceed it. */
const PIECE = 256 * 1024 + 128 * 1024

/** Yields the piece of a call, then the pieces of all remaining slices. */
function* drained(stream: Sliced<Uint8Array>, first: Uint8Array): Generator<Uint8Array> {
  yield first
  while (stream.busy()) yield stream.resume()
}

function inSlices(options: TranslationOptions, pieces: readonly Uint8Array[], slice: number): readonly Uint8Array[] {
  const stream = createTranslation({ ...options, slice })
  const read = pieces.flatMap((piece) => [...drained(stream, stream.push(piece))])
  return [...read, ...drained(stream, stream.push('end'))]
}

const textOf = (pieces: readonly Uint8Array[]): string => new TextDecoder().decode(Buffer.concat(pieces))

describe.each(ALL_FIXTURES)('slices of $wire.name/$name', ({ wire, name, quirks, stream }) => {
  it.each(Object.values(DIALECTS))('give the same bytes in $name for any cut and slice size', (dialect) => {
    const options = optionsOf(dialect, quirks, name, wire)
    check(
      fc.property(cuts, fc.integer({ min: 1, max: 5 }), (at, slice) => {
        const pieces = cutBytes(stream, at)
        expectSame(textOf(inSlices(options, pieces, slice)), translated(options, pieces))
      }),
      4,
    )
  })

  it('collect the same response in slices of one event', () => {
    const options = optionsOf(DIALECTS.openai, quirks, name, wire)
    const collection = createBodyCollector({ ...options, slice: 1 })
    collection.push(stream)
    while (collection.busy()) collection.resume()
    collection.push('end')
    while (collection.busy()) collection.resume()
    expect(endOf(collection)).toEqual(collected(options, [stream]))
  })

  it.each(CLIENT_WIRES)('send clients of $name the same bytes in slices of one event', (to) => {
    const options = optionsOf(DIALECTS.openai, quirks, name, wire)
    const [whole, sliced] = [
      createTranslation({ ...options, target: wireTarget(to) }),
      createTranslation({ ...options, target: wireTarget(to), slice: 1 }),
    ]
    const pieces = [...drained(sliced, sliced.push(stream)), ...drained(sliced, sliced.push('end'))]
    expect(textOf(pieces)).toBe(textOf([whole.push(stream), whole.push('end')]))
    const collection = createBodyCollector({ ...options, target: wireTarget(to), slice: 1 })
    collection.push(stream)
    collection.push('end')
    while (collection.busy()) collection.resume()
    const other = createBodyCollector({ ...options, target: wireTarget(to) })
    other.push(stream)
    expect(endOf(collection)).toEqual(endOf(other))
  })
})

describe('slices of large answers', () => {
  const chunk = (delta: object): string => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`
  const done = `${chunk({})}data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
  const long = 'a"\n\u{1f642}é'.repeat(100_000)

  it.each(Object.values(DIALECTS))('write a long text in bounded pieces in $name', (dialect) => {
    const options = optionsOf(dialect)
    const stream = toBytes(chunk({ content: 'Hi ' }) + chunk({ content: long }) + done)
    const pieces = inSlices(options, [stream], 256)
    expect(textOf(pieces)).toBe(translated(options, [stream]))
    // The delta is one frame. Its repetitions in the later events are written in pieces.
    const sizes = pieces.map(({ length }) => length).sort((a, b) => b - a)
    expect(sizes.slice(1).every((size) => size <= PIECE)).toBe(true)
    expect(pieces.length).toBeGreaterThan(6)
  })

  it('write one frame of many parts in several pieces', () => {
    const parts = Array.from({ length: 1500 }, (_, i) =>
      i % 2 === 0 ? { text: `t${i}` } : { text: 'x', thought: true },
    )
    const data = JSON.stringify({ candidates: [{ content: { parts }, finishReason: 'STOP' }] })
    const options = optionsOf(DIALECTS.openai, {}, 'x', WIRES['gemini-generate'])
    const stream = toBytes(`data: ${data}\n\n`)
    const pieces = inSlices(options, [stream], 100)
    expect(textOf(pieces)).toBe(translated(options, [stream]))
    expect(pieces.length).toBeGreaterThan(50)
  })

  it('write many frames of one read in several pieces', () => {
    const options = optionsOf(DIALECTS.openai)
    const frame = (i: number): string => chunk(i % 2 === 0 ? { content: `t${i}` } : { reasoning_content: 'x' })
    const stream = toBytes(Array.from({ length: 500 }, (_, i) => frame(i)).join('') + done)
    const pieces = inSlices(options, [stream], 100)
    expect(textOf(pieces)).toBe(translated(options, [stream]))
    // Inside one frame, a slice ends after twice the number of steps.
    const counts = pieces.map((piece) => textOf([piece]).split('\n\n').length)
    expect(Math.max(...counts)).toBeLessThanOrEqual(200)
  })

  const tokens = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      token: i % 100 === 0 ? 'x'.repeat(2000) : `t${i}`,
      logprob: -0.5,
      bytes: [116],
      top_logprobs: [{ token: 'a', logprob: -1, bytes: null }],
    }))
  const tokenChunk = (content: string, count: number): string =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, logprobs: { content: tokens(count) } }] })}\n\n`

  it.each(Object.values(DIALECTS))('write an event of many values in bounded pieces in $name', (dialect) => {
    const options = optionsOf(dialect)
    const items = Array.from({ length: 600 }, (_, i) =>
      chunk(i % 2 === 0 ? { content: 'a' } : { reasoning_content: 'b' }),
    )
    const stream = toBytes(tokenChunk('first', 5000) + items.join('') + tokenChunk('last', 3) + done)
    for (const coalesce of [false, true]) {
      const pieces = inSlices({ ...options, coalesce }, [stream], 256)
      expect(textOf(pieces)).toBe(translated({ ...options, coalesce }, [stream]))
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(PIECE)
    }
  })

  it.each(Object.values(DIALECTS))(
    'place citations that wait for the end of a text in several slices in $name',
    (dialect) => {
      const options = optionsOf(dialect, {}, 'x', WIRES['cohere-chat'])
      const text = Array.from({ length: 12_000 }, (_, i) => `word${i} `).join('')
      const event = (value: { readonly type: string }): string =>
        `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
      const citation = (start: number, quote: string) => ({
        type: 'citation-start',
        index: start,
        delta: {
          message: {
            citations: {
              start,
              end: start + 3,
              text: quote,
              sources: [{ type: 'document', id: 'd', document: { url: `https://a.example/${start}` } }],
            },
          },
        },
      })
      const quotes = Array.from({ length: 300 }, (_, i) => citation(i * 10, text.slice(i * 300 + 5, i * 300 + 17)))
      const stream = toBytes(
        [
          { type: 'message-start', id: 'm', delta: { message: { role: 'assistant' } } },
          { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
          { type: 'content-delta', index: 0, delta: { message: { content: { text } } } },
          ...quotes,
          { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
        ]
          .map(event)
          .join(''),
      )
      const pieces = inSlices(options, [stream], 256)
      expect(textOf(pieces)).toBe(translated(options, [stream]))
      expect(textOf(pieces).split('a.example').length).toBeGreaterThan(300)
    },
  )

  it('keep reads in order behind the remaining work', () => {
    const options = optionsOf(DIALECTS.openai)
    const frames = Array.from({ length: 50 }, (_, i) => toBytes(chunk({ content: `${i} ` })))
    const all = [...frames, toBytes(done)]
    const stream = createTranslation({ ...options, slice: 1 })
    const early = all.map((piece) => stream.push(piece))
    const pieces = [...early, ...drained(stream, stream.push('end'))]
    expect(textOf(pieces)).toBe(translated(options, all))
  })
})
