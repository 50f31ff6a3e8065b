import { isNonEmptyString } from '../../../text/json.ts'
import type { ClientCodec } from '../../client-contract.ts'
import { anthropicMessagesAnswers } from '../answers.ts'
import { messagesClientCounts } from '../count-tokens.ts'
import { isSigned } from '../encrypted-blocks.ts'
import { encodeModels } from './models.ts'
import { decodeRequest } from './request.ts'
import { isTranslated } from './server-tool-ids.ts'

/** The client side of this wire, for Anthropic's own libraries and programs built on them. */
export const messagesClient: ClientCodec = {
  ...anthropicMessagesAnswers,
  decodeRequest,
  isIssued: ({ type, signature, id, tool_use_id }) =>
    (type === 'thinking' && !(isNonEmptyString(signature) && isSigned(signature))) ||
    [id, tool_use_id].some((name) => isNonEmptyString(name) && isTranslated(name)),
  showsSources: true,
  setsBreakpoints: true,
  counts: messagesClientCounts,
  models: encodeModels,
}
