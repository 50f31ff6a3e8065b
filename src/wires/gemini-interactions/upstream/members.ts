import type { Members } from '../../shared/upstream/answers/members.ts'

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
  ignored: { total: ['raw_prompt_token', 'initial_input_tokens'] },
}

const ERROR: Members = { path: 'error.', read: ['code', 'message'] }

const OFFSETS = ['type', 'start_index', 'end_index'] as const

const ANNOTATION: Members = {
  path: 'annotations[].',
  read: [...OFFSETS, 'url', 'title', 'name', 'document_uri', 'file_name', 'source'],
  ignored: { source: ['place_id'] },
}

const CONTENT: Members = {
  path: 'content[].',
  read: ['type', 'text', 'data', 'mime_type', 'uri'],
  inside: { annotations: ANNOTATION },
  ignored: { echo: ['resolution'], named: ['rate', 'sample_rate', 'channels'] },
}

/** The results of a tool. Google's own widgets, and results beside pages and files, have no form in an answer. */
const FOUND: Members = {
  path: 'result[].',
  read: ['url', 'title', 'text', 'status', 'type', 'data', 'mime_type', 'name', 'file_search_store'],
  inside: {
    content: CONTENT,
    places: { read: ['name', 'url'], ignored: { source: ['place_id'] } },
  },
}

/** Members of hosted steps and of their deltas. */
const HOSTED: Members = {
  read: ['id', 'call_id', 'name', 'server_name', 'arguments', 'is_error', 'signature'],
  inside: { result: FOUND },
  ignored: { named: ['search_type', 'retrieval_type'] },
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
    id: ['id', 'continuation_ids'],
    kind: ['object'],
    time: ['created', 'updated'],
    role: ['role'],
    echo: [
      'agent',
      'agent_config',
      'cached_content',
      'environment',
      'generation_config',
      'input',
      'labels',
      'previous_interaction_id',
      'response_format',
      'response_mime_type',
      'response_modalities',
      'safety_settings',
      'system_instruction',
      'tools',
      'webhook_config',
    ],
    shown: ['output_text', 'output_image', 'output_audio', 'output_video'],
  },
}

const EVENT: Members = {
  read: ['event_type', 'index', 'status', 'continuation_token', 'error'],
  inside: {
    interaction: INTERACTION,
    step: STEP,
    delta: DELTA,
    usage: USAGE,
    step_usage: USAGE,
    metadata: { inside: { total_usage: USAGE } },
  },
  ignored: { id: ['event_id', 'interaction_id'] },
}

/** The members of events and whole answers (docs/losses.md). */
export const MEMBERS = { frame: EVENT, body: INTERACTION } as const
