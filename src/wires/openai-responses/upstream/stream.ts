import { type Frame, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type { ContentKind, Delta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import type { CallType } from '../../../protocol/item.ts'
import type { Bag } from '../../../protocol/json.ts'
import { LONGEST } from '../../../protocol/limits.ts'
import { append, BLOCK } from '../../../text/flat-string.ts'
import { isDeeperThan, isObject, isText } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import { isTooNoisy, noiseAfter } from '../../shared/upstream/unreadable-frames.ts'
import { ITEM_OF, LOST, PART_KINDS, PARTS, PIECES, TERMINALS, WHOLES } from '../terms.ts'
import { cite, citeRest } from './citations.ts'
import { isCall, pieceOf, sayMore, sayName, wholeText } from './deltas.ts'
import { addRun, findRun, innerIndex, placeItem, placeRun } from './index-map.ts'
import { hearAdded, hearDone } from './items.ts'
import { lastOpenOf } from './positions.ts'
import {
  INITIAL,
  itemAt,
  type Live,
  type ResponsesState,
  type Run,
  runName,
  runOf,
  type Story,
  settle,
  toIndex,
  toState,
  withRun,
} from './state.ts'
import { errorDelta, hearEnd } from './terminal.ts'

/**
 * Decodes Responses events (docs/wires/openai-responses.md, 2). The same text comes several times: in pieces, in
 * finished parts, in finished items and in the finished response. It is emitted once, from the event that has it first;
 * later events add only what is missing.
 *
 * O(1) for more of the active part, O(log n) for any other event after n items and parts. A whole text that is repeated
 * costs its own length.
 */
export const decodeStream = (quirks: Quirks): Machine<ResponsesState, Frame, Delta> => ({
  initial: INITIAL,

  step(state, frame): Step<ResponsesState, Delta> {
    if (state.story.over || isTooNoisy(state.story.noise)) return { state, events: NOTHING }
    // OpenRouter and the dialects of this gateway end a stream with `[DONE]`.
    if (frame.data.length < 16 && frame.data.trim() === '[DONE]') {
      return { state: toState({ ...settle(state), over: true }), events: NOTHING }
    }
    const event = jsonOf(frame)
    if (!isObject(event)) {
      if (frame.event === 'error') return { state, events: [errorDelta(event ?? frame.data)] }
      const { live, text, story } = state
      return { state: { live, text, story: { ...story, noise: story.noise + 1 } }, events: noiseAfter(story.noise) }
    }
    const { live } = state
    if (live !== null && goesOn(live, event)) {
      const piece = event.delta as string
      const { text, story } = state.text.length < BLOCK ? state : toState(settle(state), live)
      return {
        state: { live, text: append(text, piece), story },
        events: [pieceOf(live.of, live.key, live.part, piece, logprobsOf(event))],
      }
    }
    const say: Delta[] = []
    return { state: hearEvent(settle(state), event, frame.event, say, quirks), events: say }
  },

  // The terminal event reports how a response ended. A stream without one was cut off.
  end: () => NOTHING,
})

const TOO_DEEP: readonly Delta[] = [
  {
    kind: 'error',
    error: upstreamError(
      'upstream_invalid',
      `The answer of the upstream is nested deeper than ${LONGEST.nesting} levels.`,
    ),
  },
]

/**
 * Decodes a whole response like a terminal event. Its items may be passed through, so it must not be nested too deep.
 */
export function decodeBody(body: unknown, quirks: Quirks): readonly Delta[] {
  if (!isObject(body)) return NOTHING
  if (isDeeperThan(LONGEST.nesting, body)) return TOO_DEEP
  const say: Delta[] = []
  hearEnd(hearModel(INITIAL.story, body, say), body, 'open', say, quirks)
  return say
}

const goesOn = (live: Live, event: Bag): boolean =>
  event.type === live.event &&
  event.output_index === live.index &&
  innerIndex(event, live.of) === live.inner &&
  isText(event.delta)

const logprobsOf = ({ logprobs }: Bag) => (Array.isArray(logprobs) && logprobs.length > 0 ? toLogprobs(logprobs) : null)

function hearEvent(story: Story, event: Bag, name: string, say: Say, quirks: Quirks): ResponsesState {
  const type = isText(event.type) ? event.type : name
  const of = lookup(PIECES, type)
  return of === undefined ? toState(hearOther(story, event, type, say, quirks)) : hearPiece(story, event, type, of, say)
}

function hearPiece(story: Story, event: Bag, type: string, of: ContentKind | CallType, say: Say): ResponsesState {
  if (!isText(event.delta)) return toState(story)
  const placed = placeRun(story, event, of, true)
  const told = sayMore(placed.story, placed.item, placed.run, event.delta, logprobsOf(event), say)
  const { key, hosted } = itemAt(told, placed.item)
  const index = toIndex(event.output_index)
  if (index === null || hosted !== null) return toState(told)
  const part = runOf(told, placed.item, placed.run).name
  const inner = innerIndex(event, of)
  return toState(told, { event: type, index, inner, item: placed.item, run: placed.run, of, key, part })
}

function hearOther(story: Story, event: Bag, type: string, say: Say, quirks: Quirks): Story {
  const whole = lookup(WHOLES, type)
  if (whole !== undefined) return hearWhole(story, event, whole.of, event[whole.field], event.logprobs, say)
  const part = lookup(PARTS, type)
  if (part !== undefined) return hearPart(story, event, part, say)
  const ending = lookup(TERMINALS, type)
  if (ending !== undefined) {
    const response = isObject(event.response) ? event.response : {}
    return { ...hearEnd(hearModel(story, response, say), response, ending, say, quirks), over: true }
  }
  switch (type) {
    case 'response.output_item.added':
      return hearAdded(story, event, say, quirks)
    case 'response.output_item.done':
      return hearDone(story, event, say, quirks)
    case 'response.output_text.annotation.added':
      return hearAnnotation(story, event, say)
    default:
      return hearRest(story, event, type, say)
  }
}

/** Applies failures, events that carry the response, and events that are dropped. */
function hearRest(story: Story, event: Bag, type: string, say: Say): Story {
  if (type === 'error' || (event.error && !isText(event.type))) {
    say.push(errorDelta(event))
    return story
  }
  const lost = lookup(LOST, type)
  if (lost !== undefined) loss(lost, say)
  return isObject(event.response) ? hearModel(story, event.response, say) : story
}

function hearModel(story: Story, { model }: Bag, say: Say): Story {
  if (!isText(model) || model === story.model) return story
  say.push({ kind: 'start', model })
  return { ...story, model }
}

/**
 * A whole text counts only if none of its pieces came (LM Studio). Otherwise, the finished item adds what is missing.
 */
function hearWhole(story: Story, event: Bag, of: Run['of'], whole: unknown, logprobs: unknown, say: Say): Story {
  const placed = placeRun(story, event, of, false)
  const { item, run } = placed
  if (itemAt(placed.story, item).done) return story
  const named = isCall(of) ? sayName(placed.story, item, event, say) : placed.story
  const silent = runOf(named, item, run).text === ''
  return silent ? sayMore(named, item, run, wholeText(whole), toLogprobs(logprobs), say) : named
}

function hearPart(story: Story, event: Bag, { edge, of: usual }: (typeof PARTS)[string], say: Say): Story {
  const part: Bag = isObject(event.part) ? event.part : {}
  const of = (isText(part.type) ? lookup(PART_KINDS, part.type) : usual) ?? null
  if (of === null) return story
  if (edge === 'added') return openPart(story, event, of)
  const said = hearWhole(story, event, of, of === 'refusal' ? part.refusal : part.text, part.logprobs, say)
  const { story: placed, item, run } = placeRun(said, event, of, false)
  if (itemAt(placed, item).done) return story
  return withRun(citeRest(placed, item, run, part.annotations, say), item, run, { done: true })
}

/** Opens a part that the upstream announces. */
function openPart(story: Story, event: Bag, of: ContentKind): Story {
  const { story: placed, item } = placeItem(story, event, ITEM_OF[of], true)
  const index = innerIndex(event, of)
  const known = lastOpenOf(itemAt(placed, item).places, runName(of, index)) >= 0
  return known ? placed : addRun(placed, item, of, index).story
}

function hearAnnotation(story: Story, event: Bag, say: Say): Story {
  const placed = placeItem(story, event, 'message', false)
  const found = findRun(itemAt(placed.story, placed.item), 'text', innerIndex(event, 'text'), false)
  if (found >= 0) return cite(placed.story, placed.item, found, event.annotation, say)
  const { story: ready, item, run } = placeRun(placed.story, event, 'text', false)
  return cite(ready, item, run, event.annotation, say)
}
