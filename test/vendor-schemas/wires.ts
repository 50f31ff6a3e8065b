import type { WireName } from '../../src/wires/contract.ts'
import { anthropicMessagesSchema } from './anthropic-messages.ts'
import { bedrockConverseSchema } from './bedrock-converse.ts'
import { cohereChatSchema } from './cohere-chat.ts'
import { geminiGenerateSchema } from './gemini-generate.ts'
import { geminiInteractionsSchema } from './gemini-interactions.ts'
import { ollamaChatSchema } from './ollama-chat.ts'
import { openaiChatSchema } from './openai-chat.ts'
import { openaiResponsesSchema } from './openai-responses.ts'
import type { VendorSchema } from './schema.ts'

export const VENDOR_SCHEMAS = {
  'openai-chat': openaiChatSchema,
  'openai-responses': openaiResponsesSchema,
  'anthropic-messages': anthropicMessagesSchema,
  'gemini-generate': geminiGenerateSchema,
  'gemini-interactions': geminiInteractionsSchema,
  'bedrock-converse': bedrockConverseSchema,
  'cohere-chat': cohereChatSchema,
  'ollama-chat': ollamaChatSchema,
} satisfies Record<WireName, VendorSchema>
