import type { ClientCodec } from '../../client-contract.ts'
import { encodeError } from '../errors.ts'
import { encodeBody, encodeBodyInSteps } from './body.ts'
import { encodeModels } from './models.ts'
import { decodeRequest, decodeSteps } from './request.ts'
import { encodeStream } from './stream.ts'

/** The client side of Ollama's native chat API. */
export const ollamaChatClient: ClientCodec = {
  framing: 'ndjson',
  decodeRequest,
  decodeSteps,
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  supports: {
    hosted: ['image_generation_call'],
    annotations: [],
    logprobs: true,
    argumentObjects: 'all',
    namespaces: false,
    sealed: false,
    cost: false,
    details: [],
    parts: [],
    lifetimes: [],
    openedPages: false,
    served: [],
  },
  models: encodeModels,
  keepAlive: null,
}
