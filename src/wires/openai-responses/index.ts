import type { Wire } from '../wire.ts'
import { decodeBody, decodeStream } from './decode.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './request.ts'

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
