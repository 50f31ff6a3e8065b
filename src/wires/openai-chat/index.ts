import type { CachePlace } from '../cache-support.ts'
import { createWire } from '../create-wire.ts'
import { openaiModelList } from '../shared/openai-model-list.ts'
import { openaiCacheSupport } from '../shared/upstream/cache/openai-support.ts'
import { openaiChatClient } from './client/index.ts'
import { chatAnswers } from './passthrough/answer.ts'
import { chatRequests } from './passthrough/request.ts'
import { chatBody } from './upstream/body.ts'
import { address, authorize, encodeRequest } from './upstream/request.ts'
import { openaiChatStream } from './upstream/stream-wire.ts'

export { openaiChatAnswers } from './answers.ts'
export { openaiChatStream } from './upstream/stream-wire.ts'

/** Messages have breakpoints, of the assistant's only those that no chat client sends. */
const MESSAGES: ReadonlySet<CachePlace> = new Set(['instructions', 'rules', 'prompt', 'output'])
const TOOLS_AND_MESSAGES: ReadonlySet<CachePlace> = new Set(['instructions', 'rules', 'prompt', 'output', 'tool'])

/** OpenAI Chat Completions, and every API that is compatible with it (docs/wires/openai-chat.md, 2). */
export const openaiChat = /* @__PURE__ */ createWire(openaiChatStream, {
  encodeRequest,
  address,
  authorize,
  body: chatBody,
  sampling: { seed: ['seed'] },
  mostTemperature: 2,
  chatLimits: true,
  dataUrls: true,
  modelList: openaiModelList,
  clientHeaders: { 'openai-beta': 'joins' },
  cacheSupport: (target) => openaiCacheSupport(target, MESSAGES, TOOLS_AND_MESSAGES),
  client: openaiChatClient,
  passthrough: { request: chatRequests, answer: chatAnswers },
})
