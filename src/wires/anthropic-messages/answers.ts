import type { AnswerCodec } from '../client-contract.ts'
import { encodeBody, encodeBodyInSteps } from './client/body.ts'
import { encodeError } from './client/errors.ts'
import { encodeStream } from './client/stream.ts'
import { isOwnBlock } from './encrypted-blocks.ts'
import { messagesSealedTexts } from './sealed-texts.ts'
import { MESSAGES_SERVED } from './served.ts'

/** Encodes answers for its clients, without the code for their requests. */
export const anthropicMessagesAnswers: AnswerCodec = {
  format: 'sse',
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  supports: {
    hosted: ['web_search_call', 'code_interpreter_call', 'mcp_call'],
    hasOwnForm: isOwnBlock,
    annotations: ['url_citation', 'file_citation'],
    logprobs: false,
    argumentObjects: 'bodies',
    namespaces: true,
    sealed: true,
    cost: true,
    details: ['web_search_requests', 'web_fetch_requests'],
    parts: ['cached_tokens', 'reasoning_tokens', 'cache_write_tokens'],
    lifetimes: ['5m', '1h'],
    openedPages: false,
    served: MESSAGES_SERVED,
  },
  sealedTexts: messagesSealedTexts,
  keepAlive: { event: 'ping', data: '{"type":"ping"}' },
}
