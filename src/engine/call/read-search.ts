import { err, type Result } from '../../protocol/result.ts'
import { type ParseContext, parseSearch } from '../../search/options.ts'
import type { ClientRequest } from '../client-request.ts'

/**
 * Reads the web search of a request. The request of the result has no web plugin and no suffix `:online` any more: its
 * model decides the upstream.
 */
export function readSearch({ request, sourceMap }: ClientRequest): Result<ParseContext> {
  const found = parseSearch(request)
  return found.ok ? found : err(sourceMap.toClientError(found.error))
}
