import type { InputItem, Request, Tool } from '../../protocol/request.ts'
import { createSourceMap } from '../../protocol/source-map.ts'
import { lookup } from '../../text/lookup.ts'
import { fittingNames, type ToolNameStyle, toToolName } from '../../validation/namespaces.ts'
import { type BodyShape, shapeOf } from '../../wires/body-contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import type { CallInput } from '../../wires/shared/upstream/conversation.ts'
import type { Pass } from './pass.ts'

type Rename = (name: string) => string

const isCall = (item: InputItem): item is CallInput => item.type === 'function_call' || item.type === 'custom_tool_call'

const isNamed = (tool: Tool): boolean => tool.type !== 'hosted'

/** `tools`: the tools of the request with their new names, which an item may add. */
function withNames(item: InputItem, rename: Rename, tools: ReadonlyMap<Tool, Tool>): InputItem {
  if (isCall(item)) return { ...item, name: rename(item.name) }
  if (item.type !== 'other' || item.added === undefined) return item
  return { ...item, added: { ...item.added, tools: item.added.tools.map((tool) => tools.get(tool) ?? tool) } }
}

/** The names that do not fit, as the upstream receives them. */
function newNames({ tools, input }: Request, style: ToolNameStyle): ReadonlyMap<string, string> | null {
  if (tools.length === 0 && !input.some(isCall)) return null
  const all = new Set<string>()
  for (const tool of tools) if (isNamed(tool)) all.add(tool.name)
  for (const item of input) if (isCall(item)) all.add(item.name)
  return fittingNames(all, (name) => toToolName(name, style))
}

function renamed(request: Request, names: ReadonlyMap<string, string>): Request {
  const rename: Rename = (name) => names.get(name) ?? name
  const { tool_choice: choice } = request
  const own = [...names].map(([name, fitting]) => [fitting, lookup(request.names, name) ?? { namespace: null, name }])
  const tools = new Map(
    request.tools.map((tool) => [
      tool,
      isNamed(tool) && names.has(tool.name) ? { ...tool, name: rename(tool.name) } : tool,
    ]),
  )
  return {
    ...request,
    tools: [...tools.values()],
    tool_choice:
      choice === null || typeof choice === 'string' || choice.type === 'hosted'
        ? choice
        : { ...choice, name: rename(choice.name) },
    input: request.input.map((item) => withNames(item, rename, tools)),
    names: { ...request.names, ...Object.fromEntries(own) },
  }
}

/** The names that an upstream accepts; null if it accepts any. */
export const nameStyle = ({ toolNames: own }: Quirks, { names }: Pick<BodyShape, 'names'>): ToolNameStyle | null => {
  const style = own ?? names ?? 'any'
  return style === 'any' ? null : style
}

/**
 * Tools have names that the vendor accepts. Calls have the client's own names again, as those of tools in namespaces.
 */
export const toolNames: Pass = (client, { quirks, wire }) => {
  const style = nameStyle(quirks, shapeOf(wire))
  const names = style === null ? null : newNames(client.request, style)
  if (names === null || names.size === 0) return null
  const request = renamed(client.request, names)
  const places = new Map(request.tools.map((tool, at) => [tool, `tools[${at}]`]))
  const sourceMap = createSourceMap(client.sourceMap.toClientPath, places)
  return { client: { ...client, request, sourceMap, sent: { ...client.sent, isIntact: false } } }
}
