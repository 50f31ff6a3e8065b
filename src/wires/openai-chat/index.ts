import type { Wire } from '../contract.ts'
import { openaiChatClient } from './client/index.ts'
import { decodeError } from './errors.ts'
import { authorize, encodeRequest, encodeSteps } from './upstream/request.ts'
import { decodeBody, decodeStream } from './upstream/stream.ts'

/** OpenAI Chat Completions, and every API that is compatible with it (docs/wires/openai-chat.md, 2). */
export const openaiChat: Wire = {
  name: 'openai-chat',
  framing: 'sse',
  encodeRequest,
  encodeSteps,
  authorize,
  decodeStream,
  template: {
    leaves: ['content', 'reasoning_content', 'reasoning', 'arguments', 'text'],
    counts: ['prompt_tokens', 'completion_tokens', 'total_tokens', 'reasoning_tokens', 'cached_tokens'],
  },
  decodeBody,
  decodeError,
  client: openaiChatClient,
}
