import { clientError, type GatewayError } from '../protocol/error.ts'
import { dropped, type Loss } from '../protocol/loss.ts'
import type { Request, Tool, ToolChoice } from '../protocol/request.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import type { OwnSearch } from '../protocol/search.ts'
import { isSearchName, isSearchTool } from '../validation/search/search-tool.ts'
import { type Available, chooseSearch, engineLosses, fitsNative, nativeTool, toQuery } from './choose-engine.ts'
import type { EngineName, SearchQuery } from './engine.ts'
import type { ParseContext, SearchOptions } from './options.ts'
import { type CitationStyle, type CitedSource, searchTool } from './prompt.ts'
import { replaySearches } from './replay-searches.ts'

/** The engines of a gateway, and its bounds of a search. */
export interface SearchPolicy {
  readonly available: Available
  readonly config: {
    readonly citations: CitationStyle
    /** The default number of results of one search. */
    readonly max_results: number
    /** The most searches for one request. */
    readonly max_searches: number
  }
}

/** A search that the gateway makes itself. */
export interface SearchPlan {
  readonly engine: EngineName
  readonly options: SearchOptions
  /** The query without its text. */
  readonly query: Omit<SearchQuery, 'query'>
  /** The function that is offered to the model; null if the search is made before the model is called. */
  readonly tool: string | null
  /** Sources of earlier answers that the request contains. */
  readonly sources: readonly CitedSource[]
  readonly maxSearches: number
}

/** The request for the upstream, and the gateway's own search. */
export interface Searched {
  readonly request: Request
  readonly search: SearchPlan | null
  readonly losses: readonly Loss[]
}

/** Returns the request with one search tool: the client's own if there is one, otherwise this tool. */
function withOneSearch(request: Request, tool: Tool): Request {
  const first = request.tools.findIndex(isSearchTool)
  if (first < 0) return { ...request, tools: [...request.tools, tool] }
  return { ...request, tools: request.tools.filter((one, i) => i === first || !isSearchTool(one)) }
}

/** Returns the request with this tool in the place of its search tool; with no search tool if the tool is null. */
export function withSearchTool(request: Request, tool: Tool | null): Request {
  const at = request.tools.findIndex(isSearchTool)
  if (at < 0 && tool === null) return request
  const tools = request.tools.flatMap((one, i) =>
    isSearchTool(one) ? (i === at && tool !== null ? [tool] : []) : [one],
  )
  return {
    ...request,
    tools: at < 0 && tool !== null ? [...tools, tool] : tools,
    tool_choice: toChoice(request, tool),
  }
}

/** A choice that forces the search must force the tool that replaces it. */
function toChoice({ tool_choice: choice, tools }: Request, tool: Tool | null): ToolChoice | null {
  if (choice === null || typeof choice === 'string' || choice.type !== 'hosted') return choice
  const { name } = choice
  const isOurs = tools.some((one) => isSearchTool(one) && one.name === name)
  if (!isOurs) return choice
  return tool === null ? null : { type: tool.type, name: tool.name }
}

const hasFunctions = ({ tools }: Request): boolean => tools.some(({ type }) => type !== 'hosted')

/** Whether the model must search, as opposed to a search that is only offered to it. */
const isDemanded = ({ tool_choice: choice, tools }: Request): boolean =>
  choice === 'required' ? tools.every(isSearchTool) : typeof choice === 'object' && isSearchName(choice?.name ?? '')

/** Drops the requested search from the request. */
function withoutSearch({ request, losses }: ParseContext, { path }: SearchOptions, reason: string): Result<Searched> {
  const loss = dropped(path, reason)
  return ok({ request: withSearchTool(request, null), search: null, losses: [...losses, loss] })
}

/**
 * Decides whether the upstream, an engine or nothing searches for this request. A tool that is only offered is dropped
 * if no search is available. A plugin, the suffix `:online`, a forced tool and a request without any other tool (`isOnly`)
 * demand a search: without one they are refused, unless the upstream has a search that is excluded only by the functions of the request.
 */
