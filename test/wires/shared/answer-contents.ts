import type { WireName } from '../../../src/wires/contract.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'

/** An answer, as the frames of a stream (`frames`), as a body, or as both, and what it becomes. */
export interface VendorAnswer {
  readonly wire: WireName
  readonly quirks?: Quirks
  /** Payloads; for bedrock-converse, pairs of the event and its payload. */
  readonly frames?: readonly unknown[]
  readonly body?: unknown
  readonly is: {
    readonly status?: string
    readonly text?: string
    readonly reasoning?: string
    readonly calls?: readonly (readonly [name: string, args: string])[]
    /** null: any unique id. */
    readonly ids?: readonly (string | null)[]
    readonly usage?: readonly (number | null)[]
    readonly losses?: readonly string[]
  }
  /** Messages of the next request, which contain at least these members. */
  readonly back?: readonly unknown[]
}

const chunk = (delta: unknown, finish_reason: string | null = null, more: object = {}) => ({
  id: 'c-1',
  object: 'chat.completion.chunk',
  model: 'm-1',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
})
const chunkOf = (...choices: readonly object[]) => ({ id: 'c-1', model: 'm-1', choices })
const completion = (...choices: readonly object[]) => ({ id: 'c-1', object: 'chat.completion', model: 'm-1', choices })
const completed = (message: object, finish_reason = 'stop') => completion({ index: 0, message, finish_reason })
const call = (id: string | null, name: string, args: unknown = '{}', more: object = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
  ...more,
})
const STOP = chunk({}, 'stop')
const CALLED = chunk({}, 'tool_calls')
const user = { role: 'user' }
const assistant = (message: object) => [user, { role: 'assistant', ...message }, user]

// biome-ignore format: a row a case
const CHOICES: Readonly<Record<string, VendorAnswer>> = {
  'text and calls in choices without an index': { wire: 'openai-chat',
    body: completion({ message: { content: 'Ok.' }, finish_reason: 'tool_calls' },
      { message: { tool_calls: [call('a', 'f')] }, finish_reason: 'tool_calls' },
      { message: { tool_calls: [call('b', 'g'), call('c', 'h')] }, finish_reason: 'tool_calls' }),
    is: { status: 'completed', text: 'Ok.', calls: [['f', '{}'], ['g', '{}'], ['h', '{}']], losses: [] } },
  'calls alone in numbered choices of a vendor that splits answers': { wire: 'openai-chat', quirks: { splitsAnswers: true },
    frames: [chunkOf({ index: 1, delta: { tool_calls: [{ index: 0, ...call('b', 'g') }] } },
        { index: 0, delta: { tool_calls: [{ index: 0, ...call('a', 'f') }] } }), CALLED],
    is: { status: 'completed', calls: [['f', '{}'], ['g', '{}']], losses: [] } },
  'a call in a choice before the text': { wire: 'openai-chat',
    frames: [chunkOf({ index: 1, delta: { tool_calls: [{ index: 0, ...call('a', 'f', '{"x":') }] } }),
      chunkOf({ index: 0, delta: { content: 'Ok.' } }),
      chunkOf({ index: 1, delta: { tool_calls: [{ index: 0, function: { arguments: '1}' } }] } }), CALLED],
    is: { status: 'completed', text: 'Ok.', calls: [['f', '{"x":1}']], losses: [] } },
  'alternatives whose chunks alternate': { wire: 'openai-chat',
    frames: [chunkOf({ index: 1, delta: { content: 'No' } }), chunkOf({ index: 0, delta: { content: 'Yes' } }),
      chunkOf({ index: 1, delta: { content: 'pe' } }, { index: 0, delta: { content: '!' } }), STOP],
    is: { status: 'completed', text: 'Yes!', losses: ['choices'] } },
  'alternatives with calls': { wire: 'openai-chat',
    body: completion({ index: 1, message: { tool_calls: [call('b', 'f', '{"q":2}')] }, finish_reason: 'tool_calls' },
      { index: 0, message: { tool_calls: [call('a', 'f', '{"q":1}')] }, finish_reason: 'tool_calls' }),
    is: { status: 'completed', calls: [['f', '{"q":1}']], losses: ['choices'] } },
  'a single choice that is counted from 1': { wire: 'openai-chat',
    frames: [chunkOf({ index: 1, delta: { content: 'He' } }),
      chunkOf({ index: 1, delta: { content: 'y' }, finish_reason: 'stop' })],
    body: completion({ index: 1, message: { content: 'Hey' }, finish_reason: 'stop' }),
    is: { status: 'completed', text: 'Hey', losses: [] } },
  'the finish reason of calls without a call': { wire: 'openai-chat', frames: [chunk({ content: 'Ok.' }), CALLED],
    body: completed({ content: 'Ok.' }, 'tool_calls'), is: { status: 'failed' } },
}

