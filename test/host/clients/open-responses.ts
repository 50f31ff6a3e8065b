import { z } from 'zod'

/**
 * The response object that the Open Responses suite requires (docs/description.md, 10.2), written by hand from its
 * table.
 */
const list = z.array(z.unknown())
const text = z.string()
const citation = z.object({
  type: z.literal('url_citation'),
  url: text,
  title: text,
  start_index: z.int(),
  end_index: z.int(),
})
const status = z.enum(['in_progress', 'completed', 'incomplete'])

export const openItem = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    id: text,
    status,
    role: z.literal('assistant'),
    phase: z.enum(['commentary', 'final_answer']).optional(),
    content: z.array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('output_text'), text, annotations: z.array(citation), logprobs: list.optional() }),
        z.object({ type: z.literal('refusal'), refusal: text }),
      ]),
    ),
  }),
  z.object({ type: z.literal('function_call'), id: text, call_id: text, name: text, arguments: text, status }),
  z.object({
    type: z.literal('reasoning'),
    id: text,
    summary: z.array(z.object({ type: z.literal('summary_text'), text })),
    encrypted_content: text.optional(),
  }),
])

const usage = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int() }),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
})

/** The answer of `/responses/compact`. */
export const openCompaction = z.object({
  id: text,
  object: z.literal('response.compaction'),
  created_at: z.int(),
  output: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('compaction'), id: text, encrypted_content: text }),
      z.object({ type: z.literal('message'), role: text, content: z.union([text, list]) }),
    ]),
  ),
  usage,
})

export const openResponse = z.object({
  id: text,
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: text,
  model: text,
  output: z.array(openItem),
  error: z.object({ code: text, message: text }).nullable(),
  incomplete_details: z.object({ reason: text }).nullable(),
  instructions: text.nullable(),
  previous_response_id: text.nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  safety_identifier: text.nullable(),
  prompt_cache_key: text.nullable(),
  tools: z.array(
    z.object({
      type: z.literal('function'),
      name: text,
      description: text.nullable(),
      parameters: z.record(text, z.unknown()).nullable(),
      strict: z.boolean().nullable(),
    }),
  ),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), z.object({ type: text })]),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  store: z.boolean(),
  background: z.boolean(),
  text: z.object({ format: z.object({ type: z.enum(['text', 'json_object', 'json_schema']) }) }),
  top_p: z.number(),
  temperature: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  reasoning: z
    .object({
      effort: z.enum(['none', 'low', 'medium', 'high', 'xhigh']).nullable(),
      summary: z.enum(['concise', 'detailed', 'auto']).nullable(),
    })
    .nullable(),
  usage: usage.nullable(),
  service_tier: text,
  metadata: z.unknown(),
})

/** Every event of the standard (2026-04-24); the suite rejects all others. */
export const EVENT_TYPES: readonly string[] = [
  'error',
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.output_item.added',
  'response.output_item.done',
  'response.content_part.added',
  'response.content_part.done',
  'response.output_text.delta',
  'response.output_text.done',
  'response.output_text.annotation.added',
  'response.refusal.delta',
  'response.refusal.done',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.reasoning_summary_part.added',
  'response.reasoning_summary_part.done',
  'response.reasoning_summary_text.delta',
  'response.reasoning_summary_text.done',
  'response.reasoning.delta',
  'response.reasoning.done',
]
