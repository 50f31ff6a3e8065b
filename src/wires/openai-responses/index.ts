import type { CachePlace } from '../cache-support.ts'
import { createWire } from '../create-wire.ts'
import { openaiModelList } from '../shared/openai-model-list.ts'
import { openaiCacheSupport } from '../shared/upstream/cache/openai-support.ts'
import { responsesCounts } from './count-tokens.ts'
import { responsesAnswers } from './passthrough/answer.ts'
import { responsesRequests } from './passthrough/request.ts'
import { responsesBody } from './upstream/body.ts'
import { address, authorize, encodeRequest } from './upstream/request.ts'
import { openaiResponsesStream } from './upstream/stream-wire.ts'

export { openaiResponsesStream } from './upstream/stream-wire.ts'

/** The Responses API has breakpoints on parts only, and none on parts of the assistant. */
const PARTS: ReadonlySet<CachePlace> = new Set(['rules', 'prompt', 'output part'])

/** The Responses API as an upstream, of OpenAI and of compatible vendors (docs/wires/openai-responses.md, 2). */
export const openaiResponses = /* @__PURE__ */ createWire(openaiResponsesStream, {
  encodeRequest,
  address,
  authorize,
  body: responsesBody,
  mostTemperature: 2,
  dataUrls: true,
  modelList: openaiModelList,
  counts: responsesCounts,
  clientHeaders: { 'openai-beta': 'joins' },
  nativeSearch: 'allowed',
  cacheSupport: (target) => openaiCacheSupport(target, PARTS, PARTS),
  searchesX: true,
  dialect: 'openai',
  passthrough: { request: responsesRequests, answer: responsesAnswers },
})
