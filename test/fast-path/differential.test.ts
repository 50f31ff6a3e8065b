import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import type { Outcome } from '../../src/engine/outcome.ts'
import { dialectTarget, type Target } from '../../src/engine/target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import type { StreamWire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts, slices } from '../arbitraries/bytes.ts'
import { damage, damages } from '../arbitraries/corrupt-bytes.ts'
import { reads } from '../arbitraries/reads.ts'
import { hostile } from '../arbitraries/strings.ts'
import { CLIENT_WIRES, REQUEST_WITH_EVERYTHING } from '../cross-translate.ts'
import { ALL_FIXTURES, optionsOf, toBytes } from '../engine/run-engine.ts'
import { check, checkCase, IS_WHOLE, someOf } from '../property.ts'
import { RECORDED_STREAMS, readRecorded } from '../recordings.ts'
import { fresh, toBinary } from './both.ts'

/** Law 9: the fast path writes the same bytes as the slow path, and was taken. */

const { beta, openai } = DIALECTS

/** Every dialect, and the clients of every wire in each of their formats. */
const TARGETS: readonly Target[] = [
  dialectTarget(beta),
  dialectTarget(openai),
  ...CLIENT_WIRES.map((to) => wireTarget(to, { settings: REQUEST_WITH_EVERYTHING })),
  ...CLIENT_WIRES.flatMap((to) => (to.name === 'gemini-generate' ? [wireTarget(to, { format: 'array' })] : [])),
]
const targets = fc.constantFrom(...TARGETS)

const slowly = ({ template: _, ...wire }: StreamWire): StreamWire => wire

interface Translated {
  readonly text: string
  readonly outcome: Outcome
}

function translateAll(options: TranslationOptions, pieces: readonly Uint8Array[]): Translated {
  const stream = createTranslation(options)
  const written = pieces.map((piece) => toBinary(stream.push(piece)))
  const text = written.join('') + toBinary(stream.push('end'))
  return { text, outcome: stream.outcome() }
}

/** Runs both paths and compares them. Returns the number of chunks on the fast path. */
function both(options: TranslationOptions, pieces: readonly Uint8Array[]): number {
  const fast = translateAll(options, pieces)
  const slow = translateAll({ ...options, wire: slowly(options.wire) }, pieces)
  if (fast.text !== slow.text) expect(fast.text).toBe(slow.text)
  const outcomes = [fast, slow].map(({ outcome }) => ({ ...outcome, chunks: outcome.chunks.received }))
  // As text, because `expect` takes longer for values than the translation of a short stream.
  if (JSON.stringify(outcomes[0]) !== JSON.stringify(outcomes[1])) expect(outcomes[0]).toEqual(outcomes[1])
  return fast.outcome.chunks.fast
}

describe('law 9, the fast path against the slow path', () => {
  it.each(ALL_FIXTURES)('writes the same bytes for $wire.name $name at any cut', (fixture) => {
    const { wire, name, stream, quirks } = fixture
    const options = optionsOf(openai, quirks, name, wire)
    for (const target of someOf(TARGETS, TARGETS.length, ALL_FIXTURES.indexOf(fixture))) {
      for (const size of someOf([1, 7, 100, 1400], 2)) both({ ...options, target }, slices(stream, size))
    }
    checkCase(
      fc.property(targets, cuts, (target, at) => void both({ ...options, target }, cutBytes(stream, at))),
      20,
    )
  })

  it.each(Object.values(WIRES))('writes the same bytes for random streams of $name', (wire) => {
    check(fc.property(targets, reads(wire), (target, [options, pieces]) => void both({ ...options, target }, pieces)))
  })

  it.each(ALL_FIXTURES)(
    'writes the same bytes for $wire.name $name with damaged, doubled and moved pieces',
    ({ wire, name, stream, quirks }) => {
      const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 40 }), fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 })
      checkCase(
        fc.property(targets, damage, cuts, (target, places, at) => {
          const bytes = places.reduce((now, [from, size, to, byte]) => damaged(now, from, size, to, byte), stream)
          both({ ...optionsOf(openai, quirks, name, wire), target }, cutBytes(bytes, at))
        }),
        40,
      )
    },
  )
})

