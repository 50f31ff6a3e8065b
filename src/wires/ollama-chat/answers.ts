import type { AnswerCodec } from '../client-contract.ts'
import { encodeBody, encodeBodyInSteps } from './client/body.ts'
import { encodeStream } from './client/stream.ts'
import { encodeError } from './errors.ts'

/** Encodes answers for its clients, without the code for their requests. */
export const ollamaChatAnswers: AnswerCodec = {
  format: 'ndjson',
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
  keepAlive: null,
}
