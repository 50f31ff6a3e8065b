import { createWire } from '../create-wire.ts'
import { cohereModelList } from './model-list.ts'
import { cohereBody } from './upstream/body.ts'
import { address, authorize, encodeRequest } from './upstream/request.ts'
import { cohereChatStream } from './upstream/stream-wire.ts'

export { cohereChatStream } from './upstream/stream-wire.ts'

/** Cohere's Chat API, version 2 (docs/wires/cohere-chat.md, 2). */
export const cohereChat = /* @__PURE__ */ createWire(cohereChatStream, {
  encodeRequest,
  address,
  authorize,
  body: cohereBody,
  sampling: { seed: ['seed'], top_k: ['k'] },
  modelList: cohereModelList,
  inputMembers: ['cited'],
})
