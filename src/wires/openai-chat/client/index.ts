import type { ClientCodec } from '../../client-contract.ts'
import { openaiChatAnswers } from '../answers.ts'
import { decodeRequest } from './request.ts'

/**
 * The client side of OpenAI's Chat Completions, also for clients of OpenRouter and of servers that adopted the
 * protocol.
 */
export const openaiChatClient: ClientCodec = {
  ...openaiChatAnswers,
  decodeRequest,
}
