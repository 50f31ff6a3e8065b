import { z } from 'zod'
import {
  base64,
  count,
  json,
  type Loose,
  notBlank,
  oneOf,
  type SchemaTurn,
  toolName,
  type VendorSchema,
} from './schema.ts'

const text = notBlank
const source = z.strictObject({ bytes: base64 })
const image = z.strictObject({ format: z.enum(['png', 'jpeg', 'gif', 'webp']), source })
const document = z.strictObject({
  format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']),
  name: z
    .string()
    .regex(/^[A-Za-z0-9 ()[\]-]{1,200}$/)
    .refine((name) => !/ {2}/.test(name), 'two spaces'),
  source,
})
const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)
const toolResult = z.strictObject({
  toolUseId: id,
  content: z.array(oneOf({ text, json: z.unknown(), image, document })),
  status: z.enum(['success', 'error']).optional(),
})

const user = z.strictObject({
  role: z.literal('user'),
  content: z
    .array(oneOf({ text, image, document, toolResult }))
    .min(1)
    .refine(
      (blocks) => blocks.every((it) => !('document' in it)) || blocks.some((it) => 'text' in it),
      'no text beside',
    ),
})
const assistant = z.strictObject({
  role: z.literal('assistant'),
  content: z
    .array(
      oneOf({
        text,
        toolUse: z.strictObject({ toolUseId: id, name: toolName, input: json }),
        reasoningContent: oneOf({
          reasoningText: z.strictObject({ text: z.string(), signature: z.string().min(1) }),
          redactedContent: base64,
        }),
      }),
    )
    .min(1),
})

const tool = oneOf({
  toolSpec: z.strictObject({
    name: toolName,
    description: z.string().min(1).optional(),
    inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
    strict: z.boolean().optional(),
  }),
  systemTool: z.strictObject({ name: z.string() }),
})
const nothing = z.strictObject({})

const hasCalls = (body: Loose): boolean =>
  body.messages.some(({ content }: Loose) => content.some((it: Loose) => 'toolUse' in it || 'toolResult' in it))

const schema = z
  .strictObject({
    messages: z.array(z.discriminatedUnion('role', [user, assistant])).min(1),
    system: z.array(oneOf({ text })).min(1).optional(),
    inferenceConfig: z
      .strictObject({
        maxTokens: count.optional(),
        temperature: z.number().min(0).max(1).optional(),
        topP: z.number().min(0).max(1).optional(),
      })
      .optional(),
    toolConfig: z
      .strictObject({
        tools: z.array(tool).min(1),
        toolChoice: oneOf({ auto: nothing, any: nothing, tool: z.strictObject({ name: toolName }) }).optional(),
      })
      .optional(),
    outputConfig: json.optional(),
    requestMetadata: z.record(z.string(), z.string()).optional(),
    serviceTier: z.strictObject({ type: z.string() }).optional(),
    additionalModelRequestFields: json.optional(),
  })
  .refine((it) => !hasCalls(it) || it.toolConfig !== undefined, 'calls in the history want a toolConfig')

export const bedrockConverseSchema: VendorSchema = {
  schema,
  models: [
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'anthropic.claude-3-haiku-20240307-v1:0',
    'us.amazon.nova-2-lite-v1:0',
    'amazon.nova-micro-v1:0',
    'openai.gpt-oss-120b-1:0',
    'meta.llama3-1-8b-instruct-v1:0',
  ],
  turnsOf: ({ messages }) =>
    messages.map(
      ({ role, content }: Loose): SchemaTurn => ({
        role,
        calls: content.flatMap((it: Loose) => (it.toolUse ? [it.toolUse.toolUseId] : [])),
        results: content.flatMap((it: Loose) => (it.toolResult ? [it.toolResult.toolUseId] : [])),
      }),
    ),
  order: { alternates: true, ids: /^[A-Za-z0-9_-]+$/, resultsTogether: true },
}
