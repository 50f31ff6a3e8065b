import type { Request, Tool } from '../../../../protocol/request.ts'
import type { Quirks } from '../../../quirks.ts'

const OPENROUTER_SEARCH = 'openrouter:tool_search'

/** The types of searches of tools (openai 7.57, `ToolSearchTool`; @openrouter/sdk 1.3, `ToolSearchServerTool`). */
const SEARCHES: ReadonlySet<string> = new Set(['tool_search', OPENROUTER_SEARCH])

export const isToolSearch = (tool: Tool): boolean => tool.type === 'hosted' && SEARCHES.has(tool.name)

/** Whether a model is offered this tool only after a search. */
export const isDeferred = (tool: Tool): boolean => tool.type !== 'hosted' && tool.deferred === true

/** Whether a request has a search of tools, or tools for one. */
export const hasToolSearch = ({ tools }: Pick<Request, 'tools'>): boolean =>
  tools.some((tool) => isToolSearch(tool) || isDeferred(tool))

/** Whether an upstream of the Responses API has the search of tools of this request. */
export const supportsToolSearch = ({ tools }: Pick<Request, 'tools'>, { changesInInput = [] }: Quirks): boolean =>
  changesInInput.includes('tool_search') ||
  (changesInInput.includes(OPENROUTER_SEARCH) &&
    tools.some(({ type, name }) => type === 'hosted' && name === OPENROUTER_SEARCH))
