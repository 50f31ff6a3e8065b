import type { Frame } from '../../framing/frame.ts'
import { FRAMINGS, type FramingName } from '../../framing/registry.ts'
import { createPrinter, printAll } from '../../output/frame-printer.ts'
import type { Response } from '../../protocol/response.ts'
import { isObject, parseJson } from '../../text/json.ts'
import type { AnswerPassthrough } from '../../wires/passthrough-contract.ts'
import type { Target, TargetContext } from '../target.ts'

const READERS = { sse: 'sse', ndjson: 'ndjson', array: 'sse-or-array' } as const satisfies Record<
  Target['format'],
  FramingName
>

/** The frames with which the target ends an answer that failed. `sequence`: the number of the first of them. */
export function failureFrames(
  target: Target,
  context: TargetContext,
  response: Response,
  sequence: number,
): readonly Frame[] {
  const machine = target.stream(context, false)
  const { state, events } = machine.step({ ...machine.initial, sequence }, { type: 'failed', response })
  const reader = FRAMINGS[READERS[target.format]].open(Number.MAX_SAFE_INTEGER)
  const frames = reader.push(printAll(createPrinter(), [...events, ...machine.end(state)]))
  return [...frames, ...reader.end()]
}

/** The number of this event, in protocols that number events. */
export function sequenceOf(frame: Frame | null): number | null {
  const event = frame === null ? undefined : parseJson(frame.data)
  return isObject(event) && typeof event.sequence_number === 'number' ? event.sequence_number : null
}

/** The frames that end a complete answer, if its upstream has left them out. */
export const missingEnd = ({ terminator }: AnswerPassthrough, last: Frame | null): readonly Frame[] =>
  terminator === undefined || (last !== null && terminator.matches(last)) ? [] : [terminator.frame]
