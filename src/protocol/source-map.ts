import type { GatewayError } from './error.ts'
import type { Loss } from './loss.ts'
import type { Tool } from './request.ts'

/** Translates a path of a Responses request to the client's own; null for a field that the client did not send. */
export type PathMap = (path: string) => string | null

/**
 * Translates the paths of a request to those of the body that the client sent, whatever happened to the request in
 * between: it was decoded from another protocol, and its tools have moved or were replaced.
 */
export interface SourceMap {
  /** Null for a field that the client did not send. */
  readonly toClientPath: PathMap
  /** The client's own paths of which an item, a part of an item or a tool was read: several for one that was joined. */
  originsOf(path: string): readonly string[]
  /** The same failure with the client's own path, also where the message begins with the path. */
  toClientError(error: GatewayError): GatewayError
  /**
   * The same losses with the client's own paths. A loss without such a path is left out, because it is about a value
   * that the client did not send.
   */
  toClientLosses(losses: readonly Loss[]): readonly Loss[]
  /**
   * The map for a request with these tools. `search`: the client's path of the search that the other tools stand for;
   * left out, it stays as it is.
   */
  withTools(tools: readonly Tool[], search?: string | null): SourceMap
}

/** For each item of a request, the client's paths of its parts; empty where they are that of the item. */
export type PartPaths = readonly (readonly string[])[]

interface Tools {
  /** The path of each tool in the request as it was read. Tools are recognised by their identity. */
  readonly paths: ReadonlyMap<Tool, string>
  /** The tools that the request has now. */
  readonly now: readonly Tool[]
  readonly search: string | null
}

/**
 * Creates the map of a request that was just read. `toBodyPath`: translates the paths of the request as it was read;
 * `toolPaths`: the path of each of its tools there; `partPaths`: the client's paths of the parts of its items.
 */
export const createSourceMap = (
  toBodyPath: PathMap,
  toolPaths: ReadonlyMap<Tool, string> = new Map(),
  partPaths: PartPaths = [],
): SourceMap => mapWith(toBodyPath, { paths: toolPaths, now: [...toolPaths.keys()], search: null }, partPaths)

const ITEM = /^input\[(\d+)\](?:\.(?:content|output)\[(\d+)\])?$/

function mapWith(toBodyPath: PathMap, tools: Tools, partPaths: PartPaths): SourceMap {
  const toClientPath: PathMap = (path) => findPath(path, toBodyPath, tools)
  return {
    toClientPath,
    originsOf(path) {
      const [, item, part] = ITEM.exec(path) ?? []
      const parts = partPaths[Number(item)] ?? []
      const own = part === undefined || parts.length === 0 ? toClientPath(path) : (parts[Number(part)] ?? null)
      if (own === null) return []
      // An item of several places, such as the texts of a stream, has the path of the first.
      return part === undefined && !parts.every((inner) => inner.startsWith(own)) ? parts : [own]
    },
    toClientError: (error) => withClientPath(error, toClientPath),
    toClientLosses: (losses) =>
      losses.flatMap((loss) => {
        const path = toClientPath(loss.path)
        return path === null ? [] : [{ ...loss, path }]
      }),
    withTools: (now, search = tools.search) => mapWith(toBodyPath, { ...tools, now, search }, partPaths),
  }
}

function withClientPath(error: GatewayError, toClientPath: PathMap): GatewayError {
  const { param, message } = error
  if (param === null) return error
  const path = toClientPath(param) ?? param
  return {
    ...error,
    param: path,
    message: message.startsWith(`${param}:`) ? path + message.slice(param.length) : message,
  }
}

/** The map of a request whose body was made from another one. `toOuterPath`: translates the paths of the body. */
export const mapThrough = (map: SourceMap, toOuterPath: PathMap): SourceMap => {
  const outer = createSourceMap(toOuterPath)
  return {
    toClientPath(path) {
      const inner = map.toClientPath(path)
      return inner === null ? null : toOuterPath(inner)
    },
    originsOf: (path) => map.originsOf(path).flatMap((inner) => toOuterPath(inner) ?? []),
    toClientError: (error) => outer.toClientError(map.toClientError(error)),
    toClientLosses: (losses) => outer.toClientLosses(map.toClientLosses(losses)),
    withTools: (now, search) => mapThrough(map.withTools(now, search), toOuterPath),
  }
}

const IN_TOOL = /^tools\[(\d+)\]/

function findPath(path: string, toBodyPath: PathMap, { paths, now, search }: Tools): string | null {
  const [entry = '', index] = IN_TOOL.exec(path) ?? []
  const tool = index === undefined ? undefined : now[Number(index)]
  if (tool === undefined) return toBodyPath(path)
  const toolPath = paths.get(tool)
  const inside = path.slice(entry.length)
  return toolPath === undefined ? inSearch(tool, inside, search ?? 'tools') : toBodyPath(toolPath + inside)
}

/** Fields that the plugin names differently from the tool that replaces it. */
const PLUGIN_FIELDS: ReadonlyMap<string, string> = new Map([
  ['allowed_domains', 'include_domains'],
  ['excluded_domains', 'exclude_domains'],
])

/**
 * Translates a path inside a tool of the gateway to the request for its search. Only a plugin has fields of its own.
 */
function inSearch(tool: Tool, inside: string, search: string): string {
  const [start = '', field = ''] = /^\.parameters\.([^.[]+)/.exec(inside) ?? []
  if (tool.type !== 'hosted' || field === '' || !search.startsWith('plugins[')) return search
  return `${search}.${PLUGIN_FIELDS.get(field) ?? field}${inside.slice(start.length)}`
}
