import type { JsonObject } from '../../protocol/json.ts'
import type { Models } from '../client.ts'

const METHODS = ['generateContent', 'streamGenerateContent']

const one = (id: string): JsonObject => ({
  name: `models/${id}`,
  displayName: id,
  supportedGenerationMethods: METHODS,
})

/** As Google lists models, all of them on one page. */
export const encodeModels: Models = {
  one,
  list: (ids) => ({ models: ids.map(one) }),
}
