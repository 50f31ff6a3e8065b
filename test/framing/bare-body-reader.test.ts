import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBareBodyReader } from '../../src/framing/bare-body-reader.ts'
import { NDJSON } from '../../src/framing/ndjson.ts'
import { SSE } from '../../src/framing/sse.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { toBytes } from '../engine/run-engine.ts'
import { check } from '../property.ts'

const LIMIT = 1_000_000

describe('a body in place of a stream', () => {
  it('is held back after one byte exactly if JSON, a page, white space or a byte order mark may begin with it', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const reader = createBareBodyReader(SSE, LIMIT)
      reader.push(Uint8Array.of(byte))
      const mayBegin = /^[\s{[<"\u00ef]$/.test(String.fromCharCode(byte))
      expect(reader.held() !== null, `0x${byte.toString(16)}`).toBe(mayBegin)
    }
  })

  it('is returned whole after a byte order mark and white space, wherever it is cut', () => {
    const bodies = fc.tuple(
      fc.constantFrom('', '\ufeff'),
      fc.constantFrom('', ' ', '\n\t '),
      fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())),
    )
    check(
      fc.property(bodies, cuts, ([mark, space, value], at) => {
        const text = space + JSON.stringify(value)
        const reader = createBareBodyReader(SSE, LIMIT)
        const frames = cutBytes(toBytes(mark + text), at).flatMap((piece) => reader.push(piece))
        expect([frames, reader.held()]).toEqual([[], text])
      }),
    )
  })

  it('is returned whole behind comments, wherever it is cut; without one, comments are a stream', () => {
    const comments = fc.array(fc.constantFrom(': k\n', ':\r\n', '\n', '\r\n', ': "{[<\n\n'), { maxLength: 3 })
    const bodies = fc.constantFrom('', '{"a":[1,"\\n: b"]}', '[{}]\n', '"busy"')
    check(
      fc.property(comments, bodies, cuts, (lines, body, at) => {
        const reader = createBareBodyReader(SSE, LIMIT, true)
        const bytes = toBytes(`: first\n${lines.join('')}${body}`)
        const frames = cutBytes(bytes, at).flatMap((piece) => reader.push(piece))
        expect(frames.every(({ isBlank }) => isBlank === true)).toBe(true)
        expect(reader.held()).toBe(body === '' ? null : body)
        const own = SSE.open(LIMIT, true)
        if (body === '') expect([...frames, ...reader.end()]).toEqual([...own.push(bytes), ...own.end()])
      }),
    )
  })

  it('is no body if an event follows the comments', () => {
    const reader = createBareBodyReader(SSE, LIMIT)
    expect(reader.push(toBytes(': k\n\ndata: 1\n\n')).map(({ data }) => data)).toEqual(['1'])
    expect(reader.held()).toBeNull()
  })

  it.each(['', '\ufeff', '\ufeff \n'])('is none if a frame of the framing begins like it, behind %j', (before) => {
    const bytes = toBytes(`${before}{"a":1}\n{"b"`)
    for (const pieces of [[bytes], cutBytes(bytes, [1, 2, 3])]) {
      const reader = createBareBodyReader(NDJSON, LIMIT)
      expect(pieces.flatMap((piece) => reader.push(piece)).map(({ data }) => data)).toEqual(['{"a":1}'])
      expect(reader.held()).toBeNull()
    }
  })

  it('is held back up to 4 MiB, however long an event of the stream may be', () => {
    const reader = createBareBodyReader(SSE, Number.MAX_SAFE_INTEGER)
    reader.push(toBytes(`{"a":"${' '.repeat(4 * 1024 * 1024 - 6)}`))
    expect(reader.held()?.length).toBe(4 * 1024 * 1024)
    reader.push(toBytes(' '))
    expect(reader.held()).toBeNull()
  })

  it('that is too long for one is a stream, whose first events are in what was held back', () => {
    const reader = createBareBodyReader(SSE, 40)
    expect(reader.push(toBytes('<!-- a page -->\ndata: 1\n\n'))).toEqual([])
    expect(reader.push(toBytes('data: 2\n\ndata: 3\n\n')).map(({ data }) => data)).toEqual(['1', '2', '3'])
  })
})
