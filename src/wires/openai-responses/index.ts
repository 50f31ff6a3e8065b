import type { Wire } from '../contract.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './upstream/request.ts'
import { decodeBody, decodeStream } from './upstream/stream.ts'

/** The Responses API as an upstream, of OpenAI and of compatible vendors (docs/wires/openai-responses.md, 2). */
export const openaiResponses: Wire = {
  name: 'openai-responses',
  framing: 'sse',
  encodeRequest,
  encodeSteps,
  authorize,
  decodeStream,
  template: { leaves: ['delta'], counts: [] },
  decodeBody,
  decodeError,
  nativeSearch: 'allowed',
  searchesX: true,
  dialect: 'openai',
}
