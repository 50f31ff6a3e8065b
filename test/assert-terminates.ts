import { checkStream } from '../src/dialects/check-stream.ts'
import type { Dialect } from '../src/dialects/dialect.ts'
import { DIALECTS } from '../src/dialects/registry.ts'
import type { KnownWire } from '../src/wires/contract.ts'
import type { Quirks } from '../src/wires/quirks.ts'
import { slices } from './arbitraries/bytes.ts'
import { collected, optionsOf, translated } from './engine/run-engine.ts'
import { expectNone, expectSame } from './property.ts'

const TERMINAL = /^data: \{"type":"response\.(?:completed|incomplete|failed)"/gm

/** Checks that any bytes give a correct stream with one end in each of the dialects, and that nothing throws. */
export function expectOneGoodEnd(
  wire: KnownWire,
  quirks: Quirks,
  bytes: Uint8Array,
  dialects: readonly Dialect[] = Object.values(DIALECTS),
): void {
  for (const dialect of dialects) {
    const options = optionsOf(dialect, quirks, 'x', wire)
    const text = translated(options, slices(bytes, 1400))
    expectNone(checkStream(text, dialect))
    expectSame(text.match(TERMINAL)?.length, 1)
    expectSame(collected(options, [bytes]).status === 'in_progress', false)
  }
}
