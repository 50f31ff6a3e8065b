import type { Frame } from '../../../framing/frame.ts'
import { type Machine, NOTHING } from '../../../machine/machine.ts'
import { pipe } from '../../../machine/pipe.ts'
import { formatJson, quote } from '../../../text/json.ts'
import type { ClientCodec } from '../../client-contract.ts'
import { serializeItems } from '../../shared/client/serialize-items.ts'
import type { InteractionEvent } from '../json.ts'
import { interactionEvents } from './events.ts'

/** Pieces of text are formatted without `formatJson`, because they are the most frequent events. */
function dataOf(event: InteractionEvent): string {
  if (event.event_type !== 'step.delta' || event.delta.type !== 'text' || typeof event.delta.text !== 'string')
    return formatJson(event)
  const { index, delta } = event
  return `{"index":${index},"delta":{"text":${quote(delta.text as string)},"type":"text"},"event_type":"step.delta"}`
}

const toFrames: Machine<null, InteractionEvent, Frame> = {
  initial: null,
  step: (state, event) => ({ state, events: [{ event: event.event_type, data: dataOf(event) }] }),
  end: () => NOTHING,
}

const DONE: Frame = { event: 'done', data: '[DONE]' }

/** Ends a stream, also one that failed: the failure is an event of its own. */
const withDone: Machine<null, Frame, Frame> = {
  initial: null,
  step: (state, frame) => ({ state, events: [frame] }),
  end: () => [DONE],
}

/** Encodes a stream: steps follow one another, and each index is one more than the last. */
export const encodeStream: ClientCodec['encodeStream'] = (context) =>
  pipe(serializeItems, pipe(interactionEvents(context), pipe(toFrames, withDone)))
