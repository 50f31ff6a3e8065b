import type { Members } from '../../shared/upstream/answers/members.ts'
import { WHY } from '../../shared/upstream/answers/reasons.ts'
import { COST, COST_MEMBERS } from '../../shared/upstream/read-cost.ts'

const OWN_SOURCE = 'identifies the source for Anthropic only'

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
    end_char_index: WHY.place,
    end_page_number: WHY.place,
    end_block_index: WHY.place,
    encrypted_index: OWN_SOURCE,
    search_result_index: OWN_SOURCE,
  },
}

/** The blocks of other types are sealed or lost as a whole. */
const BLOCK: Members = {
  path: 'content[].',
  read: ['type'],
  byType: {
    text: { read: ['text'], inside: { citations: CITATION } },
    thinking: { read: ['thinking', 'signature'] },
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
      ignored: { estimated_tokens: 'a count for the display, until the usage arrives' },
    },
    signature_delta: { read: ['signature'] },
    input_json_delta: { read: ['partial_json'] },
    citations_delta: { inside: { citation: CITATION } },
  },
}

const CONTAINER: Members = {
  path: 'container.',
  read: ['id', 'skills'],
  ignored: { expires_at: 'code that ran names its container, which only its vendor can use' },
}

const STOP: Members = {
  path: '',
  read: ['stop_reason'],
  inside: {
    stop_details: {
      path: 'stop_details.',
      read: ['explanation', 'category', 'fallback_credit_token', 'fallback_has_prefill_claim'],
      ignored: { type: WHY.kind },
    },
    container: CONTAINER,
  },
  ignored: { stop_sequence: WHY.named },
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
  ignored: { cost_details: WHY.accounts, is_byok: WHY.accounts },
}

const MESSAGE: Members = {
  path: '',
  read: ['id', 'model', 'provider', 'base_resp', 'error', ...(STOP.read ?? [])],
  inside: { ...STOP.inside, content: BLOCK, usage: USAGE },
  ignored: { ...STOP.ignored, type: WHY.kind, role: WHY.role },
}

const EVENTS: Members = {
  read: ['type', 'index', 'base_resp', 'error'],
  ignored: { p: WHY.padding, 'amazon-bedrock-invocationMetrics': WHY.time },
  byType: {
    message_start: { inside: { message: MESSAGE } },
    content_block_start: { inside: { content_block: BLOCK } },
    content_block_delta: { inside: { delta: DELTA } },
    content_block_stop: {},
    message_delta: { inside: { delta: STOP, usage: USAGE } },
    message_stop: {},
    ping: { ignored: { cost: WHY.accounts } },
  },
}

/** The members of events and whole messages (docs/losses.md). */
export const MEMBERS = { frame: EVENTS, body: MESSAGE } as const
