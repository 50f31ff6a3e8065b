import { anthropicMessagesStream } from '../../../../wires/anthropic-messages/index.ts'
import { geminiGenerateStream } from '../../../../wires/gemini-generate/index.ts'
import { geminiInteractionsStream } from '../../../../wires/gemini-interactions/index.ts'
import { ollamaChatStream } from '../../../../wires/ollama-chat/index.ts'
import { openaiChatStream } from '../../../../wires/openai-chat/index.ts'
import { openaiResponsesStream } from '../../../../wires/openai-responses/index.ts'

/** The wires whose answers this view reads; it loads no others. */
export const ANSWER_WIRES = {
  'anthropic-messages': anthropicMessagesStream,
  'gemini-generate': geminiGenerateStream,
  'gemini-interactions': geminiInteractionsStream,
  'ollama-chat': ollamaChatStream,
  'openai-chat': openaiChatStream,
  'openai-responses': openaiResponsesStream,
} as const
