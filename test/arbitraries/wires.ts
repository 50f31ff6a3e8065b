import type fc from 'fast-check'
import type { Frame } from '../../src/framing/frame.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { withKits } from '../wires/with-kits.ts'
import { anthropicMessagesAnswers } from './anthropic-messages.ts'
import { bedrockConverseAnswers } from './bedrock-converse.ts'
import { cohereChatAnswers } from './cohere-chat.ts'
import { geminiGenerateAnswers } from './gemini-generate.ts'
import { ollamaChatAnswers } from './ollama-chat.ts'
import { openaiChatAnswers } from './openai-chat.ts'
import { openaiResponsesAnswers } from './openai-responses.ts'

/** Random answers of an upstream: mostly nearly valid, sometimes arbitrary. */
export interface Answers {
  readonly frame: fc.Arbitrary<Frame>
  /** The bytes of a stream of such frames, in any spelling of its framing. */
  readonly stream: fc.Arbitrary<Uint8Array>
  readonly body: fc.Arbitrary<string>
  /** Quirks that change how the stream is decoded. */
  readonly quirks: fc.Arbitrary<Quirks>
}

export const ANSWERS: Readonly<Record<WireName, Answers>> = withKits(
  {
    'openai-chat': openaiChatAnswers,
    'openai-responses': openaiResponsesAnswers,
    'anthropic-messages': anthropicMessagesAnswers,
    'gemini-generate': geminiGenerateAnswers,
    'bedrock-converse': bedrockConverseAnswers,
    'cohere-chat': cohereChatAnswers,
    'ollama-chat': ollamaChatAnswers,
  },
  ({ answers }) => answers,
)
