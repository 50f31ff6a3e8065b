import { anthropicMessagesStream } from './anthropic-messages/upstream/stream-wire.ts'
import { bedrockConverseStream } from './bedrock-converse/upstream/stream-wire.ts'
import { cohereChatStream } from './cohere-chat/upstream/stream-wire.ts'
import type { KnownStreamWire, WireName } from './contract.ts'
import { geminiGenerateStream } from './gemini-generate/upstream/stream-wire.ts'
import { geminiInteractionsStream } from './gemini-interactions/upstream/stream-wire.ts'
import { ollamaChatStream } from './ollama-chat/upstream/stream-wire.ts'
import { openaiChatStream } from './openai-chat/upstream/stream-wire.ts'
import { openaiResponsesStream } from './openai-responses/upstream/stream-wire.ts'

// Written by `npm run wires`.

/** The parts of all wires that decode answers, for programs such as the page, which load no code for requests. */
export const STREAM_WIRES = {
  'openai-chat': openaiChatStream,
  'openai-responses': openaiResponsesStream,
  'anthropic-messages': anthropicMessagesStream,
  'gemini-generate': geminiGenerateStream,
  'gemini-interactions': geminiInteractionsStream,
  'bedrock-converse': bedrockConverseStream,
  'cohere-chat': cohereChatStream,
  'ollama-chat': ollamaChatStream,
} satisfies Record<WireName, KnownStreamWire>
