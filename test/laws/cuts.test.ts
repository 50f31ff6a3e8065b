import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { openSse } from '../../src/framing/sse.ts'
import { chatStream, cutBytes, cuts, lines, payload, slices, toSse } from '../arbitraries/chunks.ts'
import { check } from '../property.ts'
import { ALL_FIXTURES, collected, optionsOf, toBytes, translated } from '../translated.ts'

/** Law 5: where the bytes are cut does not matter, inside characters and line ends too. */

const { beta, openai } = DIALECTS

describe('law 5, any cut of the bytes', () => {
  it.each(ALL_FIXTURES)('$name', ({ stream, quirks, wire, name }) => {
    const bytes = toBytes(stream)
    const windows = toBytes(`\ufeff${stream.replaceAll('\n', '\r\n')}`)
    const options = optionsOf(openai, quirks, name, wire)
    const whole = translated(options, [bytes])
    const response = collected(options, [bytes])
    for (const size of [1, 2, 3, 7, 64, 1000]) expect(translated(options, slices(bytes, size))).toBe(whole)
    expect(translated(options, slices(windows, 1))).toBe(whole)
    check(
      fc.property(cuts, (at) => {
        expect(translated(options, cutBytes(bytes, at))).toBe(whole)
        expect(translated(options, cutBytes(windows, at))).toBe(whole)
        expect(collected(options, cutBytes(bytes, at))).toEqual(response)
      }),
      10,
    )
  })

  it('random streams, in every spelling', () => {
    check(
      fc.property(chatStream, cuts, fc.constantFrom(beta, openai), fc.boolean(), (stream, at, dialect, thinkTags) => {
        const bytes = toBytes(stream)
        const options = optionsOf(dialect, { thinkTags })
        const whole = translated(options, [bytes])
        expect(translated(options, cutBytes(bytes, at))).toBe(whole)
        expect(translated(options, slices(bytes, 1))).toBe(whole)
      }),
    )
  })

  it('random bytes', () => {
    check(
      fc.property(fc.uint8Array({ maxLength: 200 }), cuts, (noise, at) => {
        const bytes = new Uint8Array([...toBytes('data: '), ...noise])
        const options = optionsOf(openai)
        expect(translated(options, cutBytes(bytes, at))).toBe(translated(options, [bytes]))
      }),
    )
  })

  it('the frames themselves, whatever the line ending', () => {
    const plain = { eol: '\n', bom: false, space: true, comments: false, closed: true } as const
    const framesOf = (text: string, at: readonly number[]) => {
      const reader = openSse(1 << 20)
      const pieces = cutBytes(toBytes(text), at)
      return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
    }
    const payloads = fc.array(
      payload.filter((data) => !data.startsWith(' ')),
      { maxLength: 6 },
    )
    check(
      fc.property(payloads, lines, cuts, (list, how, at) => {
        expect(framesOf(toSse(list, how), at)).toEqual(framesOf(toSse(list, plain), []))
      }),
    )
  })
})
