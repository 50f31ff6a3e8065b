import type { Members } from '../../shared/upstream/answers/members.ts'
import { WHY } from '../../shared/upstream/answers/reasons.ts'

const COUNT: Members = { read: ['modality', 'tokens'] }

const USAGE: Members = {
  path: 'usage.',
  read: [
    'total_tokens',
    'total_input_tokens',
    'total_output_tokens',
    'total_thought_tokens',
    'total_cached_tokens',
    'total_tool_use_tokens',
  ],
  inside: {
    input_tokens_by_modality: COUNT,
    output_tokens_by_modality: COUNT,
    cached_tokens_by_modality: COUNT,
    tool_use_tokens_by_modality: COUNT,
    grounding_tool_count: { read: ['type', 'count'] },
  },
  ignored: { raw_prompt_token: WHY.total, initial_input_tokens: WHY.total },
}

const ERROR: Members = { path: 'error.', read: ['code', 'message'] }

const OFFSETS = ['type', 'start_index', 'end_index'] as const

const ANNOTATION: Members = {
  path: 'annotations[].',
  read: [...OFFSETS, 'url', 'title', 'name', 'document_uri', 'file_name', 'source'],
  ignored: { place_id: WHY.source },
}

const CONTENT: Members = {
  path: 'content[].',
  read: ['type', 'text', 'data', 'mime_type', 'uri'],
  inside: { annotations: ANNOTATION },
  ignored: { resolution: WHY.echo, rate: WHY.named, sample_rate: WHY.named, channels: WHY.named },
}

/** The results of a tool. Google's own widgets, and results beside pages and files, have no form in an answer. */
const FOUND: Members = {
  path: 'result[].',
  read: ['url', 'title', 'text', 'status', 'type', 'data', 'mime_type', 'name', 'file_search_store'],
  inside: {
    content: CONTENT,
    places: { read: ['name', 'url'], ignored: { place_id: WHY.source } },
  },
}

/** Members of hosted steps and of their deltas. */
const HOSTED: Members = {
  read: ['id', 'call_id', 'name', 'server_name', 'arguments', 'is_error', 'signature'],
  inside: { result: FOUND },
  ignored: { search_type: WHY.named, retrieval_type: WHY.named },
}

const HOSTED_TYPES = [
  'google_search',
  'google_maps',
  'retrieval',
  'url_context',
  'file_search',
  'code_execution',
  'mcp_server_tool',
  'processing',
].flatMap((name) => [[`${name}_call`, HOSTED] as const, [`${name}_result`, HOSTED] as const])

const STEP: Members = {
  path: 'step.',
  read: ['type'],
  byType: {
    thought: { read: ['signature'], inside: { summary: { ...CONTENT, path: 'summary[].' }, content: CONTENT } },
    model_output: { inside: { content: CONTENT, error: ERROR } },
    function_call: { read: ['id', 'name', 'arguments', 'signature'] },
    ...Object.fromEntries(HOSTED_TYPES),
  },
}

const MEDIA: Members = { read: ['data', 'mime_type', 'uri'], ignored: CONTENT.ignored ?? {} }

const DELTA: Members = {
  path: 'delta.',
  read: ['type'],
  byType: {
    text: { read: ['text'] },
    image: MEDIA,
    audio: MEDIA,
    video: MEDIA,
    document: MEDIA,
    thought_summary: { inside: { content: CONTENT } },
    thought_signature: { read: ['signature'] },
    text_annotation_delta: { inside: { annotations: ANNOTATION } },
    text_annotation: { inside: { annotations: ANNOTATION } },
    arguments_delta: { read: ['arguments', 'id', 'name', 'signature'] },
    ...Object.fromEntries(HOSTED_TYPES),
  },
}

const INTERACTION: Members = {
  path: '',
  read: ['model', 'status', 'service_tier', 'continuation_token'],
  inside: { usage: USAGE, steps: STEP, errors: ERROR },
  ignored: {
    id: WHY.id,
    object: WHY.kind,
    created: WHY.time,
    updated: WHY.time,
    role: WHY.role,
    agent: WHY.echo,
    agent_config: WHY.echo,
    cached_content: WHY.echo,
    environment: WHY.echo,
    generation_config: WHY.echo,
    input: WHY.echo,
    labels: WHY.echo,
    previous_interaction_id: WHY.echo,
    response_format: WHY.echo,
    response_mime_type: WHY.echo,
    response_modalities: WHY.echo,
    safety_settings: WHY.echo,
    system_instruction: WHY.echo,
    tools: WHY.echo,
    webhook_config: WHY.echo,
    continuation_ids: WHY.id,
    output_text: 'repeats the steps',
    output_image: 'repeats the steps',
    output_audio: 'repeats the steps',
    output_video: 'repeats the steps',
  },
}

const EVENT: Members = {
  read: ['event_type', 'index', 'status', 'continuation_token', 'error'],
  inside: {
    interaction: INTERACTION,
    step: STEP,
    delta: DELTA,
    usage: USAGE,
    step_usage: { ...USAGE, ignored: { ...USAGE.ignored } },
    metadata: { inside: { total_usage: USAGE } },
  },
  ignored: { event_id: WHY.id, interaction_id: WHY.id },
}

/** The members of events and whole answers (docs/losses.md). */
export const MEMBERS = { frame: EVENT, body: INTERACTION } as const