const SIGNATURES: Readonly<Record<string, VendorAnswer>> = Object.fromEntries(
  (
    [
      ['google', { extra_content: { google: { thought_signature: 's-1' } } }],
      ['vertex', { extra_content: { vertex: { thought_signature: 's-1' } } }],
      ['litellm', { provider_specific_fields: { thought_signature: 's-1' } }],
    ] as const
  ).flatMap(([name, members]): readonly (readonly [string, VendorAnswer])[] => {
    const is = { status: 'completed', calls: [['f', '{}']] as const, losses: [] }
    const back = assistant({ tool_calls: [{ id: 'a', ...members }] })
    return [
      [
        `the signature of a call (${name})`,
        {
          wire: 'openai-chat',
          frames: [chunk({ tool_calls: [call('a', 'f', '{}', members)] }), CALLED],
          body: completed({ tool_calls: [call('a', 'f', '{}', members)] }, 'tool_calls'),
          is,
          back,
        },
      ],
      [
        `the signature of a call after its beginning (${name})`,
        {
          wire: 'openai-chat',
          frames: [
            chunk({ tool_calls: [{ index: 0, ...call('a', 'f', '') }] }),
            chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' }, ...members }] }),
            chunk({ tool_calls: [{ index: 0, ...members }] }),
            CALLED,
          ],
          is,
          back,
        },
      ],
      [
        `the signature of a message (${name})`,
        {
          wire: 'openai-chat',
          frames: [chunk({ content: 'He' }), chunk({ content: 'y', ...members }), STOP],
          body: completed({ content: 'Hey', ...members }),
          is: { status: 'completed', text: 'Hey', losses: [] },
          back: assistant({ content: 'Hey', ...members }),
        },
      ],
    ]
  }),
)

const THOUGHT = { type: 'thinking', thinking: 'Hm, so.', signature: 's-1' }

