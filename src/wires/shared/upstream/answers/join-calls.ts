import type { Frame } from '../../../../framing/frame.ts'
import type { LongStep, Machine, Step } from '../../../../machine/machine.ts'
import { innerState } from '../../../../machine/pipe.ts'
import { feed, run } from '../../../../machine/run.ts'
import type { Delta } from '../../../../protocol/delta.ts'
import { type JoinState, joinCalls } from '../../../../responses/join-calls.ts'
import type { Quirks } from '../../../quirks.ts'

/** A decoder of streams and bodies, which depends on the vendor. */
export interface Decoder<State> {
  readonly decodeStream: (quirks: Quirks) => Machine<State, Frame, Delta>
  readonly decodeBody: (body: unknown, quirks: Quirks) => readonly Delta[]
}

/** The state of a decoder, and of the calls that it has decoded. */
export interface JoinedState<State> {
  readonly inner: State
  readonly calls: JoinState
}

/**
 * Joins the pieces of calls that a decoder emits (`responses/join-calls.ts`), of streams and of bodies alike.
 * `showsCalls`: the state that answers are passed with has the calls as well.
 */
export const joiningCalls = <State>(
  { decodeStream, decodeBody }: Decoder<State>,
  showsCalls = false,
): Decoder<JoinedState<State>> => ({
  decodeStream(quirks) {
    const joining = joiningDecoder(decodeStream(quirks))
    return showsCalls ? { ...joining, innerState: (state) => state } : joining
  },
  decodeBody(body, quirks) {
    const deltas = decodeBody(body, quirks)
    return deltas.some(({ kind }) => kind === 'call') ? run(joinCalls, deltas) : deltas
  },
})

function joiningDecoder<State>(decoder: Machine<State, Frame, Delta>): Machine<JoinedState<State>, Frame, Delta> {
  return {
    initial: { inner: decoder.initial, calls: joinCalls.initial },

    step(state, frame): Step<JoinedState<State>, Delta> {
      const { state: inner, events } = decoder.step(state.inner, frame)
      const [only] = events
      if (only === undefined)
        return inner === state.inner ? { state, events } : { state: { inner, calls: state.calls }, events }
      const step = events.length === 1 ? joinCalls.step(state.calls, only) : feed(joinCalls, state.calls, events)
      const { state: calls } = step
      return {
        state: inner === state.inner && calls === state.calls ? state : { inner, calls },
        events: step.events,
      }
    },

    stepInSlices(state, frame): LongStep<JoinedState<State>, Delta> | null {
      const steps = decoder.stepInSlices?.(state.inner, frame) ?? null
      return steps === null ? null : joinSteps(steps, state.calls)
    },

    remainder: ({ inner }) => decoder.remainder?.(inner) ?? 'more',

    held: ({ inner }) => decoder.held?.(inner) ?? 0,

    innerState: ({ inner }) => innerState(decoder, inner),

    end({ inner, calls }) {
      const rest = decoder.end(inner)
      if (rest.length === 0) return joinCalls.end(calls)
      const last = feed(joinCalls, calls, rest)
      return [...last.events, ...joinCalls.end(last.state)]
    },
  }
}

function* joinSteps<State>(steps: LongStep<State, Delta>, before: JoinState): LongStep<JoinedState<State>, Delta> {
  let calls = before
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return { inner: value, calls }
    if (value === null) yield null
    else {
      const step = joinCalls.step(calls, value)
      calls = step.state
      yield* step.events
    }
  }
}
