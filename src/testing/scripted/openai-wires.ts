import {
  chatAnnotations,
  encode,
  finishOf,
  halves,
  named,
  SCRIPTED_ENDS,
  type ScriptedTurn,
  sse,
  USAGE,
  type WireUpstream,
} from './wire-upstream.ts'

type Fields = Readonly<Record<string, unknown>>

// ---------------------------------------------------------------- openai-chat, in the form of OpenRouter

const chatChunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'gen-1',
  object: 'chat.completion.chunk',
  created: 1_800_000_000,
  model: 'chat-1',
  choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason }],
})

const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }

export const chat: WireUpstream = {
  wire: 'openai-chat',
  model: 'chat-1',
  quirks: { reasoningHistory: 'reasoning_details' },
  contentType: 'text/event-stream',
  path: '/chat/completions',
  keyHeader: 'authorization',
  encodeTurn: (turn) => {
    const { reasoning, text, calls, finish, usage: { input, output } = USAGE } = turn
    const annotations = chatAnnotations(turn)
    const reasoningChunks = reasoning && [
      chatChunk({ content: '', reasoning: reasoning.text, reasoning_details: [{ ...detail, text: reasoning.text }] }),
      chatChunk({ content: '', reasoning_details: [{ ...detail, signature: reasoning.seal }] }),
    ]
    const called = calls.flatMap((call, index) => {
      const [first, second] = halves(call)
      const { id, name } = call
      return [
        chatChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: first } }] }),
        chatChunk({ tool_calls: [{ index, function: { arguments: second } }] }),
      ]
    })
    return encode(
      `: ACME PROCESSING\n\n${sse([
        ...(reasoningChunks ?? []),
        ...text.map((words) => chatChunk(finish === 'refusal' ? { refusal: words } : { content: words })),
        ...(annotations.length === 0 ? [] : [chatChunk({ annotations })]),
        ...called,
        chatChunk({}, SCRIPTED_ENDS['openai-chat'][finishOf(turn)]),
        {
          ...chatChunk({}),
          choices: [],
          usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
        },
      ])}data: [DONE]\n\n`,
    )
  },
}

// ---------------------------------------------------------------- openai-responses

function itemsOf({ reasoning, text, calls, compaction }: ScriptedTurn): readonly object[] {
  const reasoningChunks = reasoning && [
    {
      type: 'reasoning',
      id: 'rs_up',
      summary: [{ type: 'summary_text', text: reasoning.text }],
      encrypted_content: reasoning.seal,
    },
  ]
  const words = text.length > 0 && [
    {
      type: 'message',
      id: 'msg_up',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: text.join(''), annotations: [] }],
    },
  ]
  const called = calls.map(({ id, name, args, namespace, input }) => ({
    ...(input === undefined
      ? { type: 'function_call', id: `fc_${id}`, arguments: JSON.stringify(args) }
      : { type: 'custom_tool_call', id: `ctc_${id}`, input }),
    call_id: id,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    status: 'completed',
  }))
  if (compaction !== undefined) return [{ type: 'compaction', id: 'cmp_up', encrypted_content: compaction }]
  return [...(reasoningChunks ?? []), ...(words || []), ...called]
}

/** The events of a summary, as far as OpenAI's client requires them. */
const summaryEvents = (text: string, output_index: number): readonly Fields[] => {
  const place = { item_id: 'rs_up', output_index, summary_index: 0 }
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...place, delta: text },
  ]
}

/** The events of a message, as far as OpenAI's client requires them. */
const textEvents = (pieces: readonly string[], output_index: number): readonly Fields[] => {
  const place = { item_id: 'msg_up', output_index, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [] }
  return [
    { type: 'response.content_part.added', ...place, part },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
  ]
}

export const responses: WireUpstream = {
  wire: 'openai-responses',
  model: 'gpt-5.1',
  quirks: { openaiModels: true },
  contentType: 'text/event-stream',
  path: '/responses',
  keyHeader: 'authorization',
  encodeTurn: (turn) => {
    const items = itemsOf(turn)
    const base = {
      id: 'resp_up',
      object: 'response',
      created_at: 1_800_000_000,
      model: 'gpt-5.1',
      output: [] as readonly object[],
    }
    const { input, output } = turn.usage ?? USAGE
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output }
    const events = items.flatMap((item, output_index) => [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, content: [], arguments: '', ...('summary' in item ? { summary: [] } : {}) },
      },
      ...('content' in item ? textEvents(turn.text, output_index) : []),
      ...('summary' in item ? summaryEvents(turn.reasoning?.text ?? '', output_index) : []),
      { type: 'response.output_item.done', output_index, item },
    ])
    return encode(
      named([
        { type: 'response.created', response: { ...base, status: 'in_progress' } },
        ...events,
        { type: 'response.completed', response: { ...base, status: 'completed', output: items, usage } },
      ]),
    )
  },
}
