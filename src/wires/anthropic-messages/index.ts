import { ANTHROPIC_CACHE } from '../cache-support.ts'
import { createWire } from '../create-wire.ts'
import { COMMON_IMAGES } from '../shared/media-types.ts'
import { messagesClient } from './client/index.ts'
import { messagesCounts } from './count-tokens.ts'
import { messagesModelList } from './model-list.ts'
import { messagesAnswers } from './passthrough/answer.ts'
import { messagesRequests } from './passthrough/request.ts'
import { readsFiles } from './reads-files.ts'
import { messagesBody } from './upstream/body.ts'
import { address, authorize, encodeRequest } from './upstream/request.ts'
import { anthropicMessagesStream } from './upstream/stream-wire.ts'

export { anthropicMessagesAnswers } from './answers.ts'
export { anthropicMessagesStream } from './upstream/stream-wire.ts'

/** Anthropic Messages, and the vendors that speak it (docs/wires/anthropic-messages.md, 2). */
export const anthropicMessages = /* @__PURE__ */ createWire(anthropicMessagesStream, {
  encodeRequest,
  address,
  authorize,
  body: messagesBody,
  sampling: { top_k: ['top_k'] },
  mostTemperature: 1,
  lateSystem: 'system',
  imageTypes: COMMON_IMAGES,
  textFiles: (host, model) => (readsFiles(host, model) ? undefined : 'none'),
  datedTools: true,
  needsSealedReasoning: true,
  readsBillingLine: true,
  modelList: messagesModelList,
  counts: messagesCounts,
  clientHeaders: { 'anthropic-beta': 'joins', 'anthropic-version': 'replaces' },
  inputMembers: ['failed', 'cited'],
  nativeSearch: 'either',
  cacheSupport: () => ANTHROPIC_CACHE,
  client: messagesClient,
  passthrough: { request: messagesRequests, answer: messagesAnswers },
})
