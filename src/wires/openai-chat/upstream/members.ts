import { ERROR_MEMBERS } from '../../shared/upstream/answers/error-members.ts'
import type { Members } from '../../shared/upstream/answers/members.ts'
import { WHY } from '../../shared/upstream/answers/reasons.ts'
import { COST, COST_MEMBERS } from '../../shared/upstream/read-cost.ts'
import { REASONING_FIELDS } from './reasoning.ts'

const TOKEN: Members = { read: ['token', 'logprob', 'bytes', 'top_logprobs'], ignored: { token_id: WHY.token } }

const LOGPROBS: Members = { inside: { content: TOKEN, refusal: TOKEN } }

const SIGNATURE = ['extra_content', 'provider_specific_fields'] as const

const CALL: Members = {
  read: ['id', 'type', 'index', 'name', 'arguments', 'input', ...SIGNATURE],
  inside: {
    function: { read: ['name', 'arguments', ...SIGNATURE], ignored: { description: WHY.echo, parameters: WHY.echo } },
    custom: { read: ['name', 'input', ...SIGNATURE] },
  },
}

const URL_CITATION: Members = { read: ['url', 'title', 'content', 'start_index', 'end_index'] }

const PART: Members = {
  ignored: { type: WHY.kind },
  byType: {
    text: { read: ['text'] },
    output_text: { read: ['text'] },
    thinking: { read: ['thinking', 'signature', 'data'], ignored: { closed: 'the end of the part is its end' } },
    reasoning: { inside: { summary: { read: ['text', 'signature', 'data'], ignored: { type: WHY.kind } } } },
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
      ignored: { type: WHY.kind, file: WHY.named, file_citation: WHY.named },
      inside: { url_citation: URL_CITATION },
    },
    audio: { read: ['data', 'transcript'], ignored: { id: WHY.id, expires_at: WHY.time, format: WHY.named } },
  },
  ignored: {
    role: WHY.role,
    channel: 'the member of the text names its channel',
    index: WHY.position,
    name: WHY.role,
    padding: WHY.padding,
    reasoning_encrypted: 'the member of the reasoning shows it',
    token_id: WHY.token,
    tool_call_id: WHY.id,
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
    avg_compl_tok_per_sec: WHY.time,
    avg_prompt_tok_per_sec: WHY.time,
    avg_tok_per_sec: WHY.time,
    cache_creation: WHY.total,
    completion_time: WHY.time,
    cost_details: WHY.accounts,
    draft_tokens: 'tokens of a smaller model, which are not part of the answer',
    draft_tokens_acceptance: 'tokens of a smaller model, which are not part of the answer',
    is_byok: WHY.accounts,
    latency_checkpoint: WHY.time,
    market_cost: WHY.accounts,
    num_sources_used: 'the citations of the answer show the sources',
    prompt_audio_seconds: WHY.total,
    prompt_cache_miss_tokens: WHY.total,
    prompt_time: WHY.time,
    prompt_tokens_per_second: WHY.time,
    queue_time: WHY.time,
    search_context_size: WHY.echo,
    time_per_output_token_ms: WHY.time,
    time_to_first_token_ms: WHY.time,
    tokens_per_second: WHY.time,
    total_completion_time_sec: WHY.time,
    total_prompt_time_sec: WHY.time,
    total_time: WHY.time,
    total_time_sec: WHY.time,
  },
}

const CHOICE: Members = {
  read: ['index', 'text', 'finish_reason', 'native_finish_reason'],
  inside: { delta: MESSAGE, message: MESSAGE, usage: USAGE, logprobs: LOGPROBS, error: ERROR_MEMBERS },
  ignored: { content_filter_results: WHY.filter, content_filter_offsets: WHY.filter, seed: WHY.sampling },
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
    x_groq: { inside: { usage: USAGE }, ignored: { id: WHY.id, seed: WHY.sampling, usage_breakdown: WHY.total } },
    search_results: {
      read: ['url', 'title', 'snippet'],
      ignored: { date: WHY.source, last_updated: WHY.source, source: WHY.source },
    },
    citations: { read: ['url', 'title', 'snippet'] },
  },
  ignored: {
    id: WHY.id,
    object: WHY.kind,
    type: WHY.kind,
    created: WHY.time,
    obfuscation: WHY.padding,
    p: WHY.padding,
    generationId: WHY.id,
    request_id: WHY.id,
    latency_checkpoint: WHY.time,
    time_info: WHY.time,
    timings: WHY.time,
    prompt_filter_results: WHY.filter,
    stream_options: WHY.echo,
    metadata: WHY.echo,
    venice_parameters: WHY.echo,
    usage_breakdown: WHY.total,
  },
}

/** The members of chunks and whole answers (docs/losses.md). */
export const MEMBERS = { frame: CHUNK, body: CHUNK } as const
