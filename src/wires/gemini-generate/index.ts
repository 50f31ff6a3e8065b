import type { Wire } from '../contract.ts'
import { geminiGenerateClient } from './client/index.ts'
import { decodeError } from './errors.ts'
import { traitsOf } from './upstream/models.ts'
import { authorize, encodeRequest, encodeSteps } from './upstream/request.ts'
import { decodeBody, decodeStream } from './upstream/stream.ts'

/** Google's `generateContent`, at the Gemini API and on Vertex AI (docs/wires/gemini-generate.md, 2). */
export const geminiGenerate: Wire = {
  name: 'gemini-generate',
  framing: 'sse-or-array',
  encodeRequest,
  encodeSteps,
  authorize,
  decodeStream,
  template: {
    leaves: ['text', 'stringValue'],
    counts: ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount', 'tokenCount'],
  },
  decodeBody,
  decodeError,
  nativeSearch: 'plain',
  searchExcludesFunctions: ({ model, quirks }) => !traitsOf(model, quirks).mixesTools,
  client: geminiGenerateClient,
}
