import type { JsonObject } from '../../protocol/json.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import type { AnswerPassthrough, EventEnding } from '../../wires/passthrough-contract.ts'
import { SentResponse } from './sent-response.ts'

const NO_BYTES: Uint8Array = new Uint8Array(0)

const NUMBER_FIELD = '"sequence_number"'
const NUMBER = /^\s*:\s*(\d+)/

/** Long enough for any number behind its name. */
const LONGEST_NUMBER = 40

/** The last number of an event in these frames. In a text, the quotes around its name are escaped, or no colon follows. */
function lastNumber(frames: string): number | null {
  for (
    let at = frames.lastIndexOf(NUMBER_FIELD);
    at >= 0;
    at = at === 0 ? -1 : frames.lastIndexOf(NUMBER_FIELD, at - 1)
  ) {
    const start = at + NUMBER_FIELD.length
    const found = NUMBER.exec(frames.slice(start, start + LONGEST_NUMBER))
    if (found !== null) return Number(found[1])
  }
  return null
}

/** The events of a stream that were sent to its client, so far as its end depends on them. */
export class SentEvents {
  /** Whether the answer has ended: nothing follows. */
  isOver = false
  /** Whether the last frame of the protocol ended it. */
  isDone = false
  /** How the answer has ended; null if it has not. */
  ending: EventEnding | null = null
  /** The end of a complete answer, which is sent when the machines confirm it. */
  held: Uint8Array = NO_BYTES
  memory: JsonObject = {}
  /** The highest number of an event, in protocols that number events. */
  sequence: number | null = null
  /** The objects of a Responses stream. */
  readonly response = new SentResponse()
  private readonly table: AnswerPassthrough

  constructor(table: AnswerPassthrough) {
    this.table = table
  }

  /** Adds an event. Returns false if it must not be sent. */
  add(value: JsonObject, event: string): boolean {
    const ending = this.table.ending(value, event)
    if (this.ending === 'failing' && ending !== 'failed') return false
    if (ending !== null) this.end(ending)
    const { sequence_number: number } = value
    // The end of a complete answer is held back, and then left out or the last event.
    if (typeof number === 'number' && ending !== 'complete') this.sequence = Math.max(this.sequence ?? 0, number)
    this.response.add(value)
    return true
  }

  /** Notes the last number in frames that were sent without being examined. */
  skip(frames: Uint8Array): void {
    if (this.sequence === null) return
    this.sequence = Math.max(this.sequence, lastNumber(decodeUtf8(frames)) ?? 0)
  }

  /** Notes the last frame of the protocol. Behind the report of a failure, it does not make the answer complete. */
  done(): void {
    this.isDone = true
    this.end(this.ending ?? 'complete')
    this.isOver = true
  }

  private end(ending: EventEnding): void {
    this.ending = ending
    this.isOver = ending !== 'failing'
  }

  /**
   * Keeps back the bytes of the last frame of the protocol, or if they end a complete answer. Returns the bytes that are
   * sent now.
   */
  hold(bytes: Uint8Array): Uint8Array {
    if (this.ending !== 'complete' && !this.isDone) return bytes
    this.held = bytes
    return NO_BYTES
  }
}
