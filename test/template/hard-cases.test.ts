import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { type TranslateOptions, translate } from '../../src/engine.ts'
import { crc32 } from '../../src/framing/crc32.ts'
import { encodeEventStream, encodeMessage } from '../../src/framing/eventstream.ts'
import type { Headers } from '../../src/framing/eventstream-headers.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { WIRES } from '../../src/wires/registry.ts'
import type { WireName } from '../../src/wires/wire.ts'
import { slices } from '../arbitraries/bytes.ts'
import { optionsOf, toBytes } from '../translated.ts'

/** Streams that a fast path could take for what they are not: each of them once went wrong. */

const optionsFor = (wire: WireName): TranslateOptions => optionsOf(DIALECTS.openai, {}, 'x', WIRES[wire])

/** What is said read by read, and what becomes of it; `ask`: somebody asks for the outcome after each read. */
function told(options: TranslateOptions, reads: readonly Uint8Array[], ask: boolean) {
  const stream = translate(options)
  const decoder = new TextDecoder()
  const said = reads.map((read) => {
    const text = decoder.decode(stream.receive(read))
    return { text, ...(ask ? { status: stream.outcome().status } : {}) }
  })
  const end = decoder.decode(stream.end())
  const { chunks, ...outcome } = stream.outcome()
  return { said, end, outcome, heard: chunks.heard, fast: chunks.fast }
}

/** Both paths say the same with each read; returns how many chunks took the fast one. */
function both(options: TranslateOptions, reads: readonly Uint8Array[], ask = false): number {
  const { template: _, ...slow } = options.wire
  const { fast, ...quickly } = told(options, reads, ask)
  const { fast: none, ...slowly } = told({ ...options, wire: slow }, reads, ask)
  expect(none).toBe(0)
  expect(quickly).toEqual(slowly)
  return fast
}

const sse = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const chat = (content: string): string => sse({ choices: [{ index: 0, delta: { content } }] })
const message = (text: string): Uint8Array =>
  encodeEventStream({ event: 'contentBlockDelta', data: JSON.stringify({ contentBlockIndex: 0, delta: { text } }) })
const joined = (messages: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(messages))
const WORDS = ['a', 'b', 'c', 'd', 'e', 'f']

describe('what is too large', () => {
  const limits = { ...LIMITS, upstreamEvent: 300 }
  it.each([1 << 20, 300, 100, 7])('ends the stream in reads of %i', (size) => {
    const text = [...WORDS.map(chat), chat('x'.repeat(500)), chat('g')].join('')
    both({ ...optionsFor('openai-chat'), limits }, slices(toBytes(text), size))
    const binary = joined([...WORDS.map(message), message('x'.repeat(500)), message('g')])
    both({ ...optionsFor('bedrock-converse'), limits }, slices(binary, size))
    both({ ...optionsFor('bedrock-converse'), limits }, slices(binary.subarray(0, binary.length - 300), size))
  })
})

