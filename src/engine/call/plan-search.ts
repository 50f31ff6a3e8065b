import { dropped, joinLosses } from '../../protocol/loss.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { requestsCompaction } from '../../responses/compaction/compaction.ts'
import { type ParseContext, parseSearch } from '../../search/options.ts'
import { planSearch, type SearchPlan, type SearchPolicy } from '../../search/plan.ts'
import { ownSearchOf, type SearchedModel } from '../../wires/native-search.ts'
import { refuseXSearch } from '../../wires/shared/upstream/x-search.ts'
import type { ClientRequest } from '../client-request.ts'

/** A library has no engines of its own: a search that the upstream does not have is refused or dropped. */
export const NO_ENGINES: SearchPolicy = {
  available: { defaultEngine: null, engines: [] },
  config: { citations: 'links', max_results: 5, max_searches: 10 },
}

/**
 * Reads the web search of a request. The request of the result has no web plugin and no suffix `:online` any more: its
 * model decides the upstream.
 */
export function readSearch({ request, sourceMap }: ClientRequest): Result<ParseContext> {
  const found = parseSearch(request)
  return found.ok ? found : err(sourceMap.toClientError(found.error))
}

/** A client's request for its upstream, and the web search that the gateway makes itself. */
export interface PlannedRequest {
  readonly client: ClientRequest
  readonly search: SearchPlan | null
}

/**
 * Decides whether the upstream, an engine or nothing searches for this request. `parsed`: the result of `readSearch`.
 */
export function planRequest(
  client: ClientRequest,
  parsed: ParseContext,
  upstream: SearchedModel,
  policy: SearchPolicy,
): Result<PlannedRequest> {
  const { sourceMap } = client
  const reading = requestsCompaction(parsed.request) ? withoutSearchBefore(parsed) : parsed
  const refused = upstream.wire.searchesX === true ? null : refuseXSearch(reading.request)
  const planned = refused ?? planSearch(policy, reading, ownSearchOf(upstream))
  if (!planned.ok) return err(sourceMap.toClientError(planned.error))
  const { request, search, losses } = planned.value
  const { options } = reading
  const path = options === null ? null : sourceMap.toClientPath(options.path)
  const isOwnTool = options === null || (options.kind === 'tool' && search === null && losses.length === 0)
  return ok({
    client: {
      ...client,
      request,
      sent: { ...client.sent, isIntact: client.sent.isIntact && isOwnTool },
      losses: joinLosses(client.losses, sourceMap.toClientLosses(losses)),
      sourceMap: sourceMap.withTools(request.tools, path),
    },
    search: withPath(search, path),
  })
}

/** Pages about the last question would become part of the summary of a conversation. */
function withoutSearchBefore(reading: ParseContext): ParseContext {
  const { options, losses } = reading
  if (options === null || options.kind === 'tool') return reading
  return { ...reading, options: null, losses: [...losses, dropped(options.path, 'a compaction searches nothing')] }
}

/** Sets the client's own path of the search, which later messages quote. */
const withPath = (plan: SearchPlan | null, path: string | null): SearchPlan | null =>
  plan === null || path === null ? plan : { ...plan, options: { ...plan.options, path } }
