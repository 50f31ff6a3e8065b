import { ERROR_MEMBERS } from '../../shared/upstream/answers/error-members.ts'
import type { Members } from '../../shared/upstream/answers/members.ts'
import { COST, COST_MEMBERS } from '../../shared/upstream/read-cost.ts'
import { PARTS, PIECES, TERMINALS, WHOLES } from '../terms.ts'

const PAGE = ['url', 'title', 'content', 'start_index', 'end_index'] as const

const ANNOTATION: Members = {
  read: ['type'],
  byType: {
    url_citation: { read: PAGE, inside: { url_citation: { read: PAGE } } },
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
    input_text: TEXT,
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
    message: { read: ['phase'], inside: { content: PART }, ignored: { role: ['role'] } },
    reasoning: {
      read: ['encrypted_content', 'signature'],
      inside: { content: PART, summary: PART },
      ignored: { shown: ['format'] },
    },
    function_call: { read: ['call_id', 'name', 'arguments', ...ORIGIN] },
    custom_tool_call: { read: ['call_id', 'name', 'input', ...ORIGIN] },
  },
}

const USAGE: Members = {
  path: 'usage.',
  read: ['input_tokens', 'output_tokens', 'total_tokens', 'prompt_tokens', 'completion_tokens', ...COST_MEMBERS],
  inside: {
    cost: COST,
    prompt_tokens_details: { read: ['cached_tokens'] },
    completion_tokens_details: { read: ['reasoning_tokens'] },
    input_tokens_details: {
      read: ['cached_tokens', 'cache_write_tokens'],
      inside: { cache_write_tokens_details: { read: ['ttl_30m_tokens', 'ttl_12h_tokens'] } },
    },
    output_tokens_details: { read: ['reasoning_tokens'] },
    server_tool_use_details: { read: ['web_search_requests', 'tool_calls_requested', 'tool_calls_executed'] },
  },
  ignored: {
    total: ['context_details'],
    accounts: ['cost_details', 'is_byok'],
    shown: ['num_server_side_tools_used', 'num_sources_used', 'server_side_tool_usage_details'],
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
    echo: ECHOES,
    id: ['id'],
    kind: ['object'],
    time: ['created_at', 'completed_at'],
    filter: ['content_filters'],
    accounts: ['billing'],
    total: ['total_tokens'],
  },
}

/** Some servers send the response in place of the event. */
const WITH_RESPONSE: Members = {
  ...RESPONSE,
  read: [...(RESPONSE.read ?? []), 'error'],
  inside: { ...RESPONSE.inside, response: RESPONSE },
}

const eventsOf = (names: Readonly<Record<string, unknown>>, members: Members): Readonly<Record<string, Members>> =>
  Object.fromEntries(Object.keys(names).map((name) => [name, members]))

/** Events of items that the upstream runs itself are carried as a whole. */
const EVENTS: Members = {
  read: ['type', 'output_index', 'content_index', 'summary_index', 'item_id'],
  ignored: { position: ['sequence_number'], padding: ['obfuscation'], id: ['response_id', 'event_id'] },
  byType: {
    ...eventsOf(PIECES, { read: ['delta', 'logprobs', 'call_id'] }),
    ...eventsOf(WHOLES, {
      read: ['text', 'transcript', 'refusal', 'arguments', 'input', 'logprobs', 'name', 'call_id'],
    }),
    ...eventsOf(PARTS, { inside: { part: PART } }),
    ...eventsOf(TERMINALS, WITH_RESPONSE),
    'response.created': WITH_RESPONSE,
    'response.in_progress': WITH_RESPONSE,
    'response.queued': WITH_RESPONSE,
    'response.output_item.added': { inside: { item: ITEM } },
    'response.output_item.done': { inside: { item: ITEM } },
    'response.output_text.annotation.added': {
      inside: { annotation: { path: 'output[].content[].annotations[].', ...ANNOTATION } },
      ignored: { position: ['annotation_index'] },
    },
  },
}

/** The members of events and whole responses (docs/losses.md). */
export const MEMBERS = { frame: EVENTS, body: RESPONSE } as const
