import type { Wire } from '../wire.ts'
import { decodeBody, decodeStream } from './decode.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './request.ts'

/** OpenAI's Responses API, native, and everybody who speaks it (wires.md 2.2). */
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
