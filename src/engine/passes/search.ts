import { dropped, joinLosses } from '../../protocol/loss.ts'
import type { Result } from '../../protocol/result.ts'
import { requestsCompaction } from '../../responses/compaction/compaction.ts'
import type { ParseContext } from '../../search/options.ts'
import { planSearch, type Searched, type SearchPlan, type SearchPolicy } from '../../search/plan.ts'
import { ownSearchOf } from '../../wires/native-search.ts'
import { refuseXSearch } from '../../wires/shared/upstream/x-search.ts'
import type { Pass, PassContext } from './pass.ts'

/** A library has no engines of its own: a search that the upstream does not have is refused or dropped. */
export const NO_ENGINES: SearchPolicy = {
  available: { defaultEngine: null, engines: [] },
  config: { citations: 'links', max_results: 5, max_searches: 10 },
}

/** The upstream, an engine or nothing searches for the request. */
export const webSearch: Pass = (client, context) => {
  if (context.search === null) return null
  const reading = requestsCompaction(context.search.parsed.request)
    ? withoutSearchBefore(context.search.parsed)
    : context.search.parsed
  const planned = chooseSearch(reading, context.search.policy, context)
  if (!planned.ok) return { refusal: planned.error }
  const { sourceMap, sent } = client
  const { request, losses } = planned.value
  const { options } = reading
  const path = options === null ? null : sourceMap.toClientPath(options.path)
  const isOwnTool =
    options === null || (options.kind === 'tool' && planned.value.search === null && losses.length === 0)
  return {
    client: {
      ...client,
      request,
      untranslatable: client.untranslatable ?? reading.fault ?? null,
      sent: { ...sent, isIntact: sent.isIntact && isOwnTool },
      losses: joinLosses(client.losses, sourceMap.toClientLosses(losses)),
      sourceMap: sourceMap.withTools(request.tools, path),
    },
    search: withPath(planned.value.search, path),
  }
}

function chooseSearch(reading: ParseContext, policy: SearchPolicy, upstream: PassContext): Result<Searched> {
  const refused = upstream.wire.searchesX === true ? null : refuseXSearch(reading.request)
  return refused ?? planSearch(policy, reading, ownSearchOf(upstream))
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
