import { createWire } from '../create-wire.ts'
import { responsesAnswers } from './passthrough/answer.ts'
import { responsesRequests } from './passthrough/request.ts'
import { authorize, encodeRequest, encodeSteps } from './upstream/request.ts'
import { openaiResponsesStream } from './upstream/stream-wire.ts'

export { openaiResponsesStream } from './upstream/stream-wire.ts'

/** The Responses API as an upstream, of OpenAI and of compatible vendors (docs/wires/openai-responses.md, 2). */
export const openaiResponses = /* @__PURE__ */ createWire(openaiResponsesStream, {
  encodeRequest,
  encodeSteps,
  authorize,
  clientHeaders: { 'openai-beta': 'joins' },
  nativeSearch: 'allowed',
  searchesX: true,
  dialect: 'openai',
  passthrough: { request: responsesRequests, answer: responsesAnswers },
})
