import { createWire } from '../create-wire.ts'
import { googleModelList } from '../shared/google/answers.ts'
import { authorizeGoogle, GOOGLE_IMAGES, googleTexts } from '../shared/google/requests.ts'
import { factsOf } from '../shared/upstream/model-facts.ts'
import { geminiInteractionsClient } from './client/index.ts'
import { interactionAnswers } from './passthrough/answer.ts'
import { interactionRequests } from './passthrough/request.ts'
import { interactionsBody } from './upstream/body.ts'
import { address, encodeRequest } from './upstream/request.ts'
import { geminiInteractionsStream } from './upstream/stream-wire.ts'

export { geminiInteractionsAnswers } from './answers.ts'
export { geminiInteractionsStream } from './upstream/stream-wire.ts'

/** Google's Interactions API, at the Gemini API and on Vertex AI (docs/wires/gemini-interactions.md, 2). */
export const geminiInteractions = /* @__PURE__ */ createWire(geminiInteractionsStream, {
  encodeRequest,
  address,
  authorize: authorizeGoogle,
  body: interactionsBody,
  sampling: { seed: ['generation_config', 'seed'] },
  lateSystem: 'system',
  urlBase64: true,
  namelessFiles: true,
  imageTypes: GOOGLE_IMAGES,
  textFiles: googleTexts,
  modelList: googleModelList,
  inputMembers: ['failed'],
  nativeSearch: 'plain',
  searchExcludesFunctions: (target) => factsOf(target, 'gemini-interactions').mixesTools === false,
  client: geminiInteractionsClient,
  passthrough: { request: interactionRequests, answer: interactionAnswers },
})
