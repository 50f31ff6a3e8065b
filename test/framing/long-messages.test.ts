import { expect, it } from 'vitest'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { EVENT_STREAM } from '../../src/framing/eventstream.ts'
import type { Framing } from '../../src/framing/framing.ts'
import { NDJSON } from '../../src/framing/ndjson.ts'
import { SSE } from '../../src/framing/sse.ts'
import { SSE_OR_ARRAY } from '../../src/framing/sse-or-array.ts'
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

const FRAMINGS = Object.fromEntries([SSE, SSE_OR_ARRAY, NDJSON, EVENT_STREAM].map((framing) => [framing.name, framing]))

const CASES: readonly (readonly [string, string, Uint8Array, number])[] = [
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
  const reader = (FRAMINGS[framing] as Framing).open(1 << 26)
  const frames = [...slices(bytes, 1400).flatMap((piece) => reader.push(piece)), ...reader.end()]
  expect(frames).toHaveLength(count)
  expect(reader.overflowed()).toBe(false)
})
