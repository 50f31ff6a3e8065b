import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { CLIENT_WIRES, closing, encodeAnswerAs, REQUEST_WITH_EVERYTHING } from '../cross-translate.ts'
import { ALL_FIXTURES, headOf } from '../engine/run-engine.ts'
import { check, expectNone, someOf } from '../property.ts'
import { RECORDED_STREAMS, readRecorded } from '../recordings.ts'

/**
 * A loss of the client's side is true: what an answer has lost on its way through the hub to a client of its own protocol
 * is not in the output. If the output has the whole answer, every loss is one that Responses clients have as well.
 */

/** Reported although its text may arrive: no client can run such a call, and the answer is incomplete for them. */
const KNOWN = 'a call whose arguments are not a JSON object'

type To = (typeof CLIENT_WIRES)[number]

function deltasOf(wire: KnownWire, bytes: Uint8Array): readonly Delta[] {
  const reader = wire.framing.open(1 << 26)
  return run(wire.decodeStream({}), [...reader.push(bytes), ...reader.end()])
}

/** The content of an answer, without ids, times and seals, which the gateway makes itself. */
function contentOf(deltas: readonly Delta[]): string {
  const { status, output, usage } = closing(encodeAnswerAs(deltas))
  const text = JSON.stringify({ status, output, usage }, (name, value) =>
    ['id', 'encrypted_content'].includes(name) ? undefined : value,
  )
  return text
}

/** Returns the losses that are not true. */
function falseLosses(wire: To, bytes: Uint8Array): readonly string[] {
  const options = {
    wire,
    head: headOf('x'),
    target: wireTarget(wire, { settings: REQUEST_WITH_EVERYTHING }),
    lend: false,
  }
  const stream = createTranslation(options)
  const written = Buffer.concat([stream.push(bytes), stream.push('end')])
  const { losses, error } = stream.outcome()
  const before = deltasOf(wire, bytes)
  if (error !== null || contentOf(before) !== contentOf(deltasOf(wire, written))) return []
  const whole = createTranslation({ ...options, target: dialectTarget(openai) })
  whole.push(bytes)
  whole.push('end')
  const upstream: ReadonlySet<string> = new Set(whole.outcome().losses)
  return losses.filter((loss) => loss !== KNOWN && !upstream.has(loss) && isContent(loss))
}

/** Members beside the content are compared by `test/wires/shared/served.test.ts`. */
const isContent = (loss: string): boolean => !loss.startsWith('usage.') && !SERVED.test(loss)

const SERVED = /^(?:service_tier|provider|system_fingerprint|native_finish_reason|cost|details)/

describe.each(CLIENT_WIRES)('an answer of $name for a client of its own protocol', (wire) => {
  it('has no loss of what arrives, in any fixture', () => {
    for (const { name, stream } of ALL_FIXTURES.filter((it) => it.wire.name === wire.name))
      expect({ name, losses: falseLosses(wire, stream) }).toEqual({ name, losses: [] })
  })

  it('has no loss of what arrives, in any stream', () => {
    check(
      fc.property(ANSWERS[wire.name].stream, (bytes) => {
        expectNone(falseLosses(wire, bytes))
      }),
      300,
    )
  })

  it.skipIf(RECORDED_STREAMS.length === 0)('has no loss of what arrives, in any recording', () => {
    const recorded = RECORDED_STREAMS.filter((it) => it.wire.name === wire.name)
    for (const { file } of someOf(recorded, 4, recorded.length))
      expect({ file, losses: falseLosses(wire, readRecorded(file)) }).toEqual({ file, losses: [] })
  })
})
