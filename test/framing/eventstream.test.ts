import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32 } from '../../src/framing/crc32.ts'
import { encodeEventStream, encodeMessage, writeHeaders } from '../../src/framing/encode-event-stream.ts'
import { BROKEN, createEventStreamReader, ERROR, EVENT_STREAM, EXCEPTION } from '../../src/framing/eventstream.ts'
import { type Headers, type HeaderValue, readHeaders } from '../../src/framing/eventstream-headers.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { splitFrames } from '../../src/framing/framing.ts'
import { cutBytes, cuts, slices } from '../arbitraries/bytes.ts'
import { toBytes } from '../engine/run-engine.ts'
import { check } from '../property.ts'

const ENOUGH = 1 << 20
const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
const joined = (messages: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(messages))

function read(pieces: readonly Uint8Array[], limit = ENOUGH) {
  const reader = createEventStreamReader(limit)
  const frames = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
  return { frames, overflowed: reader.overflowed() }
}

const framesOf = (...pieces: readonly Uint8Array[]): readonly Frame[] => read(pieces).frames
const event = (name: string, data: string): Frame => ({ event: name, data })
const codeOf = (frame: Frame | undefined): unknown => (frame?.event === BROKEN ? JSON.parse(frame.data).code : null)

describe('the CRC-32 of the event stream format', () => {
  it('has the check value of its catalogue entry', () => {
    expect(crc32(toBytes('123456789'))).toBe(0xcbf43926)
    expect(crc32(new Uint8Array(0))).toBe(0)
  })

  it('equals the bitwise division remainder, for all bytes and for a prefix', () => {
    const slow = (bytes: Uint8Array): number => {
      let rest = 0xffffffff
      for (const byte of bytes) {
        rest ^= byte
        for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
      }
      return ~rest >>> 0
    }
    check(
      fc.property(fc.uint8Array({ maxLength: 100, size: 'max' }), fc.nat(), (bytes, at) => {
        const cut = at % (bytes.length + 1)
        expect(crc32(bytes)).toBe(slow(bytes))
        expect(crc32(bytes, cut)).toBe(slow(bytes.subarray(0, cut)))
      }),
    )
  })
})

const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const whole = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 })
const big = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const value: fc.Arbitrary<HeaderValue> = fc.oneof(
  fc.record({ type: fc.constant('boolean' as const), value: fc.boolean() }),
  fc.record({ type: fc.constant('byte' as const), value: whole(8) }),
  fc.record({ type: fc.constant('short' as const), value: whole(16) }),
  fc.record({ type: fc.constant('integer' as const), value: whole(32) }),
  fc.record({ type: fc.constant('long' as const), value: big }),
  fc.record({ type: fc.constant('timestamp' as const), value: big }),
  fc.record({ type: fc.constant('bytes' as const), value: fc.uint8Array({ maxLength: 40 }) }),
  fc.record({ type: fc.constant('string' as const), value: text }),
  fc.record({
    type: fc.constant('uuid' as const),
    value: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  }),
)
const headers: fc.Arbitrary<Headers> = fc.array(fc.tuple(text, value), { maxLength: 6 })

describe('the headers of a message', () => {
  it('are read as they were written, with values of every type', () => {
    check(
      fc.property(headers, (list) => {
        expect(readHeaders(Uint8Array.from(writeHeaders(list)))).toEqual(list)
      }),
    )
  })

  it('have the bytes that the format prescribes', () => {
    const list: Headers = [
      ['t', { type: 'boolean', value: true }],
      ['f', { type: 'boolean', value: false }],
      ['b', { type: 'byte', value: -2 }],
      ['h', { type: 'short', value: 258 }],
      ['i', { type: 'integer', value: 40972 }],
      ['l', { type: 'long', value: -1n }],
      ['a', { type: 'bytes', value: Uint8Array.of(7, 8) }],
      ['s', { type: 'string', value: 'ß' }],
      ['d', { type: 'timestamp', value: 1n }],
      ['u', { type: 'uuid', value: '000102030405060708090a0b0c0d0e0f' }],
    ]
    const hex = `01 74 00  01 66 01  01 62 02 fe  01 68 03 0102  01 69 04 0000a00c  01 6c 05 ffffffffffffffff
      01 61 06 0002 0708  01 73 07 0002 c39f  01 64 08 0000000000000001  01 75 09 000102030405060708090a0b0c0d0e0f`
    expect(writeHeaders(list)).toEqual([...fromHex(hex.replaceAll('\n', ''))])
  })

  it.each([
    ['string', '01 61 07 0000', ''],
    ['bytes', '01 61 06 0000', new Uint8Array(0)],
  ])('may end with a value of type %s that is empty', (type, hex, value) => {
    expect(readHeaders(fromHex(hex))).toEqual([['a', { type, value }]])
  })

  it.each([
    ['an unknown type', '01 61 0a 00'],
    ['no type', '01 61'],
    ['a name longer than the headers', 'ff 61 00'],
    ['a number cut short', '01 61 04 0000'],
    ['a string cut short', '01 61 07 0004 6162'],
    ['a string without a length', '01 61 07 00'],
  ])('are rejected with %s, while the message is still read', (_, hex) => {
    expect(readHeaders(fromHex(hex))).toBeNull()
    const size = fromHex(hex).length
    const good = encodeMessage([['x', { type: 'bytes', value: new Uint8Array(size) }]], new Uint8Array(0))
    expect(framesOf(good)).toEqual([event('', '')])
  })
})

