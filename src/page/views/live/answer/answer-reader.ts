import { beta } from '../../../../dialects/beta.ts'
import { openaiReasoningText } from '../../../../dialects/openai.ts'
import { read } from '../../../../dialects/read.ts'
import type { Frame, FrameReader } from '../../../../framing/frame.ts'
import { FRAMINGS, type FramingName } from '../../../../framing/registry.ts'
import type { Machine } from '../../../../machine/machine.ts'
import { pipe } from '../../../../machine/pipe.ts'
import type { Delta } from '../../../../protocol/delta.ts'
import type { Event } from '../../../../protocol/event.ts'
import type { Json } from '../../../../protocol/json.ts'
import { LIMITS } from '../../../../protocol/limits.ts'
import type { Head } from '../../../../protocol/response.ts'
import { ALL_CAPABILITIES } from '../../../../responses/capabilities.ts'
import { EMPTY_ECHO } from '../../../../responses/echo.ts'
import { respond } from '../../../../responses/respond.ts'
import { parseJson } from '../../../../text/json.ts'
import { anthropicMessagesStream } from '../../../../wires/anthropic-messages/index.ts'
import type { StreamWire } from '../../../../wires/contract.ts'
import { geminiGenerateStream } from '../../../../wires/gemini-generate/index.ts'
import { ollamaChatStream } from '../../../../wires/ollama-chat/index.ts'
import { openaiChatStream } from '../../../../wires/openai-chat/index.ts'
import { openaiResponsesStream } from '../../../../wires/openai-responses/index.ts'
import type { LiveProtocol } from './protocols.ts'

/** A frame of an answer with the events of the Responses API that it causes; the frame is null for those of the end. */
export interface ReadFrame {
  readonly frame: Frame | null
  readonly events: readonly Event[]
}

/** Bytes of an answer in, frames with their events out. Keeps incomplete frames; never throws. */
export interface AnswerReader {
  push(bytes: Uint8Array): readonly ReadFrame[]
  /** The events that are owed when the bytes end. */
  end(): readonly ReadFrame[]
  /** Reads a whole body in place of a stream, with its end. */
  readBody(text: string): readonly ReadFrame[]
}

interface AnswerFormat {
  readonly framing: FramingName
  /** Decodes a body. */
  readonly wire: StreamWire
  events(head: Head): Machine<unknown, Frame, Event>
}

/** Encrypted reasoning is shown as its client received it. */
const asText = (payload: Json): string => (typeof payload === 'string' ? payload : JSON.stringify(payload))

const reduce = (wire: StreamWire, head: Head): Machine<unknown, Delta, Event> =>
  respond(head, ALL_CAPABILITIES, asText, asText, wire.reportsPhases === true)

/** Answers of the protocol of a wire: the wire decodes them as it decodes those of an upstream. */
const ofWire = (wire: StreamWire): AnswerFormat => ({
  framing: wire.framing,
  wire,
  events: (head) => pipe(wire.decodeStream({}), reduce(wire, head)),
})

const FORMATS_OF_ANSWERS: Readonly<Record<LiveProtocol, AnswerFormat>> = {
  'responses-openai': { framing: 'sse', wire: openaiResponsesStream, events: () => read(openaiReasoningText) },
  'responses-beta': { framing: 'sse', wire: openaiResponsesStream, events: () => read(beta) },
  'openai-chat': ofWire(openaiChatStream),
  'anthropic-messages': ofWire(anthropicMessagesStream),
  'gemini-generate': ofWire(geminiGenerateStream),
  'ollama-chat': ofWire(ollamaChatStream),
}

/** `model`: the requested model, shown until the answer names another. */
export function createAnswerReader(protocol: LiveProtocol, model: string): AnswerReader {
  const format = FORMATS_OF_ANSWERS[protocol]
  const head: Head = { id: 'answer', created_at: 0, model, echo: EMPTY_ECHO }
  const machine = format.events(head)
  const frames: FrameReader = FRAMINGS[format.framing].open(LIMITS.upstreamEvent)
  let state = machine.initial

  const step = (frame: Frame): ReadFrame => {
    const { state: next, events } = machine.step(state, frame)
    state = next
    return { frame, events }
  }

  return {
    push: (bytes) => frames.push(bytes).map(step),
    end() {
      const last = frames.end().map(step)
      return [...last, { frame: null, events: machine.end(state) }]
    },
    readBody(text) {
      const deltas = format.wire.decodeBody(parseJson(text), {})
      const reducer = reduce(format.wire, head)
      const events: Event[] = []
      let reduced = reducer.initial
      for (const delta of deltas) {
        const { state: next, events: caused } = reducer.step(reduced, delta)
        reduced = next
        events.push(...caused)
      }
      return [{ frame: { event: '', data: text }, events: [...events, ...reducer.end(reduced)] }]
    },
  }
}
