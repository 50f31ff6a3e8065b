import type { Wire } from '../contract.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './upstream/request.ts'
import { decodeBody, decodeStream } from './upstream/stream.ts'

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
