import { ERROR_MEMBERS } from '../../shared/upstream/answers/error-members.ts'
import type { Members } from '../../shared/upstream/answers/members.ts'
import { WHY } from '../../shared/upstream/answers/reasons.ts'
import { COST, COST_MEMBERS } from '../../shared/upstream/read-cost.ts'
import { PARTS, PIECES, TERMINALS, WHOLES } from '../terms.ts'

const ANNOTATION: Members = {
  read: ['type'],
  byType: {
    url_citation: { read: ['url', 'title', 'content', 'start_index', 'end_index'] },
    file_citation: { read: ['file_id', 'filename', 'index', 'start_index', 'end_index'] },
    container_file_citation: { read: ['file_id', 'filename', 'index', 'start_index', 'end_index', 'container_id'] },
  },
}

const TEXT: Members = {
  read: ['text', 'data', 'transcript', 'logprobs'],
  inside: { annotations: { path: 'output[].content[].annotations[].', ...ANNOTATION } },
}

/** Parts of messages and of reasoning. */
const PART: Members = {
  path: 'output[].content[].',
  read: ['type'],
  byType: {
    output_text: TEXT,
    text: TEXT,
    output_audio: TEXT,
    audio: TEXT,
    refusal: { read: ['refusal'] },
    reasoning_text: { read: ['text'] },
    summary_text: { read: ['text'] },
  },
}

const ORIGIN = ['namespace', 'caller', 'async', 'subagent_id', 'subagent_items'] as const

/** Items that the upstream runs itself are carried as a whole. */
const ITEM: Members = {
  path: 'output[].',
  read: ['id', 'type', 'status'],
  byType: {
    message: { read: ['phase'], inside: { content: PART }, ignored: { role: WHY.role } },
    reasoning: {
      read: ['encrypted_content', 'signature'],
      inside: { content: PART, summary: PART },
      ignored: { format: 'the format of the encrypted content, which is sealed with it' },
    },
    function_call: { read: ['call_id', 'name', 'arguments', ...ORIGIN] },
    custom_tool_call: { read: ['call_id', 'name', 'input', ...ORIGIN] },
  },
}

const USAGE: Members = {
  path: 'usage.',
  read: ['input_tokens', 'output_tokens', 'total_tokens', ...COST_MEMBERS],
  inside: {
    cost: COST,
    input_tokens_details: {
      read: ['cached_tokens', 'cache_write_tokens'],
      inside: { cache_write_tokens_details: { read: ['ttl_30m_tokens', 'ttl_12h_tokens'] } },
    },
    output_tokens_details: { read: ['reasoning_tokens'] },
    server_tool_use_details: { read: ['web_search_requests', 'tool_calls_requested', 'tool_calls_executed'] },
  },
  ignored: {
    context_details: WHY.total,
    cost_details: WHY.accounts,
    is_byok: WHY.accounts,
    num_server_side_tools_used: 'the items of the answer show the tools',
    num_sources_used: 'the citations of the answer show the sources',
    server_side_tool_usage_details: 'the items of the answer show the tools',
  },
}

const ECHOES = [
  'background',
  'conversation',
  'frequency_penalty',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'presence_penalty',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_k',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
] as const

const RESPONSE: Members = {
  path: '',
  read: ['model', 'output_text', 'tool_usage', 'service_tier', 'status', 'incomplete_details'],
  inside: { output: ITEM, usage: USAGE, error: ERROR_MEMBERS },
  ignored: {
    ...Object.fromEntries(ECHOES.map((name) => [name, WHY.echo])),
    id: WHY.id,
    object: WHY.kind,
    created_at: WHY.time,
    completed_at: WHY.time,
    content_filters: WHY.filter,
    billing: 'the party that pays for the answer',
    total_tokens: WHY.total,
  },
}

const eventsOf = (names: Readonly<Record<string, unknown>>, members: Members): Readonly<Record<string, Members>> =>
  Object.fromEntries(Object.keys(names).map((name) => [name, members]))

/** Events of items that the upstream runs itself are carried as a whole. */
const EVENTS: Members = {
  read: ['type', 'output_index', 'content_index', 'summary_index', 'item_id'],
  ignored: {
    sequence_number: 'the number of the event',
    obfuscation: WHY.padding,
    response_id: WHY.id,
    event_id: WHY.id,
  },
  byType: {
    ...eventsOf(PIECES, { read: ['delta', 'logprobs'] }),
    ...eventsOf(WHOLES, {
      read: ['text', 'transcript', 'refusal', 'arguments', 'input', 'logprobs', 'name', 'call_id'],
    }),
    ...eventsOf(PARTS, { inside: { part: PART } }),
    ...eventsOf(TERMINALS, { read: ['error'], inside: { response: RESPONSE } }),
    'response.created': { inside: { response: RESPONSE } },
    'response.in_progress': { inside: { response: RESPONSE } },
    'response.queued': { inside: { response: RESPONSE } },
    'response.output_item.added': { inside: { item: ITEM } },
    'response.output_item.done': { inside: { item: ITEM } },
    'response.output_text.annotation.added': {
      inside: { annotation: { path: 'output[].content[].annotations[].', ...ANNOTATION } },
      ignored: { annotation_index: WHY.position },
    },
  },
}

/** The members of events and whole responses (docs/losses.md). */
export const MEMBERS = { frame: EVENTS, body: RESPONSE } as const