describe.runIf(RECORDED_STREAMS.length > 0)('law 9, damaged recordings on both paths', () => {
  it.each(Object.values(WIRES))('writes the same bytes for damaged recordings of $name', (wire) => {
    const streams = RECORDED_STREAMS.filter((one) => one.wire === wire)
    check(
      fc.property(fc.constantFrom(...streams), damages, cuts, targets, (one, strokes, at, target) => {
        const bytes = damage(wire.framing, readRecorded(one.file), strokes)
        both({ ...optionsOf(openai, one.quirks, 'x', wire), target }, cutBytes(bytes, at))
      }),
      100,
    )
  })
})

function damaged(bytes: Uint8Array, from: number, size: number, to: number, byte: number): Uint8Array {
  const [start, place] = [from % (bytes.length + 1), to % (bytes.length + 1)]
  const piece = bytes.subarray(start, start + size)
  const changed = new Uint8Array(Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place)]))
  if (byte > 200) changed[place % changed.length] = byte
  return changed
}

// ---------------------------------------------------------------- streams that repeat one kind of chunk

const chat = WIRES['openai-chat']

/** Returns openai-chat chunks with these texts, written by the given serialiser. */
const chunksOf = (texts: readonly string[], write: (chunk: unknown) => string, more: (i: number) => object): string =>
  texts
    .map((text, i) => ({ ...more(i), choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }))
    .map((chunk) => `data: ${write(chunk)}\n\n`)
    .join('')

const ascii = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
const slashes = (value: unknown): string => JSON.stringify(value).replaceAll('/', '\\/')
const spaced = (value: unknown): string => JSON.stringify(value, null, 1).replace(/\n */g, ' ')

const NOTHING = () => ({})
const SERIALISERS = { plain: JSON.stringify, ascii, slashes, spaced }
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

/** Returns a Bedrock stream with one message for each text, padded as Bedrock pads its messages. */
const messagesOf = (texts: readonly string[]): Uint8Array => {
  const frame = (event: string, data: object) => encodeEventStream({ event, data: JSON.stringify(data) })
  const p = (i: number) => 'abcdefghijklmnop'.slice(0, 1 + (i % 16))
  return new Uint8Array(
    Buffer.concat([
      frame('messageStart', { p: 'ab', role: 'assistant' }),
      ...texts.map((text, i) => frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text }, p: p(i) })),
      frame('contentBlockStop', { contentBlockIndex: 0, p: 'a' }),
      frame('messageStop', { p: 'abc', stopReason: 'end_turn' }),
    ]),
  )
}

describe('binary messages of one kind', () => {
  const bedrock = WIRES['bedrock-converse']
  const options = optionsOf(openai, {}, 'x', bedrock)

  it('take the fast path wherever they are cut', () => {
    const stream = messagesOf(Array.from({ length: 100 }, (_, i) => ` word${i}`))
    for (const size of [1, 97, 1400, 1 << 20])
      expect(both({ ...options, wire: fresh(bedrock) }, slices(stream, size))).toBeGreaterThan(90)
  })

  it('give the same bytes on both paths for any text', () => {
    check(
      fc.property(fc.array(hostile, { minLength: 2, maxLength: 30 }), cuts, (texts, at) => {
        both(options, cutBytes(messagesOf(texts), at))
      }),
      200,
    )
  })

  it('give the same bytes on both paths for any flipped bit', () => {
    const stream = messagesOf(Array.from({ length: 8 }, (_, i) => ` word${i}`))
    for (let at = 0; at < stream.length; at += IS_WHOLE ? 1 : 37) {
      const wrong = stream.slice()
      wrong[at] = (wrong[at] as number) ^ (1 << (at % 8))
      both(options, slices(wrong, at % 2 === 0 ? 1 << 20 : 100))
    }
  })
})

