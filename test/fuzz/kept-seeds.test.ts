import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import { FRAMINGS } from '../../src/framing/registry.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import type { Wire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { slices } from '../arbitraries/bytes.ts'
import { optionsOf } from '../engine/run-engine.ts'
import { endsOf } from '../engine/stream-ends.ts'
import { cases } from './cases.ts'

/** Cases of the fuzzer, by the seed of each, whose passed answers had no end. */
const KEPT = [
  ...[486, 1029, 2209, 9393, 12119, 12509, 13191, 15223, 17092, 18102, 18482, 20539, 23116, 25229, 25511, 26667, 27306],
  ...[29543, 29975, 30448],
]
  .map((which) => 77 + which)
  .concat(352582828 + 478)

const CUT = upstreamError('upstream_disconnected', 'The connection broke.')

it.each(KEPT)('the passed answer of the seed %i ends by its protocol, once', (seed) => {
  const [found] = fc.sample(cases, { seed, numRuns: 1 })
  if (found === undefined) return expect.unreachable()
  const wire: Wire = WIRES[found.wire]
  const { name, client, passthrough } = wire
  if (passthrough === undefined) return expect.unreachable(name)
  const target = client === undefined ? dialectTarget(openai) : wireTarget({ name, client })
  const stream = new PassedStream({ ...optionsOf(openai, {}, 'x', wire), target }, passthrough.answer, openFastPath)
  const pieces: Uint8Array[] = []
  for (const piece of slices(found.answer.bytes, Math.max(1, found.answer.piece)))
    if (!stream.over()) pieces.push(stream.receive(piece).slice())
  if (!stream.over()) pieces.push((found.answer.end === 'breaks' ? stream.fail(CUT) : stream.end()).slice())
  const reader = FRAMINGS[wire.framing].open(Number.MAX_SAFE_INTEGER)
  const frames = [...reader.push(new Uint8Array(Buffer.concat(pieces))), ...reader.end()]
  expect(endsOf(name, frames)).toEqual([stream.outcome().error === null ? 'complete' : 'failed'])
})
