import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkDeltas, faultOfDelta } from '../../src/engine/delta-shapes.ts'
import { run } from '../../src/machine/run.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { deltas } from '../arbitraries/deltas.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { check, expectNone } from '../property.ts'

it('any deltas that the types allow have the shape of deltas', () => {
  check(fc.property(deltas, (all) => expectNone(all.map(faultOfDelta).filter((fault) => fault !== null))))
})

it.each(Object.values(WIRES) as readonly KnownWire[])('the deltas of $name have the shape of deltas', (wire) => {
  check(
    fc.property(ANSWERS[wire.name].stream, (bytes) => {
      const reader = wire.framing.open(Number.MAX_SAFE_INTEGER)
      const frames = [...reader.push(bytes), ...reader.end()]
      checkDeltas(run(wire.decodeStream({}), frames))
    }),
    200,
  )
})

it.each([
  [null, 'kind'],
  [{ kind: 'toString' }, 'kind'],
  [{ kind: 'text', key: 'a', part: 'b' }, 'text.text'],
  [{ kind: 'final', whole: { kind: 'stop', key: 'a' } }, 'final.whole'],
])('the path of a fault: %j', (value, path) => {
  expect(faultOfDelta(value)).toBe(path)
})
