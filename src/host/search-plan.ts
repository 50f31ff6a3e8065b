import { dropped, type Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'
import type { NativeSearch } from '../protocol/search.ts'
import { chooseSearch, engineLosses, nativeTool, toQuery } from '../search/choose.ts'
import { recallSearches } from '../search/earlier.ts'
import type { EngineName, SearchQuery } from '../search/engine.ts'
import { isSearchTool, type Reading, type SearchOptions, withOneSearch, withSearchTool } from '../search/options.ts'
import { type Source, searchTool } from '../search/prompt.ts'
import { refuseXSearch } from '../wires/x-search.ts'
import type { Account } from './accounts.ts'
import { type Attempt, success } from './attempt.ts'
import type { Exchange } from './exchange.ts'
import type { Searcher } from './search-engines.ts'

/** A search that this server makes itself. */
export interface SearchPlan {
  readonly engine: EngineName
  readonly options: SearchOptions
  /** All but its words. */
  readonly query: Omit<SearchQuery, 'query'>
  /** The function that the model is offered; null where the search is made before it is asked. */
  readonly tool: string | null
  /** Found in earlier answers that the request gives back. */
  readonly sources: readonly Source[]
  readonly maxSearches: number
}

/** What is asked of the upstream, and what this server does about searching by itself. */
export interface Searched {
  readonly request: Request
  readonly search: SearchPlan | null
  readonly losses: readonly Loss[]
}

/** The web search of an upstream: its row's word before its wire's. */
export const nativeSearchOf = ({ wire, quirks }: Pick<Account, 'wire' | 'quirks'>): NativeSearch =>
  quirks.nativeSearch ?? wire.nativeSearch ?? 'none'

/** Who searches for this request, if anybody: its upstream, an engine, or nobody because that cannot be had. */
export function planSearch(
  { available, config }: Searcher,
  { request, options, losses }: Reading,
  account: Account,
): Attempt<Searched> {
  const refused = account.wire.searchesX === true ? null : refuseXSearch(request)
  if (refused !== null) return refused
  if (options === null) return success({ request: withSearchTool(request, null), search: null, losses })
  const chosen = chooseSearch(options, nativeSearchOf(account), available)
  if (!chosen.ok && isOffline(request)) {
    const told = dropped(options.path, 'this upstream has no pages of its own to search')
    return success({ request: withSearchTool(request, null), search: null, losses: [...losses, told] })
  }
  if (!chosen.ok) return chosen
  if (chosen.value.way === 'native') {
    // The client's own tool goes on as it is.
    const unheard = options.kind === 'tool' ? [] : options.unheard
    const own = withOneSearch(request, nativeTool(options))
    return success({ request: own, search: null, losses: [...losses, ...unheard] })
  }
  const { engine } = chosen.value
  const tool = options.kind === 'tool' ? freeName(request) : null
  const offered = withSearchTool(request, tool === null ? null : searchTool(tool))
  const recalled = tool === null ? { request: offered, sources: [] } : recallSearches(offered, tool, config.citations)
  return success({
    // Whoever runs the searches counts them.
    request: { ...recalled.request, max_tool_calls: null },
    search: {
      engine,
      options,
      query: toQuery(options, config.max_results),
      tool,
      sources: recalled.sources,
      maxSearches: Math.min(config.max_searches, options.maxUses ?? Infinity, request.max_tool_calls ?? Infinity),
    },
    losses: [...losses, ...engineLosses(options, engine)],
  })
}

/** Codex always offers its search, and says that it must not reach the web: nothing is missed where there is none. */
const isOffline = ({ tools }: Request): boolean =>
  tools.some((tool) => isSearchTool(tool) && tool.fields.external_web_access === false)

const NAME = 'web_search'

/** The name of the search among the functions of the client. */
function freeName({ tools }: Request): string {
  const taken = new Set(tools.map(({ type, name }) => (type === 'hosted' ? '' : name)))
  let name = NAME
  for (let i = 2; taken.has(name); i += 1) name = `${NAME}_${i}`
  return name
}

/** Says in headers what a client should ask for in another way. */
export function noteDeprecated({ response }: Exchange, notices: readonly string[]): void {
  if (notices.length === 0) return
  response.setHeader('deprecation', 'true')
  response.setHeader('x-deprecation-notice', notices.join('; '))
}
