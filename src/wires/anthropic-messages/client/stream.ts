import type { Frame } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import { pipe } from '../../../machine/pipe.ts'
import type { Delta, StopDelta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import { formatJson, quote } from '../../../text/json.ts'
import type { ClientCodec, EncodeContext } from '../../client-contract.ts'
import { serializeItems } from '../../shared/client/serialize-items.ts'
import type { MessagesEvent } from '../json.ts'
import {
  begin,
  closeOpen,
  keepHosted,
  type MessageEvents,
  markFull,
  pieceEvent,
  settleSearches,
  withPiece,
  writeCall,
  writeCitation,
  writeReasoning,
  writeSeal,
  writeText,
} from './blocks.ts'
import { toError } from './errors.ts'
import { endEvents } from './message-end.ts'
import { type EncoderState, initialEncoder, updateEncoder } from './state.ts'

/** Encodes deltas of items that do not overlap as events of a message. */
export const messageEvents = (context: EncodeContext): Machine<EncoderState, Delta, MessagesEvent> => ({
  initial: initialEncoder(context.model),

  step(state, delta): Step<EncoderState, MessagesEvent> {
    const { open, over } = state.progress
    if (over) return { state, events: NOTHING }
    // Most deltas of a stream add text to the open block: they take this short path.
    if (delta.kind === 'text' && open?.kind === 'text' && open.key === delta.key && open.part === delta.part) {
      if (!open.full && delta.text !== '') {
        const event = pieceEvent(state, { type: 'text_delta', text: delta.text })
        return { state: withPiece(state, delta.text), events: [event] }
      }
    }
    const events: MessageEvents = []
    return { state: apply(state, delta, context, events), events: events }
  },

  end({ progress }) {
    if (progress.over) return NOTHING
    return [
      {
        type: 'error',
        error: toError(upstreamError('upstream_truncated', 'The response ended before it was complete.')),
      },
    ]
  },
})

function apply(state: EncoderState, delta: Delta, context: EncodeContext, events: MessageEvents): EncoderState {
  switch (delta.kind) {
    case 'start':
      return state.progress.started ? state : begin(updateEncoder(state, { model: delta.model }), context, events)
    case 'text':
      return writeText(state, delta, context, events)
    case 'refusal':
      return updateEncoder(state, { refusal: state.progress.refusal + delta.text })
    case 'reasoning':
    case 'summary':
      return writeReasoning(state, delta, context, events)
    case 'call':
      return writeCall(state, delta, context, events)
    case 'opaque':
      return typeof delta.payload === 'string' ? writeSeal(state, delta.key, delta.payload, context, events) : state
    case 'mark':
      return markFull(state, delta.key)
    case 'citation':
      return writeCitation(state, delta, events)
    case 'hosted':
      return keepHosted(state, delta.key, delta.item, context, events)
    case 'stop':
      return state.progress.open?.key === delta.key ? closeItem(withBroken(state, delta), context, events) : state
    case 'usage':
      return updateEncoder(state, { usage: delta.usage })
    case 'served':
      return updateEncoder(state, { served: { ...state.progress.served, ...delta.served } })
    case 'finish': {
      const closed = settleSearches(closeOpen(begin(state, context, events), context, events), context, events)
      events.push(...endEvents(delta.reason, closed.progress))
      return updateEncoder(closed, { over: true })
    }
    case 'error':
      events.push({ type: 'error', error: toError(delta.error) })
      return updateEncoder(state, { over: true })
    default:
      return state
  }
}

const withBroken = (state: EncoderState, { cut }: StopDelta): EncoderState =>
  cut === true && FUNCTION_CALLS.has(state.progress.open?.kind) ? updateEncoder(state, { broken: true }) : state

const FUNCTION_CALLS: ReadonlySet<unknown> = new Set(['held', 'call'])

/** At the end of a text that cites pages, the titles of these pages are known. */
function closeItem(state: EncoderState, context: EncodeContext, events: MessageEvents): EncoderState {
  const { open, cited } = state.progress
  const closed = closeOpen(state, context, events)
  return open?.kind === 'text' && cited.urls.length > 0 ? settleSearches(closed, context, events) : closed
}

/** Text deltas are formatted without `formatJson`, because they are the most frequent events. */
function dataOf(event: MessagesEvent): string {
  if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') return formatJson(event)
  const { index, delta } = event
  return `{"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":${quote(delta.text)}}}`
}

const toFrames: Machine<null, MessagesEvent, Frame> = {
  initial: null,
  step: (state, event) => ({ state, events: [{ event: event.type, data: dataOf(event) }] }),
  end: () => NOTHING,
}

/**
 * Encodes a stream: blocks follow one another, and each index is one more than the last. Pages of a search whose titles
 * arrive only with citations are listed after the text that cites them. In a stream, a citation arrives after the text
 * it refers to has been sent, so the cited block also contains the uncited text before it. Whole bodies split cited
 * spans into separate blocks.
 */
export const encodeStream: ClientCodec['encodeStream'] = (context) =>
  pipe(serializeItems, pipe(messageEvents(context), toFrames))
