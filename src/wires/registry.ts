import { anthropicMessages } from './anthropic-messages/index.ts'
import { bedrockConverse } from './bedrock-converse/index.ts'
import { cohereChat } from './cohere-chat/index.ts'
import type { KnownWire, WireName } from './contract.ts'
import { geminiGenerate } from './gemini-generate/index.ts'
import { geminiInteractions } from './gemini-interactions/index.ts'
import { ollamaChat } from './ollama-chat/index.ts'
import { openaiChat } from './openai-chat/index.ts'
import { openaiResponses } from './openai-responses/index.ts'

// Written by `npm run wires`.

/** All wires by their names. */
export const WIRES = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
  'gemini-interactions': geminiInteractions,
  'bedrock-converse': bedrockConverse,
  'cohere-chat': cohereChat,
  'ollama-chat': ollamaChat,
} satisfies Record<WireName, KnownWire>
