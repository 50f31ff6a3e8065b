import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { ModelLister } from '../../model-list-contract.ts'

/** Google's list, of at most 1000 models a page, without those that generate no content, such as embeddings. */
export const googleModelList: ModelLister = {
  path: (from) => `/models?pageSize=1000${from === null ? '' : `&pageToken=${encodeURIComponent(from)}`}`,
  decode(body) {
    if (!isObject(body) || !Array.isArray(body.models)) return null
    return {
      ids: body.models.flatMap((model) => (isObject(model) && generates(model) ? [nameOf(model)] : [])),
      next: isNonEmptyString(body.nextPageToken) ? body.nextPageToken : null,
    }
  },
}

const generates = ({ supportedGenerationMethods: methods }: Readonly<Record<string, unknown>>): boolean =>
  !Array.isArray(methods) || methods.includes('generateContent')

const nameOf = ({ name }: Readonly<Record<string, unknown>>): unknown =>
  typeof name === 'string' ? name.replace(/^models\//, '') : name
