import { z } from 'zod'
import { chatTurns } from './openai-chat.ts'
import { base64, json, toolName, type VendorSchema } from './schema.ts'

const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function').optional(),
  function: z.strictObject({ name: toolName, arguments: json }),
})

const images = z.array(base64).min(1).optional()
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.string(), images }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    thinking: z.string().min(1).optional(),
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    content: z.string(),
    tool_name: toolName.optional(),
    tool_call_id: z.string().min(1).optional(),
    images,
  }),
])

const schema = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean(),
  think: z.union([z.boolean(), z.enum(['low', 'medium', 'high'])]).optional(),
  format: z.union([z.literal('json'), json]).optional(),
  options: z
    .strictObject({
      num_predict: z.int().min(1).optional(),
      temperature: z.number().min(0).optional(),
      top_p: z.number().min(0).max(1).optional(),
      presence_penalty: z.number().optional(),
      frequency_penalty: z.number().optional(),
    })
    .optional(),
  truncate: z.boolean().optional(),
  shift: z.boolean().optional(),
  logprobs: z.boolean().optional(),
  top_logprobs: z.int().min(0).max(20).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({ name: toolName, description: z.string().optional(), parameters: json }),
      }),
    )
    .min(1)
    .optional(),
})

export const ollamaChatSchema: VendorSchema = {
  schema,
  models: ['gpt-oss:20b', 'qwen3:8b', 'gemma3:1b', 'llama3.2:3b'],
  turnsOf: chatTurns,
  order: { alternates: false, ids: /^.+$/, resultsTogether: false },
}