export function planSearch(
  policy: SearchPolicy,
  reading: ParseContext,
  own: OwnSearch,
  isOnly = false,
): Result<Searched> {
  const planned = chooseAndPlan(policy, reading, own, isOnly)
  const fault = planned.ok ? requiresMissingTool(reading.request, planned.value.request) : null
  return fault === null ? planned : err(fault)
}

/** A required call without any tool is the client's error, which must not be reported as one of the upstream. */
const requiresMissingTool = ({ tools }: Request, planned: Request): GatewayError | null =>
  tools.length === 0 &&
  planned.tools.length === 0 &&
  planned.tool_choice === 'required' &&
  planned.x_search_filter === null
    ? clientError(
        'invalid_prompt',
        'tool_choice: "required" needs at least one tool, got none. Add a tool, or send "auto"',
        'tool_choice',
      )
    : null

function chooseAndPlan(
  { available, config }: SearchPolicy,
  reading: ParseContext,
  own: OwnSearch,
  isOnly: boolean,
): Result<Searched> {
  const { request, options, losses } = reading
  if (options === null) return ok({ request: withSearchTool(request, null), search: null, losses })
  if (options.offline) return planOffline(reading, options, own)
  const functions = hasFunctions(request)
  const chosen = chooseSearch(options, own, available, functions)
  if (!chosen.ok) {
    const mixed = own.domains !== 'none' && own.excludesFunctions && functions
    const offered = options.kind === 'tool' ? !isOnly && !isDemanded(request) : mixed
    return chosen.missing && offered ? withoutSearch(reading, options, chosen.reason) : chosen
  }
  if (chosen.value.way === 'native') {
    // The client's own tool is passed on with all its fields.
    const fieldLosses = options.kind === 'tool' ? [] : options.unknownFields
    const searching = withOneSearch(request, nativeTool(options))
    return ok({ request: searching, search: null, losses: [...losses, ...fieldLosses] })
  }
  const { engine } = chosen.value
  const tool = options.kind === 'tool' ? freeName(request) : null
  const offered = withSearchTool(request, tool === null ? null : searchTool(tool))
  const replayed = tool === null ? { request: offered, sources: [] } : replaySearches(offered, tool, config.citations)
  return ok({
    // The gateway runs the searches, and counts them itself.
    request: { ...replayed.request, max_tool_calls: null },
    search: {
      engine,
      options,
      query: toQuery(options, config.max_results),
      tool,
      sources: replayed.sources,
      maxSearches: Math.min(config.max_searches, options.maxUses ?? Infinity, request.max_tool_calls ?? Infinity),
    },
    losses: [...losses, ...engineLosses(options, engine)],
  })
}

const isEngine = ({ engine }: SearchOptions): boolean => engine !== 'auto' && engine !== 'native'

/** `external_web_access: false`: no engine may search, and the wire drops the tool if its upstream stores no pages. */
function planOffline(reading: ParseContext, options: SearchOptions, own: OwnSearch): Result<Searched> {
  const { request, losses } = reading
  const stored = own.domains !== 'none' && fitsNative(options.filter, own.domains) && !isEngine(options)
  if (stored) return ok({ request: withOneSearch(request, nativeTool(options)), search: null, losses })
  const reason = 'external_web_access is false, and this upstream has no stored pages to search'
  if (!isDemanded(request)) return withoutSearch(reading, options, reason)
  return err(clientError('invalid_prompt', `${options.path}: ${reason}`, options.path))
}

const NAME = 'web_search'

/** A name for the search that no function of the client has. */
function freeName({ tools }: Request): string {
  const taken = new Set(tools.map(({ type, name }) => (type === 'hosted' ? '' : name)))
  let name = NAME
  for (let i = 2; taken.has(name); i += 1) name = `${NAME}_${i}`
  return name
}