// biome-ignore format: a row a case
const REASONING: Readonly<Record<string, VendorAnswer>> = {
  'reasoning_text and reasoning_opaque': { wire: 'openai-chat',
    frames: [chunk({ reasoning_opaque: 'o-1', reasoning_text: 'Hm, ' }), chunk({ reasoning_text: 'so.' }),
      chunk({ content: 'Hey', reasoning_opaque: 'o-1' }), STOP],
    body: completed({ reasoning_opaque: 'o-1', content: 'Hey', reasoning_text: 'Hm, so.' }),
    is: { reasoning: 'Hm, so.', text: 'Hey', losses: [] },
    back: assistant({ content: 'Hey', reasoning_text: 'Hm, so.', reasoning_opaque: 'o-1' }) },
  'thinking_blocks alone, whose last one repeats the text': { wire: 'openai-chat',
    frames: [chunk({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm, ' }] }),
      chunk({ thinking_blocks: [{ type: 'thinking', thinking: 'so.', signature: null }] }),
      chunk({ thinking_blocks: [THOUGHT] }), chunk({ content: 'Hey' }), STOP],
    body: completed({ thinking_blocks: [THOUGHT], content: 'Hey' }), is: { reasoning: 'Hm, so.', text: 'Hey', losses: [] },
    back: assistant({ thinking_blocks: [THOUGHT] }) },
  'thinking_blocks whose signature comes after the text': { wire: 'openai-chat',
    frames: [chunk({ reasoning_content: 'Hm, so.', thinking_blocks: { type: 'thinking', thinking: 'Hm, so.' } }),
      chunk({ content: 'Hey' }), chunk({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: 's-1' }] }), STOP],
    is: { reasoning: 'Hm, so.', text: 'Hey', losses: [] }, back: assistant({ thinking_blocks: [THOUGHT] }) },
  'thinking_blocks in provider_specific_fields, with a redacted one': { wire: 'openai-chat',
    body: completed({ content: 'Hey', reasoning_content: 'Hm, so.',
        provider_specific_fields: { thinking_blocks: [THOUGHT, { type: 'redacted_thinking', data: 'd-1' }] } }),
    is: { reasoning: 'Hm, so.', text: 'Hey', losses: [] },
    back: assistant({ thinking_blocks: [THOUGHT, { type: 'redacted_thinking', data: 'd-1' }] }) },
  content_blocks: { wire: 'openai-chat',
    frames: [chunk({ content_blocks: [{ index: 0, delta: { thinking: 'Hm, ' } }] }),
      chunk({ content_blocks: [{ index: 0, delta: { thinking: 'so.' } }] }),
      chunk({ content_blocks: [{ index: 0, delta: { signature: 's-1' } }] }),
      chunk({ content: 'Hey', content_blocks: [{ index: 1, delta: { text: 'Hey' } }] }), STOP],
    body: completed({ content: 'Hey', content_blocks: [THOUGHT, { type: 'text', text: 'Hey' }] }),
    is: { reasoning: 'Hm, so.', text: 'Hey', losses: [] }, back: assistant({ content_blocks: [THOUGHT] }) },
  'content_blocks without content': { wire: 'openai-chat',
    frames: [chunk({ content_blocks: [{ index: 0, delta: { thinking: 'Hm, so.', signature: 's-1' } }] }),
      chunk({ content: '', content_blocks: [{ index: 1, delta: { text: 'He' } }] }),
      chunk({ content: null, content_blocks: [{ index: 1, delta: { text: 'y' } }] }), STOP],
    body: completed({ content: null, content_blocks: [THOUGHT, { type: 'text', text: 'Hey' }] }),
    is: { status: 'completed', reasoning: 'Hm, so.', text: 'Hey', losses: [] },
    back: assistant({ content_blocks: [THOUGHT] }) },
  'content parts of type reasoning': { wire: 'openai-chat',
    frames: [chunk({ content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm, ' }] }] }),
      chunk({ content: [{ type: 'reasoning', summary: { type: 'summary_text', text: 'so.', signature: 's-1' } },
            { type: 'text', text: 'Hey' }] }), STOP], is: { reasoning: 'Hm, so.', text: 'Hey', losses: [] },
    back: assistant({ content: [{ type: 'reasoning', summary: [{ text: 'Hm, so.', signature: 's-1' }] }, {}] }) },
  'content parts of type thinking with a signature': { wire: 'openai-chat',
    body: completed({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm, so.' }], signature: 's-1' },
          { type: 'text', text: 'Hey' }] }), is: { reasoning: 'Hm, so.', text: 'Hey', losses: [] },
    back: assistant({ content: [{ type: 'thinking', signature: 's-1' }, { text: 'Hey' }] }) },
  'objects in place of reasoning texts': { wire: 'openai-chat',
    frames: [chunk({ reasoning: { content: 'Hm, ' } }), chunk({ reasoning: [{ text: 'so.' }] }), chunk({ content: 'Hey' }),
      STOP], body: completed({ content: 'Hey', reasoning_content: { text: 'Hm, so.' } }),
    is: { reasoning: 'Hm, so.', text: 'Hey', losses: [] } },
  reasoning_steps: { wire: 'openai-chat',
    frames: [chunk({ content: '', reasoning_steps: [{ thought: 'Look.', type: 'x', fetch: { url: 'u' } }] }),
      chunk({ content: 'Hey' }), STOP], is: { reasoning: 'Look.\n', text: 'Hey', losses: ['reasoning_steps.fetch'] } },
  'fields of reasoning that no table has': { wire: 'openai-chat',
    frames: [chunk({ content: '', reasoning_trace: 'Hm.' }), chunk({ content: null, thinking_log: ['Hm.'] }),
      chunk({ content: 'Hey' }), STOP], body: completed({ content: 'Hey', reasoning_trace: 'Hm.', thinking_log: ['Hm.'] }),
    is: { text: 'Hey', losses: ['choices[].message.reasoning_trace', 'choices[].message.thinking_log'] } },
}

const TAGS: Readonly<Record<string, VendorAnswer>> = Object.fromEntries(
  ([{ thinkTags: true }, {}] as readonly Quirks[]).flatMap((quirks): readonly (readonly [string, VendorAnswer])[] => {
    const is = { status: 'completed', reasoning: 'Hm, so.', text: 'Hey', losses: [] }
    const known = quirks.thinkTags === true ? 'known tags' : 'unknown tags'
    return [
      [
        `reasoning in a field and in ${known}`,
        {
          wire: 'openai-chat',
          quirks,
          frames: [
            chunk({ reasoning: 'Hm, ', content: '<thi' }),
            chunk({ content: 'nk>Hm, so.</thi', reasoning: 'so.' }),
            chunk({ content: 'nk>\n\nHey' }),
            STOP,
          ],
          body: completed({ content: '<think>\nHm, so.\n</think>\n\nHey', reasoning: 'Hm, so.' }),
          is,
        },
      ],
      [
        `thinking and ${known} of Ollama`,
        {
          wire: 'ollama-chat',
          quirks,
          frames: [
            { model: 'm-1', message: { role: 'assistant', content: '<think>Hm, ', thinking: 'Hm, ' } },
            { model: 'm-1', message: { role: 'assistant', content: 'so.</think>Hey', thinking: 'so.' } },
            { model: 'm-1', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' },
          ],
          is,
        },
      ],
    ]
  }),
)

const FIRST_TAGS: Readonly<Record<string, VendorAnswer>> = {
  'reasoning in tags, and then in a field': {
    wire: 'openai-chat',
    quirks: { thinkTags: true },
    frames: [
      chunk({ content: '<think>Hm, ' }),
      chunk({ reasoning_content: 'Hm, ' }),
      chunk({ content: 'so.</think>Hey' }),
      chunk({ reasoning_content: 'so.' }),
      STOP,
    ],
    is: { reasoning: 'Hm, so.', text: 'Hey' },
  },
  'a bare tag before the field': {
    wire: 'openai-chat',
    quirks: { thinkTags: true },
    frames: [
      chunk({ content: '<think>\n' }),
      chunk({ reasoning_content: 'Hm, so.' }),
      chunk({ content: 'Hm, so.</think>Hey' }),
      STOP,
    ],
    is: { text: 'Hey', status: 'completed' },
  },
}

// biome-ignore format: a row a case
const KINDS: Readonly<Record<string, VendorAnswer>> = {
  'chat: one call in place of the list, without its member function': { wire: 'openai-chat',
    body: completed({ tool_calls: { id: 7, name: 'f', arguments: { x: 1 } } }, 'tool_calls'),
    is: { status: 'completed', calls: [['f', '{"x":1}']], ids: ['7'], losses: [] } },
  'chat: calls that are a text': { wire: 'openai-chat', frames: [chunk({ content: 'Hey', tool_calls: 'none' }), STOP],
    is: { text: 'Hey', losses: ['tool_calls that is a JSON string'] } },
  'chat: one choice in place of the list, and a finish reason that is a number': { wire: 'openai-chat',
    body: { model: 'm-1', choices: { message: { content: { type: 'text', text: 'Hey' } }, finish_reason: 1 } },
    is: { status: 'completed', text: 'Hey', losses: ['finish_reason that is a JSON number'] } },
  'chat: usage that is a list': { wire: 'openai-chat',
    frames: [chunk({ content: 'Hey' }), chunk({}, 'stop', { usage: [1, 2] })],
    is: { text: 'Hey', losses: ['usage that is a JSON list'] } },
  'Ollama: one call in place of the list': { wire: 'ollama-chat',
    frames: [{ model: 'm', message: { content: '', tool_calls: { function: { name: 'f', arguments: { x: 1 } } } },
        done: true }], is: { status: 'completed', calls: [['f', '{"x":1}']], losses: [] } },
  'Ollama: content that is a list of parts': { wire: 'ollama-chat',
    frames: [{ model: 'm', message: { content: [{ type: 'text', text: 'Hey' }], thinking: ['Hm.'] }, done: true }],
    is: { status: 'completed', text: 'Hey', reasoning: 'Hm.', losses: [] } },
  'Anthropic: arguments that are an object, a usage that is a text': { wire: 'anthropic-messages',
    frames: [{ type: 'message_start', message: { id: 'm-1', model: 'm', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'null', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: { x: 1 } } },
      { type: 'content_block_stop', index: 0 }, { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: 'none' },
      { type: 'message_stop' }], is: { status: 'completed', calls: [['f', '{"x":1}']],
      losses: ['usage that is a JSON string'] } },
  'Bedrock: the reasoning of a whole answer in a stream': { wire: 'bedrock-converse',
    frames: [['contentBlockDelta', { contentBlockIndex: 0,
          delta: { reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } } }],
      ['contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'Hey' } }], ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage: [] }]], is: { text: 'Hey', reasoning: 'Hm.', losses: ['usage that is a JSON list'] } },
  'Cohere: all calls in one event, with arguments that are objects': { wire: 'cohere-chat',
    frames: [{ type: 'tool-call-start', index: 0,
        delta: { message: { tool_calls: [call('null', 'f', { x: 1 }), call('null', 'g', { y: 2 })] } } },
      { type: 'tool-call-end', index: 0 }, { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } }],
    is: { status: 'completed', calls: [['f', '{"x":1}'], ['g', '{"y":2}']], losses: [] } },
  'Gemini: one candidate in place of the list': { wire: 'gemini-generate',
    frames: [{ candidates: { content: { parts: { functionCall: { id: 'null', name: 'f', args: { x: 1 } } } },
          finishReason: 'STOP' }, usageMetadata: 'none' }],
    is: { status: 'completed', calls: [['f', '{"x":1}']], losses: ['usageMetadata that is a JSON string'] } },
  'Responses: one item in place of the list': { wire: 'openai-responses',
    body: { model: 'm-1', status: 'completed',
      output: { type: 'function_call', call_id: 'null', name: 'f', arguments: { x: 1 } }, usage: [] },
    is: { status: 'completed', calls: [['f', '{"x":1}']], losses: ['usage that is a JSON list'] } },
}

// biome-ignore format: a row a case
const COUNTS: Readonly<Record<string, VendorAnswer>> = {
  'chat: counts of 0 in the last chunk': { wire: 'openai-chat',
    frames: [chunk({ content: 'He' }, null, { usage: { prompt_tokens: 90, completion_tokens: 1, total_tokens: 91 } }),
      chunk({ content: 'y' }, null, { usage: { prompt_tokens: 90, completion_tokens: 2, total_tokens: 92 } }),
      chunk({}, 'stop', { usage: { prompt_tokens: 0, completion_tokens: 3, total_tokens: 3 } })], is: { usage: [90, 3, 93] } },
  'chat: counts under the names of the Responses API': { wire: 'openai-chat',
    body: { ...completed({ content: 'Hey' }), usage: { input_tokens: 4, output_tokens: 2, prompt_tokens: 0 } },
    is: { usage: [4, 2, 6] } },
  'Anthropic: counts of 0 at the end': { wire: 'anthropic-messages',
    frames: [{ type: 'message_start', message: { id: 'm', model: 'm', content: [],
          usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hey' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 4 } }, { type: 'message_stop' }],
    is: { text: 'Hey', usage: [7, 4, 11] } },
  'Gemini: counts of 0 at the end': { wire: 'gemini-generate',
    frames: [{ candidates: [{ content: { parts: [{ text: 'Hey' }] } }],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1, totalTokenCount: 6 } },
      { candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 2, totalTokenCount: 2 } }], is: { usage: [5, 2, 7] } },
  'Bedrock: a second report of 0': { wire: 'bedrock-converse',
    frames: [['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hey' } }],
      ['metadata', { usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } }], ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } }]], is: { usage: [5, 2, 7] } },
}

