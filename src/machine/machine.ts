/** The result of one step: the next state, and the emitted outputs. */
export interface Step<State, Out> {
  readonly state: State
  readonly events: readonly Out[]
}

/** A long step in many short slices: yields outputs, with null between slices, and returns the next state. */
export type LongStep<State, Out> = Generator<Out | null, State, undefined>

/**
 * The inputs that may follow. `more`: anything. `details`: the input has finished, but details of it may follow,
 * and in a few streams more of it. `nothing`: no further input has an effect.
 */
export type Remainder = 'more' | 'details' | 'nothing'

/**
 * A pure stream function. It has no clock, no randomness and no I/O; `State` is plain JSON. A stream can therefore stop
 * after any input, be stored, and resume elsewhere. A step costs time linear in its input and at most logarithmic in
 * all earlier inputs. Each machine documents its costs, and `test/complexity` measures them.
 */
export interface Machine<State, In, Out> {
  readonly initial: State
  step(state: State, input: In): Step<State, Out>
  /**
   * The same as `step`, in slices, for inputs whose step takes long; null for other inputs. Texts may be emitted in
   * more pieces than by `step`.
   */
  stepInSlices?(state: State, input: In): LongStep<State, Out> | null
  /** The inputs that may follow. Left out: more, until the input stops. */
  remainder?(state: State): Remainder
  /** The size of inputs that a state holds back for later outputs, in UTF-16 units. Left out: it is bounded. */
  held?(state: State): number
  /**
   * The same machine for the proofs of the fast path, if the texts of its inputs may decide its outputs. It fails for an
   * input whose text it reads. Left out: the machine treats all texts alike, as far as the proofs cannot show otherwise.
   */
  readonly probed?: Machine<State, In, Out>
  /** The state of the machine that reads the inputs, of a machine that others are made of. Left out: the state itself. */
  innerState?(state: State): unknown
  /** The remaining outputs when the input stops, at any point. */
  end(state: State): readonly Out[]
  /** The same as `end`, in slices, if that takes long; otherwise null. */
  endInSlices?(state: State): LongStep<State, Out> | null
}

/** The shared empty list of steps without output. */
export const NOTHING: readonly never[] = []

/** The neutral machine: emits its inputs unchanged. */
export const identity = <T>(): Machine<null, T, T> => ({
  initial: null,
  step: (state, input) => ({ state, events: [input] }),
  end: () => NOTHING,
})
