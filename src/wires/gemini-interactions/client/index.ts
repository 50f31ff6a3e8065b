import type { ClientCodec } from '../../client-contract.ts'
import { googleModels } from '../../shared/google/answers.ts'
import { geminiInteractionsAnswers } from '../answers.ts'
import { decodeRequest } from './request.ts'

/** The client side of the Interactions API. Keep-alives are SSE comments, which clients skip. */
export const geminiInteractionsClient: ClientCodec = {
  ...geminiInteractionsAnswers,
  decodeRequest,
  showsSources: true,
  models: googleModels,
}
