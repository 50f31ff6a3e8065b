import type { Client } from '../client.ts'
import { decodeRequest, decodeSteps } from './decode-request.ts'
import { encodeBody, encodeBodyInSteps, encodeStream } from './encode.ts'
import { encodeModels } from './encode-models.ts'
import { encodeError } from './errors.ts'
import { PLACES } from './terms.ts'

/** The client side of Ollama's native chat API. */
export const ollamaChatClient: Client = {
  framing: 'ndjson',
  decodeRequest,
  decodeSteps,
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  hears: { hosted: ['image_generation_call'], annotations: [], logprobs: true, sealed: false },
  places: PLACES,
  models: encodeModels,
  keepAlive: null,
}
