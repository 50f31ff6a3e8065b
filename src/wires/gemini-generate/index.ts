import { createWire } from '../create-wire.ts'
import { googleModelList } from '../shared/google/answers.ts'
import { authorizeGoogle, GOOGLE_IMAGES, googleTexts } from '../shared/google/requests.ts'
import { factsOf } from '../shared/upstream/model-facts.ts'
import { geminiGenerateClient } from './client/index.ts'
import { geminiCounts } from './count-tokens.ts'
import { geminiAnswers } from './passthrough/answer.ts'
import { geminiRequests } from './passthrough/request.ts'
import { generateBody } from './upstream/body.ts'
import { address, encodeRequest } from './upstream/request.ts'
import { geminiGenerateStream } from './upstream/stream-wire.ts'

export { geminiGenerateAnswers } from './answers.ts'
export { geminiGenerateStream } from './upstream/stream-wire.ts'

/** Google's `generateContent`, at the Gemini API and on Vertex AI (docs/wires/gemini-generate.md, 2). */
export const geminiGenerate = /* @__PURE__ */ createWire(geminiGenerateStream, {
  encodeRequest,
  address,
  modelInPath: true,
  authorize: authorizeGoogle,
  body: generateBody,
  sampling: { seed: ['generationConfig', 'seed'], top_k: ['generationConfig', 'topK'] },
  lateSystem: 'system',
  urlBase64: true,
  namelessFiles: true,
  imageTypes: GOOGLE_IMAGES,
  textFiles: googleTexts,
  modelList: googleModelList,
  counts: geminiCounts,
  nativeSearch: 'plain',
  searchExcludesFunctions: (target) => factsOf(target, 'gemini-generate').mixesTools !== true,
  client: geminiGenerateClient,
  passthrough: { request: geminiRequests, answer: geminiAnswers },
})
