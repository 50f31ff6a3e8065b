import { lookup } from '../text/lookup.ts'
import { anthropicMessages } from './anthropic-messages/index.ts'
import { bedrockConverse } from './bedrock-converse/index.ts'
import { cohereChat } from './cohere-chat/index.ts'
import type { Wire, WireName } from './contract.ts'
import { geminiGenerate } from './gemini-generate/index.ts'
import { geminiInteractions } from './gemini-interactions/index.ts'
import { ollamaChat } from './ollama-chat/index.ts'
import { openaiChat } from './openai-chat/index.ts'
import { openaiResponses } from './openai-responses/index.ts'

/** A new wire is one folder and one line here. */
export const WIRES = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
  'gemini-interactions': geminiInteractions,
  'bedrock-converse': bedrockConverse,
  'cohere-chat': cohereChat,
  'ollama-chat': ollamaChat,
} satisfies Record<WireName, Wire>

/** The wires that clients speak. */
export const CLIENT_WIRES: readonly WireName[] = Object.values<Wire>(WIRES)
  .filter(({ client, dialect }) => client !== undefined || dialect !== undefined)
  .map(({ name }) => name)

export const findWire = (name: string): Wire | undefined => lookup<Wire>(WIRES, name)
