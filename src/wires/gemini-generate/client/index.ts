import type { ClientCodec } from '../../client-contract.ts'
import { geminiClientCounts } from '../count-tokens.ts'
import { encodeError } from '../errors.ts'
import { GEMINI_SERVED } from '../served.ts'
import { GEMINI_DETAILS } from '../usage.ts'
import { encodeBody, encodeBodyInSteps } from './body.ts'
import { encodeModels } from './models.ts'
import { decodeRequest, decodeSteps } from './request.ts'
import { encodeStream } from './stream.ts'

/** The client side of `generateContent`. Keep-alives are SSE comments, which clients skip. */
export const geminiGenerateClient: ClientCodec = {
  framing: 'sse',
  decodeRequest,
  decodeSteps,
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  supports: {
    hosted: ['web_search_call', 'code_interpreter_call', 'image_generation_call'],
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
  showsSources: true,
  counts: geminiClientCounts,
  models: encodeModels,
  keepAlive: null,
}
