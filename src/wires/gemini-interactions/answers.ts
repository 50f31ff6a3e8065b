import type { AnswerCodec } from '../client-contract.ts'
import { encodeBody, encodeBodyInSteps } from './client/body.ts'
import { encodeStream } from './client/stream.ts'
import { encodeError } from './errors.ts'
import { hasOwnSteps } from './own-steps.ts'
import { INTERACTION_DETAILS } from './usage.ts'

/** Encodes answers for its clients, without the code for their requests. */
export const geminiInteractionsAnswers: AnswerCodec = {
  format: 'sse',
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  supports: {
    hosted: ['web_search_call', 'code_interpreter_call', 'image_generation_call', 'file_search_call', 'mcp_call'],
    hasOwnForm: hasOwnSteps,
    annotations: ['url_citation', 'file_citation'],
    logprobs: false,
    argumentObjects: 'bodies',
    namespaces: false,
    sealed: true,
    cost: false,
    details: INTERACTION_DETAILS,
    parts: ['cached_tokens', 'reasoning_tokens'],
    lifetimes: [],
    openedPages: true,
    served: ['service_tier'],
  },
  keepAlive: null,
}
