import type { Wire } from '../contract.ts'
import { messagesClient } from './client/index.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './upstream/request.ts'
import { decodeBody, decodeStream } from './upstream/stream.ts'

/** Anthropic Messages, and the vendors that speak it (docs/wires/anthropic-messages.md, 2). */
export const anthropicMessages: Wire = {
  name: 'anthropic-messages',
  framing: 'sse',
  encodeRequest,
  encodeSteps,
  authorize,
  decodeStream,
  template: { leaves: ['text', 'thinking', 'partial_json'], counts: [] },
  decodeBody,
  decodeError,
  nativeSearch: 'either',
  client: messagesClient,
}
