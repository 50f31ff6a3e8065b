import type { AnswerCodec } from '../client-contract.ts'
import { encodeBody, encodeBodyInSteps } from './client/body.ts'
import { encodeStream } from './client/stream.ts'
import { encodeError } from './errors.ts'
import { isOwnTool } from './own-tools.ts'
import { GEMINI_SERVED } from './served.ts'
import { GEMINI_DETAILS } from './usage.ts'

/** Encodes answers for its clients, without the code for their requests. */
export const geminiGenerateAnswers: AnswerCodec = {
  format: 'sse',
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  supports: {
    hosted: ['web_search_call', 'code_interpreter_call', 'image_generation_call'],
    hasOwnForm: isOwnTool,
    annotations: ['url_citation', 'file_citation'],
    logprobs: true,
    argumentObjects: 'all',
    namespaces: false,
    sealed: true,
    cost: false,
    details: GEMINI_DETAILS,
    parts: ['cached_tokens', 'reasoning_tokens'],
    lifetimes: [],
    openedPages: true,
    served: GEMINI_SERVED,
  },
  keepAlive: null,
}
