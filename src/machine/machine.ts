/** What one step gives: the next state, and what is said on the way. */
export interface Step<State, Out> {
  readonly state: State
  readonly events: readonly Out[]
}

/** A step that takes long, as many short ones: yields what it emits, and null in between; returns the next state. */
export type LongStep<State, Out> = Generator<Out | null, State, undefined>

/**
 * A pure stream function. No clock, no randomness, no I/O; `State` is plain JSON, so that a stream can be stopped after
 * any input, stored, and resumed elsewhere. A step costs what its input is long, and at most the logarithm of all that came
 * before it: each machine says what it costs, and `test/complexity` measures it.
 */
export interface Machine<State, In, Out> {
  readonly initial: State
  step(state: State, input: In): Step<State, Out>
  /** The same as `step`, for an input whose step takes long; null for any other. Texts may be emitted in more pieces. */
  stepInSlices?(state: State, input: In): LongStep<State, Out> | null
  /** What is still owed when the input stops, wherever it stops. */
  end(state: State): readonly Out[]
  /** The same as `end`, where that takes long; else null. */
  endInSlices?(state: State): LongStep<State, Out> | null
}

/** The one empty list: steps that say nothing share it. */
export const NOTHING: readonly never[] = []

/** The neutral machine: says what it hears. */
export const identity = <T>(): Machine<null, T, T> => ({
  initial: null,
  step: (state, input) => ({ state, events: [input] }),
  end: () => NOTHING,
})
