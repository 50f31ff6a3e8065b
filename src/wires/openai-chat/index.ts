import { createWire } from '../create-wire.ts'
import { openaiChatClient } from './client/index.ts'
import { chatAnswers } from './passthrough/answer.ts'
import { chatRequests } from './passthrough/request.ts'
import { authorize, encodeRequest, encodeSteps } from './upstream/request.ts'
import { openaiChatStream } from './upstream/stream-wire.ts'

export { openaiChatStream } from './upstream/stream-wire.ts'

/** OpenAI Chat Completions, and every API that is compatible with it (docs/wires/openai-chat.md, 2). */
export const openaiChat = /* @__PURE__ */ createWire(openaiChatStream, {
  encodeRequest,
  encodeSteps,
  authorize,
  clientHeaders: { 'openai-beta': 'joins' },
  client: openaiChatClient,
  passthrough: { request: chatRequests, answer: chatAnswers },
})
