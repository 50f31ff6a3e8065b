import type { Wire } from '../wire.ts'
import { decodeBody, decodeStream } from './decode.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './request.ts'

/** Cohere's Chat API, version 2 (docs/wires/cohere-chat.md, 2). */
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
