import type { ClientCodec } from '../../client-contract.ts'
import { encodeError } from '../errors.ts'
import { CHAT_SERVED } from '../served.ts'
import { CHAT_DETAILS } from '../usage.ts'
import { encodeBody, encodeBodyInSteps } from './body.ts'
import { decodeRequest, decodeSteps } from './request.ts'
import { encodeStream } from './stream.ts'

/**
 * The client side of OpenAI's Chat Completions, also for clients of OpenRouter and of servers that adopted the
 * protocol.
 */
export const openaiChatClient: ClientCodec = {
  framing: 'sse',
  decodeRequest,
  decodeSteps,
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  supports: {
    hosted: ['image_generation_call'],
    annotations: ['url_citation'],
    logprobs: true,
    argumentObjects: 'none',
    namespaces: false,
    sealed: true,
    cost: true,
    details: CHAT_DETAILS,
    parts: ['cached_tokens', 'reasoning_tokens', 'cache_write_tokens'],
    lifetimes: [],
    openedPages: false,
    served: CHAT_SERVED,
  },
  keepAlive: null,
}
