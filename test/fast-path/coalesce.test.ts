import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { DIALECTS, findDialect } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { StreamWire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts, slices } from '../arbitraries/bytes.ts'
import { reads } from '../arbitraries/reads.ts'
import { ALL_FIXTURES, eventsOf, optionsOf, toBytes, translated } from '../engine/run-engine.ts'
import { check, expectSame, someOf } from '../property.ts'

/** Coalescing joins the deltas of one read into one event and changes nothing else. */

const { beta, openai } = DIALECTS

const slowly = ({ template: _, ...wire }: StreamWire): StreamWire => wire

const isDelta = (event: JsonObject): boolean => String(event.type).endsWith('.delta')

/**
 * Joins consecutive deltas of one part and removes sequence numbers, so that the result does not depend on the cuts.
 */
function joined(events: readonly JsonObject[]): readonly JsonObject[] {
  const objects: JsonObject[] = []
  for (const { sequence_number: _, ...event } of events) {
    const last = objects.at(-1)
    const { delta: piece, ...where } = event
    const { delta: before, ...there } = last ?? {}
    const goesOn = last !== undefined && isDelta(event) && JSON.stringify(where) === JSON.stringify(there)
    if (goesOn) objects[objects.length - 1] = { ...last, delta: `${before}${piece}` }
    else objects.push(event)
  }
  return objects
}

function expectTheSame(options: TranslationOptions, pieces: readonly Uint8Array[]): void {
  const text = translated({ ...options, coalesce: true }, pieces)
  const slow = translated({ ...options, coalesce: true, wire: slowly(options.wire) }, pieces)
  expectSame(text, slow)
  const plain = translated(options, pieces)
  if (text === plain) return
  const [ours, theirs] = [joined(eventsOf(text)), joined(eventsOf(plain))]
  if (JSON.stringify(ours) !== JSON.stringify(theirs)) expect(ours).toEqual(theirs)
  const dialect = findDialect(options.target.name) as Dialect
  expect(checkStream(text, dialect)).toEqual(checkStream(plain, dialect))
}

describe('coalesced deltas', () => {
  it.each(ALL_FIXTURES)(
    'equal the plain deltas of $wire.name $name, joined, wherever the stream is cut',
    ({ wire, name, stream, quirks }) => {
      for (const dialect of someOf([beta, openai], 2)) {
        const options = optionsOf(dialect, quirks, name, wire)
        for (const size of someOf([1 << 20, 7, 500], 3)) expectTheSame(options, slices(stream, size))
        check(
          fc.property(cuts, (at) => expectTheSame(options, cutBytes(stream, at))),
          5,
        )
      }
    },
  )

  it.each(Object.values(WIRES))('equal the plain deltas of random streams of $name, joined', (wire) => {
    check(
      fc.property(reads(wire), (read) => expectTheSame(...read)),
      200,
    )
  })

  it('are one event for each read, on the slow path and the fast path', () => {
    const chunk = (content: string) => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`
    const words = Array.from({ length: 60 }, (_, i) => chunk(` word${i}`))
    const reads = [0, 20, 40].map((at) => toBytes(words.slice(at, at + 20).join('')))
    for (const wire of [WIRES['openai-chat'], slowly(WIRES['openai-chat'])]) {
      const stream = createTranslation({ ...optionsOf(openai, {}, 'x', wire), coalesce: true })
      const counts = reads.map((read) => eventsOf(new TextDecoder().decode(stream.push(read))).filter(isDelta).length)
      expect(counts).toEqual([1, 1, 1])
    }
  })
})
