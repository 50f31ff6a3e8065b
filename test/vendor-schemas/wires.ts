import type { WireName } from '../../src/wires/contract.ts'
import { withKits } from '../wires/with-kits.ts'
import { anthropicMessagesSchema } from './anthropic-messages.ts'
import { bedrockConverseSchema } from './bedrock-converse.ts'
import { cohereChatSchema } from './cohere-chat.ts'
import { geminiGenerateSchema } from './gemini-generate.ts'
import { ollamaChatSchema } from './ollama-chat.ts'
import { openaiChatSchema } from './openai-chat.ts'
import { openaiResponsesSchema } from './openai-responses.ts'
import type { VendorSchema } from './schema.ts'

export const VENDOR_SCHEMAS: Readonly<Record<WireName, VendorSchema>> = withKits(
  {
    'openai-chat': openaiChatSchema,
    'openai-responses': openaiResponsesSchema,
    'anthropic-messages': anthropicMessagesSchema,
    'gemini-generate': geminiGenerateSchema,
    'bedrock-converse': bedrockConverseSchema,
    'cohere-chat': cohereChatSchema,
    'ollama-chat': ollamaChatSchema,
  },
  ({ schema }) => schema,
)
