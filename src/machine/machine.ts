/** What one step gives: the next state, and what is said on the way. */
export interface Step<State, Out> {
  readonly state: State
  readonly events: readonly Out[]
}

/**
 * A pure stream function. No clock, no randomness, no I/O; `State` is plain JSON, so that a stream can be stopped after
 * any input, stored, and resumed elsewhere. A step costs what its input is long, and at most the logarithm of all that came
 * before it: each machine says what it costs, and `test/complexity` measures it.
 */
export interface Machine<State, In, Out> {
  readonly initial: State
  step(state: State, input: In): Step<State, Out>
  /** What is still owed when the input stops, wherever it stops. */
  end(state: State): readonly Out[]
}

/** The one empty list: steps that say nothing share it. */
export const NOTHING: readonly never[] = []

/** The neutral machine: says what it hears. */
export const identity = <T>(): Machine<null, T, T> => ({
  initial: null,
  step: (state, input) => ({ state, events: [input] }),
  end: () => NOTHING,
})
