import { type Machine, NOTHING } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { joined } from '../text/bytes.ts'
import { createDecoder, type Decoder } from './decoder.ts'
import type { Encoder } from './delta-encoder.ts'
import type { DecodeOptions } from './encoder.ts'
import type { Outcome } from './outcome.ts'
import type { Target } from './target.ts'
import type { Sliced } from './translate.ts'

/** One answer for a client: as a stream (`Piece`: bytes), or as one body (`Piece`: nothing). */
export interface Answer<Piece> extends Sliced<Piece> {
  /** Bytes of the upstream answer. The caller may reuse them afterwards. */
  receive(bytes: Uint8Array): Piece
  /** A whole upstream body in place of a stream, including its end. */
  receiveBody(text: string): Piece
  /** The upstream answer ended cleanly. Without turns, the answer ends. */
  end(): Piece
  /** The transport broke, or the caller gave up. Without turns, the answer ends. */
  fail(error: GatewayError): Piece
  /** The client has disconnected. Nothing more is written; only the outcome is still computed. */
  discard(): void
  /** True if nothing more is read: the answer has ended or has passed a limit. Work may still be left. */
  over(): boolean
  /** True if an item has begun, which means that the first token has arrived. */
  begun(): boolean
  outcome(): Outcome
}

/** An answer that is sent as one body. */
export interface BodyAnswer extends Answer<void> {
  /** Returns the body of an answer that is over. */
  body(): JsonObject
}

/** An answer that consists of the upstream answers of several turns, with a machine between decoder and reducer. */
export interface TurnAnswer<Piece, Input, Command> extends Answer<Piece> {
  /** True if nothing more is read of the upstream answer of this turn. Work may still be left. */
  turnOver(): boolean
  /** Steps the machine with an input that is no delta, and writes the deltas that result. */
  apply(input: Input): { readonly piece: Piece; readonly commands: readonly Command[] }
  /** Begins the next turn, whose upstream answer has a decoder of its own. */
  openTurn(): void
  /** Ends the answer. `error`: the reason why it ends early. */
  close(error?: GatewayError): Piece
}

/** The machine of an answer with turns. Its outputs are deltas of the answer, and commands to the caller. */
export interface TurnMachine<State, Input, Command> {
  readonly machine: Machine<State, Delta | Input, Delta | Command>
  readonly isCommand: (output: Delta | Command) => output is Command
}

/** Collects an answer without turns into one body. */
export function collectAnswer(target: Target): BodyAnswer {
  const collection = target.collection()
  return {
    ...collection,
    end: () => collection.close(null),
    fail: (error) => collection.close(error),
    discard: () => undefined,
    body: () => collection.end(),
  }
}

/** Translates the upstream answers of all turns to one stream. */
export const streamTurns = <State, Input, Command>(
  target: Target,
  options: DecodeOptions,
  machine: TurnMachine<State, Input, Command>,
): TurnAnswer<Uint8Array, Input, Command> =>
  new EncodedTurns(target.createEncoder(), { nothing: new Uint8Array(0), joined }, options, machine)

/** Collects the upstream answers of all turns into one body. */
export const collectTurns = <State, Input, Command>(
  target: Target,
  options: DecodeOptions,
  machine: TurnMachine<State, Input, Command>,
): TurnAnswer<void, Input, Command> & BodyAnswer => new CollectedTurns(target.createBodyEncoder(), options, machine)

/** Deltas that the machine receives in one slice. */
const DELTAS = 128

interface Pieces<Piece> {
  readonly nothing: Piece
  joined(first: Piece, second: Piece): Piece
}

class EncodedTurns<Piece, State, Input, Command> implements TurnAnswer<Piece, Input, Command> {
  protected readonly encoder: Encoder<Piece, unknown>
  private readonly pieces: Pieces<Piece>
  private readonly options: DecodeOptions
  private readonly turns: TurnMachine<State, Input, Command>
  private state: State
  private decoder: Decoder
  /** The deltas of one slice of decoding, with the index of the first that waits for the machine. */
  private deltas: readonly Delta[] = NOTHING
  private at = 0
  /** Frames of the earlier turns. */
  private chunks = 0
  private discards = false

  constructor(
    encoder: Encoder<Piece, unknown>,
    pieces: Pieces<Piece>,
    options: DecodeOptions,
    turns: TurnMachine<State, Input, Command>,
  ) {
    this.encoder = encoder
    this.pieces = pieces
    this.options = options
    this.turns = turns
    this.state = turns.machine.initial
    this.decoder = createDecoder(options)
  }

  receive(bytes: Uint8Array): Piece {
    return this.turnOver() ? this.pieces.nothing : this.addDeltas(this.decoder.receive(bytes))
  }

  receiveBody(text: string): Piece {
    return this.addDeltas(this.decoder.receiveBody(text))
  }

  end(): Piece {
    return this.addDeltas(this.decoder.end())
  }

  fail(error: GatewayError): Piece {
    return this.addDeltas(this.decoder.fail(error))
  }

  discard(): void {
    this.discards = true
  }

  over(): boolean {
    return this.encoder.over()
  }

  turnOver(): boolean {
    return this.encoder.over() || this.decoder.over()
  }

  begun(): boolean {
    return this.encoder.begun()
  }

  outcome(): Outcome {
    return this.encoder.outcome(this.chunks + this.decoder.chunks())
  }

  busy(): boolean {
    return this.encoder.busy() || (!this.encoder.over() && (this.at < this.deltas.length || this.decoder.busy()))
  }

  resume(): Piece {
    if (this.encoder.busy()) return this.written(this.encoder.resume())
    return this.at < this.deltas.length ? this.applySome() : this.addDeltas(this.decoder.resume())
  }

  apply(input: Input): { readonly piece: Piece; readonly commands: readonly Command[] } {
    const { deltas, commands } = this.step([input])
    return { piece: this.written(this.encoder.write(deltas)), commands }
  }

  openTurn(): void {
    this.chunks += this.decoder.chunks()
    this.decoder = createDecoder(this.options)
  }

  close(error?: GatewayError): Piece {
    const cut = error === undefined ? this.pieces.nothing : this.encoder.write([{ kind: 'cut', error }])
    return this.written(this.pieces.joined(cut, this.encoder.close()))
  }

  private addDeltas(deltas: readonly Delta[]): Piece {
    this.deltas = deltas
    this.at = 0
    return this.applySome()
  }

  private applySome(): Piece {
    const some = this.deltas.slice(this.at, this.at + DELTAS)
    this.at += some.length
    return this.written(this.encoder.write(this.step(some).deltas))
  }

  private step(inputs: readonly (Delta | Input)[]): { readonly deltas: Delta[]; readonly commands: Command[] } {
    const { machine, isCommand } = this.turns
    const deltas: Delta[] = []
    const commands: Command[] = []
    for (const one of inputs) {
      const { state, events } = machine.step(this.state, one)
      this.state = state
      for (const output of events) {
        if (isCommand(output)) commands.push(output)
        else deltas.push(output)
      }
    }
    return { deltas, commands }
  }

  private written(piece: Piece): Piece {
    return this.discards ? this.pieces.nothing : piece
  }
}

class CollectedTurns<State, Input, Command> extends EncodedTurns<void, State, Input, Command> implements BodyAnswer {
  private readonly whole: Encoder<void, JsonObject>

  constructor(encoder: Encoder<void, JsonObject>, options: DecodeOptions, turns: TurnMachine<State, Input, Command>) {
    super(encoder, { nothing: undefined, joined: () => undefined }, options, turns)
    this.whole = encoder
  }

  body(): JsonObject {
    return this.whole.end()
  }
}
