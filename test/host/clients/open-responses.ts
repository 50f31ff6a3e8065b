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
  usage: z
    .object({
      input_tokens: z.int(),
      output_tokens: z.int(),
      total_tokens: z.int(),
      input_tokens_details: z.object({ cached_tokens: z.int() }),
      output_tokens_details: z.object({ reasoning_tokens: z.int() }),
    })
    .nullable(),
  service_tier: text,
  metadata: z.unknown(),
})
