import { anthropicMessagesAnswers } from './anthropic-messages/answers.ts'
import type { AnswerCodec } from './client-contract.ts'
import type { WireName } from './contract.ts'
import { geminiGenerateAnswers } from './gemini-generate/answers.ts'
import { geminiInteractionsAnswers } from './gemini-interactions/answers.ts'
import { ollamaChatAnswers } from './ollama-chat/answers.ts'
import { openaiChatAnswers } from './openai-chat/answers.ts'

// Written by `npm run wires`.

/** The parts of the client sides that encode answers. The wire of the Responses API has dialects instead. */
export const ANSWER_CODECS = {
  'openai-chat': openaiChatAnswers,
  'anthropic-messages': anthropicMessagesAnswers,
  'gemini-generate': geminiGenerateAnswers,
  'gemini-interactions': geminiInteractionsAnswers,
  'ollama-chat': ollamaChatAnswers,
} satisfies Partial<Record<WireName, AnswerCodec>>