describe('chunks that are only alike', () => {
  it('halves of a character, by whom they are counted', () => {
    const start = (index: number) =>
      sse({ type: 'content-start', index, delta: { message: { content: { type: 'text' } } } })
    const delta = (index: number, text: string) =>
      sse(`{"type":"content-delta","index":${index},"delta":{"message":{"content":{"text":"${text}"}}}}`)
    const citation = {
      start: 0,
      end: 5,
      content_index: 1,
      sources: [{ type: 'document', document: { url: 'https://a.example' } }],
    }
    const cite = sse({ type: 'citation-start', index: 0, delta: { message: { citations: citation } } })
    for (const halves of [['\\ud83d', '\\ude00'], ['\\ude00'], ['\\ud83d']]) {
      const first = WORDS.map((word) => delta(0, word))
      const [high = '', low = ''] = halves
      const text = [
        start(0),
        ...first,
        delta(0, high),
        ': ping\n\n',
        delta(0, `${low} `),
        ...first,
        start(1),
        delta(1, 'hello'),
        cite,
      ]
      both(optionsFor('cohere-chat'), slices(toBytes(text.join('')), 1 << 20))
    }
  })

  it('numbers that go on behind their digits', () => {
    const chunk = (tokens: string) =>
      sse(
        `{"choices":[{"index":0,"delta":{"content":"w${tokens}"}}],"usage":{"prompt_tokens":${tokens},"total_tokens":2}}`,
      )
    const text = ['1e1', '2e1', '3e1', '4e1', '5e1', '999999999999999e1'].map(chunk).join('')
    both(optionsFor('openai-chat'), slices(toBytes(text), 1 << 20))
  })

  it('names with a quote in them', () => {
    const chunk = (i: number, value: string) =>
      sse(
        `{"choices":[{"index":0,"delta":{"content":"","reasoning_details":[{"type":"reasoning.text","text":"t","signature":"S","a\\"b":"${value}"}]}}],"usage":{"prompt_tokens":${i},"total_tokens":${i}}}`,
      )
    const text = ['Z', 'Z', 'Z', 'Z', 'Y', ''].map((value, i) => chunk(i + 1, value)).join('')
    both(optionsFor('openai-chat'), slices(toBytes(text + chat('end')), 1 << 20))
  })

  it('blank lines inside of an array', () => {
    const chunk = (text: string) => sse({ candidates: [{ content: { parts: [{ text }] } }] })
    const text = `[${WORDS.map(chunk).join('')}{"candidates":[\n\n${chunk('inside')}${chunk('of it')}]}${chunk('after')}`
    for (const size of [1 << 20, 100, 1]) both(optionsFor('gemini-generate'), slices(toBytes(text), size))
    for (const size of [1, 2]) both(optionsFor('gemini-generate'), slices(toBytes(`\n ${text}`), size))
  })
})

describe('binary messages', () => {
  const bedrock = optionsFor('bedrock-converse')

  it('with a zero that has another sign among their headers', () => {
    const flag = ['', { type: 'boolean', value: true }] as const
    const headers: Headers = [
      flag,
      flag,
      flag,
      flag,
      [':event-type', { type: 'string', value: 'contentBlockDelta' }],
      [':message-type', { type: 'string', value: 'event' }],
    ]
    const own = (text: string) =>
      encodeMessage(headers, toBytes(JSON.stringify({ contentBlockIndex: 0, delta: { text } })))
    const wrong = own('wrong')
    wrong[12 + 7] = 0x80
    new DataView(wrong.buffer, wrong.byteOffset).setUint32(wrong.length - 4, crc32(wrong, wrong.length - 4))
    both(bedrock, [joined([...WORDS.map(own), wrong, own('g')])])
  })

  it('whose beginning is damaged, as soon as it is there', () => {
    const damaged = message('hi').slice()
    const view = new DataView(damaged.buffer, damaged.byteOffset)
    view.setUint32(4, 5000)
    view.setUint32(8, crc32(damaged, 8))
    for (const ask of [false, true]) {
      both(bedrock, [damaged.subarray(0, 40)], ask)
      both(bedrock, slices(joined([...WORDS.map(message), damaged]), 50), ask)
    }
  })

  it('whoever asks for the outcome while one is incomplete', () => {
    const stream = joined(Array.from({ length: 200 }, (_, i) => message(` word${i}`)))
    for (const size of [97, 1400]) {
      expect(both(bedrock, slices(stream, size), true)).toBeGreaterThan(190)
    }
    const nested = encodeEventStream({ event: 'x', data: new TextDecoder('latin1').decode(message('inner')) })
    const whole = joined([...WORDS.map(message), nested, message('after')])
    both(bedrock, slices(whole, 60), true)
  })
})

it('what is cut is not put together again and again', () => {
  const long = toBytes([...WORDS.map(chat), chat('x'.repeat(60_000))].join(''))
  const stream = translate(optionsFor('openai-chat'))
  const begun = performance.now()
  for (const read of slices(long, 1)) stream.receive(read)
  // 12 s where each read copied all that waited; a tenth of a second where it does not.
  expect(performance.now() - begun).toBeLessThan(6_000)
})
