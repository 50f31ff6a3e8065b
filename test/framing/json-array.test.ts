import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/framing/frame.ts'
import { createJsonArrayReader, splitFrame } from '../../src/framing/json-array.ts'
import { createSseReader } from '../../src/framing/sse.ts'
import { createSseOrArrayReader, SSE_OR_ARRAY } from '../../src/framing/sse-or-array.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { lines, toSse } from '../arbitraries/sse.ts'
import { hostile } from '../arbitraries/strings.ts'
import { toBytes } from '../engine/run-engine.ts'
import { check } from '../property.ts'

const LIMIT = 1 << 20

function framesOf(bytes: Uint8Array, at: readonly number[] = [], open = createSseOrArrayReader, limit = LIMIT) {
  const reader = open(limit)
  const frames: Frame[] = cutBytes(bytes, at).flatMap((piece) => [...reader.push(piece)])
  return { frames: [...frames, ...reader.end()], overflowed: reader.overflowed() }
}

const dataOf = (text: string, open = createSseOrArrayReader): readonly string[] =>
  framesOf(toBytes(text), [], open).frames.map(({ data }) => data)

const objects = fc.array(fc.dictionary(hostile, fc.oneof(hostile, fc.jsonValue()), { noNullPrototype: true }), {
  maxLength: 5,
})
const between = fc.constantFrom(',', '\n,\n', ' ,\r\n', '\n')

describe('the reader of a JSON array', () => {
  it('returns the objects unchanged, wherever the bytes are cut', () => {
    check(
      fc.property(objects, between, fc.boolean(), fc.constantFrom(0, 2), cuts, (list, comma, bom, indent, at) => {
        const written = list.map((one) => JSON.stringify(one, null, indent))
        const bytes = toBytes(`${bom ? '\ufeff' : ''}\n[${written.join(comma)}\n]\n`)
        const result = framesOf(bytes, at)
        expect(result.frames.map(({ data }) => JSON.parse(data))).toEqual(
          list.map((one) => JSON.parse(JSON.stringify(one))),
        )
        expect(result.overflowed).toBe(false)
        expect(framesOf(bytes, at, createJsonArrayReader)).toEqual(result)
      }),
    )
  })

  it.each([
    ['brackets in strings', '[{"a":"]},{[\\"}"},{"b":"\\\\"}]', ['{"a":"]},{[\\"}"}', '{"b":"\\\\"}']],
    ['an object alone', ' {"a":{"b":1}} ', ['{"a":{"b":1}}']],
    ['objects without a list', '{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}']],
    ['values other than objects', '[1,null,"x",[],{"a":1},true]', ['{"a":1}']],
    ['a cut object', '[{"a":1},{"b":', ['{"a":1}', '{"b":']],
    ['nothing', '[]', []],
  ])('returns the objects of an array that contains %s', (_, text, data) => {
    expect(dataOf(text)).toEqual(data)
  })

  it('stops reading at an object over the limit', () => {
    const text = `[{"a":1},{"b":"${'x'.repeat(50)}"},{"c":1}]`
    check(
      fc.property(cuts, (at) => {
        expect(framesOf(toBytes(text), at, createSseOrArrayReader, 40)).toEqual({
          frames: [{ event: '', data: '{"a":1}' }],
          overflowed: true,
        })
      }),
      100,
    )
  })

  it('accepts any bytes, with the same result wherever they are cut', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc
        .array(fc.constantFrom('[', '{', '}', '"', '\\', ']', '\n', 'data: ', ':', 'é'), { maxLength: 40 })
        .map((list) => toBytes(list.join(''))),
    )
    check(
      fc.property(noise, cuts, fc.constantFrom(10, LIMIT), (bytes, at, limit) => {
        expect(framesOf(bytes, at)).toEqual(framesOf(bytes))
        expect(framesOf(bytes, at, createJsonArrayReader, limit)).toEqual(
          framesOf(bytes, [], createJsonArrayReader, limit),
        )
      }),
      2000,
    )
  })
})

describe('the reader of SSE or a JSON array', () => {
  it('reads SSE exactly as the SSE reader does', () => {
    const payloads = fc.array(
      hostile.filter((data) => !data.startsWith(' ')),
      { minLength: 1, maxLength: 6 },
    )
    check(
      fc.property(payloads, lines, cuts, (list, how, at) => {
        const bytes = toBytes(toSse(list, how))
        expect(framesOf(bytes, at)).toEqual(framesOf(bytes, [], (limit) => createSseReader(limit)))
      }),
    )
  })

  it('returns bare error JSON between SSE messages, in order', () => {
    const error = { error: { code: 499, message: 'data: { never', status: 'CANCELLED' } }
    const text = `data: {"a":1}\r\n\r\n${JSON.stringify(error, null, 2).replaceAll('\n', '\r\n')}\r\ndata: {"b":2}\r\n\r\n`
    check(
      fc.property(cuts, (at) => {
        const data = framesOf(toBytes(text), at).frames.map((frame) => JSON.parse(frame.data))
        expect(data).toEqual([{ a: 1 }, error, { b: 2 }])
      }),
      100,
    )
  })

  it.each(['\n', '\r\n', '\ufeff\r\n \t'])('returns the objects of an array as they arrive behind %j', (before) => {
    const reader = createSseOrArrayReader(LIMIT)
    expect(reader.push(toBytes(`${before}[{"a":1},{`)).map(({ data }) => data)).toEqual(['{"a":1}'])
    expect(SSE_OR_ARRAY.boundary.begins(toBytes(`${before}[`))).toBe(false)
  })

  it.each(['', '\n', '\ufeff \r\n'])('returns objects without a list as they arrive behind %j', (before) => {
    const reader = createSseOrArrayReader(LIMIT)
    expect(reader.push(toBytes(`${before}{"a":1}\n{"b"`)).map(({ data }) => data)).toEqual(['{"a":1}'])
    expect(reader.push(toBytes(':\n\n2}')).map(({ data }) => data)).toEqual(['{"b":\n\n2}'])
    expect(SSE_OR_ARRAY.boundary.begins(toBytes(`${before}{`))).toBe(false)
    expect(SSE_OR_ARRAY.boundary.begins(toBytes(`${before}data`))).toBe(true)
  })

  it.each([
    ['error', ''],
    ['delta', 'delta'],
  ])('an event %s of two objects becomes two of the name "%s"', (event, name) => {
    expect(splitFrame({ event, data: '{"a":1}{"b":2}' })).toEqual([
      { event: name, data: '{"a":1}' },
      { event: name, data: '{"b":2}' },
    ])
  })

  it('the labels and the empty lines between the objects of one event are no frames', () => {
    const data = '{"a":1}\ndata: data: {"b":2}\ndata:\ndata: [DONE]'
    expect(splitFrame({ event: '', data }).map((frame) => frame.data)).toEqual(['{"a":1}', '{"b":2}', '[DONE]'])
  })

  it('applies the size limit to bare JSON between SSE messages', () => {
    const endless = `data: {"a":1}\n\n{"error":\n${'"x",\n'.repeat(50)}`
    expect(framesOf(toBytes(endless), [], createSseOrArrayReader, 60).overflowed).toBe(true)
  })

  it.each([
    ['[{"candidates":[]}', true],
    ['\ufeff \r\n[', true],
    ['data: {}', true],
    [': ping', true],
    ['{"candidates":[]}', false],
    ['<html>', false],
  ])('recognises %j as a stream: %j', (text, expected) => {
    expect(SSE_OR_ARRAY.looksLike.test(text)).toBe(expected)
  })
})
