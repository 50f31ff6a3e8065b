import { dropped, joinLosses, type Loss } from '../../protocol/loss.ts'
import type { Result } from '../../protocol/result.ts'
import type { NativeSearch, OwnSearch } from '../../protocol/search.ts'
import { requestsCompaction } from '../../responses/compaction/compaction.ts'
import type { ParseContext } from '../../search/options.ts'
import { planSearch, type Searched, type SearchPlan, type SearchPolicy } from '../../search/plan.ts'
import { isSearchTool } from '../../validation/search/search-tool.ts'
import type { Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import { refuseXSearch } from '../../wires/shared/upstream/x-search.ts'
import type { ClientRequest } from '../client-request.ts'
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
  const planned = chooseSearch(reading, context.search.policy, context, isOnlyTool(client, reading))
  if (!planned.ok) return { refusal: planned.error }
  const { sourceMap, sent } = client
  const { request, losses, search } = planned.value
  const { options, fault } = reading
  const isUnchanged = request === client.request && losses.length === 0 && search === null && fault === undefined
  if (options === null && isUnchanged) return null
  const path = options === null ? null : sourceMap.toClientPath(options.path)
  const isOwnTool = options === null || (options.kind === 'tool' && search === null && losses.length === 0)
  return {
    client: {
      ...client,
      request,
      untranslatable: client.untranslatable ?? fault ?? null,
      sent: { ...sent, isIntact: sent.isIntact && isOwnTool },
      losses: joinLosses(client.losses, sourceMap.toClientLosses(losses)),
      sourceMap: sourceMap.withTools(request.tools, path),
    },
    search: withPath(search, path),
  }
}

const OF_TOOL = /^tools\[\d+\]/
const isDroppedTool = ({ path, action }: Loss): boolean => action === 'dropped' && /^tools\[\d+\]$/.test(path)

/**
 * Whether the client sends no tool but a search. Without one, the model would answer from memory, which Claude Code and
 * other clients show as the result of the search. A compaction has the tools of its conversation, and calls none.
 */
function isOnlyTool({ request, losses, sourceMap }: ClientRequest, { options }: ParseContext): boolean {
  if (options === null || request.tool_choice === 'none' || requestsCompaction(request)) return false
  const isTool = OF_TOOL.test(sourceMap.toClientPath(options.path) ?? '')
  const { tools } = request.given
  return isTool && tools.every((tool) => tool.type === 'hosted' && isSearchTool(tool)) && !losses.some(isDroppedTool)
}

function chooseSearch(
  reading: ParseContext,
  policy: SearchPolicy,
  upstream: PassContext,
  isOnly: boolean,
): Result<Searched> {
  const refused = upstream.wire.searchesX === true ? null : refuseXSearch(reading.request)
  return refused ?? planSearch(policy, reading, ownSearchOf(upstream), isOnly)
}

/** A model of an upstream, as far as its own web search depends on it. */
interface SearchedModel {
  readonly wire: Wire
  readonly quirks: Quirks
  /** The upstream's own name of the model. */
  readonly model: string
}

/** The web search of an upstream: the vendor's quirk, else the default of its wire. */
export const nativeSearchOf = ({ wire, quirks }: Pick<SearchedModel, 'wire' | 'quirks'>): NativeSearch =>
  quirks.nativeSearch ?? wire.nativeSearch ?? 'none'

const ownSearchOf = ({ wire, quirks, model }: SearchedModel): OwnSearch => {
  // The functions of such a model are dropped later.
  const takesFunctions = factsOf({ model, quirks }, wire.name).tools !== false
  return {
    domains: nativeSearchOf({ wire, quirks }),
    excludesFunctions: takesFunctions && wire.searchExcludesFunctions?.({ model, quirks }) === true,
    always: quirks.alwaysSearches === true,
    takesFunctions: takesFunctions && quirks.refuses?.includes('tools') !== true,
  }
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
