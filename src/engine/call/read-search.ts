import { err, ok, type Result } from '../../protocol/result.ts'
import { type ParseContext, parseSearch } from '../../search/options.ts'
import type { ClientRequest } from '../client-request.ts'

/**
 * Reads the web search of a request. The request of the result has no web plugin and no suffix `:online` any more: its
 * model decides the upstream.
 */
export function readSearch({ request, sourceMap }: ClientRequest): Result<ParseContext> {
  const found = parseSearch(request)
  if (found.ok) return found
  const error = sourceMap.toClientError(found.error)
  // The search tool of an upstream may have values that the gateway's own has not.
  return found.error.param?.startsWith('tools[') === true
    ? ok({ request, options: null, notices: [], losses: [], fault: error })
    : err(error)
}
