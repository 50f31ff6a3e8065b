import { expect, it } from 'vitest'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { FRAMINGS, type FramingName } from '../../src/framing/registry.ts'
import { slices } from '../arbitraries/bytes.ts'
import { toBytes } from '../engine/run-engine.ts'

/**
 * A message with an image can have many megabytes: reading it must take linear and not quadratic time. A quadratic reader
 * takes longer for these than a test may.
 */

const MEGABYTES = 24
const json = JSON.stringify({ image: 'A'.repeat(MEGABYTES << 20) })
const line = (eol: string): Uint8Array => toBytes(`data: {}${eol}${eol}data: ${json}${eol}${eol}`)
const lines = (eol: string): Uint8Array => toBytes(`data: abcdefgh${eol}`.repeat(MEGABYTES << 16) + eol)

const CASES: readonly (readonly [FramingName, string, Uint8Array, number])[] = [
  ['sse', 'one line', line('\n'), 2],
  ['sse', 'one line that ends in CRLF', line('\r\n'), 2],
  ['sse', 'many lines of one event', lines('\n'), 1],
  ['sse', 'many lines that end in CRLF', lines('\r\n'), 1],
  ['sse-or-array', 'one line that ends in CRLF', line('\r\n'), 2],
  ['sse-or-array', 'an object in an array', toBytes(`[{}\n,\n${json}]`), 2],
  ['ndjson', 'one line', toBytes(`${json}\n`), 1],
  ['eventstream', 'one message', encodeEventStream({ event: 'image', data: json }), 1],
]

it.each(CASES)('the reader of %s takes linear time for a long message: %s', (framing, _, bytes, count) => {
  const reader = FRAMINGS[framing].open(1 << 26)
  const frames = [...slices(bytes, 1400).flatMap((piece) => reader.push(piece)), ...reader.end()]
  expect(frames).toHaveLength(count)
  expect(reader.overflowed()).toBe(false)
})
