import type { ClientCodec } from '../../client-contract.ts'
import { ollamaChatAnswers } from '../answers.ts'
import { encodeModels } from './models.ts'
import { decodeRequest, decodeSteps } from './request.ts'

/** The client side of Ollama's native chat API. */
export const ollamaChatClient: ClientCodec = {
  ...ollamaChatAnswers,
  decodeRequest,
  decodeSteps,
  models: encodeModels,
}
