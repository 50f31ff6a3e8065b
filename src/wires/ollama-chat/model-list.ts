import { isObject } from '../../text/json.ts'
import type { ModelLister } from '../model-list-contract.ts'

/** The models that an Ollama server has, on one page. */
export const ollamaModelList: ModelLister = {
  path: () => '/api/tags',
  decode(body) {
    if (!isObject(body) || !Array.isArray(body.models)) return null
    return { ids: body.models.map((model) => (isObject(model) ? (model.model ?? model.name) : null)), next: null }
  },
}
