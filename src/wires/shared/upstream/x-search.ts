import { clientError } from '../../../protocol/error.ts'
import type { Request } from '../../../protocol/request.ts'
import type { Encoded } from '../../contract.ts'

/**
 * Rejects a filtered search of X for every upstream that does not search X: an answer without the filtered search would
 * be a different answer.
 */
export const refuseXSearch = ({ x_search_filter: filter }: Request): Extract<Encoded, { readonly ok: false }> | null =>
  filter === null
    ? null
    : {
        ok: false,
        error: clientError(
          'invalid_prompt',
          'x_search_filter: this model cannot search X; choose a model of xAI, or leave it out',
          'x_search_filter',
        ),
      }
