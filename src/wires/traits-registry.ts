import { anthropicMessagesTraits } from './anthropic-messages/traits.ts'
import { bedrockConverseTraits } from './bedrock-converse/traits.ts'
import { cohereChatTraits } from './cohere-chat/traits.ts'
import type { WireName } from './contract.ts'
import { geminiGenerateTraits } from './gemini-generate/traits.ts'
import { geminiInteractionsTraits } from './gemini-interactions/traits.ts'
import { ollamaChatTraits } from './ollama-chat/traits.ts'
import { openaiChatTraits } from './openai-chat/traits.ts'
import { openaiResponsesTraits } from './openai-responses/traits.ts'
import type { WireTraits } from './traits.ts'

// Written by `npm run wires`.

/** The traits of all wires. */
export const WIRE_TRAITS: Readonly<Record<WireName, WireTraits>> = {
  'openai-chat': openaiChatTraits,
  'openai-responses': openaiResponsesTraits,
  'anthropic-messages': anthropicMessagesTraits,
  'gemini-generate': geminiGenerateTraits,
  'gemini-interactions': geminiInteractionsTraits,
  'bedrock-converse': bedrockConverseTraits,
  'cohere-chat': cohereChatTraits,
  'ollama-chat': ollamaChatTraits,
}
