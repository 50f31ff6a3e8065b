import type { Wire } from '../contract.ts'
import { ollamaChatClient } from './client/index.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './upstream/request.ts'
import { decodeBody, decodeStream } from './upstream/stream.ts'

/** Ollama's native chat API, on a local machine or in its cloud (docs/wires/ollama-chat.md, 2). */
export const ollamaChat: Wire = {
  name: 'ollama-chat',
  framing: 'ndjson',
  encodeRequest,
  encodeSteps,
  authorize,
  decodeStream,
  template: { leaves: ['content', 'thinking'], counts: [] },
  decodeBody,
  decodeError,
  client: ollamaChatClient,
}
