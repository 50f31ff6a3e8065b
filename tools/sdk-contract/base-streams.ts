import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { EXCEPTION } from '../../src/framing/eventstream.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { BODIES } from './base-bodies.ts'

/** A stream around one event: the events before it and after it. */
interface Around {
  readonly before: readonly JsonObject[]
  readonly after: readonly JsonObject[]
}

const record = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

// ---------------------------------------------------------------- openai-chat

const CHUNK = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'some-model' }
const chunk = (delta: JsonObject, finish_reason: string | null): JsonObject => ({
  ...CHUNK,
  choices: [{ index: 0, delta, finish_reason }],
})

/** A chunk that ends the answer is the last one, and one that names the model the first. */
function chat({ choices, model }: JsonObject): Around {
  const choice = record(Array.isArray(choices) ? choices[0] : null)
  const isLast = typeof choice.finish_reason === 'string'
  return {
    before: model === undefined ? [chunk({ role: 'assistant', content: 'The sun' }, null)] : [],
    after: isLast ? [] : [chunk({ content: ' is up.' }, null), chunk({}, 'stop')],
  }
}

/** Adds the words that log probabilities are of; moderation comes without a choice. */
function completedChunk(event: JsonObject, like: JsonObject): JsonObject {
  const { model, ...rest } = CHUNK
  const named = 'model' in like ? rest : { model, ...rest }
  const [choice] = (Array.isArray(event.choices) ? event.choices : []) as readonly JsonObject[]
  const own = record(record(Array.isArray(like.choices) ? like.choices[0] : null).logprobs)
  if ('moderation' in like) return { ...named, ...event, choices: [] }
  if (choice === undefined || Object.keys(own).length === 0) return { ...named, ...event }
  const words = Array.isArray(own.content) ? { content: ' and' } : { refusal: 'No.' }
  return { ...named, ...event, choices: [{ ...choice, delta: { ...record(choice.delta), ...words } }] }
}

// ---------------------------------------------------------------- openai-responses

const { output: _, ...EMPTY_RESPONSE } = BODIES['openai-responses'].body
const MESSAGE = record((BODIES['openai-responses'].body.output as readonly unknown[])[0])

/** The item that an event continues, by the beginning of the event's type. */
const ITEMS: readonly (readonly [string, JsonObject])[] = [
  [
    'response.function_call_arguments',
    { type: 'function_call', name: 'get_weather', call_id: 'call_1', arguments: '' },
  ],
  ['response.custom_tool_call_input', { type: 'custom_tool_call', name: 'shell', call_id: 'call_1', input: '' }],
  ['response.reasoning', { type: 'reasoning', summary: [] }],
  ['response.code_interpreter_call', { type: 'code_interpreter_call', code: '', container_id: 'c1', outputs: null }],
  ['response.mcp_list_tools', { type: 'mcp_list_tools', server_label: 's', tools: [] }],
  ['response.mcp_call', { type: 'mcp_call', server_label: 's', name: 'f', arguments: '' }],
  ['response.image_generation_call', { type: 'image_generation_call', result: null }],
  ['response.file_search_call', { type: 'file_search_call', queries: [] }],
  ['response.web_search_call', { type: 'web_search_call', action: { type: 'search', query: 'sun' } }],
  ['response.shell_call', { type: 'shell_call', call_id: 'call_1', action: { commands: [] } }],
  [
    'response.apply_patch_call',
    { type: 'apply_patch_call', call_id: 'call_1', operation: { type: 'delete_file', path: 'a' } },
  ],
  ['response.compaction', { type: 'compaction', encrypted_content: 'gAAAAAB' }],
]

function responses(event: JsonObject): Around {
  const type = String(event.type)
  const created = {
    type: 'response.created',
    sequence_number: 0,
    response: { ...EMPTY_RESPONSE, status: 'in_progress', output: [] },
  }
  const own = ITEMS.find(([beginning]) => type.startsWith(beginning))?.[1] ?? { ...MESSAGE, content: [] }
  const item = { id: 'item_1', status: 'in_progress', ...own }
  const opens = type !== 'response.output_item.added' && type !== 'response.created'
  const added = { type: 'response.output_item.added', output_index: 0, sequence_number: 1, item }
  return {
    before: [created, ...(opens ? [added] : [])],
    after: [{ type: 'response.completed', sequence_number: 99, response: { ...EMPTY_RESPONSE, output: [] } }],
  }
}

