import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLANK_LINE } from '../../src/framing/boundary.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { createSseReader } from '../../src/framing/sse.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { lines, toSse } from '../arbitraries/sse.ts'
import { hostile } from '../arbitraries/strings.ts'
import { toBytes } from '../engine/run-engine.ts'
import { check } from '../property.ts'

/** Returns the frames that eventsource-parser reads from the whole text. */
function reference(text: string): readonly Frame[] {
  const frames: Frame[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => void frames.push({ event: event ?? '', data }),
    onError: (error) => {
      if (error.type === 'unknown-field' && error.field === 'error')
        frames.push({ event: 'error', data: error.value ?? '' })
    },
  })
  parser.feed(`${text.replace(/^\ufeff/, '')}\n\n`)
  return frames
}

function ours(text: string, at: readonly number[], limit = 1 << 20): readonly Frame[] {
  const reader = createSseReader(limit)
  return [...cutBytes(toBytes(text), at).flatMap((piece) => reader.push(piece)), ...reader.end()]
}

/** Lines after a byte order mark, and after one that was encoded twice, which only the beginning of a stream may have. */
const MARKED = ['\ufeffdata: z', 'ï»¿data: z', 'ï»¿error: z']

const line = fc.oneof(
  { weight: 6, arbitrary: hostile.map((text) => `data: ${text}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('event: x', 'event: ', 'event:y', 'event', 'id: 7', 'retry: 9', 'error: {}', ': c', ':'),
  },
  { weight: 2, arbitrary: fc.constantFrom('', '', '', 'data:', 'data', 'data:x', ' data: x', 'dat', ...MARKED) },
  { weight: 1, arbitrary: hostile },
)
const end = fc.constantFrom('\n', '\n', '\n', '\n\n', '\n\n', '\r\n', '\r', '\r\n\r\n', '')
const wild = fc
  .array(fc.tuple(line, end), { maxLength: 12 })
  .map((parts) => parts.map((part) => part.join('')).join(''))

// Replaces lone surrogates, because UTF-8 bytes cannot contain them.
const whole = (text: string): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(toBytes(text))

describe('the SSE reader compared with eventsource-parser', () => {
  it.each(['event: a\n:\ndata: 1\n\n', 'data: 1\n:\nevent: q\n\n', 'data: 1\nx\ndata: 2\n\ndata: 3\n\n'])(
    'reads a line of one character in %j as a line, not as the end of a message',
    (text) => {
      for (let at = 0; at <= text.length; at += 1) expect(ours(text, [at])).toEqual(reference(text))
    },
  )

  it('returns the same frames for any text, wherever it is cut', () => {
    check(
      fc.property(wild, cuts, (text, at) => {
        expect(ours(text, at)).toEqual(reference(whole(text)))
      }),
      2000,
    )
  })

  it('returns a frame whose lines end with a carriage return when its blank line arrives, before the next one', () => {
    const reader = createSseReader(1 << 20)
    const counts = ['data: a\r\r', '\ndata: b\r', '\n\r', 'data: c\r\n\r\n', 'data: d\r\r'].map(
      (piece) => reader.push(toBytes(piece)).length,
    )
    expect(counts).toEqual([1, 0, 1, 1, 1])
  })

  it('reads a mark that was encoded twice as a part of its line after the beginning of the stream', () => {
    for (const text of [
      'data: a\n\nï»¿error: b\n\n',
      'data: a\r\rï»¿error: b\r\r',
      'ï»¿data: a\n\n',
      'ï»¿: c\rdata: a\r\r',
    ])
      for (let at = 0; at < toBytes(text).length; at += 1) expect(ours(text, [at])).toEqual([{ event: '', data: 'a' }])
  })

  it('returns the same frames for streams as vendors write them', () => {
    check(
      fc.property(fc.array(hostile, { maxLength: 8 }), lines, cuts, (payloads, how, at) => {
        const text = toSse(payloads, how)
        expect(ours(text, at)).toEqual(reference(whole(text)))
      }),
    )
  })
})

describe('the end of a message in the bytes of server-sent events', () => {
  it.each([
    ['data: a\n\n', 'data: b\n\n'],
    ['data: a\r\n\r\n', 'data: b\r\n\r\n'],
    ['data: a\n\r\n', 'data: b\r\n\n'],
    ['data: a\r\n:\ndata: b\r\n\r\n', 'data: c\n\n'],
    ['data: a\n:\r\ndata: b\n', ''],
  ])('is behind the first blank line: %j, then %j', (message, more) => {
    expect(BLANK_LINE.end(toBytes(message + more), 0)).toBe(message.length)
    expect(BLANK_LINE.end(toBytes(`\n\n${message}${more}`), 2)).toBe(message.length + 2)
  })

  it.each([
    ['data: a\n\n', true],
    ['data: a\r\n\r\n', true],
    ['data: a\n\r\n', true],
    ['data: a\n', false],
    ['data: a\r\n', false],
    ['data: a\n:\n', false],
    ['data: a\n\n\r', false],
    ['\r\n', false],
  ])('is that of all bytes only if these end with a blank line: %j, %j', (text, expected) => {
    expect(BLANK_LINE.closes(toBytes(text))).toBe(expected)
  })
})

describe('the size limit of the SSE reader', () => {
  it('applies to whole messages, wherever the bytes are cut', () => {
    check(
      fc.property(fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 6 }), cuts, (sizes, at) => {
        const text = sizes.map((size) => `data: ${'x'.repeat(size)}\n\n`).join('')
        const readers = [cuts, at].map(() => createSseReader(40))
        for (const piece of cutBytes(toBytes(text), at)) readers[0]?.push(piece)
        readers[1]?.push(toBytes(text))
        const isTooLarge = sizes.some((size) => size + 'data: '.length + 1 > 40)
        expect(readers.map((reader) => reader.overflowed())).toEqual([isTooLarge, isTooLarge])
      }),
    )
  })

  it.each(['error: ', 'event: ', 'stray', ': ', 'id: ', 'data: '])(
    'applies to a line of %s that ends in the piece that begins it, in a stream of lone carriage returns',
    (field) => {
      for (const [size, isTooLarge] of [
        [40, false],
        [41, true],
      ] as const) {
        const line = field + 'x'.repeat(size - field.length)
        const strays: string[] = []
        const reader = createSseReader(40, (stray) => {
          strays.push(stray)
          return []
        })
        const frames = reader.push(toBytes(`data: 1\r\r${line}\r\rdata: 2\r\r: end\r`))
        expect(reader.overflowed()).toBe(isTooLarge)
        expect(frames.map(({ data }) => data).includes('2')).toBe(!isTooLarge)
        expect(JSON.stringify([frames, strays]).includes('xxx')).toBe(!isTooLarge && !/^(?::|id|event)/.test(field))
      }
    },
  )
})