describe('an event stream message', () => {
  // From the test suite that the AWS SDKs share.
  it.each([
    ['without headers and payload', [], '', '00000010 00000000 05c248eb 7d98c8ff'],
    [
      'with a number and a payload',
      [['event-type', { type: 'integer', value: 40972 }]],
      "{'foo':'bar'}",
      '0000002d 00000010 41c424b8 0a6576656e742d747970650400 00a00c 7b27666f6f273a27626172277d 36f480a0',
    ],
  ] as [string, Headers, string, string][])('has the bytes of the AWS test suite: %s', (_, list, payload, hex) => {
    expect(Buffer.from(encodeMessage(list, toBytes(payload))).toString('hex')).toBe(hex.replaceAll(' ', ''))
    expect(framesOf(fromHex(hex))).toEqual([event('', payload)])
  })

  it.each(['', '{}'])('ends at its last byte with the payload %j', (payload) => {
    const one = encodeMessage([['a', { type: 'string', value: 'b' }]], toBytes(payload))
    const { boundary } = EVENT_STREAM
    expect([boundary.end(one, 0), boundary.end(joined([one, one]), one.length)]).toEqual([one.length, 2 * one.length])
    expect(boundary.end(joined([one, one.subarray(0, -1)]), one.length)).toBe(2 * one.length)
    expect(boundary.end(joined([one, one.subarray(1)]), one.length)).toBe(Number.POSITIVE_INFINITY)
  })

  it.each<[string, HeaderValue, boolean]>([
    ['an ASCII text', { type: 'string', value: 'b' }, true],
    ['another text', { type: 'string', value: 'ß' }, false],
    ['bytes that are no text', { type: 'bytes', value: Uint8Array.of(0xff, 0xfe) }, false],
  ])('has a text around its payload only if that has all bytes of its headers: %s', (_, header, isText) => {
    const list: Headers = [['a', header]]
    const message = encodeMessage(list, toBytes('{}'))
    const before = new TextDecoder().decode(Uint8Array.from(writeHeaders(list)))
    expect(EVENT_STREAM.boundary.around(message, '{}')).toEqual(isText ? { before, behind: '' } : null)
    expect(EVENT_STREAM.boundary.around(message, '{ }')).toBeNull()
  })

  it('takes its event name from the :event-type header', () => {
    const named: Headers = [
      [':content-type', { type: 'string', value: 'application/json' }],
      ['extra', { type: 'long', value: 1n }],
      [':event-type', { type: 'string', value: 'contentBlockDelta' }],
      [':message-type', { type: 'string', value: 'event' }],
    ]
    expect(framesOf(encodeMessage(named, toBytes('{"p":"é"}')))).toEqual([event('contentBlockDelta', '{"p":"é"}')])
  })

  it('gets a prefix in its event name if it is an exception or an error', () => {
    const exception: Headers = [
      [':exception-type', { type: 'string', value: 'throttlingException' }],
      [':message-type', { type: 'string', value: 'exception' }],
    ]
    const error: Headers = [
      [':error-code', { type: 'string', value: 'InternalFailure' }],
      [':error-message', { type: 'string', value: 'Oh.' }],
      [':message-type', { type: 'string', value: 'error' }],
    ]
    expect(framesOf(encodeMessage(exception, toBytes('{"message":"Slow."}')))).toEqual([
      event(':exception throttlingException', '{"message":"Slow."}'),
    ])
    expect(framesOf(encodeMessage(error, new Uint8Array(0)))).toEqual([
      event(':error InternalFailure', '{"message":"Oh."}'),
    ])
  })

  const name = fc.constantFrom('messageStart', 'contentBlockDelta', '', `${EXCEPTION}validationException`)
  const frame = fc.oneof(
    fc.record({ event: name, data: text }),
    fc.record({ event: fc.constant(`${ERROR}Bad`), data: text.map((message) => JSON.stringify({ message })) }),
  )
  const frames = fc.array(frame, { maxLength: 6 })

  it('is read as it was written, wherever the bytes are cut', () => {
    check(
      fc.property(frames, cuts, (list, at) => {
        const bytes = joined(list.map(encodeEventStream))
        expect(read(cutBytes(bytes, at))).toEqual({ frames: list, overflowed: false })
        expect(framesOf(...slices(bytes, 1))).toEqual(list)
      }),
    )
  })

  it('is split from the next message at its last byte', () => {
    check(
      fc.property(frames, (list) => {
        const messages = list.map(encodeEventStream)
        expect(splitFrames(EVENT_STREAM, joined(messages))).toEqual(messages)
      }),
      100,
    )
  })

  it('is read even if it has a megabyte and arrives byte by byte', () => {
    const long = event('messageStart', 'x'.repeat(ENOUGH))
    expect(read(slices(encodeEventStream(long), 1), 2 * ENOUGH).frames).toEqual([long])
  })
})

