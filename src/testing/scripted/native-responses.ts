import { type AnsweredRequest, encode, halves, named, type ScriptedTurn } from './wire-upstream.ts'

/** The answers of OpenAI itself, with every event and every field that its clients require: they are passed through. */

type Fields = Readonly<Record<string, unknown>>

const USAGE = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 18,
}

/** The members of a response besides its status and its output; some fields repeat the request. */
const resourceOf = ({ tools = [], input: _, stream: __, include: ___, ...asked }: Fields, id: string): Fields => ({
  id,
  object: 'response',
  created_at: 1_800_000_000,
  completed_at: null,
  model: 'gpt-5.1-2025-11-13',
  error: null,
  incomplete_details: null,
  instructions: null,
  previous_response_id: null,
  max_output_tokens: null,
  max_tool_calls: null,
  safety_identifier: null,
  prompt_cache_key: null,
  tools: (tools as readonly Fields[]).map((tool) => ({ strict: true, description: null, ...tool })),
  tool_choice: 'auto',
  truncation: 'disabled',
  parallel_tool_calls: true,
  store: false,
  background: false,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  top_p: 1,
  temperature: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  reasoning: { effort: 'none', summary: null },
  service_tier: 'default',
  metadata: {},
  user: null,
  ...asked,
})

interface WholeItem {
  readonly announced: Fields
  readonly done: Fields
  /** The events between both, without the index of the item. */
  readonly between: readonly Fields[]
}

const OPEN = 'in_progress'

const reasoningItem = ({ text, seal }: NonNullable<ScriptedTurn['reasoning']>): WholeItem => ({
  announced: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: seal },
  done: { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text }], encrypted_content: seal },
  between: [
    { type: 'part.added', part: { type: 'summary_text', text: '' } },
    { type: 'text.delta', delta: text },
    { type: 'text.done', text },
    { type: 'part.done', part: { type: 'summary_text', text } },
  ].map((event) => ({
    ...event,
    type: `response.reasoning_summary_${event.type}`,
    item_id: 'rs_1',
    summary_index: 0,
  })),
})

function messageItem({ text, finish, citation }: ScriptedTurn): WholeItem {
  const words = text.join('')
  const isRefusal = finish === 'refusal'
  const annotations =
    citation === undefined
      ? []
      : [
          {
            type: 'url_citation',
            url: citation.url,
            title: citation.title,
            start_index: citation.start,
            end_index: citation.end,
          },
        ]
  const partOf = (text: string, annotations: readonly object[]) =>
    isRefusal ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations, logprobs: [] }
  const ending = finish === 'length' ? 'incomplete' : 'completed'
  return {
    announced: { id: 'msg_1', type: 'message', status: OPEN, role: 'assistant', content: [] },
    done: { id: 'msg_1', type: 'message', status: ending, role: 'assistant', content: [partOf(words, annotations)] },
    between: [
      { type: 'response.content_part.added', part: partOf('', []) },
      ...text.map((delta) =>
        isRefusal
          ? { type: 'response.refusal.delta', delta }
          : { type: 'response.output_text.delta', delta, logprobs: [] },
      ),
      ...annotations.map((annotation, annotation_index) => ({
        type: 'response.output_text.annotation.added',
        annotation_index,
        annotation,
      })),
      isRefusal
        ? { type: 'response.refusal.done', refusal: words }
        : { type: 'response.output_text.done', text: words, logprobs: [] },
      { type: 'response.content_part.done', part: partOf(words, annotations) },
    ].map((event) => ({ ...event, item_id: 'msg_1', content_index: 0 })),
  }
}

function callItem(call: ScriptedTurn['calls'][number]): WholeItem {
  const { id, name, args } = call
  const item = { id: `fc_${id}`, type: 'function_call', call_id: id, name }
  return {
    announced: { ...item, status: OPEN, arguments: '' },
    done: { ...item, status: 'completed', arguments: JSON.stringify(args) },
    between: [
      ...halves(call).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      { type: 'response.function_call_arguments.done', arguments: JSON.stringify(args) },
    ].map((event) => ({ ...event, item_id: item.id })),
  }
}

const itemsOf = (turn: ScriptedTurn): readonly WholeItem[] => [
  ...(turn.reasoning ? [reasoningItem(turn.reasoning)] : []),
  ...(turn.text.join('') === '' ? [] : [messageItem(turn)]),
  ...turn.calls.map(callItem),
]

let count = 0

/** An id for each answer. */
const nextId = (): string => {
  count += 1
  return `resp_native_${count}`
}

const completed = (turn: ScriptedTurn, base: Fields): Fields => ({
  ...base,
  ...(turn.finish === 'length'
    ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    : { status: 'completed', completed_at: 1_800_000_001 }),
  output: itemsOf(turn).map(({ done }) => done),
  usage: USAGE,
})

export const encodeNativeBody = (turn: ScriptedTurn, { body }: Pick<AnsweredRequest, 'body'>): Fields =>
  completed(turn, resourceOf(body, nextId()))

export function encodeNativeStream(turn: ScriptedTurn, { body }: Pick<AnsweredRequest, 'body'>): Uint8Array {
  const base = resourceOf(body, nextId())
  const announced = { ...base, status: 'in_progress', output: [], usage: null }
  const events: readonly Fields[] = [
    { type: 'response.created', response: announced },
    { type: 'response.in_progress', response: announced },
    ...itemsOf(turn).flatMap(({ announced: item, done, between }, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      ...between.map((event) => ({ ...event, output_index })),
      { type: 'response.output_item.done', output_index, item: done },
    ]),
    {
      type: turn.finish === 'length' ? 'response.incomplete' : 'response.completed',
      response: completed(turn, base),
    },
  ]
  return encode(named(events.map((event, sequence_number) => ({ ...event, sequence_number }))))
}
