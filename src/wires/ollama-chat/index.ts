import { createWire } from '../create-wire.ts'
import { ollamaChatClient } from './client/index.ts'
import { ollamaModelList } from './model-list.ts'
import { ollamaAnswers } from './passthrough/answer.ts'
import { ollamaRequests } from './passthrough/request.ts'
import { ollamaBody } from './upstream/body.ts'
import { address, authorize, encodeRequest } from './upstream/request.ts'
import { ollamaChatStream } from './upstream/stream-wire.ts'

export { ollamaChatAnswers } from './answers.ts'
export { ollamaChatStream } from './upstream/stream-wire.ts'

/** Ollama's native chat API, on a local machine or in its cloud (docs/wires/ollama-chat.md, 2). */
export const ollamaChat = /* @__PURE__ */ createWire(ollamaChatStream, {
  encodeRequest,
  address,
  authorize,
  body: ollamaBody,
  textFiles: () => 'none',
  sampling: { seed: ['options', 'seed'], top_k: ['options', 'top_k'] },
  modelList: ollamaModelList,
  client: ollamaChatClient,
  passthrough: { request: ollamaRequests, answer: ollamaAnswers },
})
