import type { JsonObject } from '../../../protocol/json.ts'
import type { ModelListing } from '../../client-contract.ts'

const METHODS = ['generateContent', 'streamGenerateContent']

const one = (id: string): JsonObject => ({
  name: `models/${id}`,
  displayName: id,
  supportedGenerationMethods: METHODS,
})

/** Encodes lists of models in Google's format, with all models on one page. */
export const googleModels: ModelListing = {
  one,
  list: (ids) => ({ models: ids.map(one) }),
}
