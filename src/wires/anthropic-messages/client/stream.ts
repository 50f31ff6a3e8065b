import type { Frame } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import { pipe } from '../../../machine/pipe.ts'
import type { Delta, StopDelta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import { formatJson, quote } from '../../../text/json.ts'
import type { Answering, Client } from '../../client-contract.ts'
import type { MessagesEvent } from '../json.ts'
import {
  begin,
  closeOpen,
  keepHosted,
  markFull,
  pieceEvent,
  settleSearches,
  type Tell,
  tellCall,
  tellCitation,
  tellSeal,
  tellText,
  tellThought,
  withPiece,
} from './blocks.ts'
import { toError } from './errors.ts'
import { endEvents } from './message-end.ts'
import { inTurn } from './serialize-blocks.ts'
import { openingTold, retold, type TellState } from './state.ts'

/** Encodes deltas of items that do not overlap as events of a message. */
export const tellMessage = (answering: Answering): Machine<TellState, Delta, MessagesEvent> => ({
  initial: openingTold(answering.model),

  step(state, delta): Step<TellState, MessagesEvent> {
    const { open, over } = state.story
    if (over) return { state, events: NOTHING }
    // Most deltas of a stream add text to the open block: they take this short path.
    if (delta.kind === 'text' && open?.kind === 'text' && open.key === delta.key && open.part === delta.part) {
      if (!open.full && delta.text !== '') {
        const event = pieceEvent(state, { type: 'text_delta', text: delta.text })
        return { state: withPiece(state, delta.text), events: [event] }
      }
    }
    const tell: Tell = []
    return { state: hear(state, delta, answering, tell), events: tell }
  },

  end({ story }) {
    if (story.over) return NOTHING
    return [{ type: 'error', error: toError(upstreamError('upstream_truncated', 'The answer broke off.')) }]
  },
})

function hear(state: TellState, delta: Delta, answering: Answering, tell: Tell): TellState {
  switch (delta.kind) {
    case 'start':
      return state.story.started ? state : begin(retold(state, { model: delta.model }), answering, tell)
    case 'text':
      return tellText(state, delta, answering, tell)
    case 'refusal':
      return retold(state, { refusal: state.story.refusal + delta.text })
    case 'reasoning':
    case 'summary':
      return tellThought(state, delta, answering, tell)
    case 'call':
      return tellCall(state, delta, answering, tell)
    case 'opaque':
      return typeof delta.payload === 'string' ? tellSeal(state, delta.key, delta.payload, answering, tell) : state
    case 'mark':
      return markFull(state, delta.key)
    case 'citation':
      return tellCitation(state, delta, tell)
    case 'hosted':
      return keepHosted(state, delta.key, delta.item, answering, tell)
    case 'stop':
      return state.story.open?.key === delta.key ? closeItem(withBroken(state, delta), answering, tell) : state
    case 'usage':
      return retold(state, { usage: delta.usage })
    case 'finish': {
      const closed = settleSearches(closeOpen(begin(state, answering, tell), answering, tell), answering, tell)
      tell.push(...endEvents(delta.reason, closed.story))
      return retold(closed, { over: true })
    }
    case 'error':
      tell.push({ type: 'error', error: toError(delta.error) })
      return retold(state, { over: true })
    default:
      return state
  }
}

const withBroken = (state: TellState, { cut }: StopDelta): TellState =>
  cut === true && state.story.open?.kind === 'call' ? retold(state, { broken: true }) : state

/** At the end of a text that cites pages, the titles of these pages are known. */
function closeItem(state: TellState, answering: Answering, tell: Tell): TellState {
  const { open, cited } = state.story
  const closed = closeOpen(state, answering, tell)
  return open?.kind === 'text' && cited.urls.length > 0 ? settleSearches(closed, answering, tell) : closed
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
export const encodeStream: Client['encodeStream'] = (answering) => pipe(inTurn, pipe(tellMessage(answering), toFrames))
