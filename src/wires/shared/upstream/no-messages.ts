import { clientError } from '../../../protocol/error.ts'
import type { Json } from '../../../protocol/json.ts'
import type { Encoded } from '../../contract.ts'

/** The result for a conversation of which nothing is left: upstreams refuse an empty list, with words of their own. */
export const NO_MESSAGES: Encoded = {
  ok: false,
  error: clientError('invalid_prompt', 'input: this upstream requires at least one message that is not empty', 'input'),
}

export const isEmptyConversation = (list: Json | undefined): boolean => Array.isArray(list) && list.length === 0
