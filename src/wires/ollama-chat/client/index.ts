import type { ClientCodec } from '../../client-contract.ts'
import { ollamaChatAnswers } from '../answers.ts'
import { encodeModels } from './models.ts'
import { decodeRequest } from './request.ts'

/** The client side of Ollama's native chat API. */
export const ollamaChatClient: ClientCodec = {
  ...ollamaChatAnswers,
  decodeRequest,
  models: encodeModels,
}
