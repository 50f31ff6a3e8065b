import type { Wire } from '../wire.ts'
import { decodeBody, decodeStream } from './decode.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest } from './request.ts'

/** OpenAI Chat Completions, and everything that calls itself compatible with it (wires.md 2.1). */
export const openaiChat: Wire = {
  name: 'openai-chat',
  framing: 'sse',
  encodeRequest,
  authorize,
  decodeStream,
  decodeBody,
  decodeError,
}
