import type { Frame } from '../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'

/**
 * A machine between decoder and reducer, for an answer that is made from several upstream answers in turn
 * (`search/loop/loop.ts`). It makes only deltas of a delta, and of other inputs also commands to the caller.
 */
export interface TurnMachine<Input = unknown, Command = unknown> {
  readonly initial: unknown
  step(state: unknown, input: Delta | Input): Step<unknown, Delta | Command>
  isCommand(output: Delta | Command): output is Command
  /** Whether this command is the end of the answer. Left out: none is. */
  isLast?(command: Command): boolean
  /** Whether the open turn has reported a failure that is held back. Left out: none is. */
  hasFailed?(state: unknown): boolean
  /** As of `Machine`. */
  readonly probed?: Pick<TurnMachine<Input, Command>, 'initial' | 'step'>
}

/** The effect of an input that is no delta. */
interface TurnStep<Command> {
  readonly deltas: readonly Delta[]
  readonly commands: readonly Command[]
}

/** The machine of one answer, with its state and the decoded deltas that wait for it. */
export class TurnStage<Input = unknown, Command = unknown> {
  state: unknown
  private readonly machine: TurnMachine<Input, Command>
  private deltas: readonly Delta[] = NOTHING
  private at = 0

  constructor(machine: TurnMachine<Input, Command>) {
    this.machine = machine
    this.state = machine.initial
  }

  hasFailed(): boolean {
    return this.machine.hasFailed?.(this.state) === true
  }

  waits(): boolean {
    return this.at < this.deltas.length
  }

  set(deltas: readonly Delta[]): void {
    this.deltas = deltas
    this.at = 0
  }

  clear(): void {
    this.set(NOTHING)
  }

  /** Steps the machine with the next waiting delta. */
  next(): readonly Delta[] {
    const step = this.machine.step(this.state, this.deltas[this.at] as Delta)
    this.at += 1
    this.state = step.state
    return step.events as readonly Delta[]
  }

  apply(input: Input): TurnStep<Command> {
    const { state, events } = this.machine.step(this.state, input)
    this.state = state
    const deltas: Delta[] = []
    const commands: Command[] = []
    for (const output of events) {
      if (this.machine.isCommand(output)) commands.push(output)
      else deltas.push(output)
    }
    return { deltas, commands }
  }

  /** The decoder and this machine as one decoder, for the proofs of the fast path. */
  after(decoder: Machine<unknown, Frame, Delta>): Machine<TurnState, Frame, Delta> {
    const machine = this.machine.probed ?? this.machine
    return {
      initial: { decoder: decoder.initial, turns: machine.initial },
      step: (state, frame) => {
        const decoded = decoder.step(state.decoder, frame)
        const deltas: Delta[] = []
        let { turns } = state
        for (const delta of decoded.events) {
          const step = machine.step(turns, delta)
          turns = step.state
          for (const output of step.events) deltas.push(output as Delta)
        }
        return { state: { decoder: decoded.state, turns }, events: deltas }
      },
      end: () => NOTHING,
    }
  }
}

/** The upstream of a turn that is not the one before. */
export interface TurnSource {
  readonly wire: StreamWire
  readonly quirks: Quirks
}

/** The states of a decoder and of the machine after it. */
export interface TurnState {
  readonly decoder: unknown
  readonly turns: unknown
}
