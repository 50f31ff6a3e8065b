import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FrameReader } from '../../src/framing/frame.ts'
import { splitFrames } from '../../src/framing/framing.ts'
import { createNdjsonReader, NDJSON } from '../../src/framing/ndjson.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { formattings, toNdjson } from '../arbitraries/ndjson.ts'
import { hostile } from '../arbitraries/strings.ts'
import { toBytes } from '../engine/run-engine.ts'
import { check } from '../property.ts'

const readAll = (reader: FrameReader, pieces: readonly Uint8Array[]): readonly string[] =>
  [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()].map(({ data }) => data)

const read = (text: string, limit = 1 << 20): readonly string[] => readAll(createNdjsonReader(limit), [toBytes(text)])

describe('the reader of NDJSON', () => {
  const cases: [string, string, string[]][] = [
    ['nothing', '', []],
    ['LF', '{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
    ['CRLF', '{"a":1}\r\n{"b":2}\r\n', ['{"a":1}', '{"b":2}']],
    ['no last end', '{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}']],
    ['blank lines', '\n \n{"a":1}\n\r\n\t\n{"b":2}\n\n', ['{"a":1}', '{"b":2}']],
    ['a byte order mark', '\ufeff{"a":1}\n', ['{"a":1}']],
    ['line ends of Unicode in a string', '{"a":"\u2028\u0085"}\n', ['{"a":"\u2028\u0085"}']],
    ['an escaped line end', '{"a":"\\n"}\n', ['{"a":"\\n"}']],
  ]
  it.each(cases)('returns the payloads of a stream with %s', (_, text, lines) => {
    expect(read(text)).toEqual(lines)
  })

  it('returns the same payloads wherever the bytes are cut, in every spelling', () => {
    const payload = fc.oneof(hostile, fc.constantFrom('日本', '😀', 'é')).map((text) => JSON.stringify({ text }))
    check(
      fc.property(fc.array(payload, { maxLength: 6 }), formattings, cuts, (payloads, how, at) => {
        const pieces = cutBytes(toBytes(toNdjson(payloads, how)), at)
        expect(readAll(createNdjsonReader(1 << 20), pieces)).toEqual(payloads)
      }),
    )
  })

  it('keeps the text of each line if it is asked to, and gives the last one a line end', () => {
    const reader = createNdjsonReader(1 << 20, true)
    expect([...reader.push(toBytes('{"a":1}\r\n\n{"b"')), ...reader.push(toBytes(':2}')), ...reader.end()]).toEqual([
      { event: '', data: '{"a":1}', text: '{"a":1}\r\n' },
      { event: '', data: '', text: '\n', isBlank: true },
      { event: '', data: '{"b":2}', text: '{"b":2}\n' },
    ])
    expect(reader.end()).toEqual([])
  })

  it('replaces only the damaged characters', () => {
    const bytes = new Uint8Array([...toBytes('{"a":"'), 0xe2, 0x82, ...toBytes('"}\n{"b":"é"}\n')])
    for (const pieces of [[bytes], cutBytes(bytes, [6, 7, 8, 9])]) {
      expect(readAll(createNdjsonReader(1 << 20), pieces)).toEqual(['{"a":"\ufffd"}', '{"b":"é"}'])
    }
  })

  it.each([
    ['in one piece', [1 << 20]],
    ['in pieces', [3]],
  ])('stops reading at a line over the limit: %s', (_, [size = 1]) => {
    const bytes = toBytes(`{"a":1}\n{"b":"${'x'.repeat(40)}"}\n{"c":3}\n`)
    const reader = createNdjsonReader(20)
    const at = Array.from({ length: Math.floor(bytes.length / size) }, (__, i) => (i + 1) * size)
    expect(readAll(reader, cutBytes(bytes, at))).toEqual(['{"a":1}'])
    expect(reader.overflowed()).toBe(true)
  })

  it('does not buffer a line that never ends', () => {
    const reader = createNdjsonReader(100)
    for (let i = 0; i < 50; i += 1) expect(reader.push(toBytes('y'.repeat(10)))).toEqual([])
    expect(reader.overflowed()).toBe(true)
    expect(reader.end()).toEqual([])
  })

  it('splits a stream into its lines with their line ends', () => {
    const bytes = toBytes('{"a":1}\n\n{"b":2}\r\n{"c":3}')
    expect(splitFrames(NDJSON, bytes).map((piece) => new TextDecoder().decode(piece))).toEqual([
      '{"a":1}\n',
      '\n{"b":2}\r\n',
      '{"c":3}',
    ])
  })
})

describe('a stream with another content type', () => {
  const { looksLike } = NDJSON

  it.each(['{"model":"m"}\n', '\ufeff {"error":"x"}', '{ "model"', '\r\n{"a"'])('is detected as NDJSON: %j', (text) => {
    expect(looksLike.test(text)).toBe(true)
  })

  it.each(['{\n  "model": "m"', '<html>', '[{"a":1}]', 'data: {"a":1}', '', '404 page not found'])(
    'is not detected as NDJSON: %j',
    (text) => {
      expect(looksLike.test(text)).toBe(false)
    },
  )
})
