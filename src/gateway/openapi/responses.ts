import * as z from 'zod'
import type { DialectName } from '../../dialects/dialect.ts'
import { ERROR_CODES, type ErrorCode } from '../../protocol/error-codes.ts'

const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]

/** The body of every unsuccessful answer (docs/description.md, 7). */
export const errorBody = z.looseObject({
  error: z.looseObject({
    code: z.enum(codes),
    message: z.string().describe('Starts with the path of the invalid field, if a field of the request is invalid.'),
    type: z.string(),
    param: z.string().nullable().describe('Path of the invalid field; null if the error is about no field.'),
    request_id: z.string(),
  }),
  metadata: z.null(),
})

const count = z.int().min(0)
const usage = z.looseObject({
  input_tokens: count,
  input_tokens_details: z.looseObject({ cached_tokens: count }),
  output_tokens: count,
  output_tokens_details: z.looseObject({ reasoning_tokens: count }),
  total_tokens: count,
})

const citation = z.looseObject({
  type: z.literal('url_citation'),
  url: z.string(),
  start_index: count.describe('Start of the cited text in the text of the part, in UTF-16 code units.'),
  end_index: count.describe('End of the cited text, exclusive.'),
  title: z.string().optional(),
  content: z.string().optional(),
})

const status = z.enum(['in_progress', 'completed', 'incomplete'])
const other = z.looseObject({ type: z.string() })

const itemsOf = (summary: z.ZodType, sealed: z.ZodType, parts: readonly z.ZodType[], more: readonly z.ZodType[]) =>
  z.union([
    z.looseObject({
      type: z.literal('message'),
      id: z.string(),
      status,
      role: z.literal('assistant'),
      content: z.array(
        z.union([
          z.looseObject({
            type: z.literal('output_text'),
            text: z.string(),
            annotations: z.array(z.union([citation, other])),
          }),
          ...parts,
        ]),
      ),
    }),
    z.looseObject({
      type: z.literal('function_call'),
      id: z.string(),
      call_id: z.string(),
      name: z.string(),
      namespace: z.string().optional(),
      arguments: z.string().describe('Arguments as JSON text.'),
      status,
    }),
    z.looseObject({
      type: z.literal('reasoning'),
      id: z.string(),
      summary: z.array(summary),
      encrypted_content: sealed,
    }),
    ...more,
  ])

const head = {
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  model: z.string(),
  usage: usage.nullable(),
}
const failure = z.looseObject({ code: z.string(), message: z.string() })
const shortfall = z.looseObject({ reason: z.enum(['max_output_tokens', 'content_filter']) })

/**
 * Fields of every response object beyond docs/description.md, 2.8: `@openrouter/sdk` rejects an object without them.
 */
const required = {
  completed_at: z.int().nullable(),
  error: failure.nullable(),
  incomplete_details: shortfall.nullable(),
  instructions: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  tools: z.array(other),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), other]),
  parallel_tool_calls: z.boolean(),
  temperature: z.number(),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
}

/** docs/description.md, 2.8, and the required fields above. */
const beta = z.looseObject({
  ...head,
  output: z.array(itemsOf(z.string(), z.string(), [], [])),
  ...required,
})

/** The standard response object, with the fields that it repeats from its request (docs/description.md, 10.2). */
const openai = z.looseObject({
  ...head,
  output: z.array(
    itemsOf(
      z.looseObject({ type: z.literal('summary_text'), text: z.string() }),
      z.string().optional(),
      [z.looseObject({ type: z.literal('refusal'), refusal: z.string() })],
      [other],
    ),
  ),
  ...required,
  previous_response_id: z.null(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  truncation: z.enum(['auto', 'disabled']),
  text: z.looseObject({ format: other }),
  top_logprobs: z.int(),
  reasoning: z.looseObject({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  store: z.literal(false),
  background: z.literal(false),
  service_tier: z.string(),
  user: z.string().nullable(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
})

export const compaction = z.looseObject({
  id: z.string(),
  object: z.literal('response.compaction'),
  created_at: z.int(),
  output: z.array(
    z.union([
      z.looseObject({
        type: z.literal('message'),
        id: z.string(),
        role: z.literal('user'),
        content: z.array(z.looseObject({ type: z.string() })),
      }),
      z.looseObject({ type: z.literal('compaction'), id: z.string(), encrypted_content: z.string() }),
    ]),
  ),
  usage: usage.nullable(),
})

export const tokenCount = z.looseObject({ object: z.literal('response.input_tokens'), input_tokens: count })

/** The response object of each dialect. A test checks every recorded answer against it. */
export const RESPONSES = { beta, openai } satisfies Record<DialectName, z.ZodType>

const model = z.looseObject({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })
const anthropicModel = z.looseObject({ type: z.literal('model'), id: z.string(), display_name: z.string() })
const geminiModel = z.looseObject({ name: z.string(), displayName: z.string() })

/** `GET /models/{model}`, in the format of the client API. */
export const oneModel = z.union([model, anthropicModel, geminiModel])

/** `GET /models`, in the format of the client API. */
export const modelList = z.union([
  z.looseObject({ object: z.literal('list'), data: z.array(model) }),
  z.looseObject({ data: z.array(anthropicModel), has_more: z.boolean() }),
  z.looseObject({ models: z.array(geminiModel) }),
])

/** The list of destinations and its error body (docs/description.md, 4.1). */
export const destinationList = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  total_count: count,
})
export const listErrorBody = z.looseObject({ error: z.looseObject({ code: z.int(), message: z.string() }) })
