import type { JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString } from '../../../text/json.ts'
import type { ClientCodec, ModelListing } from '../../client-contract.ts'
import { anthropicMessagesAnswers } from '../answers.ts'
import { messagesClientCounts } from '../count-tokens.ts'
import { isSigned } from '../encrypted-blocks.ts'
import { decodeRequest } from './request.ts'
import { isTranslated } from './server-tool-ids.ts'

/** The date that Anthropic reports for a model whose release date is unknown. */
const LONG_AGO = '1970-01-01T00:00:00Z'

const one = (id: string): JsonObject => ({ type: 'model', id, display_name: id, created_at: LONG_AGO })

/** Lists models in Anthropic's format, all of them on one page. */
const encodeModels: ModelListing = {
  one,
  list: (ids) => ({ data: ids.map(one), has_more: false, first_id: ids.at(0) ?? null, last_id: ids.at(-1) ?? null }),
}

/** The client side of this wire, for Anthropic's own libraries and programs built on them. */
export const messagesClient: ClientCodec = {
  ...anthropicMessagesAnswers,
  decodeRequest,
  isIssued: ({ type, signature, id, tool_use_id }) =>
    (type === 'thinking' && !(isNonEmptyString(signature) && isSigned(signature))) ||
    [id, tool_use_id].some((name) => isNonEmptyString(name) && isTranslated(name)),
  showsSources: true,
  counts: messagesClientCounts,
  models: encodeModels,
}
