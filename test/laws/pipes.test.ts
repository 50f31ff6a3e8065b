import fc from 'fast-check'
import { describe, it } from 'vitest'
import { beta } from '../../src/dialects/beta.ts'
import { openai } from '../../src/dialects/openai.ts'
import { identity, type Machine } from '../../src/machine/machine.ts'
import { pipe } from '../../src/machine/pipe.ts'
import { feed, run } from '../../src/machine/run.ts'
import { respond } from '../../src/responses/respond.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { write } from '../engine/run-dialect.ts'
import { headOf } from '../engine/run-engine.ts'
import { check, expectEqual } from '../property.ts'

/** Law 8: `pipe` is associative, `identity` is neutral. */

/** Emits zero, one or more outputs for an input, counts its inputs, and emits `owes` more at the end. */
const odd = (name: string, period: number, owes: number): Machine<number, string, string> => ({
  initial: 0,
  step: (count, input) => ({
    state: count + 1,
    events: Array.from({ length: count % period }, (_, i) => `${name}${i}(${input})`),
  }),
  end: (count) => Array.from({ length: owes }, (_, i) => `${name} ends ${count + i}`),
})

const machine = fc
  .tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 3 }), fc.nat({ max: 2 }))
  .map(([name, period, owes]) => odd(name, period, owes))
const inputs = fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 8 })

describe('law 8, pipes of machines', () => {
  it('are associative for any three machines', () => {
    check(
      fc.property(machine, machine, machine, inputs, (a, b, c, list) => {
        expectEqual(run(pipe(pipe(a, b), c), list), run(pipe(a, pipe(b, c)), list))
        expectEqual(run(pipe(a, b), list), run(b, run(a, list)))
      }),
    )
  })

  it('are unchanged by the identity machine on either side', () => {
    check(
      fc.property(machine, inputs, (a, list) => {
        expectEqual(run(pipe(a, identity<string>()), list), run(a, list))
        expectEqual(run(pipe(identity<string>(), a), list), run(a, list))
        expectEqual(run(identity<string>(), list), list)
      }),
    )
  })

  it('give the same output for inputs in one batch and in two', () => {
    check(
      fc.property(machine, machine, inputs, inputs, (a, b, some, more) => {
        const both = pipe(a, b)
        const first = feed(both, both.initial, some)
        const second = feed(both, first.state, more)
        expectEqual([...first.events, ...second.events, ...both.end(second.state)], run(both, [...some, ...more]))
      }),
    )
  })

  it.each(Object.values(WIRES))('are associative for decoder, reducer and writer of $name', (wire) => {
    const frames = fc.array(ANSWERS[wire.name].frame, { maxLength: 8 })
    check(
      fc.property(frames, fc.constantFrom(beta, openai), (list, dialect) => {
        const decode = wire.decodeStream({})
        const hub = respond(headOf('x'), dialect)
        const last = write(dialect)
        const outputs = run(last, run(hub, run(decode, list)))
        expectEqual(run(pipe(pipe(decode, hub), last), list), outputs)
        expectEqual(run(pipe(decode, pipe(hub, last)), list), outputs)
      }),
    )
  })
})
