import fc from 'fast-check'
import { describe, it } from 'vitest'
import { checkEvents } from '../../src/conformance/check.ts'
import { beta } from '../../src/dialects/beta.ts'
import { openai, openaiReasoningText } from '../../src/dialects/openai.ts'
import type { Machine } from '../../src/machine/machine.ts'
import { pipe } from '../../src/machine/pipe.ts'
import { feed, run } from '../../src/machine/run.ts'
import { collect } from '../../src/responses/collect.ts'
import { respond } from '../../src/responses/respond.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { deltas } from '../arbitraries/deltas.ts'
import { ANSWERS } from '../arbitraries/wires.ts'
import { OWN_EVENTS } from '../conformance/own-events.ts'
import { CLIENT_WIRES, REQUEST_WITH_EVERYTHING } from '../cross-translate.ts'
import { write } from '../engine/run-dialect.ts'
import { headOf } from '../engine/run-engine.ts'
import { check, expectEqual, expectNone, expectSame } from '../property.ts'
import { encodeContext, inOrder } from '../wires/deltas.ts'

/** Law 2: a state can be stopped after any input, serialised, and resumed anywhere. */

const DIALECTS = [beta, openai, openaiReasoningText]

/** Runs a machine whose state is serialised and parsed again after every step, as if it had been stored. */
function resumed<State, In, Out>(machine: Machine<State, In, Out>, inputs: readonly In[]): readonly Out[] {
  const outputs: Out[] = []
  let stored = JSON.stringify(machine.initial)
  for (const input of inputs) {
    const step = machine.step(JSON.parse(stored) as State, input)
    stored = JSON.stringify(step.state)
    outputs.push(...step.events)
  }
  return [...outputs, ...machine.end(JSON.parse(stored) as State)]
}

/** Runs the same inputs with one stop. */
function stoppedOnce<State, In, Out>(machine: Machine<State, In, Out>, inputs: readonly In[], at: number) {
  const place = at % (inputs.length + 1)
  const before = feed(machine, machine.initial, inputs.slice(0, place))
  const state = JSON.parse(JSON.stringify(before.state)) as State
  const after = feed(machine, state, inputs.slice(place))
  return [...before.events, ...after.events, ...machine.end(after.state)]
}

describe('law 2, machines that stop and resume', () => {
  it.each(Object.values(WIRES))('gives the same deltas from the decoder of $name', (wire) => {
    const { frame, quirks } = ANSWERS[wire.name]
    check(
      fc.property(fc.array(frame, { maxLength: 10 }), fc.nat(), quirks, (list, at, its) => {
        const machine = wire.decodeStream(its)
        const written = run(machine, list)
        expectEqual(resumed(machine, list), written)
        expectEqual(stoppedOnce(machine, list, at), written)
      }),
    )
  })

  it.each(DIALECTS)('gives the same events and text from reducer, writer and their pipe in $name', (dialect) => {
    const hub = respond(headOf('x'), dialect)
    const writer = write(dialect)
    check(
      fc.property(deltas, fc.nat(), (list, at) => {
        const events = run(hub, list)
        expectEqual(resumed(hub, list), events)
        expectEqual(stoppedOnce(hub, list, at), events)
        const text = run(writer, events)
        expectEqual(resumed(writer, events), text)
        expectEqual(stoppedOnce(writer, events, at), text)
        expectEqual(resumed(pipe(hub, writer), list), text)
        const responses = run(collect, events)
        expectEqual(resumed(collect, events), responses)
        expectEqual(stoppedOnce(collect, events, at), responses)
      }),
    )
  })

  it.each(CLIENT_WIRES)('gives the same frames from the encoder for clients of $name', ({ client }) => {
    const machine = client.encodeStream(encodeContext(REQUEST_WITH_EVERYTHING))
    check(
      fc.property(deltas, fc.nat(), (list, at) => {
        const given = inOrder(list)
        const before = JSON.stringify(given)
        const frames = run(machine, given)
        expectEqual(resumed(machine, given), frames)
        expectEqual(stoppedOnce(machine, given, at), frames)
        expectSame(JSON.stringify(given), before)
      }),
    )
  })

  it('reports no violation after the grammar resumes', () => {
    check(
      fc.property(deltas, (list) => {
        const events = run(respond(headOf('x'), openai), list).map((event) => ({
          type: event.type,
          fields: { ...event },
        }))
        expectNone(resumed(checkEvents(OWN_EVENTS), events))
      }),
    )
  })
})
