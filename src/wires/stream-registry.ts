import { lookup } from '../text/lookup.ts'
import { messagesAnswers } from './anthropic-messages/answers.ts'
import { anthropicMessagesStream } from './anthropic-messages/upstream/stream-wire.ts'
import { bedrockConverseStream } from './bedrock-converse/upstream/stream-wire.ts'
import type { AnswerCodec } from './client-contract.ts'
import { cohereChatStream } from './cohere-chat/upstream/stream-wire.ts'
import type { StreamWire, WireName } from './contract.ts'
import { geminiGenerateAnswers } from './gemini-generate/answers.ts'
import { geminiGenerateStream } from './gemini-generate/upstream/stream-wire.ts'
import { geminiInteractionsAnswers } from './gemini-interactions/answers.ts'
import { geminiInteractionsStream } from './gemini-interactions/upstream/stream-wire.ts'
import { ollamaChatAnswers } from './ollama-chat/answers.ts'
import { ollamaChatStream } from './ollama-chat/upstream/stream-wire.ts'
import { openaiChatAnswers } from './openai-chat/answers.ts'
import { openaiChatStream } from './openai-chat/upstream/stream-wire.ts'
import { openaiResponsesStream } from './openai-responses/upstream/stream-wire.ts'

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
} satisfies Record<WireName, StreamWire>

/** The parts of the client sides that encode answers. The wire of the Responses API has dialects instead. */
const ANSWER_CODECS: Partial<Record<WireName, AnswerCodec>> = {
  'openai-chat': openaiChatAnswers,
  'anthropic-messages': messagesAnswers,
  'gemini-generate': geminiGenerateAnswers,
  'gemini-interactions': geminiInteractionsAnswers,
  'ollama-chat': ollamaChatAnswers,
}

export const findStreamWire = (name: string): StreamWire | undefined => lookup<StreamWire>(STREAM_WIRES, name)

/** Returns undefined for an unknown name, and for a wire whose client side is no codec. */
export const findAnswerCodec = (name: string): AnswerCodec | undefined =>
  lookup<AnswerCodec | undefined>(ANSWER_CODECS, name)
