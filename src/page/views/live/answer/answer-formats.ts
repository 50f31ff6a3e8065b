import { beta } from '../../../../dialects/beta.ts'
import { openaiReasoningText } from '../../../../dialects/openai.ts'
import { read } from '../../../../dialects/read.ts'
import type { Frame } from '../../../../framing/frame.ts'
import type { Framing } from '../../../../framing/framing.ts'
import { SSE } from '../../../../framing/sse.ts'
import type { Machine } from '../../../../machine/machine.ts'
import { pipe } from '../../../../machine/pipe.ts'
import type { Delta } from '../../../../protocol/delta.ts'
import type { Event } from '../../../../protocol/event.ts'
import type { Json } from '../../../../protocol/json.ts'
import type { Head } from '../../../../protocol/response.ts'
import { ALL_CAPABILITIES } from '../../../../responses/capabilities.ts'
import { respond } from '../../../../responses/respond.ts'
import type { StreamWire } from '../../../../wires/contract.ts'
import { STREAM_WIRES } from '../../../../wires/stream-registry.ts'
import { type LiveProtocol, ofEachWire } from './protocols.ts'

/** How answers of a protocol become events of the Responses API. */
interface AnswerFormat {
  readonly framing: Framing
  /** Decodes a body. */
  readonly wire: StreamWire
  events(head: Head): Machine<unknown, Frame, Event>
}

/** Encrypted reasoning is shown as its client received it. */
const asText = (payload: Json): string => (typeof payload === 'string' ? payload : JSON.stringify(payload))

/** The reducer of an answer that has all that the Responses API has. */
export const reduceAnswer = (wire: StreamWire, head: Head): Machine<unknown, Delta, Event> =>
  respond(head, ALL_CAPABILITIES, asText, asText, wire.reportsPhases === true)

/** Answers of the protocol of a wire: the wire decodes them as it decodes those of an upstream. */
const ofWire = (wire: StreamWire): AnswerFormat => ({
  framing: wire.framing,
  wire,
  events: (head) => pipe(wire.decodeStream({}), reduceAnswer(wire, head)),
})

export const FORMATS_OF_ANSWERS: Readonly<Record<LiveProtocol, AnswerFormat>> = {
  'responses-openai': {
    framing: SSE,
    wire: STREAM_WIRES['openai-responses'],
    events: () => read(openaiReasoningText),
  },
  'responses-beta': { framing: SSE, wire: STREAM_WIRES['openai-responses'], events: () => read(beta) },
  ...ofEachWire((wire) => ofWire(STREAM_WIRES[wire])),
}
