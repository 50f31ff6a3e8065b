import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, NO_CUSTOM_TOOLS } from '../../../protocol/loss.ts'
import type { NamedTool, Request, Tool, ToolChoice } from '../../../protocol/request.ts'
import { isSearchName } from '../../../validation/search/search-tool.ts'
import { otherMeaning } from '../../absent-members.ts'
import { RESPONSES_WIRE, type UpstreamContext } from '../../contract.ts'
import type { SearchStyle } from '../../quirks.ts'
import { NO_TOOL_TO_CALL } from '../../shared/upstream/forced-tools.ts'
import { toolsInPlace } from './added-tools.ts'
import { inNamespaces, type Namespaces, namespacesOf, toOwnName } from './namespaces.ts'
import { type EncodedSearchTool, encodePlugins, encodeSearch, encodeXSearch, searchType } from './search.ts'

/** The fields of the body about tools, or the error if the request is impossible. */
type EncodedTools =
  | { readonly ok: true; readonly fields: JsonObject; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly error: GatewayError }

/** The parameters of a function without any: the API requires the field. */
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

function encodeFunction(
  { name, description, parameters, strict, ...given }: Extract<Tool, { readonly type: 'function' }>,
  fallback: false | null,
): JsonObject {
  const written = strict ?? fallback
  return {
    type: 'function',
    name,
    ...(description === null ? {} : { description }),
    parameters: parameters ?? NO_PARAMETERS,
    ...(written === null ? {} : { strict: written }),
    ...encodeSettings(given),
  }
}

const encodeSettings = ({ deferred, settings }: Pick<NamedTool, 'deferred' | 'settings'>): JsonObject => ({
  ...(deferred === true ? { defer_loading: true } : {}),
  ...(settings as JsonObject | undefined),
})

const whole = (tool: JsonObject): EncodedSearchTool => ({ tool, losses: [] })

/** The API makes a function without `strict` strict, which most other protocols do not. */
const defaultStrict = (target: UpstreamContext): false | null =>
  otherMeaning('strict', RESPONSES_WIRE, target) === false ? false : null

function encodeTool(tool: Tool, at: number, target: UpstreamContext, style: SearchStyle): EncodedSearchTool | Loss {
  const path = `tools[${at}]`
  switch (tool.type) {
    case 'function':
      return whole(encodeFunction(tool, defaultStrict(target)))
    case 'custom': {
      if (target.quirks.customTools !== true) return dropped(path, NO_CUSTOM_TOOLS)
      const { name, description, format } = tool
      return whole({
        type: 'custom',
        name,
        ...(description === null ? {} : { description }),
        ...(format === null ? {} : { format }),
        ...encodeSettings(tool),
      })
    }
    case 'hosted':
      return isSearchName(tool.name) ? encodeSearch(tool, style, path) : whole({ ...tool.fields, type: tool.name })
  }
}

const isTool = (encoded: EncodedSearchTool | Loss): encoded is EncodedSearchTool => 'tool' in encoded

const refuse = (param: string, reason: string): EncodedTools => ({
  ok: false,
  error: clientError('invalid_prompt', `${param}: ${reason}`, param),
})

const mustCall = (choice: ToolChoice | null): boolean => choice !== null && choice !== 'auto' && choice !== 'none'

/** A choice names the namespace of its tool only if the client does: with one tool of that name, it need not. */
function toolOfChoice({ given }: Request, name: string, spaces: Namespaces): JsonObject {
  const place = spaces.get(name)
  if (place === undefined) return { name }
  const { tool_choice: choice } = given
  const isNamed = typeof choice === 'object' && choice !== null && 'namespace' in choice && choice.namespace !== null
  return { name: place.tool.name, ...(isNamed ? { namespace: place.namespace.name } : {}) }
}

function encodeChoice(
  request: Request,
  choice: ToolChoice,
  style: SearchStyle,
  tools: readonly JsonObject[],
  spaces: Namespaces,
): Json {
  if (typeof choice === 'string') return choice
  if (choice.type !== 'hosted') return { type: choice.type, ...toolOfChoice(request, choice.name, spaces) }
  // The tool may have another name at this vendor.
  const here = tools.some(({ type }) => type === choice.name)
  return { type: here || !isSearchName(choice.name) ? choice.name : searchType(style), ...choice.fields }
}

