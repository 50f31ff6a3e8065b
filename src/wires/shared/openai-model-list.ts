import { isObject } from '../../text/json.ts'
import type { ModelLister } from '../model-list-contract.ts'

/** The list of OpenAI and of compatible vendors, which is one page. Together sends the array without an object. */
export const openaiModelList: ModelLister = {
  path: () => '/models',
  decode(body) {
    const list = isObject(body) ? body.data : body
    return Array.isArray(list) ? { ids: list.map((model) => (isObject(model) ? model.id : null)), next: null } : null
  },
}
