import type { AnswerCodec } from '../client-contract.ts'
import { encodeBody, encodeBodyInSteps } from './client/body.ts'
import { encodeStream } from './client/stream.ts'
import type { StreamSettings } from './client/stream-settings.ts'
import { encodeError } from './errors.ts'
import { chatSealedTexts } from './sealed-texts.ts'
import { CHAT_DETAILS, CHAT_SERVED } from './usage.ts'

/** Encodes answers for its clients, without the code for their requests. */
export const openaiChatAnswers: AnswerCodec = {
  format: 'sse',
  settings: ['usage', 'legacy', 'hidden'] satisfies (keyof StreamSettings)[],
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
    imageAddresses: true,
    served: CHAT_SERVED,
  },
  sealedTexts: chatSealedTexts,
  keepAlive: null,
}
