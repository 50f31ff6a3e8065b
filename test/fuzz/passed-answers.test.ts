import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { type Case, cases } from '../../tools/fuzz/cases.ts'
import { slices } from '../arbitraries/bytes.ts'
import { optionsOf } from '../engine/run-engine.ts'
import { endsOf } from '../engine/stream-ends.ts'
import { check } from '../property.ts'

const CUT = upstreamError('upstream_disconnected', 'The connection broke.')

const wireOf = ({ wire }: Case): KnownWire => WIRES[wire]

/** Fails if the answer of the case, passed through, does not end by its protocol, or more than once. */
function expectOneEnd(found: Case): void {
  const wire = wireOf(found)
  const { name, client, passthrough } = wire
  if (passthrough === undefined) throw new Error(name)
  const target = client === undefined ? dialectTarget(openai) : wireTarget({ name, client })
  const stream = new PassedStream({ ...optionsOf(openai, {}, 'x', wire), target }, passthrough.answer, openFastPath)
  const pieces: Uint8Array[] = []
  for (const piece of slices(found.answer.bytes, Math.max(1, found.answer.piece)))
    if (!stream.progress.over()) pieces.push(stream.push(piece).slice())
  if (!stream.progress.over())
    pieces.push((found.answer.end === 'breaks' ? stream.push({ error: CUT }) : stream.push('end')).slice())
  const reader = wire.framing.open(Number.MAX_SAFE_INTEGER)
  const frames = [...reader.push(new Uint8Array(Buffer.concat(pieces))), ...reader.end()]
  expect(endsOf(name, frames)).toEqual([stream.outcome().error === null ? 'complete' : 'failed'])
}

it('the passed answer of any case of the fuzzer ends by its protocol, once', () => {
  check(
    fc.property(
      cases.filter((one) => wireOf(one).passthrough !== undefined),
      expectOneEnd,
    ),
    2000,
  )
})
