import { z } from 'zod'
import { PROGRESS_EVENTS, type ProgressName } from '../../src/protocol/progress.ts'
import type { ResponseEvent, ResponseEventType, ResponseObject } from '../../src/protocol/response-event.ts'

/** Strict schemas of the typed events. A field that a type does not have, or lacks, is an error. */

const json = z.json()
const count = z.int().nonnegative()
const status = z.enum(['in_progress', 'completed', 'incomplete'])

const logprob = z.strictObject({
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.number()).nullable(),
  top_logprobs: z.array(
    z.strictObject({ token: z.string(), logprob: z.number(), bytes: z.array(z.number()).nullable() }),
  ),
})
const annotation = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('url_citation'),
    url: z.string(),
    title: z.string(),
    start_index: count,
    end_index: count,
    content: z.string().exactOptional(),
  }),
  z.strictObject({ type: z.literal('file_citation'), file_id: z.string(), filename: z.string(), index: count }),
])
const outputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(annotation),
  logprobs: z.array(logprob),
})
const refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() })
const reasoningText = z.strictObject({ type: z.literal('reasoning_text'), text: z.string() })
const summaryText = z.strictObject({ type: z.literal('summary_text'), text: z.string() })

const call = {
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().exactOptional(),
  caller: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('direct') }),
      z.strictObject({ type: z.literal('program'), caller_id: z.string() }),
    ])
    .exactOptional(),
  async: z.boolean().exactOptional(),
  status,
}
const item = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    id: z.string(),
    status,
    role: z.literal('assistant'),
    phase: z.enum(['commentary', 'final_answer']).exactOptional(),
    content: z.array(z.discriminatedUnion('type', [outputText, refusal])),
  }),
  z.strictObject({ type: z.literal('function_call'), ...call, arguments: z.string() }),
  z.strictObject({ type: z.literal('custom_tool_call'), ...call, input: z.string() }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string(),
    summary: z.array(summaryText),
    content: z.array(reasoningText).exactOptional(),
    encrypted_content: z.string().exactOptional(),
  }),
  z
    .object({
      type: z.enum([
        'web_search_call',
        'file_search_call',
        'code_interpreter_call',
        'image_generation_call',
        'mcp_call',
        'mcp_list_tools',
        'mcp_approval_request',
        'shell_call',
        'shell_call_output',
        'local_shell_call',
        'apply_patch_call',
        'apply_patch_call_output',
        'computer_call',
        'tool_search_call',
        'tool_search_output',
        'program',
        'program_output',
        'compaction',
      ]),
      id: z.string(),
      status: z.string().exactOptional(),
    })
    .catchall(json.optional()),
])

const text = z.string().nullable()
const object = z.record(z.string(), json)

export const RESPONSE_OBJECT = z.strictObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: count,
  completed_at: z.number().nullable(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  model: z.string(),
  output: z.array(item),
  usage: z
    .strictObject({
      input_tokens: count,
      input_tokens_details: z.strictObject({
        cached_tokens: count,
        cache_write_tokens: count.exactOptional(),
        cache_write_tokens_details: z.strictObject({ ttl_30m_tokens: count, ttl_12h_tokens: count }).exactOptional(),
      }),
      output_tokens: count,
      output_tokens_details: z.strictObject({ reasoning_tokens: count }),
      total_tokens: count,
      cost: z.number().exactOptional(),
    })
    .nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.strictObject({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
  previous_response_id: z.null(),
  store: z.literal(false),
  background: z.literal(false),
  instructions: json,
  max_output_tokens: z.number().nullable(),
  max_tool_calls: z.number().nullable(),
  tools: z.array(
    z.looseObject({
      type: z.string(),
      name: z.string().exactOptional(),
      description: z.string().nullable().exactOptional(),
      parameters: z.unknown().exactOptional(),
      strict: z.boolean().nullable().exactOptional(),
      tools: z.array(z.unknown()).exactOptional(),
    }),
  ),
  tool_choice: json,
  parallel_tool_calls: z.boolean(),
  temperature: z.number(),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.number(),
  text: object,
  reasoning: object.nullable(),
  truncation: z.enum(['auto', 'disabled']),
  service_tier: z.string(),
  metadata: object,
  user: text,
  safety_identifier: text,
  prompt_cache_key: text,
}) satisfies z.ZodType<ResponseObject>

const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), sequence_number: count, ...fields })

