import fc from 'fast-check'
import { describe, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { createSseReader } from '../../src/framing/sse.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { cutBytes, cuts, slices } from '../arbitraries/bytes.ts'
import { lines, toSse } from '../arbitraries/sse.ts'
import { hostile } from '../arbitraries/strings.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { ALL_FIXTURES, collected, optionsOf, toBytes, translated } from '../engine/run-engine.ts'
import { check, checkCase, expectEqual, expectSame, someOf } from '../property.ts'

/** Law 5: the positions of cuts do not matter, also inside characters and line ends. */

const { beta, openai } = DIALECTS

const inWindows = (stream: Uint8Array): Uint8Array =>
  toBytes(`\ufeff${new TextDecoder().decode(stream).replaceAll('\n', '\r\n')}`)

describe('law 5, arbitrary cuts of the bytes', () => {
  it.each(ALL_FIXTURES)('give the same bytes for the fixture $wire.name $name', (fixture) => {
    const { stream, quirks, wire, name } = fixture
    const spellings =
      wire.framing.name === 'sse' || wire.framing.name === 'ndjson' ? [stream, inWindows(stream)] : [stream]
    const options = optionsOf(openai, quirks, name, wire)
    const whole = translated(options, [stream])
    const response = JSON.stringify(collected(options, [stream]))
    for (const size of someOf([1, 2, 3, 7, 64, 1000], 6, ALL_FIXTURES.indexOf(fixture)))
      expectSame(translated(options, slices(stream, size)), whole)
    for (const bytes of someOf(spellings, spellings.length, ALL_FIXTURES.indexOf(fixture)))
      expectSame(translated(options, slices(bytes, 1)), whole)
    checkCase(
      fc.property(cuts, (at) => {
        for (const bytes of spellings) expectSame(translated(options, cutBytes(bytes, at)), whole)
        expectSame(JSON.stringify(collected(options, cutBytes(stream, at))), response)
      }),
      10,
    )
  })

  describe.each(Object.values(WIRES))('cuts of random streams of $name', (wire) => {
    const { stream, quirks } = ANSWERS[wire.name]

    it('translate to the same bytes, whole, at random cuts and byte by byte', () => {
      check(
        fc.property(stream, cuts, fc.constantFrom(beta, openai), quirks, (bytes, at, dialect, its) => {
          const options = optionsOf(dialect, its, 'x', wire)
          const whole = translated(options, [bytes])
          expectSame(translated(options, cutBytes(bytes, at)), whole)
          expectSame(translated(options, slices(bytes, 1)), whole)
        }),
      )
    })

    it('translate to the same bytes when random noise follows the stream', () => {
      check(
        fc.property(stream, fc.uint8Array({ maxLength: 200 }), cuts, (start, noise, at) => {
          const bytes = new Uint8Array(Buffer.concat([start, noise]))
          const options = optionsOf(openai, {}, 'x', wire)
          expectSame(translated(options, cutBytes(bytes, at)), translated(options, [bytes]))
        }),
      )
    })
  })

  it('give the same SSE frames with every line ending', () => {
    const plain = { eol: '\n', bom: false, space: true, comments: false, closed: true } as const
    const framesOf = (text: string, at: readonly number[]) => {
      const reader = createSseReader(1 << 20)
      const pieces = cutBytes(toBytes(text), at)
      return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
    }
    const payloads = fc.array(
      hostile.filter((data) => !data.startsWith(' ')),
      { maxLength: 6 },
    )
    check(
      fc.property(payloads, lines, cuts, (list, how, at) => {
        expectEqual(framesOf(toSse(list, how), at), framesOf(toSse(list, plain), []))
      }),
    )
  })
})
