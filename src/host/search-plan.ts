import { clientError } from '../protocol/error.ts'
import { dropped, type Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'
import type { NativeSearch, OwnSearch } from '../protocol/search.ts'
import { chooseSearch, engineLosses, fits, nativeTool, toQuery } from '../search/choose.ts'
import { recallSearches } from '../search/earlier.ts'
import type { EngineName, SearchQuery } from '../search/engine.ts'
import { type Reading, type SearchOptions, withOneSearch, withSearchTool } from '../search/options.ts'
import { type Source, searchTool } from '../search/prompt.ts'
import { isSearchName, isSearchTool } from '../validation/search-tool.ts'
import { refuseXSearch } from '../wires/x-search.ts'
import type { Account, Destination } from './accounts.ts'
import { type Attempt, failure, success } from './attempt.ts'
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

const ownSearchOf = ({ account, model }: Destination): OwnSearch => {
  const { wire, quirks } = account
  return {
    domains: nativeSearchOf(account),
    excludesFunctions: wire.searchExcludesFunctions?.({ model, quirks }) === true,
    always: quirks.alwaysSearches === true,
    takesFunctions: quirks.refuses?.includes('tools') !== true,
  }
}

const hasFunctions = ({ tools }: Request): boolean => tools.some(({ type }) => type !== 'hosted')

/** Must the model search, or is a search only offered to it? */
const isDemanded = ({ tool_choice: choice, tools }: Request): boolean =>
  choice === 'required' ? tools.every(isSearchTool) : typeof choice === 'object' && isSearchName(choice?.name ?? '')

/** The request without the search that it asks for. */
function withoutSearch({ request, losses }: Reading, { path }: SearchOptions, reason: string): Attempt<Searched> {
  const lost = dropped(path, reason)
  return success({ request: withSearchTool(request, null), search: null, losses: [...losses, lost] })
}

/**
 * Decides what searches for this request: its upstream, an engine, or nothing. A tool that is merely offered and cannot
 * be had is dropped. A plugin, the suffix `:online` and a forced tool demand a search: without one they are refused,
 * unless the upstream has a search that only the functions beside it rule out.
 */
export function planSearch(
  { available, config }: Searcher,
  reading: Reading,
  destination: Destination,
): Attempt<Searched> {
  const { request, options, losses } = reading
  const refused = destination.account.wire.searchesX === true ? null : refuseXSearch(request)
  if (refused !== null) return refused
  if (options === null) return success({ request: withSearchTool(request, null), search: null, losses })
  const own = ownSearchOf(destination)
  if (options.offline) return planOffline(reading, options, own)
  const functions = hasFunctions(request)
  const chosen = chooseSearch(options, own, available, functions)
  if (!chosen.ok) {
    const mixed = own.domains !== 'none' && own.excludesFunctions && functions
    const offered = options.kind === 'tool' ? !isDemanded(request) : mixed
    return chosen.missing && offered ? withoutSearch(reading, options, chosen.reason) : chosen
  }
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

const isEngine = ({ engine }: SearchOptions): boolean => engine !== 'auto' && engine !== 'native'

/** `external_web_access: false`: no engine may search, and the wire drops the tool where its upstream stores no pages. */
function planOffline(reading: Reading, options: SearchOptions, own: OwnSearch): Attempt<Searched> {
  const { request, losses } = reading
  const stored = own.domains !== 'none' && fits(options.filter, own.domains) && !isEngine(options)
  if (stored) return success({ request: withOneSearch(request, nativeTool(options)), search: null, losses })
  const reason = 'external_web_access is false, and this upstream has no stored pages to search'
  if (!isDemanded(request)) return withoutSearch(reading, options, reason)
  return failure(clientError('invalid_prompt', `${options.path}: ${reason}`, options.path))
}

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
