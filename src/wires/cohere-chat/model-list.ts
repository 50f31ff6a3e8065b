import { isNonEmptyString, isObject } from '../../text/json.ts'
import type { ModelLister } from '../model-list-contract.ts'

/** Cohere's models with the endpoint `chat`, of at most 1000 a page (docs.cohere.com, list models). */
export const cohereModelList: ModelLister = {
  path: (from) =>
    `/v1/models?endpoint=chat&page_size=1000${from === null ? '' : `&page_token=${encodeURIComponent(from)}`}`,
  decode(body) {
    if (!isObject(body) || !Array.isArray(body.models)) return null
    return {
      ids: body.models.map((model) => (isObject(model) ? model.name : null)),
      next: isNonEmptyString(body.next_page_token) ? body.next_page_token : null,
    }
  },
}
