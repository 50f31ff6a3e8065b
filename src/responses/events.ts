import { type List, listToArray } from '../collections/list.ts'
import type { Event } from '../protocol/event.ts'
import type { Logprob, MessagePart, Part, ReasoningText, SummaryText } from '../protocol/part.ts'
import { type ActivePart, itemAt, type PartState, type ResponseState, type RunType } from './state.ts'

const NO_LOGPROBS: readonly Logprob[] = []

/** The address of a part, which every event of that part repeats. */
type PartAddress = Pick<ActivePart, 'response_id' | 'item_id' | 'output_index' | 'index' | 'type'>

/**
 * Returns the event of one delta of a part. Written out, because a spread here would cost more than everything else
 * that a token costs.
 */
export function deltaEvent(at: PartAddress, delta: string, logprobs: readonly Logprob[] | null): Event {
  const { response_id, item_id, output_index, index } = at
  switch (at.type) {
    case 'output_text':
      return {
        type: 'output_text.delta',
        response_id,
        item_id,
        output_index,
        content_index: index,
        delta,
        logprobs: logprobs ?? NO_LOGPROBS,
      }
    case 'refusal':
      return { type: 'refusal.delta', response_id, item_id, output_index, content_index: index, delta }
    case 'reasoning_text':
      return { type: 'reasoning_text.delta', response_id, item_id, output_index, content_index: index, delta }
    case 'summary_text':
      return { type: 'reasoning_summary_text.delta', response_id, item_id, output_index, summary_index: index, delta }
    case 'arguments':
      return { type: 'function_call_arguments.delta', response_id, item_id, output_index, delta }
    case 'input':
      return { type: 'custom_tool_call_input.delta', response_id, item_id, output_index, delta }
  }
}

/**
 * Returns the event with the whole text of a part, after its last delta. `name`: the name of the call, if the text is
 * its arguments.
 */
export function textDoneEvent(at: PartAddress, part: PartState, name: string): Event {
  const { response_id, item_id, output_index, index } = at
  const { text } = part
  switch (at.type) {
    case 'output_text':
      return {
        type: 'output_text.done',
        response_id,
        item_id,
        output_index,
        content_index: index,
        text,
        logprobs: listToArray(part.logprobs),
      }
    case 'refusal':
      return { type: 'refusal.done', response_id, item_id, output_index, content_index: index, refusal: text }
    case 'reasoning_text':
      return { type: 'reasoning_text.done', response_id, item_id, output_index, content_index: index, text }
    case 'summary_text':
      return { type: 'reasoning_summary_text.done', response_id, item_id, output_index, summary_index: index, text }
    case 'arguments':
      return { type: 'function_call_arguments.done', response_id, item_id, output_index, name, arguments: text }
    case 'input':
      return { type: 'custom_tool_call_input.done', response_id, item_id, output_index, input: text }
  }
}

/** Returns the event that opens or closes a part. Calls have no such events. */
export function partEvent(at: PartAddress, edge: 'added' | 'done', part: Part): Event {
  const { response_id, item_id, output_index, index } = at
  return at.type === 'summary_text'
    ? { type: `reasoning_summary_part.${edge}`, response_id, item_id, output_index, summary_index: index, part }
    : { type: `content_part.${edge}`, response_id, item_id, output_index, content_index: index, part }
}

export const isContent = (type: RunType): boolean => type !== 'arguments' && type !== 'input'

export function toPart(part: PartState): Part {
  switch (part.type) {
    case 'refusal':
      return { type: 'refusal', refusal: part.text }
    case 'reasoning_text':
      return { type: 'reasoning_text', text: part.text }
    case 'summary_text':
      return { type: 'summary_text', text: part.text }
    default:
      return {
        type: 'output_text',
        text: part.text,
        annotations: listToArray(part.annotations),
        logprobs: listToArray(part.logprobs),
      }
  }
}

export const toMessageParts = (parts: List<PartState>): readonly MessagePart[] =>
  listToArray(parts)
    .map(toPart)
    .filter((part) => part.type === 'output_text' || part.type === 'refusal')

export const toSummary = (parts: List<PartState>): readonly SummaryText[] =>
  listToArray(parts)
    .map(toPart)
    .filter((part) => part.type === 'summary_text')

export const toReasoningParts = (parts: List<PartState>): readonly ReasoningText[] =>
  listToArray(parts)
    .map(toPart)
    .filter((part) => part.type === 'reasoning_text')

export const addressOf = (response: ResponseState, at: number, part: PartState) => ({
  response_id: response.head.id,
  item_id: itemAt(response, at).id,
  output_index: at,
  index: part.index,
  type: part.type,
})
