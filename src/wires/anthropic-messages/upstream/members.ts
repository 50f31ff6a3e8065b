import type { Members } from '../../shared/upstream/answers/members.ts'
import { COST, COST_MEMBERS } from '../../shared/upstream/read-cost.ts'
import type { ANSWER_EVENTS } from '../terms.ts'

const CITATION: Members = {
  path: 'content[].citations[].',
  read: [
    'type',
    'url',
    'source',
    'title',
    'cited_text',
    'file_id',
    'document_index',
    'document_title',
    'start_char_index',
    'start_page_number',
    'start_block_index',
  ],
  ignored: {
    place: ['end_char_index', 'end_page_number', 'end_block_index'],
    own: ['encrypted_index', 'search_result_index'],
  },
}

/** The blocks of other types are sealed or lost as a whole. */
const BLOCK: Members = {
  path: 'content[].',
  read: ['type'],
  byType: {
    text: { read: ['text'], inside: { citations: CITATION } },
    thinking: { read: ['thinking', 'signature'] },
    reasoning: { read: ['reasoning', 'thinking', 'signature'] },
    redacted_thinking: { read: ['data'] },
    tool_use: { read: ['id', 'name', 'input', 'caller', 'toolset_name'] },
  },
}

const DELTA: Members = {
  path: 'content[].',
  read: ['type'],
  byType: {
    text_delta: { read: ['text'] },
    thinking_delta: {
      read: ['thinking'],
      ignored: { total: ['estimated_tokens'] },
    },
    reasoning_delta: { read: ['reasoning', 'thinking'] },
    signature_delta: { read: ['signature'] },
    input_json_delta: { read: ['partial_json'] },
    citations_delta: { inside: { citation: CITATION } },
  },
}

const CONTAINER: Members = {
  path: 'container.',
  read: ['id', 'skills'],
  ignored: { own: ['expires_at'] },
}

const STOP: Members = {
  path: '',
  read: ['stop_reason', 'stop_sequence'],
  inside: {
    stop_details: {
      path: 'stop_details.',
      read: ['explanation', 'category', 'fallback_credit_token', 'fallback_has_prefill_claim'],
      ignored: { kind: ['type'] },
    },
    container: CONTAINER,
  },
  ignored: { named: ['stop_sequence'] },
}

const USAGE: Members = {
  path: 'usage.',
  read: [
    'input_tokens',
    'output_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'service_tier',
    'speed',
    'inference_geo',
    ...COST_MEMBERS,
  ],
  inside: {
    cost: COST,
    cache_creation: { read: ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'] },
    output_tokens_details: { read: ['thinking_tokens'] },
    server_tool_use: { read: ['web_search_requests', 'web_fetch_requests'] },
  },
  ignored: { accounts: ['cost_details', 'is_byok'] },
}

const MESSAGE: Members = {
  path: '',
  read: ['id', 'model', 'provider', 'base_resp', 'error', ...(STOP.read ?? [])],
  inside: { ...STOP.inside, content: BLOCK, usage: USAGE },
  ignored: { ...STOP.ignored, kind: ['type'], role: ['role'] },
}

const EVENTS: Members = {
  read: ['type', 'index', 'base_resp', 'error'],
  ignored: { padding: ['p'], time: ['amazon-bedrock-invocationMetrics'] },
  byType: {
    message_start: { inside: { message: MESSAGE } },
    content_block_start: { inside: { content_block: BLOCK } },
    content_block_delta: { inside: { delta: DELTA } },
    content_block_stop: {},
    message_delta: { inside: { delta: STOP, usage: USAGE } },
    message_stop: {},
    ping: { ignored: { accounts: ['cost'] } },
    message: MESSAGE,
  } satisfies Readonly<Record<(typeof ANSWER_EVENTS)[number] | 'message', Members>>,
}

/** The members of events and whole messages (docs/losses.md). */
export const MEMBERS = { frame: EVENTS, body: MESSAGE } as const