// ---------------------------------------------------------------- anthropic-messages

const { content: __, stop_reason: ___, ...START } = BODIES['anthropic-messages'].body

/** The block that a delta continues. */
const BLOCKS: Readonly<Record<string, JsonObject>> = {
  input_json_delta: { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
  thinking_delta: { type: 'thinking', thinking: '', signature: '' },
  signature_delta: { type: 'thinking', thinking: '', signature: '' },
  compaction_delta: { type: 'compaction', content: null },
}

function messages(event: JsonObject): Around {
  const start = { type: 'message_start', message: { ...START, content: [], stop_reason: null } }
  const block = BLOCKS[String(record(event.delta).type)] ?? { type: 'text', text: '' }
  const isInside = event.type === 'content_block_delta' || event.type === 'content_block_stop'
  const opened = { type: 'content_block_start', index: event.index ?? 0, content_block: block }
  const closed = { type: 'content_block_stop', index: event.index ?? 0 }
  const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } }
  return {
    before: [...(event.type === 'message_start' ? [] : [start]), ...(isInside ? [opened] : [])],
    after: [
      ...(isInside || event.type === 'content_block_start' ? [closed] : []),
      ...(event.type === 'message_delta' ? [] : [stop]),
      { type: 'message_stop' },
    ],
  }
}

// ---------------------------------------------------------------- bedrock-converse

function converse(event: JsonObject): Around {
  const delta = record(record(event.contentBlockDelta).delta)
  const start = {
    contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't1', name: 'get_weather' } } },
  }
  const use = { toolUseId: 't1', name: 'some_tool', type: 'server_tool_use' }
  const server = [
    { contentBlockStart: { contentBlockIndex: 1, start: { toolUse: use } } },
    { contentBlockStop: { contentBlockIndex: 1 } },
    { contentBlockStart: { contentBlockIndex: 0, start: { toolResult: { toolUseId: 't1' } } } },
  ]
  const opened = 'toolUse' in delta ? [start] : 'toolResult' in delta ? server : []
  return {
    before: [{ messageStart: { role: 'assistant' } }, ...opened],
    after: [
      { contentBlockStop: { contentBlockIndex: 0 } },
      ...('messageStop' in event ? [] : [{ messageStop: { stopReason: 'end_turn' } }]),
    ],
  }
}

// ---------------------------------------------------------------- cohere-chat

function cohere(event: JsonObject): Around {
  const end = { type: 'message-end', delta: { finish_reason: 'COMPLETE' } }
  const type = String(event.type)
  const opened = { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: 'The sun' } } } }
  const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } }
  const called = { type: 'tool-call-start', index: 0, delta: { message: { tool_calls: call } } }
  const opener = type.startsWith('tool-call') && type !== 'tool-call-start' ? called : opened
  return {
    before: [{ type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } }, opener],
    after: type === 'message-end' ? [] : [end],
  }
}

const AROUND: Readonly<Partial<Record<WireName, (event: JsonObject) => Around>>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  'bedrock-converse': converse,
  'cohere-chat': cohere,
}

/** The bytes of a stream with this event in it; without the event if it is null. `like`: the event that it stands for. */
export function streamAround(wire: WireName, event: JsonObject | null, like: JsonObject): Uint8Array {
  const { before, after } = AROUND[wire]?.(like) ?? { before: [], after: [] }
  const events = [
    ...before,
    ...(event === null ? [] : [wire === 'openai-chat' ? completedChunk(event, like) : event]),
    ...after,
  ]
  if (wire !== 'bedrock-converse') return new TextEncoder().encode(events.map(toSse).join(''))
  return Buffer.concat(
    events.flatMap((one) =>
      Object.entries(one).map(([name, value]) => {
        const event = name.endsWith('Exception') ? EXCEPTION + name : name
        return encodeEventStream({ event, data: JSON.stringify(value) })
      }),
    ),
  )
}

const toSse = (event: JsonObject): string =>
  `${typeof event.type === 'string' ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`
