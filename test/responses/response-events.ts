import type { ReceivedEvent } from '../../src/conformance/state.ts'
import type { Event } from '../../src/protocol/event.ts'
import type { Item } from '../../src/protocol/item.ts'
import type { UrlCitation } from '../../src/protocol/part.ts'
import type { Response, ResponseStatus } from '../../src/protocol/response.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'

/** Correct streams of internal events, written without `respond`. */

export type Kind = 'reasoning' | 'raw-reasoning' | 'search' | 'message' | 'refused' | 'call' | 'custom'

interface ItemEvents {
  readonly item: Item
  readonly events: readonly Event[]
}

const response_id = 'resp_1'

export const RESPONSE: Response = {
  ...EMPTY_ECHO,
  id: response_id,
  object: 'response',
  created_at: 1_800_000_000,
  completed_at: null,
  status: 'in_progress',
  model: 'm-1',
  output: [],
  usage: null,
  error: null,
  incomplete_details: null,
  previous_response_id: null,
  store: false,
  background: false,
}

export const USAGE = { input_tokens: 5, output_tokens: 4, total_tokens: 9, cached_tokens: 1, reasoning_tokens: 2 }

/** Cuts a text into two pieces, so that a test can detect their order. */
const cut = (text: string): readonly [string, string] => [text.slice(0, 3), text.slice(3)]

