import type { Wire } from '../wire.ts'
import { decodeBody, decodeStream } from './decode.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './request.ts'

/** Cohere's chat API, version 2 (wires.md 2.7). */
export const cohereChat: Wire = {
  name: 'cohere-chat',
  framing: 'sse',
  encodeRequest,
  encodeSteps,
  authorize,
  decodeStream,
  template: { leaves: ['text', 'thinking', 'tool_plan', 'arguments'], counts: [] },
  decodeBody,
  decodeError,
}
