import type { Steps } from '../text/steps.ts'
import type { LongStep } from './machine.ts'

/** Runs a long step and passes its outputs to `emit`. */
export function* emitAll<State, Out>(long: LongStep<State, Out>, emit: (out: Out) => void): Steps<State> {
  for (;;) {
    const { done, value } = long.next()
    if (done === true) return value
    if (value === null) yield
    else emit(value)
  }
}

/** Runs sliced work as a part of a long step. */
export function* emitSteps<Result>(steps: Steps<Result>): LongStep<Result, never> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    yield null
  }
}
