import type { Client } from '../client.ts'
import { decodeRequest, decodeSteps } from './decode-request.ts'
import { encodeBody, encodeBodyInSteps, encodeStream } from './encode.ts'
import { encodeError } from './encode-errors.ts'
import { encodeModels } from './encode-models.ts'
import { PLACES } from './terms.ts'

/** The client side of this wire, for Anthropic's own libraries and programs built on them. */
export const messagesClient: Client = {
  framing: 'sse',
  decodeRequest,
  decodeSteps,
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  hears: {
    hosted: ['web_search_call', 'code_interpreter_call', 'mcp_call'],
    annotations: ['url_citation', 'file_citation'],
    logprobs: false,
    sealed: true,
  },
  places: PLACES,
  showsSources: true,
  models: encodeModels,
  keepAlive: { event: 'ping', data: '{"type":"ping"}' },
}
