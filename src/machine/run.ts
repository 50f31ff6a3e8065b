import type { Steps } from '../text/steps.ts'
import type { Machine, Step } from './machine.ts'

/** Steps through several inputs, without ending the machine. */
export function feed<State, In, Out>(
  machine: Machine<State, In, Out>,
  state: State,
  inputs: Iterable<In>,
): Step<State, Out> {
  const events: Out[] = []
  let now = state
  for (const input of inputs) {
    const step = machine.step(now, input)
    now = step.state
    for (const event of step.events) events.push(event)
  }
  return { state: now, events }
}

/** Inputs per slice. */
const INPUTS = 64

/** The same as `run`, in slices. */
export function* runInSteps<State, In, Out>(machine: Machine<State, In, Out>, inputs: Iterable<In>): Steps<Out[]> {
  const events: Out[] = []
  let now = machine.initial
  let count = 0
  for (const input of inputs) {
    const step = machine.step(now, input)
    now = step.state
    for (const event of step.events) events.push(event)
    count += 1
    if (count % INPUTS === 0) yield
  }
  for (const event of machine.end(now)) events.push(event)
  return events
}

/** All outputs of a machine for these inputs, including those of its end. */
export function run<State, In, Out>(machine: Machine<State, In, Out>, inputs: Iterable<In>): Out[] {
  const { state, events } = feed(machine, machine.initial, inputs)
  return [...events, ...machine.end(state)]
}
