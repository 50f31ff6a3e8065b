import { getOrCreate } from '../collections/get-or-create.ts'
import type { Frame } from '../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import { pipe } from '../machine/pipe.ts'
import { feed, run } from '../machine/run.ts'
import type { Delta } from '../protocol/delta.ts'
import { type GatewayError, gatewayError, upstreamError, withCause } from '../protocol/error.ts'
import { CITATIONS } from '../responses/apply-citations.ts'
import { HOSTED_ITEMS } from '../responses/hosted-tools.ts'
import { checkFailure } from '../validation/arguments.ts'
import type { StreamWire } from '../wires/contract.ts'
import { HAS_CLIENTS } from '../wires/names.ts'
import { type Redact, redactDelta } from '../wires/redact.ts'
import { withMethods } from '../wires/with-methods.ts'
import { checkDeltas } from './delta-shapes.ts'
import type { TurnMachine } from './turns.ts'

/** Code of the operator between decoder and reducer, as a pure machine. */
export type DeltaMachine = Machine<unknown, Delta, Delta>

/** A machine of the operator after `guardHook`. */
export type GuardedHook = Machine<GuardState, Delta, Delta>

interface GuardState {
  readonly inner: unknown
  /** The machine has thrown an error. Nothing more of the answer passes. */
  readonly failed: boolean
}

const FAILED: GuardState = { inner: null, failed: true }

/** The members of a delta that are the same in all chunks of a text. */
const FIXED: ReadonlySet<string | symbol> = new Set(['kind', 'key', 'part', 'type'])

type RunStep = (state: unknown, delta: Delta) => Step<unknown, Delta>

/** Returns a result that is no promise. The failure of a promise would end the process. */
export function settled<T>(result: T): T {
  if (!isThenable(result)) return result
  Promise.resolve(result).catch(() => undefined)
  throw new TypeError('a promise was returned')
}

const isThenable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function'

/**
 * A machine of the operator whose exceptions end only their own answer, as a failure. `name`: its name in messages.
 * `toFailure` receives each exception of an answer, and returns its failure; those of proofs of the fast path are none.
 */
export function guardHook(
  machine: DeltaMachine,
  name: string,
  toFailure: (failure: GatewayError, error: unknown, name: string) => GatewayError = (failure) => failure,
): GuardedHook {
  const failure = gatewayError('hook_failed', `The response ends here, because the hook ${name} has failed.`)
  const guard = (runStep: RunStep, toError: (error: unknown) => GatewayError): GuardedHook => ({
    initial: { inner: machine.initial, failed: false },
    step(state, delta) {
      const { inner, failed } = state
      if (failed) return { state, events: NOTHING }
      try {
        const step = settled(runStep(inner, delta))
        checkDeltas(step.events)
        return { state: step.state === inner ? state : { inner: step.state, failed }, events: step.events }
      } catch (error) {
        return { state: FAILED, events: [{ kind: 'error', error: toError(error) }] }
      }
    },
    remainder: ({ inner, failed }) => (failed ? 'nothing' : (machine.remainder?.(inner) ?? 'more')),
    end({ inner, failed }) {
      if (failed) return NOTHING
      try {
        const events = settled(machine.end(inner))
        checkDeltas(events)
        return events
      } catch (error) {
        return [{ kind: 'error', error: toError(error) }]
      }
    },
  })
  return {
    ...guard(
      (state, delta) => machine.step(state, delta),
      (error) => toFailure(failure, error, name),
    ),
    probed: guard(
      (state, delta) => probedStep(machine, state, delta),
      () => failure,
    ),
  }
}

/** A pure step does not depend on what it does not read. Throws if it reads the text of the delta, or its counts. */
function probedStep(machine: DeltaMachine, state: unknown, delta: Delta): Step<unknown, Delta> {
  let reads = false
  const watched = new Proxy(delta, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      reads ||= !FIXED.has(name) && (typeof value === 'string' || (typeof value === 'object' && value !== null))
      return value
    },
  })
  const { state: next, events } = settled(machine.step(state, watched))
  if (reads) throw new Error('the text was read')
  return { state: next, events: events.map((event) => (event === watched ? delta : event)) }
}

/** Memory of the process: streams with the same hook share a decoder and its shapes. */
const HOOKED = new WeakMap<StreamWire, WeakMap<GuardedHook, StreamWire>>()

/** Memory of the process: a machine is guarded once, so that all its streams share what the fast path has learned. */
const GUARDED = new WeakMap<DeltaMachine, GuardedHook>()

/** The wire of a program whose answers pass through its machines. */
export const withMachines = (wire: StreamWire, machines: readonly DeltaMachine[]): StreamWire =>
  hookWire(
    guardWire(wire),
    machines.map((machine, at) =>
      getOrCreate(GUARDED, machine, () => guardHook(machine, `machines[${at}]`, withPlace)),
    ),
  )

const withPlace = (failure: GatewayError, error: unknown): GatewayError => withCause(failure, error, true)

/** A decoder that could not be made: the answer fails with its error. */
function failing(error: unknown): Machine<unknown, Frame, Delta> {
  const fail = (): never => {
    throw error
  }
  return { initial: null, step: fail, end: fail }
}

/** Memory of the process: a wire is guarded once. */
const OWN_WIRES = new WeakMap<StreamWire, StreamWire>()

