import type { Frame, FrameReader } from '../../../../framing/frame.ts'
import { feed } from '../../../../machine/run.ts'
import type { Event } from '../../../../protocol/event.ts'
import { LIMITS } from '../../../../protocol/limits.ts'
import type { Head } from '../../../../protocol/response.ts'
import { EMPTY_ECHO } from '../../../../responses/echo.ts'
import { parseJson } from '../../../../text/json.ts'
import { FORMATS_OF_ANSWERS, reduceAnswer } from './answer-formats.ts'
import type { LiveProtocol } from './protocols.ts'

/** A frame of an answer with the events of the Responses API that it causes; the frame is null for those of the end. */
export interface ReadFrame {
  readonly frame: Frame | null
  readonly events: readonly Event[]
}

/** Bytes of an answer in, frames with their events out. Keeps incomplete frames; never throws. */
export interface LiveReader {
  push(bytes: Uint8Array): readonly ReadFrame[]
  /** The events that are still to be emitted when the bytes end. */
  end(): readonly ReadFrame[]
  /** Reads a whole body in place of a stream, with its end. */
  readBody(text: string): readonly ReadFrame[]
}

/** `model`: the requested model, shown until the answer names another. */
export function createLiveReader(protocol: LiveProtocol, model: string): LiveReader {
  const format = FORMATS_OF_ANSWERS[protocol]
  const head: Head = { id: 'answer', created_at: 0, model, echo: EMPTY_ECHO }
  const machine = format.events(head)
  const frames: FrameReader = format.framing.open(LIMITS.upstreamEvent)
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
      const reducer = reduceAnswer(format.wire, head)
      const { state: reduced, events } = feed(reducer, reducer.initial, deltas)
      return [{ frame: { event: '', data: text }, events: [...events, ...reducer.end(reduced)] }]
    },
  }
}