describe('streams of one kind of chunk', () => {
  it.each(Object.entries(SERIALISERS))('give the same bytes on both paths for any text: %s', (_, write) => {
    check(
      fc.property(fc.array(hostile, { minLength: 2, maxLength: 30 }), cuts, (texts, at) => {
        const bytes = toBytes(chunksOf(texts, write, NOTHING) + END)
        for (const target of someOf(TARGETS, 3, texts.length))
          both({ ...optionsOf(openai, {}, 'x', chat), target }, cutBytes(bytes, at))
      }),
      200,
    )
  })

  const words = Array.from({ length: 200 }, (_, i) => ` word${i}`)
  const shareFor = (target: Target, stream: string, wire: StreamWire = chat, quirks = {}): number => {
    const options = { ...optionsOf(openai, quirks, 'x', fresh(wire)), target }
    const bytes = toBytes(stream)
    const sizes = someOf([500, 1400, 1 << 20], 3, stream.length)
    return Math.min(...sizes.map((size) => both(options, slices(bytes, size)))) / words.length
  }
  const share = (stream: string, wire?: StreamWire, quirks?: object): number =>
    shareFor(dialectTarget(openai), stream, wire, quirks)

  it.each(TARGETS)('take the fast path for $name ($format)', (target) => {
    expect(shareFor(target, chunksOf(words, JSON.stringify, NOTHING) + END)).toBeGreaterThan(0.95)
    const reasoning = words.map((text) => ({ choices: [{ index: 0, delta: { reasoning_content: text } }] }))
    const thought = reasoning.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
    expect(shareFor(target, thought + END)).toBeGreaterThan(0.9)
  })

  it('take the fast path for plain and for spaced JSON', () => {
    expect(share(chunksOf(words, JSON.stringify, NOTHING) + END)).toBeGreaterThan(0.95)
    expect(share(chunksOf(words, spaced, NOTHING) + END)).toBeGreaterThan(0.95)
  })

  it('take the fast path if all chunks have the same text', () => {
    expect(
      share(
        chunksOf(
          words.map(() => ' word'),
          JSON.stringify,
          NOTHING,
        ) + END,
      ),
    ).toBeGreaterThan(0.95)
  })

  it('take the fast path if padding differs in every chunk', () => {
    const padding = (i: number) => ({ created: 1_700_000_000 + i, obfuscation: 'x'.repeat(i % 7) })
    expect(share(chunksOf(words, JSON.stringify, padding) + END)).toBeGreaterThan(0.9)
  })

  it('take the fast path if unread fields change', () => {
    const unknown = (i: number) => ({ nonce: `n-${i * 7919}`, more: { at: i } })
    expect(share(chunksOf(words, JSON.stringify, unknown) + END)).toBeGreaterThan(0.9)
  })

  it('take the fast path if an unread field repeats the text, or spaces precede the last brace', () => {
    const twins = words.map((text, i) => {
      const word = JSON.stringify(text)
      return `data: {"choices":[{"index":0,"text":${word},"delta":{"token_id":${i * 7919},"content":${word}}}]}\n\n`
    })
    expect(share(twins.join('') + END)).toBeGreaterThan(0.9)
    const padded = (chunk: unknown): string => JSON.stringify(chunk).replace(/}$/, `${' '.repeat(spaces())}}`)
    let at = 0
    const spaces = (): number => (at = (at + 5) % 17)
    expect(share(chunksOf(words, padded, NOTHING) + END)).toBeGreaterThan(0.9)
  })

  it('take the fast path if extra fields come and go before other fields, but not as the last field', () => {
    expect(share(chunksOf(words, JSON.stringify, (i) => ({ [`n${i}`]: 1 })) + END)).toBeGreaterThan(0.9)
    let at = 0
    const last = chunksOf(words, JSON.stringify, NOTHING).replace(/(?<=\}\])(?=\}\n)/g, () => `,"n${at++}":1`)
    expect(last).toContain(',"n199":1}')
    expect(share(last + END)).toBe(0)
  })

  it('take the slow path if a field that the decoder reads changes', () => {
    expect(share(chunksOf(words, JSON.stringify, (i) => ({ model: `m-${i}` })) + END)).toBe(0)
  })

  it('take the slow path if the decoder scans the text for think tags', () => {
    const reasoning = ['<think>', ...words]
    expect(share(chunksOf(reasoning, JSON.stringify, NOTHING) + END, chat, { thinkTags: true })).toBe(0)
  })

  it('give the same bytes on both paths if another field repeats the text or a name occurs twice', () => {
    const twins = words.map((text) => {
      const word = JSON.stringify(text)
      return `data: {"choices":[{"index":0,"text":${word},"delta":{"content":${word}}}]}\n\n`
    })
    share(twins.join('') + END)
    const decoys = words.map((text) => {
      const word = JSON.stringify(text)
      return `data: {"x":{"content":${word}},"choices":[{"index":0,"delta":{"content":"a","content":${word}}}]}\n\n`
    })
    share(decoys.join('') + END)
  })

  it('return to the fast path after other chunks', () => {
    const ping = ': ping\n\ndata: {"choices":[]}\n\n'
    const stream = words
      .map((word, i) => chunksOf([word], JSON.stringify, NOTHING) + (i % 20 === 7 ? ping : ''))
      .join('')
    expect(share(stream + END)).toBeGreaterThan(0.85)
  })
})
