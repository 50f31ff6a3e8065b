import { z } from 'zod'
import { count, json, type Loose, type SchemaTurn, toolName, type VendorSchema } from './schema.ts'

const text = z.strictObject({ type: z.literal('text'), text: z.string() })
const part = z.discriminatedUnion('type', [
  text,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
  }),
  z.strictObject({
    type: z.literal('file'),
    file: z
      .strictObject({
        filename: z.string().optional(),
        file_data: z.string().optional(),
        file_id: z.string().optional(),
      })
      .refine((file) => (file.file_data === undefined) !== (file.file_id === undefined), 'data or an id'),
  }),
  z.strictObject({
    type: z.literal('document_url'),
    document_url: z.string().min(1),
    document_name: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('input_audio'),
    input_audio: z.union([z.string(), z.strictObject({ data: z.string(), format: z.enum(['wav', 'mp3']) })]),
  }),
])
const content = z.union([z.string(), z.array(part).min(1)])
const thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.array(text).min(1) })

/** Gemini: a signature of the call, or the marker in place of a missing one. */
const extra = z.strictObject({ google: z.strictObject({ thought_signature: z.string().min(1) }) })

const call = z.discriminatedUnion('type', [
  z.strictObject({
    id: z.string().min(1),
    type: z.literal('function'),
    function: z.strictObject({ name: toolName, arguments: z.string().min(1) }),
    extra_content: extra.optional(),
  }),
  z.strictObject({
    id: z.string().min(1),
    type: z.literal('custom'),
    custom: z.strictObject({ name: toolName, input: z.string() }),
    extra_content: extra.optional(),
  }),
])

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.union([z.string(), z.array(text).min(1)]) }),
  z.strictObject({ role: z.literal('developer'), content: z.union([z.string(), z.array(text).min(1)]) }),
  z.strictObject({ role: z.literal('user'), content }),
  z
    .strictObject({
      role: z.literal('assistant'),
      content: z.union([z.string(), z.array(z.union([text, thinking])).min(1), z.null()]),
      refusal: z.string().min(1).optional(),
      prefix: z.literal(true).optional(),
      tool_calls: z.array(call).min(1).optional(),
      reasoning_content: z.string().optional(),
      reasoning: z.string().optional(),
      reasoning_details: z.array(json).min(1).optional(),
    })
    .refine((it) => it.content !== null || it.tool_calls !== undefined || it.refusal !== undefined, 'says nothing'),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content: z.string() }),
])

const tool = z.discriminatedUnion('type', [
  // A tool of OpenRouter, which no other vendor receives.
  z.strictObject({ type: z.literal('openrouter:web_search'), parameters: z.record(z.string(), json) }),
  z.strictObject({
    type: z.literal('function'),
    function: z.strictObject({
      name: toolName,
      description: z.string().optional(),
      parameters: json.optional(),
      strict: z.boolean().optional(),
    }),
  }),
  z.strictObject({
    type: z.literal('custom'),
    custom: z.strictObject({ name: toolName, description: z.string().optional(), format: json.optional() }),
  }),
])
const nameOf = (it: Loose): string => it.function?.name ?? it.custom?.name

const effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'default'])

const schema = z
  .strictObject({
    model: z.string().min(1),
    messages: z.array(message).min(1),
    stream: z.literal(true).optional(),
    stream_options: z.strictObject({ include_usage: z.literal(true) }).optional(),
    max_tokens: count.optional(),
    max_completion_tokens: count.optional(),
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().min(0).max(1).optional(),
    presence_penalty: z.number().min(-2).max(2).optional(),
    frequency_penalty: z.number().min(-2).max(2).optional(),
    user: z.string().optional(),
    logprobs: z.literal(true).optional(),
    top_logprobs: z.int().min(0).max(20).optional(),
    response_format: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal('json_object') }),
        z.strictObject({
          type: z.literal('json_schema'),
          json_schema: z.strictObject({ name: toolName, schema: json, strict: z.boolean().optional() }),
        }),
      ])
      .optional(),
    tools: z.array(tool).min(1).optional(),
    tool_choice: z
      .union([
        z.enum(['auto', 'none', 'required', 'any']),
        z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: toolName }) }),
      ])
      .optional(),
    parallel_tool_calls: z.boolean().optional(),
    service_tier: z.string().optional(),
    verbosity: z.enum(['low', 'medium', 'high']).optional(),
    // The vendors' fields for reasoning effort (docs/wires/openai-chat.md, 9.2).
    reasoning_effort: effort.optional(),
    reasoning: z.union([z.strictObject({ effort }), z.strictObject({ enabled: z.literal(false) })]).optional(),
    reasoning_format: z.literal('parsed').optional(),
    thinking: z.strictObject({ type: z.enum(['enabled', 'adaptive', 'disabled']) }).optional(),
    enable_thinking: z.boolean().optional(),
    thinking_budget: count.optional(),
    chat_template_kwargs: json.optional(),
    prompt_mode: z.literal('reasoning').optional(),
  })
  .refine((it) => it.tools !== undefined || it.tool_choice === undefined, 'a choice among no tools')
  .refine((it) => it.tools !== undefined || it.parallel_tool_calls === undefined, 'calls of no tools')
  .refine((it) => it.top_logprobs === undefined || it.logprobs, 'top_logprobs want logprobs')
  .refine((it) => it.stream_options === undefined || it.stream, 'stream_options without a stream')
  .refine((it) => it.max_tokens === undefined || it.max_completion_tokens === undefined, 'one limit')
  .refine(({ tools, tool_choice: choice }) => {
    const named = typeof choice === 'object' ? choice.function.name : null
    return named === null || (tools ?? []).some((it) => nameOf(it) === named)
  }, 'a choice that is no tool')

const ROLES: Readonly<Record<string, SchemaTurn['role']>> = {
  system: 'rules',
  developer: 'rules',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
}

/** The turns of every wire whose messages are chat messages. */
export const chatTurns = (body: Loose): readonly SchemaTurn[] =>
  body.messages.map(
    ({ role, tool_calls: calls, tool_call_id: id }: Loose): SchemaTurn => ({
      role: ROLES[role] ?? 'user',
      calls: (calls ?? []).map((it: Loose) => it.id),
      results: id === undefined ? [] : [id],
    }),
  )

export const ID_RULES = { short: /^.{1,40}$/, long: /^.{1,64}$/, nine: /^[A-Za-z0-9]{9}$/ } as const

export const openaiChatSchema: VendorSchema = {
  schema,
  models: ['gpt-5.1', 'gpt-4o', 'o3-mini', 'some-model', 'magistral-medium-latest', 'grok-3-mini', 'qwen/qwen3-32b'],
  turnsOf: chatTurns,
  order: { alternates: false, ids: /^.+$/, resultsTogether: false },
  orderOf: ({ callIds, noUserAfterTool = false, strictTurns = false }) => ({
    ...(callIds === undefined ? {} : { ids: ID_RULES[callIds] }),
    noUserAfterTool,
    alternates: strictTurns,
  }),
}
