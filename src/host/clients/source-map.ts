import type { JsonObject } from '../../protocol/json.ts'
import { joinLosses, type Loss, mapLossPaths } from '../../protocol/loss.ts'
import type { Request, Tool } from '../../protocol/request.ts'
import { firstDifference } from '../../text/json-diff.ts'
import { valueAt } from '../../text/json-path.ts'
import { lookup } from '../../text/lookup.ts'
import type { WireName } from '../../wires/contract.ts'
import type { ParsedRequest } from './client-api.ts'

const IN_TOOL = /^tools\[(\d+)\]/

/**
 * Returns a source map from paths of the request that is sent on to the client's own paths, because tools may have
 * moved. `search` is the client's path of the requested search for which the gateway created a tool.
 */
export const clientPaths =
  ({ toolPaths, toClientPath }: ParsedRequest, search: string | null = null) =>
  ({ tools }: Pick<Request, 'tools'>) =>
  (path: string): string | null => {
    const [entry = '', index] = IN_TOOL.exec(path) ?? []
    const tool = index === undefined ? undefined : tools[Number(index)]
    if (tool === undefined) return toClientPath(path)
    const toolPath = toolPaths.get(tool)
    const inside = path.slice(entry.length)
    return toolPath === undefined ? inSearch(tool, inside, search ?? 'tools') : toClientPath(toolPath + inside)
  }

/** Fields that the plugin names differently from the tool that replaces it. */
const PLUGIN_FIELDS: Readonly<Record<string, string>> = {
  allowed_domains: 'include_domains',
  excluded_domains: 'exclude_domains',
}

/**
 * Translates a path inside a tool of the gateway to the request for its search. Only a plugin has fields of its own.
 */
function inSearch(tool: Tool, inside: string, search: string): string {
  const [start = '', field = ''] = /^\.parameters\.([^.[]+)/.exec(inside) ?? []
  if (tool.type !== 'hosted' || field === '' || !search.startsWith('plugins[')) return search
  return `${search}.${lookup(PLUGIN_FIELDS, field) ?? field}${inside.slice(start.length)}`
}

/** The request for an upstream. */
interface Written {
  readonly wire: WireName
  readonly body: JsonObject
  readonly losses: readonly Loss[]
}

/**
 * A field that reaches an upstream of the client's own wire under the same path and with the same value was not mapped.
 */
const arrives =
  ({ sent }: ParsedRequest, { wire, body }: Written) =>
  ({ action, path }: Loss): boolean => {
    if (action !== 'mapped' || sent.wire !== wire) return false
    const value = valueAt(sent.body, path)
    return value !== undefined && firstDifference(value, valueAt(body, path)) === null
  }

/** All losses between the client and its upstream, without repetitions, with the client's own paths. */
export function clientLosses(
  parsed: ParsedRequest,
  written: Written,
  toPath: (path: string) => string | null,
): readonly Loss[] {
  const found = joinLosses(parsed.losses, mapLossPaths(written.losses, toPath))
  const isNone = arrives(parsed, written)
  return found.filter((loss) => !isNone(loss))
}
