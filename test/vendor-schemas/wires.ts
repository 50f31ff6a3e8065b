import type { WireName } from '../../src/wires/contract.ts'
import { anthropicMessagesShape } from './anthropic-messages.ts'
import { bedrockConverseShape } from './bedrock-converse.ts'
import { cohereChatShape } from './cohere-chat.ts'
import { geminiGenerateShape } from './gemini-generate.ts'
import { ollamaChatShape } from './ollama-chat.ts'
import { openaiChatShape } from './openai-chat.ts'
import { openaiResponsesShape } from './openai-responses.ts'
import type { Shape } from './schema.ts'

export const SHAPES = {
  'openai-chat': openaiChatShape,
  'openai-responses': openaiResponsesShape,
  'anthropic-messages': anthropicMessagesShape,
  'gemini-generate': geminiGenerateShape,
  'bedrock-converse': bedrockConverseShape,
  'cohere-chat': cohereChatShape,
  'ollama-chat': ollamaChatShape,
} satisfies Record<WireName, Shape>