/** Whether the tool of the choice is among the encoded tools. */
function isPossible(choice: ToolChoice | null, tools: readonly JsonObject[], spaces: Namespaces): boolean {
  if (choice === null || typeof choice === 'string' || choice.type === 'function') return true
  if (choice.type === 'custom') return spaces.has(choice.name) || tools.some(({ name }) => name === choice.name)
  return !isSearchName(choice.name) || tools.some(({ type }) => typeof type === 'string' && isSearchName(type))
}

interface Searches {
  readonly fields: JsonObject
  readonly tools: readonly JsonObject[]
  readonly losses: readonly Loss[]
}

/** Encodes plugins and `x_search_filter` as tools. OpenRouter accepts both fields unchanged. */
function encodeSearches(request: Request, style: SearchStyle): Searches {
  const { plugins, x_search_filter: filter } = request
  if (style === 'openrouter') {
    const fields = {
      ...(plugins.length === 0 ? {} : { plugins }),
      ...(filter === null ? {} : { x_search_filter: filter }),
    }
    return { fields, tools: [], losses: [] }
  }
  const web = encodePlugins(request, style)
  const x = filter === null ? null : encodeXSearch(filter)
  return {
    fields: {},
    tools: x === null ? web.tools : [...web.tools, x.tool],
    losses: x === null ? web.losses : [...web.losses, ...x.losses],
  }
}

/**
 * Encodes `tools`, `tool_choice`, `parallel_tool_calls`, and the searches that plugins and `x_search_filter` request.
 */
export function encodeTools(request: Request, target: UpstreamContext): EncodedTools {
  const { quirks, origins } = target
  const { tool_choice: choice, parallel_tool_calls: parallel, x_search_filter } = request
  const style = quirks.webSearch ?? 'openai'
  if (x_search_filter !== null && style !== 'xai' && style !== 'openrouter') {
    return refuse('x_search_filter', 'this upstream cannot search X; choose a model of xAI, or leave it out')
  }
  const searches = encodeSearches(request, style)
  const spaces = namespacesOf(request, quirks)
  const inPlace = toolsInPlace(request, quirks)
  const encoded = request.tools.map((tool, at) => encodeTool(toOwnName(tool, spaces), at, target, style))
  const isPlaced = request.tools.map((tool) => inPlace.has(tool))
  const own = encoded.map((one, at) => {
    if (!isTool(one) || isPlaced[at] === true) return null
    origins?.add(one.tool, `tools[${at}]`)
    return one.tool
  })
  const tools = [...inNamespaces(own, request.tools, spaces), ...searches.tools]
  // With those of the input.
  const all = [...tools, ...encoded.flatMap((one, at) => (isTool(one) && isPlaced[at] === true ? [one.tool] : []))]
  if (mustCall(choice) && all.length === 0) {
    return refuse('tool_choice', NO_TOOL_TO_CALL)
  }
  if (!isPossible(choice, all, spaces))
    return refuse(
      'tool_choice',
      'this upstream does not support the tool that must be called; send another tool, or auto',
    )
  const refused = quirks.refuses?.includes('parallel_tool_calls') === true
  return {
    ok: true,
    fields: {
      ...searches.fields,
      ...(tools.length === 0 ? {} : { tools }),
      ...(all.length === 0 || choice === null
        ? {}
        : { tool_choice: encodeChoice(request, choice, style, all, spaces) }),
      ...(all.length === 0 || parallel === null || refused ? {} : { parallel_tool_calls: parallel }),
    },
    losses: [
      ...encoded.flatMap((it, at) => (!isTool(it) ? [it] : isPlaced[at] === true ? [] : it.losses)),
      ...searches.losses,
      ...(refused && parallel === false ? [dropped('parallel_tool_calls', 'this upstream has no such setting')] : []),
    ],
  }
}
