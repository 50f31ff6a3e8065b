import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Framing, splitFrames } from '../../src/framing/framing.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { hostile } from '../arbitraries/strings.ts'
import { ALL_FIXTURES, toBytes } from '../engine/run-engine.ts'
import { check } from '../property.ts'

/** Splits a stream by pushing one byte after another. */
function byteByByte({ open }: Framing, bytes: Uint8Array): readonly Uint8Array[] {
  const reader = open(Number.MAX_SAFE_INTEGER)
  const ends: number[] = []
  bytes.forEach((_, at) => {
    if (reader.push(bytes.subarray(at, at + 1)).length > 0) ends.push(at + 1)
  })
  const cuts = ends.at(-1) === bytes.length ? ends : [...ends, bytes.length]
  return cuts.map((end, i) => bytes.subarray(cuts[i - 1] ?? 0, end)).filter(({ length }) => length > 0)
}

const FRAMINGS: ReadonlySet<Framing> = new Set(Object.values(WIRES).map(({ framing }) => framing))

const piece = fc.oneof(
  hostile.map((text) => `data: ${text}`),
  fc.constantFrom('data: {"a":{"b":"}"}}', '{"a":1}', '[{"a":"\\"}"},{}', ',{', 'event: x', ': c', '', ']'),
)
const lineEnd = fc.constantFrom('\n', '\n', '\n\n', '\n\n', '', '\r\n', '\r')

it('splits any text of any framing where its frames end, as a reader of single bytes does', () => {
  const text = fc.array(fc.tuple(piece, lineEnd), { maxLength: 12 }).map((lines) => lines.flat().join(''))
  check(
    fc.property(text, (stream) => {
      for (const framing of FRAMINGS) {
        expect(splitFrames(framing, toBytes(stream))).toEqual(byteByByte(framing, toBytes(stream)))
      }
    }),
    2000,
  )
})

it('splits each fixture where its frames end', () => {
  for (const { wire, stream } of ALL_FIXTURES.filter((_, i) => i % 4 === 0)) {
    const { framing } = wire
    expect(splitFrames(framing, stream)).toEqual(byteByByte(framing, stream))
  }
})
