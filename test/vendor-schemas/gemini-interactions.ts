import { z } from 'zod'
import { base64, count, json, type Loose, type SchemaTurn, type VendorSchema } from './schema.ts'

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/)
const signature = z.string().min(1)
const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1) })

const media = z
  .strictObject({
    type: z.enum(['image', 'audio', 'video', 'document']),
    data: base64.optional(),
    uri: z.string().min(1).optional(),
    mime_type: z.string().min(3).optional(),
    resolution: z.enum(['low', 'medium', 'high', 'ultra_high']).optional(),
  })
  .refine((it) => (it.data === undefined) !== (it.uri === undefined), 'data or an address')
  .refine((it) => it.data === undefined || it.mime_type !== undefined, 'data without a media type')

const contents = z.array(z.union([text, media])).min(1)

const step = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('user_input'), content: contents }),
  z.strictObject({ type: z.literal('model_output'), content: contents }),
  z.strictObject({ type: z.literal('thought'), signature, summary: z.array(text).min(1).optional() }),
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string().min(1),
    name,
    arguments: json,
    signature: signature.optional(),
  }),
  z.strictObject({
    type: z.literal('function_result'),
    call_id: z.string().min(1),
    name: name.optional(),
    result: z.union([z.string(), contents]),
    is_error: z.boolean().optional(),
  }),
])

const tool = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    name,
    description: z.string().optional(),
    parameters: json.optional(),
  }),
  z.strictObject({ type: z.literal('google_search') }),
  z.strictObject({ type: z.literal('code_execution') }),
  z.strictObject({
    type: z.literal('mcp_server'),
    name: z.string().regex(/^[^-]+$/),
    url: z.string().min(1),
    headers: json.optional(),
    allowed_tools: z.array(json).optional(),
  }),
])

const choice = z.union([
  z.enum(['auto', 'any', 'none', 'validated']),
  z.strictObject({ allowed_tools: z.strictObject({ mode: z.enum(['auto', 'any']), tools: z.array(name).min(1) }) }),
])

const schema = z
  .strictObject({
    model: z.string().min(1),
    input: z.array(step).min(1),
    system_instruction: z.string().min(1).optional(),
    tools: z.array(tool).min(1).optional(),
    generation_config: z
      .strictObject({
        max_output_tokens: count.optional(),
        temperature: z.number().min(0).max(2).optional(),
        top_p: z.number().min(0).max(1).optional(),
        stop_sequences: z.array(z.string()).min(1).optional(),
        thinking_level: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
        thinking_summaries: z.enum(['auto', 'none']).optional(),
        tool_choice: choice.optional(),
      })
      .optional(),
    response_format: z
      .strictObject({ type: z.literal('text'), mime_type: z.literal('application/json'), schema: json.optional() })
      .optional(),
    service_tier: z.enum(['flex', 'standard', 'priority']).optional(),
    store: z.literal(false),
    stream: z.boolean(),
  })
  .refine(
    ({ tools = [], generation_config: config }) =>
      config?.tool_choice === undefined || tools.some(({ type }) => type === 'function'),
    'a choice among no functions',
  )

function turnsOf({ input }: Loose): readonly SchemaTurn[] {
  const turns: { role: SchemaTurn['role']; calls: string[]; results: string[] }[] = []
  for (const { type, id, call_id: callId } of input) {
    const role = type === 'user_input' ? 'user' : type === 'function_result' ? 'tool' : 'assistant'
    if (turns.at(-1)?.role !== role || role === 'user') turns.push({ role, calls: [], results: [] })
    if (type === 'function_call') turns.at(-1)?.calls.push(id)
    if (type === 'function_result') turns.at(-1)?.results.push(callId)
  }
  return turns
}

export const geminiInteractionsSchema: VendorSchema = {
  schema,
  models: ['gemini-3-pro', 'gemini-3-flash-preview', 'gemini-2.5-flash'],
  turnsOf,
  order: { alternates: false, ids: /^.+$/, resultsTogether: true },
}