describe('a damaged event stream', () => {
  const good = event('messageStart', '{"role":"assistant"}')
  const message = encodeEventStream(good)

  it('reports any single damaged byte once, and stops reading', () => {
    check(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), cuts, (at, mask, where) => {
        const spoilt = message.map((byte, i) => (i === at % message.length ? byte ^ mask : byte))
        const reader = createEventStreamReader(ENOUGH)
        const frames = cutBytes(joined([message, spoilt, message]), where).flatMap((piece) => reader.push(piece))
        expect(frames[0]).toEqual(good)
        expect(frames.map(codeOf)).toEqual([null, 'upstream_invalid'])
        expect([...reader.push(message), ...reader.end()]).toEqual([])
      }),
    )
  })

  it('reports an incomplete last message as truncated', () => {
    for (let size = 1; size < message.length; size += 1) {
      const frames = framesOf(message, message.subarray(0, size))
      expect(frames.map(codeOf)).toEqual([null, 'upstream_truncated'])
    }
    expect(framesOf(message, message)).toEqual([good, good])
    expect(framesOf()).toEqual([])
  })

  /** Returns a prelude with a correct checksum for any lengths. */
  const prelude = (size: number, headersSize: number): Uint8Array => {
    const bytes = new Uint8Array(12)
    const view = new DataView(bytes.buffer)
    view.setUint32(0, size)
    view.setUint32(4, headersSize)
    view.setUint32(8, crc32(bytes, 8))
    return bytes
  }

  it.each([
    ['shorter than a message can be', 15, 0],
    ['zero', 0, 0],
    ['shorter than its headers', 40, 25],
    ['shorter than headers of any length', 40, 0xffffffff],
  ])('rejects an impossible length: %s', (_, size, headersSize) => {
    expect(framesOf(prelude(size, headersSize)).map(codeOf)).toEqual(['upstream_invalid'])
  })

  it('reports invalid headers even if every checksum is correct', () => {
    const bytes = new Uint8Array(18)
    bytes.set(prelude(18, 2))
    bytes.set([9, 9], 12)
    new DataView(bytes.buffer).setUint32(14, crc32(bytes, 14))
    expect(framesOf(bytes).map(codeOf)).toEqual(['upstream_invalid'])
  })

  it('reports plain text as invalid or truncated', () => {
    expect(framesOf(toBytes('<html>502 Bad Gateway</html>')).map(codeOf)).toEqual(['upstream_invalid'])
    expect(framesOf(toBytes('oops')).map(codeOf)).toEqual(['upstream_truncated'])
  })

  it('reports a message over the limit without waiting for its end', () => {
    expect(read([message], message.length)).toEqual({ frames: [good], overflowed: false })
    expect(read([message, message], message.length - 1)).toEqual({ frames: [], overflowed: true })
    expect(read([message, prelude(0xffffffff, 0)])).toEqual({ frames: [good], overflowed: true })
  })
})

describe('an answer without a content type', () => {
  const { looksLike } = EVENT_STREAM
  it('is recognised as an event stream by its first byte', () => {
    const start = Buffer.from(encodeEventStream(event('messageStart', '{}'))).toString()
    expect(looksLike.test(start)).toBe(true)
    for (const body of ['{"output":{}}', ' {', '\n\t{}', '<html>', 'data: x', 'é'])
      expect(looksLike.test(body)).toBe(false)
  })
})