const BLOCKS: Readonly<Record<string, VendorAnswer>> = {
  'Anthropic: blocks whose start repeats the first delta': {
    wire: 'anthropic-messages',
    frames: [
      { type: 'message_start', message: { id: 'm', model: 'm', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: 'Hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'He' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'He' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'y' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ],
    is: { text: 'Hey', reasoning: 'HmHm', losses: [] },
  },
  'Cohere: a block whose start repeats the first delta, after a second start': {
    wire: 'cohere-chat',
    frames: [
      { type: 'message-start', id: 'a' },
      { type: 'message-start', id: 'b' },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: 'He' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'He' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'y' } } } },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
    ],
    is: { text: 'Hey', losses: ['an answer that the upstream restarted'] },
  },
  'Responses: a second start with the same id of the item': {
    wire: 'openai-responses',
    frames: [
      { type: 'response.created', response: { id: 'r-1', model: 'm' } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i', content: [] } },
      { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'H' },
      { type: 'response.created', response: { id: 'r-2', model: 'm' } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i', content: [] } },
      { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'Hey' },
      { type: 'response.completed', response: { id: 'r-2', status: 'completed', output: [] } },
    ],
    is: { status: 'completed', text: 'H|Hey', losses: ['an answer that the upstream restarted'] },
  },
}

const AUDIO: Readonly<Record<string, VendorAnswer>> = {
  'chat: a spoken answer': {
    wire: 'openai-chat',
    frames: [
      chunk({ content: null, audio: { id: 'a', transcript: 'He' } }),
      chunk({ audio: { data: 'AAAA' } }),
      chunk({ audio: { transcript: 'y' } }),
      STOP,
    ],
    body: completed({ content: null, audio: { id: 'a', data: 'AAAA', transcript: 'Hey' } }),
    is: { status: 'completed', text: 'Hey', losses: ['audio'] },
  },
  'Responses: a spoken answer': {
    wire: 'openai-responses',
    frames: [
      { type: 'response.created', response: { id: 'r-1', model: 'm' } },
      { type: 'response.output_audio_transcript.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'He' },
      { type: 'response.output_audio.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'AAAA' },
      { type: 'response.output_audio_transcript.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'y' },
      {
        type: 'response.output_audio_transcript.done',
        item_id: 'i',
        output_index: 0,
        content_index: 0,
        transcript: 'Hey',
      },
      { type: 'response.completed', response: { id: 'r-1', status: 'completed', output: [] } },
    ],
    is: { status: 'completed', text: 'Hey', losses: ['audio'] },
  },
}

export const VENDOR_ANSWERS: Readonly<Record<string, VendorAnswer>> = {
  ...CHOICES,
  ...SIGNATURES,
  ...REASONING,
  ...TAGS,
  ...FIRST_TAGS,
  ...KINDS,
  ...COUNTS,
  ...BLOCKS,
  ...AUDIO,
}