const response = { response: RESPONSE_OBJECT }
const added = { output_index: count, item }
const inItem = { item_id: z.string(), output_index: count }
const field = json.exactOptional()
const ofUpstream = {
  delta: field,
  code: field,
  arguments: field,
  diff: field,
  command: field,
  command_index: field,
  output: field,
  partial_image_b64: field,
  partial_image_index: field,
  size: field,
  quality: field,
  background: field,
  output_format: field,
  obfuscation: field,
}
const hostedEvent = <Name extends ProgressName>(name: Name) =>
  z.strictObject({ type: z.literal(`response.${name}` as const), sequence_number: count, ...inItem, ...ofUpstream })
const HOSTED_EVENTS = Object.fromEntries(
  (Object.keys(PROGRESS_EVENTS) as ProgressName[]).map((name) => [`response.${name}`, hostedEvent(name)]),
) as { [Name in ProgressName as `response.${Name}`]: ReturnType<typeof hostedEvent<Name>> }
const inContent = { ...inItem, content_index: count }
const inSummary = { ...inItem, summary_index: count }
const delta = { delta: z.string() }
const logprobs = { logprobs: z.array(logprob) }
const part = { part: z.discriminatedUnion('type', [outputText, refusal, reasoningText]) }

export const RESPONSE_EVENTS = {
  'response.created': event('response.created', response),
  'response.in_progress': event('response.in_progress', response),
  'response.output_item.added': event('response.output_item.added', added),
  'response.output_item.done': event('response.output_item.done', added),
  'response.content_part.added': event('response.content_part.added', { ...inContent, ...part }),
  'response.content_part.done': event('response.content_part.done', { ...inContent, ...part }),
  'response.output_text.delta': event('response.output_text.delta', { ...inContent, ...delta, ...logprobs }),
  'response.output_text.done': event('response.output_text.done', { ...inContent, text: z.string(), ...logprobs }),
  'response.output_text.annotation.added': event('response.output_text.annotation.added', {
    ...inContent,
    annotation_index: count,
    annotation,
  }),
  'response.refusal.delta': event('response.refusal.delta', { ...inContent, ...delta }),
  'response.refusal.done': event('response.refusal.done', { ...inContent, refusal: z.string() }),
  'response.function_call_arguments.delta': event('response.function_call_arguments.delta', { ...inItem, ...delta }),
  'response.function_call_arguments.done': event('response.function_call_arguments.done', {
    ...inItem,
    name: z.string(),
    arguments: z.string(),
  }),
  'response.custom_tool_call_input.delta': event('response.custom_tool_call_input.delta', { ...inItem, ...delta }),
  'response.custom_tool_call_input.done': event('response.custom_tool_call_input.done', {
    ...inItem,
    input: z.string(),
  }),
  'response.reasoning_summary_part.added': event('response.reasoning_summary_part.added', {
    ...inSummary,
    part: summaryText,
  }),
  'response.reasoning_summary_part.done': event('response.reasoning_summary_part.done', {
    ...inSummary,
    part: summaryText,
  }),
  'response.reasoning_summary_text.delta': event('response.reasoning_summary_text.delta', { ...inSummary, ...delta }),
  'response.reasoning_summary_text.done': event('response.reasoning_summary_text.done', {
    ...inSummary,
    text: z.string(),
  }),
  'response.reasoning_text.delta': event('response.reasoning_text.delta', { ...inContent, ...delta }),
  'response.reasoning_text.done': event('response.reasoning_text.done', { ...inContent, text: z.string() }),
  'response.web_search_call.in_progress': event('response.web_search_call.in_progress', inItem),
  'response.web_search_call.searching': event('response.web_search_call.searching', inItem),
  'response.web_search_call.completed': event('response.web_search_call.completed', inItem),
  ...HOSTED_EVENTS,
  error: event('error', {
    code: z.string(),
    message: z.string(),
    param: text,
    error: z.strictObject({ type: z.string(), code: z.string(), message: z.string(), param: text }),
  }),
  'response.completed': event('response.completed', response),
  'response.incomplete': event('response.incomplete', response),
  'response.failed': event('response.failed', response),
} satisfies { [Type in ResponseEventType]: z.ZodType<Extract<ResponseEvent, { type: Type }>> }

/** The exported types accept everything that the schemas accept, and the other way round. */
type Inferred = z.output<(typeof RESPONSE_EVENTS)[ResponseEventType]>
type Loose<T> = T extends readonly (infer E)[]
  ? Loose<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Loose<T[K]> }
    : T
export const sameAsType = (event: Loose<ResponseEvent>): Loose<Inferred> => event
