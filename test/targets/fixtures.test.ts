import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStreamTranslator } from '../../src/api/streams.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import type { Target } from '../../src/engine/target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import { aiSdkUi } from '../../src/targets/ai-sdk-ui.ts'
import { cutBytes, cuts } from '../arbitraries/bytes.ts'
import { ALL_FIXTURES, type Fixture, headOf } from '../engine/run-engine.ts'
import { checkAsync, checkCase } from '../property.ts'
import { expectReadByRun, expectReadByUi, RUN, UI, type WrittenStream } from './expect-readable.ts'
import { readUi } from './readers.ts'

const optionsOf = ({ wire, quirks, name }: Fixture, target: Target) => ({
  wire,
  quirks,
  target,
  head: headOf(name),
  now: () => 1_700_000_000_000,
})

function written(fixture: Fixture, target: Target): WrittenStream {
  const translation = createTranslation(optionsOf(fixture, target))
  const begun = Buffer.from(translation.push(fixture.stream))
  return { bytes: Buffer.concat([begun, translation.push('end')]), outcome: translation.outcome() }
}

/** By the library, whose programs choose the fast path. */
function translated(
  { wire, quirks, name }: Fixture,
  to: Target,
  pieces: readonly Uint8Array[],
  isFast: boolean,
): string {
  const { id, created_at: createdAt, model } = headOf(name)
  const fast = isFast ? { fastPath: openFastPath } : {}
  const translator = createStreamTranslator({ from: wire, quirks, to, id, createdAt, model, ...fast })
  const bytes = pieces.map((piece) => Buffer.from(translator.push(piece)))
  return Buffer.concat([...bytes, translator.end()]).toString()
}

/** The message of a stream has an id if the program gives one. */
const NAMED = aiSdkUi({ usage: true, messageId: 'message-1' })

describe.each(ALL_FIXTURES)('the fixture $wire.name/$name', (fixture) => {
  it.each([6, 7] as const)('is read by version %i of the AI SDK, with all that the answer has', (version) =>
    expectReadByUi(version, written(fixture, UI)),
  )

  it('is the same message of the AI SDK as a body', async () => {
    const collector = createBodyCollector(optionsOf(fixture, NAMED))
    collector.push(fixture.stream)
    collector.push('end')
    const { bytes, outcome } = written(fixture, NAMED)
    const { message } = await readUi(7, bytes)
    const { code, message: text } = outcome.error ?? {}
    expect(collector.body()).toEqual(outcome.error === null ? message : { error: { code, message: text } })
  })

  it('is read by the client of AG-UI, with all that the answer has', () => expectReadByRun(written(fixture, RUN)))

  it.each([UI, RUN])('is the same stream of $name by the fast path, and in pieces', (target) => {
    const slowly = translated(fixture, target, [fixture.stream], false)
    checkCase(
      fc.property(cuts, (at) => {
        expect(translated(fixture, target, cutBytes(fixture.stream, at), true)).toBe(slowly)
      }),
      50,
    )
  })
})

describe('a fixture whose upstream stops anywhere', () => {
  const cutOff = fc
    .tuple(fc.constantFrom(...ALL_FIXTURES), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([fixture, share]) => ({
      ...fixture,
      stream: fixture.stream.subarray(0, Math.floor(fixture.stream.length * share)),
    }))

  it('is read by both versions of the AI SDK, whatever the sizes of its reads', () =>
    checkAsync(
      fc.asyncProperty(cutOff, fc.integer({ min: 1, max: 400 }), async (fixture, size) => {
        const stream = written(fixture, UI)
        await expectReadByUi(6, stream, size)
        await expectReadByUi(7, stream, size)
      }),
      600,
    ))

  it('is read by the client of AG-UI, whatever the sizes of its reads', () =>
    checkAsync(
      fc.asyncProperty(cutOff, fc.integer({ min: 1, max: 400 }), (fixture, size) =>
        expectReadByRun(written(fixture, RUN), size),
      ),
      600,
    ))
})
