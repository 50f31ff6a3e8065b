import { isNonEmptyString } from '../../../text/json.ts'
import type { ClientCodec } from '../../client-contract.ts'
import { messagesClientCounts } from '../count-tokens.ts'
import { isSigned } from '../encrypted-blocks.ts'
import { MESSAGES_SERVED } from '../served.ts'
import { encodeBody, encodeBodyInSteps } from './body.ts'
import { encodeError } from './errors.ts'
import { encodeModels } from './models.ts'
import { decodeRequest, decodeSteps } from './request.ts'
import { isTranslated } from './server-tool-ids.ts'
import { encodeStream } from './stream.ts'

/** The client side of this wire, for Anthropic's own libraries and programs built on them. */
export const messagesClient: ClientCodec = {
  framing: 'sse',
  decodeRequest,
  decodeSteps,
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  supports: {
    hosted: ['web_search_call', 'code_interpreter_call', 'mcp_call'],
    annotations: ['url_citation', 'file_citation'],
    logprobs: false,
    argumentObjects: 'bodies',
    namespaces: true,
    sealed: true,
    cost: false,
    details: ['web_search_requests', 'web_fetch_requests'],
    parts: ['cached_tokens', 'reasoning_tokens', 'cache_write_tokens'],
    lifetimes: ['5m', '1h'],
    openedPages: false,
    served: MESSAGES_SERVED,
  },
  isIssued: ({ type, signature, id, tool_use_id }) =>
    (type === 'thinking' && !(isNonEmptyString(signature) && isSigned(signature))) ||
    [id, tool_use_id].some((name) => isNonEmptyString(name) && isTranslated(name)),
  showsSources: true,
  setsBreakpoints: true,
  counts: messagesClientCounts,
  models: encodeModels,
  keepAlive: { event: 'ping', data: '{"type":"ping"}' },
}
