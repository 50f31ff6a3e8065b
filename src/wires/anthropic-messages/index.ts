import type { Wire } from '../wire.ts'
import { messagesClient } from './client.ts'
import { decodeBody, decodeStream } from './decode.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './request.ts'

/** Anthropic Messages, and those who speak it (wires.md 2.3). */
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