/** A wire of a program, whose exceptions end only their own answer, as a failure. A wire of the project needs no guard. */
export const guardWire = <Guarded extends StreamWire>(wire: Guarded): Guarded =>
  Object.hasOwn(HAS_CLIENTS, wire.name) && wire.isAdapted !== true
    ? wire
    : (getOrCreate(OWN_WIRES, wire, withGuard) as Guarded)

function withGuard(wire: StreamWire): StreamWire {
  const message = `The response ends here, because the decoder of the protocol ${wire.name} has failed.`
  const failure = (error: unknown): readonly Delta[] => [
    { kind: 'error', error: withPlace(gatewayError('decoder_failed', message), error) },
  ]
  const attempt = <Result>(run: () => Result, failed: (error: unknown) => Result): Result => {
    try {
      return run()
    } catch (error) {
      return failed(error)
    }
  }
  const checked = (deltas: readonly Delta[]): readonly Delta[] => {
    checkDeltas(deltas)
    return deltas
  }
  const guarded: StreamWire = {
    ...withMethods(wire),
    decodeStream(quirks) {
      const machine = attempt(
        () => wire.decodeStream(quirks) ?? failing(new TypeError('decodeStream: expected a machine, got nothing')),
        failing,
      )
      return {
        initial: { inner: machine.initial, failed: false } as GuardState,
        step: (state, frame) => {
          if (state.failed) return { state, events: NOTHING }
          return attempt<Step<GuardState, Delta>>(
            () => {
              const { state: inner, events } = machine.step(state.inner, frame)
              return { state: { inner, failed: false }, events: checked(events) }
            },
            (error) => ({ state: FAILED, events: failure(error) }),
          )
        },
        remainder: ({ inner, failed }) => (failed ? 'nothing' : (machine.remainder?.(inner) ?? 'more')),
        held: ({ inner, failed }) => (failed ? 0 : (machine.held?.(inner) ?? 0)),
        end: ({ inner, failed }) => (failed ? NOTHING : attempt(() => checked(machine.end(inner)), failure)),
      } satisfies Machine<GuardState, Frame, Delta> as Machine<unknown, Frame, Delta>
    },
    decodeBody: (body, quirks) => attempt(() => checked(wire.decodeBody(body, quirks)), failure),
    decodeError: (status, headers, body) =>
      attempt(
        () => {
          const error = wire.decodeError(status, headers, body)
          checkFailure(error)
          return error
        },
        (error) => withPlace(upstreamError('server_error', `The upstream returned HTTP ${status}.`), error),
      ),
  }
  OWN_WIRES.set(guarded, guarded)
  return guarded
}

/** The wire whose answers pass through these machines, in their order. */
export const hookWire = (wire: StreamWire, hooks: readonly GuardedHook[]): StreamWire =>
  hooks.reduce(
    (inner, hook) => getOrCreate(getOrCreate(HOOKED, inner, newWires), hook, () => withHook(inner, hook)),
    wire,
  )

const newWires = (): WeakMap<GuardedHook, StreamWire> => new WeakMap()

const withHook = <State>(wire: StreamWire, hook: Machine<State, Delta, Delta>): StreamWire => ({
  ...wire,
  // A machine of the operator may cite where its wire does not, and report items.
  citations: CITATIONS,
  hosted: HOSTED_ITEMS,
  decodeStream: (quirks) => pipe(wire.decodeStream(quirks), hook),
  decodeBody: (body, quirks) => run(hook, wire.decodeBody(body, quirks)),
})

/** The wire of another account, whose secrets are removed from its deltas. */
export const redacting = (wire: StreamWire, redact: Redact): StreamWire =>
  withHook(wire, {
    initial: null,
    step: (state, delta) => ({ state, events: [redactDelta(delta, redact)] }),
    end: () => NOTHING,
  })

interface HookedTurns {
  readonly turns: unknown
  readonly hook: GuardState
}

/** The machine of an answer with turns whose deltas pass through these machines: once for all turns. */
export const hookTurns = <Input, Command>(
  turns: TurnMachine<Input, Command>,
  hooks: readonly GuardedHook[],
): TurnMachine<Input, Command> => hooks.reduce(withTurnHook, turns)

function withTurnHook<Input, Command>(
  turns: TurnMachine<Input, Command>,
  hook: GuardedHook,
): TurnMachine<Input, Command> {
  const { initial, isCommand, isLast = () => false, hasFailed = () => false, probed = turns } = turns
  const after = (inner: Pick<TurnMachine<Input, Command>, 'step'>, back: GuardedHook): TurnMachine<Input, Command> => ({
    initial: { turns: initial, hook: back.initial },
    isCommand,
    isLast,
    hasFailed: (state) => hasFailed((state as HookedTurns).turns),
    step(state, input) {
      const before = state as HookedTurns
      const step = inner.step(before.turns, input)
      const events: (Delta | Command)[] = []
      let now = before.hook
      for (const output of step.events) {
        const isDelta = !isCommand(output)
        const made = isDelta
          ? feed(back, now, [output])
          : { state: now, events: isLast(output) ? back.end(now) : NOTHING }
        now = made.state
        for (const delta of made.events) events.push(delta)
        if (!isDelta) events.push(output)
      }
      const isSame = step.state === before.turns && now === before.hook
      return { state: isSame ? state : { turns: step.state, hook: now }, events }
    },
  })
  return { ...after(turns, hook), probed: after(probed, hook.probed ?? hook) }
}
