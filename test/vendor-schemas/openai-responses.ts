import { z } from 'zod'
import { ID_RULES } from './openai-chat.ts'
import { count, json, type Loose, type SchemaTurn, toolName, type VendorSchema } from './schema.ts'

const inputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z
    .strictObject({
      type: z.literal('input_image'),
      image_url: z.string().min(1).optional(),
      file_id: z.string().min(1).optional(),
      detail: z.enum(['auto', 'low', 'high', 'original']).optional(),
    })
    .refine(({ image_url, file_id }) => image_url !== undefined || file_id !== undefined, 'an image without a source'),
  z.strictObject({
    type: z.literal('input_file'),
    filename: z.string().optional(),
    file_data: z.string().optional(),
    file_url: z.string().optional(),
    file_id: z.string().optional(),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
  z.strictObject({
    type: z.literal('input_audio'),
    input_audio: z.strictObject({ data: z.string(), format: z.string() }),
  }),
])
const content = z.union([z.string(), z.array(inputPart).min(1)])
const messagePart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('output_text'), text: z.string(), annotations: z.array(json).optional() }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
])

const prompt = <Role extends string>(role: Role) =>
  z.strictObject({ type: z.literal('message'), role: z.literal(role), content })
const message = z.discriminatedUnion('role', [
  prompt('user'),
  prompt('system'),
  prompt('developer'),
  z.strictObject({
    type: z.literal('message'),
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(messagePart).min(1)]),
    phase: z.enum(['commentary', 'final_answer']).optional(),
  }),
])

const id = z.string().min(1)
const call = {
  call_id: id,
  caller: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('direct') }),
      z.strictObject({ type: z.literal('program'), caller_id: id }),
    ])
    .optional(),
  async: z.boolean().optional(),
}
const calledTool = { ...call, name: toolName, namespace: toolName.optional() }
const givenTools = z.array(z.looseObject({ type: z.string().min(1) }))
const search = { call_id: id.nullable(), execution: z.enum(['client', 'server']), status: z.string() }
const item = z.discriminatedUnion('type', [
  message,
  z
    .strictObject({
      type: z.literal('reasoning'),
      id: z.string().optional(),
      summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
      content: z.array(z.strictObject({ type: z.literal('reasoning_text'), text: z.string() })).optional(),
      encrypted_content: z.string().min(1).optional(),
      status: z.string().optional(),
    })
    .refine((it) => it.encrypted_content !== undefined || it.content !== undefined, 'a thought that nobody can read'),
  z.strictObject({ type: z.literal('function_call'), ...calledTool, arguments: z.string().min(1) }),
  z.strictObject({ type: z.literal('function_call_output'), ...call, output: content }),
  z.strictObject({ type: z.literal('custom_tool_call'), ...calledTool, input: z.string() }),
  z.strictObject({ type: z.literal('custom_tool_call_output'), ...call, output: content }),
  // Items that stay in their place are as the client sent them.
  z.strictObject({ type: z.literal('additional_tools'), role: z.literal('developer'), tools: givenTools }),
  z.strictObject({ type: z.literal('configuration_update'), reasoning: json.optional(), text: json.optional() }),
  z.strictObject({ type: z.literal('tool_search_call'), ...search, arguments: json }),
  z.strictObject({ type: z.literal('tool_search_output'), ...search, tools: givenTools }),
])

const namedTool = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    name: toolName,
    description: z.string().optional(),
    parameters: json,
    strict: z.boolean().optional(),
    defer_loading: z.literal(true).optional(),
  }),
  z.strictObject({
    type: z.literal('custom'),
    name: toolName,
    description: z.string().optional(),
    format: json.optional(),
  }),
])
const tool = z.discriminatedUnion('type', [
  namedTool,
  z.strictObject({ type: z.literal('namespace'), name: toolName, description: z.string(), tools: z.array(namedTool) }),
  z.looseObject({ type: z.literal('web_search') }),
  z.looseObject({ type: z.literal('web_search_preview') }),
  z.looseObject({ type: z.literal('openrouter:web_search') }),
  z.strictObject({ type: z.literal('tool_search'), execution: z.enum(['client', 'server']) }),
])

const schema = z
  .strictObject({
    model: z.string().min(1),
    input: z.array(item),
    instructions: z.string().optional(),
    stream: z.boolean().optional(),
    store: z.literal(false).optional(),
    include: z.array(z.enum(['reasoning.encrypted_content', 'message.output_text.logprobs'])).optional(),
    max_output_tokens: z.int().min(16).optional(),
    max_tool_calls: count.optional(),
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().min(0).max(1).optional(),
    presence_penalty: z.number().optional(),
    frequency_penalty: z.number().optional(),
    top_logprobs: z.int().min(0).max(20).optional(),
    reasoning: z
      .strictObject({
        effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
        summary: z.enum(['auto', 'concise', 'detailed']).optional(),
      })
      .optional(),
    text: z
      .strictObject({
        format: z
          .discriminatedUnion('type', [
            z.strictObject({ type: z.literal('text') }),
            z.strictObject({ type: z.literal('json_object') }),
            z.strictObject({
              type: z.literal('json_schema'),
              name: toolName,
              schema: json,
              strict: z.boolean().optional(),
            }),
          ])
          .optional(),
        verbosity: z.enum(['low', 'medium', 'high']).optional(),
      })
      .optional(),
    tools: z.array(tool).min(1).optional(),
    tool_choice: z
      .union([
        z.enum(['auto', 'none', 'required']),
        z.strictObject({ type: z.literal('function'), name: toolName }),
        z.strictObject({ type: z.string() }),
      ])
      .optional(),
    parallel_tool_calls: z.boolean().optional(),
    service_tier: z.string().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
    user: z.string().optional(),
    truncation: z.enum(['auto', 'disabled']).optional(),
  })
  .refine(
    ({ tools, tool_choice, input }) =>
      tools !== undefined || tool_choice === undefined || input.some((item) => 'tools' in item),
    'a choice among no tools',
  )

const ROLES: Readonly<Record<string, SchemaTurn['role']>> = { system: 'rules', developer: 'rules', user: 'user' }

/** Tools and settings may change anywhere. */
const isInTurn = ({ type, call_id: call }: Loose): boolean =>
  !/^(additional_tools|configuration_update)$/.test(type) && call !== null

function toTurn({ type, role, call_id: call }: Loose): SchemaTurn {
  if (/_output$/.test(type)) return { role: 'tool', calls: [], results: [call] }
  return { role: ROLES[role] ?? 'assistant', calls: /_call$/.test(type) ? [call] : [], results: [] }
}

/** Items are flat: consecutive calls belong to one answer. */
const joinCalls = (turns: readonly SchemaTurn[], turn: SchemaTurn): readonly SchemaTurn[] => {
  const last = turns.at(-1)
  return last !== undefined && last.calls.length > 0 && turn.calls.length > 0
    ? [...turns.slice(0, -1), { ...last, calls: [...last.calls, ...turn.calls] }]
    : [...turns, turn]
}

export const openaiResponsesSchema: VendorSchema = {
  schema,
  models: ['gpt-5.1', 'gpt-4o', 'o4-mini', 'grok-4', 'deepseek-reasoner'],
  turnsOf: ({ input }) => input.filter(isInTurn).map(toTurn).reduce(joinCalls, []),
  order: { alternates: false, ids: /^.+$/, resultsTogether: false },
  orderOf: ({ callIds }) => (callIds === undefined ? {} : { ids: ID_RULES[callIds] }),
}
