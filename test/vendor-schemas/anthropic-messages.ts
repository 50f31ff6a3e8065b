import { z } from 'zod'
import { base64, count, json, type Loose, notBlank, type SchemaTurn, toolName, type VendorSchema } from './schema.ts'

const source = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('base64'), media_type: z.string().min(3), data: base64 }),
  z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  z.strictObject({ type: z.literal('url'), url: z.url() }),
  z.strictObject({ type: z.literal('file'), file_id: z.string() }),
])
const text = z.strictObject({ type: z.literal('text'), text: notBlank })
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const image = z
  .strictObject({ type: z.literal('image'), source })
  .refine(({ source: it }) => it.type !== 'base64' || PICTURES.includes(it.media_type), 'a picture of this kind')
const document = z.strictObject({ type: z.literal('document'), source, title: z.string().min(1).optional() })
const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/)
const result = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: id,
  content: z.union([notBlank, z.array(z.discriminatedUnion('type', [text, image, document])).min(1)]).optional(),
})
const user = z.strictObject({
  role: z.literal('user'),
  content: z.array(z.discriminatedUnion('type', [text, image, document, result])).min(1),
})
const assistant = z.strictObject({
  role: z.literal('assistant'),
  content: z
    .array(
      z.discriminatedUnion('type', [
        text,
        z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) }),
        z.strictObject({ type: z.literal('redacted_thinking'), data: z.string().min(1) }),
        z.strictObject({ type: z.literal('tool_use'), id, name: toolName, input: json }),
      ]),
    )
    .min(1),
})

const tool = z.union([
  z.strictObject({
    name: toolName,
    description: z.string().optional(),
    input_schema: z.looseObject({ type: z.literal('object') }),
    strict: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.string().regex(/^web_search_\d{8}$/),
    name: z.literal('web_search'),
    max_uses: count.optional(),
  }),
])

const parallel = { disable_parallel_tool_use: z.boolean().optional() }
const thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('disabled') }),
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
  z.strictObject({ type: z.literal('adaptive'), display: z.literal('summarized').optional() }),
])

const thinks = (body: Loose): boolean => body.thinking !== undefined && body.thinking.type !== 'disabled'
const forced = (body: Loose): boolean => ['any', 'tool'].includes(body.tool_choice?.type)
const lastOf = ({ messages }: Loose): Loose => messages.at(-1)

const schema = z
  .strictObject({
    model: z.string().min(1).optional(),
    // Vertex requires this field in place of the model.
    anthropic_version: z.literal('vertex-2023-10-16').optional(),
    max_tokens: count,
    messages: z.array(z.discriminatedUnion('role', [user, assistant])).min(1),
    system: z.array(text).min(1).optional(),
    stream: z.boolean().optional(),
    temperature: z.number().min(0).max(1).optional(),
    top_p: z.number().min(0).max(1).optional(),
    thinking: thinking.optional(),
    output_config: z
      .strictObject({
        effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
        format: z.strictObject({ type: z.literal('json_schema'), schema: json }).optional(),
      })
      .optional(),
    tools: z.array(tool).min(1).optional(),
    tool_choice: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal('auto'), ...parallel }),
        z.strictObject({ type: z.literal('any'), ...parallel }),
        z.strictObject({ type: z.literal('tool'), name: toolName, ...parallel }),
        z.strictObject({ type: z.literal('none') }),
      ])
      .optional(),
    metadata: z.strictObject({ user_id: z.string() }).optional(),
    service_tier: z.enum(['auto', 'standard_only']).optional(),
  })
  .refine((it) => (it.model === undefined) !== (it.anthropic_version === undefined), 'a model or a version')
  .refine((it) => it.tools !== undefined || it.tool_choice === undefined, 'a choice among no tools')
  .refine((it) => it.thinking?.type !== 'enabled' || it.thinking.budget_tokens < it.max_tokens, 'no room for an answer')
  .refine((it) => !thinks(it) || it.temperature === undefined || it.temperature === 1, 'a temperature while it thinks')
  .refine((it) => !thinks(it) || it.top_p === undefined || it.top_p >= 0.95, 'a low top_p while it thinks')
  .refine((it) => !thinks(it) || !forced(it), 'a forced tool while it thinks')
  .refine((it) => {
    const last = lastOf(it)
    const end = last.role === 'assistant' ? last.content.at(-1) : null
    return end?.type !== 'text' || !/\s$/.test(end.text)
  }, 'an answer to go on with that ends in white space')
  .refine((it) => {
    const turns = it.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))
    return turns.every((blocks) => {
      const lastResult = blocks.findLastIndex(({ type }) => type === 'tool_result')
      return blocks.slice(0, lastResult + 1).every(({ type }) => type === 'tool_result')
    })
  }, 'results stand first')

export const anthropicMessagesSchema: VendorSchema = {
  schema,
  models: [
    'claude-sonnet-4-5',
    'claude-opus-4-7',
    'claude-sonnet-4-6',
    'claude-3-7-sonnet-20250219',
    'claude-3-5-haiku-latest',
  ],
  turnsOf: ({ messages }) =>
    messages.map(
      ({ role, content }: Loose): SchemaTurn => ({
        role,
        calls: content.flatMap((it: Loose) => (it.type === 'tool_use' ? [it.id] : [])),
        results: content.flatMap((it: Loose) => (it.type === 'tool_result' ? [it.tool_use_id] : [])),
      }),
    ),
  order: { alternates: true, ids: /^[A-Za-z0-9_-]+$/, resultsTogether: true },
}
