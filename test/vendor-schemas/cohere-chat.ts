import { z } from 'zod'
import { chatTurns } from './openai-chat.ts'
import { count, json, notBlank, toolName, type VendorSchema } from './schema.ts'

const text = z.strictObject({ type: z.literal('text'), text: z.string() })
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
})
const document = z.strictObject({
  type: z.literal('document'),
  document: z.strictObject({ data: json, id: z.string().optional() }),
})
const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: toolName, arguments: z.string().min(1) }),
})

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string().min(1) }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image])).min(1)]),
  }),
  z
    .strictObject({
      role: z.literal('assistant'),
      content: z
        .union([
          notBlank,
          z
            .array(
              z.discriminatedUnion('type', [
                text,
                z.strictObject({ type: z.literal('thinking'), thinking: z.string().min(1) }),
              ]),
            )
            .min(1),
        ])
        .optional(),
      tool_plan: z.string().optional(),
      tool_calls: z.array(call).min(1).optional(),
    })
    .refine((it) => it.content !== undefined || it.tool_calls !== undefined, 'says nothing'),
  z.strictObject({
    role: z.literal('tool'),
    tool_call_id: z.string().min(1),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, document])).min(1)]),
  }),
])

const schema = z
  .strictObject({
    model: z.string().min(1),
    messages: z.array(message).min(1),
    stream: z.boolean(),
    documents: z
      .array(z.union([z.string(), z.strictObject({ data: json })]))
      .min(1)
      .optional(),
    max_tokens: count.optional(),
    temperature: z.number().min(0).optional(),
    p: z.number().min(0.01).max(0.99).optional(),
    presence_penalty: z.number().min(0).max(1).optional(),
    frequency_penalty: z.number().min(0).max(1).optional(),
    logprobs: z.boolean().optional(),
    response_format: z.strictObject({ type: z.enum(['text', 'json_object']), json_schema: json.optional() }).optional(),
    thinking: z.strictObject({ type: z.enum(['enabled', 'disabled']), token_budget: count.optional() }).optional(),
    tools: z
      .array(
        z.strictObject({
          type: z.literal('function'),
          function: z.strictObject({
            name: toolName,
            description: z.string().optional(),
            parameters: json,
          }),
        }),
      )
      .min(1)
      .optional(),
    tool_choice: z.enum(['REQUIRED', 'NONE']).optional(),
    strict_tools: z.boolean().optional(),
  })
  .refine((it) => it.tools !== undefined || it.tool_choice === undefined, 'a choice among no tools')

export const cohereChatSchema: VendorSchema = {
  schema,
  models: ['command-a-03-2025', 'command-a-reasoning-08-2025', 'command-a-vision-07-2025', 'command-r-plus-08-2024'],
  turnsOf: chatTurns,
  order: { alternates: false, ids: /^.+$/, resultsTogether: false },
}
