import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { translateWholeBody } from '../../src/engine/body-collector.ts'
import { streamWholeBody } from '../../src/engine/translation.ts'
import { NDJSON } from '../../src/framing/ndjson.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { damage, damages } from '../arbitraries/corrupt-bytes.ts'
import { expectOneGoodEnd } from '../assert-terminates.ts'
import { ALL_FIXTURES, optionsOf, toBytes } from '../engine/run-engine.ts'
import { check, checkCase, expectNone, expectSame } from '../property.ts'
import { RECORDED_STREAMS, readRecorded } from '../recordings.ts'

/**
 * Law 11 for damaged streams: flipped bytes, dropped, doubled, swapped and cut lines, and replaced values. Nothing
 * throws or hangs, and every stream is correct in every dialect and ends exactly once.
 * `RUNS=50 npx vitest run test/laws/corrupt-streams.test.ts` damages about twenty thousand recordings.
 */

describe('law 11, damaged fixture streams', () => {
  it.each(ALL_FIXTURES)('gives one correct end for damaged streams of $wire.name $name', ({ stream, quirks, wire }) => {
    checkCase(
      fc.property(damages, (strokes) => expectOneGoodEnd(wire, quirks, damage(wire.framing, stream, strokes))),
      15,
    )
  })
})

const WHOLE = ALL_FIXTURES.filter(({ at }) => existsSync(at('body.json')))

describe('law 11, damaged whole bodies', () => {
  it.each(WHOLE)('gives one final status for damaged bodies of $wire.name $name', ({ quirks, wire, at }) => {
    const body = readFileSync(at('body.json'))
    // Written on one line, so that the damage also replaces values and not only whole lines.
    const line = toBytes(JSON.stringify(JSON.parse(body.toString())))
    checkCase(
      fc.property(damages, fc.constantFrom(line, new Uint8Array(body)), (strokes, bytes) => {
        const text = new TextDecoder().decode(damage(NDJSON, bytes, strokes))
        for (const dialect of Object.values(DIALECTS)) {
          const options = optionsOf(dialect, quirks, 'x', wire)
          const { body: response, outcome } = translateWholeBody(options, text)
          expectSame(response.status, outcome.status)
          expectSame(outcome.status === 'in_progress', false)
          expectNone(checkStream(new TextDecoder().decode(streamWholeBody(options, text).bytes), dialect))
        }
      }),
      15,
    )
  })
})

/** Counts the damaged recordings of each wire. */
const struck = new Map<string, number>()

afterAll(() => {
  for (const [wire, count] of struck) process.stdout.write(`${wire}: ${count} damaged recordings\n`)
})

describe.runIf(RECORDED_STREAMS.length > 0)('law 11, damaged recorded streams', () => {
  it.each(Object.values(WIRES))('gives one correct end for damaged recordings of $name', (wire) => {
    const files = RECORDED_STREAMS.filter((recorded) => recorded.wire === wire)
    check(
      fc.property(fc.constantFrom(...files), damages, ({ file, quirks }, strokes) => {
        struck.set(wire.name, (struck.get(wire.name) ?? 0) + 1)
        expectOneGoodEnd(wire, quirks, damage(wire.framing, readRecorded(file), strokes))
      }),
      files.length,
    )
  })
})
