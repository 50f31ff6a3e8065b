import { type Frame, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { Bag } from '../../../protocol/json.ts'
import { isObject, isText, wordOf } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { isTooNoisy, noiseAfter } from '../../shared/upstream/unreadable-frames.ts'
import { upstreamErrorOf } from '../errors.ts'
import { HALF_TOLD, STOP_REASONS } from '../terms.ts'
import { hearDelta } from './block-deltas.ts'
import { beginText, closeBlock, closeBlocks, dropBlocks, hearModel, openBlock } from './blocks.ts'
import { content } from './deltas.ts'
import { findBlock } from './open-blocks.ts'
import { INITIAL, type MessagesState, tell } from './state.ts'
import { mergeCounts, toUsage } from './usage.ts'

/**
 * Decodes the events of a message stream into deltas (docs/wires/anthropic-messages.md, 2). Reads only the payload's
 * own `type`, never the event's name. O(1) for a text or thinking delta, O(log n) for any other event while n blocks
 * are open or n tools wait for their results.
 */
export const decodeStream = (): Machine<MessagesState, Frame, Delta> => ({
  initial: INITIAL,

  step(state, frame): Step<MessagesState, Delta> {
    if (state.story.over || isTooNoisy(state.story.noise)) return { state, events: NOTHING }
    const event = jsonOf(frame)
    if (!isObject(event)) return hearNoise(state, frame)
    const say: Delta[] = []
    return { state: hearEvent(state, event, say), events: say }
  },

  end(state) {
    if (state.story.over) return NOTHING
    const say: Delta[] = []
    const { story } = dropBlocks(state, say)
    // The stop reason is the last part of an answer: an answer without one was cut off.
    if (story.finish !== null) say.push({ kind: 'finish', reason: story.finish })
    return say
  },
})

/** Decodes a whole message as if `message_start` contained it. */
export function decodeBody(body: unknown): readonly Delta[] {
  if (!isObject(body)) return NOTHING
  const say: Delta[] = []
  const { content: blocks } = body
  if (blocks === undefined || blocks === null) {
    if (body.error) sayError(body.error, say)
    return say
  }
  const { story } = hearMessage(INITIAL, body, say)
  if (story.finish !== null || blocksOf(blocks).length > 0) say.push({ kind: 'finish', reason: story.finish ?? 'stop' })
  return say
}

function hearNoise(state: MessagesState, { event, data }: Frame): Step<MessagesState, Delta> {
  if (event === 'error') return { state, events: [{ kind: 'error', error: upstreamErrorOf(data) }] }
  // Some gateways append the `[DONE]` of other protocols to this stream.
  if (data.trim() === '[DONE]') return { state, events: NOTHING }
  const { noise } = state.story
  return { state: tell(state, { noise: noise + 1 }), events: noiseAfter(noise) }
}

function hearEvent(state: MessagesState, event: Bag, say: Say): MessagesState {
  switch (event.type) {
    case 'content_block_delta':
      return isObject(event.delta) ? hearDelta(state, wordOf(event.index), event.delta, say) : state
    case 'content_block_start':
      return isObject(event.content_block) ? openBlock(state, wordOf(event.index), event.content_block, say) : state
    case 'content_block_stop': {
      const block = findBlock(state, wordOf(event.index))
      return block === undefined ? state : closeBlock(state, block, say)
    }
    case 'message_start':
      return isObject(event.message) ? hearStart(state, event.message, say) : state
    case 'message_delta':
      return hearUsage(isObject(event.delta) ? hearStop(state, event.delta, say) : state, event.usage, say)
    case 'message_stop':
      return hearEnd(state, say)
    case 'ping':
      return state
    default:
      if (event.error || event.type === 'error') sayError(event.error ?? event, say)
      else loss(`event ${wordOf(event.type)}`, say)
      return state
  }
}

function sayError(error: unknown, say: Say): void {
  say.push({ kind: 'error', error: upstreamErrorOf(error) })
}

/**
 * A second start of the same message only updates usage. A start of another message means that a proxy retried in the
 * middle of an answer: indices start again, and the open blocks will not be closed.
 */
function hearStart(state: MessagesState, message: Bag, say: Say): MessagesState {
  const { started, message: id } = state.story
  if (!started) return hearMessage(state, message, say)
  if (isText(message.id) && message.id === id) return hearUsage(state, message.usage, say)
  loss('an answer that was begun anew', say)
  return hearMessage(tell(dropBlocks(state, say), { finish: null }), message, say)
}

/**
 * The message of a start is empty, except after a programmatic tool call (made by code), where it contains the whole
 * answer.
 */
function hearMessage(state: MessagesState, message: Bag, say: Say): MessagesState {
  const started = tell(state, { started: true, message: wordOf(message.id) })
  // Usage precedes the start, so that the first event of the answer can include it.
  const counted = hearContainer(
    hearModel(hearUsage(started, message.usage, say), message.model, say),
    message.container,
  )
  const told = blocksOf(message.content).reduce<MessagesState>(
    (now, block) => closeBlocks(openBlock(now, '', block, say), say),
    counted,
  )
  return hearStop(told, message, say)
}

/** A string stands for a text block, as in requests. */
const blocksOf = (content: unknown): readonly Bag[] =>
  [content]
    .flat()
    .map((block) => (isText(block) ? { type: 'text', text: block } : block))
    .filter(isObject)

function hearContainer(state: MessagesState, container: unknown): MessagesState {
  const id = isObject(container) ? wordOf(container.id) : ''
  return id === '' || id === state.story.container ? state : tell(state, { container: id })
}

/** Applies the stop reason of a message, or of the delta that ends the message. All blocks end before it. */
function hearStop(state: MessagesState, message: Bag, say: Say): MessagesState {
  const housed = hearContainer(state, message.container)
  const { stop_reason: reason } = message
  if (!isText(reason)) return housed
  if (HALF_TOLD.has(reason)) loss(`stop_reason ${reason}`, say)
  const closed = tell(closeBlocks(housed, say), { finish: lookup(STOP_REASONS, reason) ?? 'stop' })
  return reason === 'refusal' ? sayRefusal(closed, message.stop_details, say) : closed
}

/** A refusal has no content of its own, but sometimes an explanation. */
function sayRefusal(state: MessagesState, details: unknown, say: Say): MessagesState {
  const why = isObject(details) ? details.explanation : null
  if (!isText(why)) return state
  const begun = beginText(state)
  say.push(content('refusal', begun.story.run, why))
  return begun
}

function hearUsage(state: MessagesState, usage: unknown, say: Say): MessagesState {
  if (!isObject(usage)) return state
  const counts = mergeCounts(state.story.counts, usage)
  if (counts.input !== null || counts.output !== null) say.push({ kind: 'usage', usage: toUsage(counts) })
  return tell(state, { counts })
}

function hearEnd(state: MessagesState, say: Say): MessagesState {
  const closed = closeBlocks(state, say)
  const { started, finish, items } = closed.story
  if (started || items > 0) say.push({ kind: 'finish', reason: finish ?? 'stop' })
  return tell(closed, { over: true })
}