function reasoning(output_index: number): ItemEvents {
  const item_id = `rs_${output_index}`
  const at = { response_id, item_id, output_index, summary_index: 0 }
  const text = `Think ${output_index} first.`
  const part = { type: 'summary_text', text } as const
  const item: Item = { type: 'reasoning', id: item_id, summary: [part], content: [], encrypted_content: 'sealed' }
  return {
    item,
    events: [
      { type: 'output_item.added', response_id, output_index, item: { ...item, summary: [], encrypted_content: null } },
      { type: 'reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
      ...cut(text).map((delta): Event => ({ type: 'reasoning_summary_text.delta', ...at, delta })),
      { type: 'reasoning_summary_text.done', ...at, text },
      { type: 'reasoning_summary_part.done', ...at, part },
      { type: 'output_item.done', response_id, output_index, item },
    ],
  }
}

function rawReasoning(output_index: number): ItemEvents {
  const item_id = `rs_${output_index}`
  const at = { response_id, item_id, output_index, content_index: 0 }
  const text = `Hmm ${output_index}.`
  const part = { type: 'reasoning_text', text } as const
  const item: Item = { type: 'reasoning', id: item_id, summary: [], content: [part], encrypted_content: null }
  return {
    item,
    events: [
      { type: 'output_item.added', response_id, output_index, item: { ...item, content: [] } },
      { type: 'content_part.added', ...at, part: { type: 'reasoning_text', text: '' } },
      ...cut(text).map((delta): Event => ({ type: 'reasoning_text.delta', ...at, delta })),
      { type: 'reasoning_text.done', ...at, text },
      { type: 'content_part.done', ...at, part },
      { type: 'output_item.done', response_id, output_index, item },
    ],
  }
}

function search(output_index: number): ItemEvents {
  const item_id = `ws_${output_index}`
  const at = { response_id, item_id, output_index }
  const item: Item = {
    type: 'web_search_call',
    id: item_id,
    status: 'completed',
    fields: { action: { type: 'search', query: 'q' } },
  }
  return {
    item,
    events: [
      {
        type: 'output_item.added',
        response_id,
        output_index,
        item: { ...item, status: 'in_progress', fields: { action: { type: 'search' } } },
      },
      { type: 'web_search_call.in_progress', ...at },
      { type: 'web_search_call.searching', ...at },
      { type: 'web_search_call.completed', ...at },
      { type: 'output_item.done', response_id, output_index, item },
    ],
  }
}

/** Returns a text with an annotation after a character of two UTF-16 units, and optionally a refusal after it. */
function messageItem(output_index: number, isRefused: boolean): ItemEvents {
  const id = `msg_${output_index}`
  const first = { response_id, item_id: id, output_index, content_index: 0 }
  const second = { ...first, content_index: 1 }
  const text = `Oh 🙂 see it, ${output_index}.`
  const annotation: UrlCitation = {
    type: 'url_citation',
    url: 'https://example.org/a',
    title: 'A',
    start_index: 3,
    end_index: 5,
    content: null,
  }
  const part = { type: 'output_text', text, annotations: [annotation], logprobs: [] } as const
  const refusal = { type: 'refusal', refusal: 'No more of it.' } as const
  const content = isRefused ? [part, refusal] : [part]
  const item: Item = { type: 'message', id, status: 'completed', role: 'assistant', content }
  const refusing: readonly Event[] = [
    { type: 'content_part.added', ...second, part: { type: 'refusal', refusal: '' } },
    ...cut(refusal.refusal).map((delta): Event => ({ type: 'refusal.delta', ...second, delta })),
    { type: 'refusal.done', ...second, refusal: refusal.refusal },
    { type: 'content_part.done', ...second, part: refusal },
  ]
  return {
    item,
    events: [
      { type: 'output_item.added', response_id, output_index, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'content_part.added', ...first, part: { ...part, text: '', annotations: [] } },
      ...cut(text).map((delta): Event => ({ type: 'output_text.delta', ...first, delta, logprobs: [] })),
      { type: 'output_text.annotation.added', ...first, annotation_index: 0, annotation },
      { type: 'output_text.done', ...first, text, logprobs: [] },
      { type: 'content_part.done', ...first, part },
      ...(isRefused ? refusing : []),
      { type: 'output_item.done', response_id, output_index, item },
    ],
  }
}

const message = (output_index: number): ItemEvents => messageItem(output_index, false)
const refused = (output_index: number): ItemEvents => messageItem(output_index, true)

function call(output_index: number): ItemEvents {
  const item_id = `fc_${output_index}`
  const at = { response_id, item_id, output_index }
  const name = 'look'
  const json = `{"at":${output_index}}`
  const named = { type: 'function_call', id: item_id, call_id: `call_${output_index}`, name } as const
  const item: Item = { ...named, arguments: json, status: 'completed' }
  return {
    item,
    events: [
      {
        type: 'output_item.added',
        response_id,
        output_index,
        item: { ...named, arguments: '', status: 'in_progress' },
      },
      ...cut(json).map((delta): Event => ({ type: 'function_call_arguments.delta', ...at, delta })),
      { type: 'function_call_arguments.done', ...at, name, arguments: json },
      { type: 'output_item.done', response_id, output_index, item },
    ],
  }
}

function custom(output_index: number): ItemEvents {
  const item_id = `ctc_${output_index}`
  const at = { response_id, item_id, output_index }
  const input = `print(${output_index})`
  const named = { type: 'custom_tool_call', id: item_id, call_id: `call_${output_index}`, name: 'run' } as const
  const item: Item = { ...named, input, status: 'completed' }
  return {
    item,
    events: [
      { type: 'output_item.added', response_id, output_index, item: { ...named, input: '', status: 'in_progress' } },
      ...cut(input).map((delta): Event => ({ type: 'custom_tool_call_input.delta', ...at, delta })),
      { type: 'custom_tool_call_input.done', ...at, input },
      { type: 'output_item.done', response_id, output_index, item },
    ],
  }
}

const ITEMS = { reasoning, 'raw-reasoning': rawReasoning, search, message, refused, call, custom } satisfies Record<
  Kind,
  (at: number) => ItemEvents
>

export const KINDS = Object.keys(ITEMS) as readonly Kind[]

/** Returns a complete stream with items of these kinds in sequence. */
export function toEventList(
  kinds: readonly Kind[],
  status: Exclude<ResponseStatus, 'in_progress'> = 'completed',
): readonly Event[] {
  const items = kinds.map((kind, at) => ITEMS[kind](at))
  const error = status === 'failed' ? { code: 'upstream_error', message: 'It broke.' } : null
  const response: Response = {
    ...RESPONSE,
    status,
    output: items.map(({ item }) => item),
    usage: USAGE,
    error,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
  }
  const why = { code: 'upstream_error', message: 'It broke.', param: null }
  return [
    { type: 'created', response: RESPONSE },
    { type: 'in_progress', response: RESPONSE },
    ...items.flatMap(({ events }) => events),
    ...(error === null ? [] : [{ type: 'error', ...why, error: { type: 'upstream_error', ...why } } as const]),
    { type: status, response },
  ]
}

/** Copies the events into the input of the grammar, so that a test can break them. */
export const toReceived = (events: readonly Event[]): ReceivedEvent[] =>
  events.map((event) => ({ type: event.type, fields: structuredClone(event) as unknown as ReceivedEvent['fields'] }))
