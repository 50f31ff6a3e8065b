import type { ClientCodec } from '../../client-contract.ts'
import { googleModels } from '../../shared/google/answers.ts'
import { geminiGenerateAnswers } from '../answers.ts'
import { geminiClientCounts } from '../count-tokens.ts'
import { decodeRequest } from './request.ts'

/** The client side of `generateContent`. Keep-alives are SSE comments, which clients skip. */
export const geminiGenerateClient: ClientCodec = {
  ...geminiGenerateAnswers,
  decodeRequest,
  modelInPath: true,
  showsSources: true,
  counts: geminiClientCounts,
  models: googleModels,
}
