import type { Client } from '../client.ts'
import { decodeRequest, decodeSteps } from './decode-request.ts'
import { encodeBody, encodeBodyInSteps, encodeStream } from './encode.ts'
import { encodeModels } from './encode-models.ts'
import { encodeError } from './errors.ts'
import { PLACES } from './terms.ts'

/** The client side of `generateContent`. Keep-alives are SSE comments, which clients skip. */
export const geminiGenerateClient: Client = {
  framing: 'sse',
  decodeRequest,
  decodeSteps,
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  hears: {
    hosted: ['web_search_call', 'code_interpreter_call', 'image_generation_call'],
    annotations: ['url_citation', 'file_citation'],
    logprobs: true,
    sealed: true,
  },
  places: PLACES,
  showsSources: true,
  models: encodeModels,
  keepAlive: null,
}
