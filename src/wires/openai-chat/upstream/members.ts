import { ERROR_MEMBERS } from '../../shared/upstream/answers/error-members.ts'
import type { Members } from '../../shared/upstream/answers/members.ts'
import { COST, COST_MEMBERS } from '../../shared/upstream/read-cost.ts'
import { REASONING_FIELDS } from './content-members.ts'

const TOKEN: Members = { read: ['token', 'logprob', 'bytes', 'top_logprobs'], ignored: { token: ['token_id'] } }

const LOGPROBS: Members = { inside: { content: TOKEN, refusal: TOKEN } }

const SIGNATURE = ['extra_content', 'provider_specific_fields'] as const

const CALL: Members = {
  read: ['id', 'type', 'index', 'name', 'arguments', 'input', ...SIGNATURE],
  inside: {
    function: { read: ['name', 'arguments', 'parameters', ...SIGNATURE], ignored: { echo: ['description'] } },
    custom: { read: ['name', 'input', ...SIGNATURE] },
  },
}

const URL_CITATION: Members = { read: ['url', 'title', 'content', 'start_index', 'end_index'] }

const PART: Members = {
  ignored: { kind: ['type'] },
  byType: {
    text: { read: ['text'] },
    output_text: { read: ['text'] },
    thinking: { read: ['thinking', 'signature', 'data'], ignored: { shown: ['closed'] } },
    reasoning: { inside: { summary: { read: ['text', 'signature', 'data'], ignored: { kind: ['type'] } } } },
  },
}

/** The object that holds the content: `delta` in a stream, `message` in a whole answer. */
const MESSAGE: Members = {
  path: 'choices[].message.',
  read: ['refusal', 'function_call', 'images', 'executed_tools', ...REASONING_FIELDS],
  inside: {
    content: PART,
    tool_calls: CALL,
    annotations: {
      ...URL_CITATION,
      ignored: { kind: ['type'], named: ['file', 'file_citation'] },
      inside: { url_citation: URL_CITATION },
    },
    audio: { read: ['data', 'transcript'], ignored: { id: ['id'], time: ['expires_at'], named: ['format'] } },
  },
  ignored: {
    role: ['role', 'name'],
    shown: ['channel', 'reasoning_encrypted'],
    position: ['index'],
    padding: ['padding'],
    token: ['token_id'],
    id: ['tool_call_id'],
  },
}

const COUNTS = [
  'cache_write_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'text_tokens',
  'image_tokens',
  'audio_tokens',
  'video_tokens',
  'accepted_prediction_tokens',
  'rejected_prediction_tokens',
] as const

const USAGE: Members = {
  read: [
    'prompt_tokens',
    'input_tokens',
    'completion_tokens',
    'output_tokens',
    'total_tokens',
    'prompt_cache_hit_tokens',
    'cached_tokens',
    'num_cached_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'reasoning_tokens',
    ...COST_MEMBERS,
    'service_tier',
  ],
  inside: {
    cost: COST,
    input_tokens_details: { read: COUNTS },
    prompt_tokens_details: { read: COUNTS },
    output_tokens_details: { read: COUNTS },
    completion_tokens_details: { read: COUNTS },
    server_tool_use_details: { read: ['web_search_requests', 'tool_calls_requested', 'tool_calls_executed'] },
  },
  ignored: {
    time: [
      'avg_compl_tok_per_sec',
      'avg_prompt_tok_per_sec',
      'avg_tok_per_sec',
      'completion_time',
      'latency_checkpoint',
      'prompt_time',
      'prompt_tokens_per_second',
      'queue_time',
      'time_per_output_token_ms',
      'time_to_first_token_ms',
      'tokens_per_second',
      'total_completion_time_sec',
      'total_prompt_time_sec',
      'total_time',
      'total_time_sec',
    ],
    total: ['cache_creation', 'prompt_audio_seconds', 'prompt_cache_miss_tokens'],
    accounts: ['cost_details', 'is_byok', 'market_cost'],
    outside: ['draft_tokens', 'draft_tokens_acceptance'],
    shown: ['num_sources_used'],
    echo: ['search_context_size'],
  },
}

const CHOICE: Members = {
  read: ['index', 'text', 'finish_reason', 'native_finish_reason', 'stop_reason', 'matched_stop'],
  inside: { delta: MESSAGE, message: MESSAGE, usage: USAGE, logprobs: LOGPROBS, error: ERROR_MEMBERS },
  ignored: { filter: ['content_filter_results', 'content_filter_offsets'], sampling: ['seed'] },
}

/** A source of a list without markers. */
const LISTED_SOURCE: Members = {
  read: ['url', 'link', 'title', 'snippet', 'summary', 'content'],
  ignored: {
    source: ['site_name', 'media', 'icon', 'logo_url', 'publish_time', 'publish_date', 'cover_image', 'extra'],
    position: ['index', 'refer'],
  },
}

/** A chunk, or a whole answer. */
const CHUNK: Members = {
  read: [
    'model',
    'error',
    'service_tier',
    'system_fingerprint',
    'provider',
    // Failures of some vendors, also in answers without one.
    'base_resp',
    'code',
    'message',
    'msg',
    'status',
  ],
  inside: {
    cost: COST,
    choices: CHOICE,
    usage: USAGE,
    x_groq: { inside: { usage: USAGE }, ignored: { id: ['id'], sampling: ['seed'], total: ['usage_breakdown'] } },
    search_results: {
      read: ['url', 'title', 'snippet'],
      ignored: { source: ['date', 'last_updated', 'source'] },
    },
    citations: { read: ['url', 'title', 'snippet'] },
    search_info: { inside: { search_results: LISTED_SOURCE } },
    references: LISTED_SOURCE,
    web_search: LISTED_SOURCE,
  },
  ignored: {
    id: ['id', 'generationId', 'request_id'],
    kind: ['object', 'type'],
    time: ['created', 'latency_checkpoint', 'time_info', 'timings'],
    padding: ['obfuscation', 'p'],
    filter: ['prompt_filter_results'],
    echo: ['stream_options', 'metadata', 'venice_parameters'],
    total: ['usage_breakdown'],
  },
}

/** The members of chunks and whole answers (docs/losses.md). */
export const MEMBERS = { frame: CHUNK, body: CHUNK } as const
