import type { JsonObject } from '../../../protocol/json.ts'
import type { ModelListing } from '../../client-contract.ts'

/** The date that Anthropic reports for a model whose release date is unknown. */
const LONG_AGO = '1970-01-01T00:00:00Z'

const one = (id: string): JsonObject => ({ type: 'model', id, display_name: id, created_at: LONG_AGO })

/** Lists models in Anthropic's format, all of them on one page. */
export const encodeModels: ModelListing = {
  one,
  list: (ids) => ({ data: ids.map(one), has_more: false, first_id: ids.at(0) ?? null, last_id: ids.at(-1) ?? null }),
}
