import { isNonEmptyString, isObject } from '../../text/json.ts'
import type { ModelLister } from '../model-list-contract.ts'
import { MESSAGES_VERSION } from './upstream/request.ts'

/** Anthropic's list, of at most 1000 models a page (docs.anthropic.com, list models). */
export const messagesModelList: ModelLister = {
  path: (from) => `/v1/models?limit=1000${from === null ? '' : `&after_id=${encodeURIComponent(from)}`}`,
  headers: { 'anthropic-version': MESSAGES_VERSION },
  decode(body) {
    if (!isObject(body) || !Array.isArray(body.data)) return null
    const next = body.has_more === true && isNonEmptyString(body.last_id) ? body.last_id : null
    return { ids: body.data.map((model) => (isObject(model) ? model.id : null)), next }
  },
}
