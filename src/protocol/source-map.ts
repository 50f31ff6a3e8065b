import type { GatewayError } from './error.ts'
import type { Loss } from './loss.ts'
import type { Tool } from './request.ts'

/** Translates a path of a request to that of an earlier form of it; null for a field that the earlier form does not have. */
export type PathMap = (path: string) => string | null

/**
 * Translates the paths of a request to those of the body that the client sent, whatever happened to the request in
 * between: it was decoded from another protocol, and its tools have moved or were replaced.
 */
export interface SourceMap {
  /** Null for a field that the client did not send. */
  readonly toClientPath: PathMap
  /** The client's own paths of which an item, a part of an item or a tool was read: several for one that was joined. */
  readonly originsOf: (path: string) => readonly string[]
  /** The same failure with the client's own path, also where the message begins with the path. */
  readonly toClientError: (error: GatewayError) => GatewayError
  /** The same losses with the client's own paths, without those of values that the client did not send. */
  readonly toClientLosses: (losses: readonly Loss[]) => readonly Loss[]
  /**
   * The map for a request with these tools. `search`: the client's path of the search that the other tools stand for;
   * left out, it stays as it is.
   */
  readonly withTools: (tools: readonly Tool[], search?: string | null) => SourceMap
}

const withTranslations = (map: Pick<SourceMap, 'toClientPath' | 'originsOf' | 'withTools'>): SourceMap => ({
  toClientPath: map.toClientPath,
  originsOf: map.originsOf,
  withTools: map.withTools,
  toClientError(error) {
    const { param, message } = error
    if (param === null) return error
    const path = map.toClientPath(param) ?? param
    return {
      ...error,
      param: path,
      message: message.startsWith(`${param}:`) ? path + message.slice(param.length) : message,
    }
  },
  toClientLosses: (losses) =>
    losses.length === 0
      ? losses
      : losses.flatMap((loss) => {
          const path = map.toClientPath(loss.path)
          return path === null ? [] : [{ ...loss, path }]
        }),
})

const ITEM = /^input\[(\d+)\](?:\.(?:content|output)\[(\d+)\])?$/

/**
 * Creates the map of a request that was just read. `toBodyPath`: translates the paths of the request as it was read;
 * `toolPaths`: the path of each of its tools there, which are recognised by their identity; `partPaths`: the client's paths
 * of the parts of its items, empty where they are that of the item; `tools`, `search`: as for `withTools`.
 */
export function createSourceMap(
  toBodyPath: PathMap,
  toolPaths: ReadonlyMap<Tool, string> = new Map(),
  partPaths: readonly (readonly string[])[] = [],
  tools: readonly Tool[] = [...toolPaths.keys()],
  search: string | null = null,
): SourceMap {
  const toClientPath: PathMap = (path) => {
    const [entry = '', index] = /^tools\[(\d+)\]/.exec(path) ?? []
    const tool = tools[Number(index)]
    if (tool === undefined) return toBodyPath(path)
    const [toolPath, inside] = [toolPaths.get(tool), path.slice(entry.length)]
    return toolPath === undefined ? inSearch(tool, inside, search ?? 'tools') : toBodyPath(toolPath + inside)
  }
  return withTranslations({
    toClientPath,
    originsOf(path) {
      const [, item, part] = ITEM.exec(path) ?? []
      const parts = partPaths[Number(item)] ?? []
      const own = part === undefined || parts.length === 0 ? toClientPath(path) : (parts[Number(part)] ?? null)
      if (own === null) return []
      // An item of several places, such as the texts of a stream, has the path of the first.
      return part === undefined && !parts.every((inner) => inner.startsWith(own)) ? parts : [own]
    },
    withTools: (now, found = search) => createSourceMap(toBodyPath, toolPaths, partPaths, now, found),
  })
}

/** The map of a request whose body was made from another one. `toOuterPath`: translates the paths of the body. */
export const mapThrough = (map: SourceMap, toOuterPath: PathMap): SourceMap =>
  withTranslations({
    toClientPath(path) {
      const inner = map.toClientPath(path)
      return inner === null ? null : toOuterPath(inner)
    },
    originsOf: (path) => map.originsOf(path).flatMap((inner) => toOuterPath(inner) ?? []),
    withTools: (now, search) => mapThrough(map.withTools(now, search), toOuterPath),
  })

/**
 * The map of a request in which entries have moved. `places`: the earlier index of each entry; null for one that is new.
 * `others`: translates the other paths.
 */
export const movedEntries =
  (
    places: {
      readonly input?: readonly (number | null)[]
      readonly tools?: readonly number[]
      readonly include?: readonly number[]
    },
    others: PathMap = (path) => path,
  ): PathMap =>
  (path) => {
    const [entry, list, index] = /^(input|tools|include)\[(\d+)\]/.exec(path) ?? []
    if (entry === undefined) return others(path)
    const place = places[list as keyof typeof places]?.[Number(index)]
    return place === undefined ? path : place === null ? null : `${list}[${place}]${path.slice(entry.length)}`
  }

/** Fields that the plugin names differently from the tool that replaces it. */
const PLUGIN_FIELDS: ReadonlyMap<string, string> = new Map([
  ['allowed_domains', 'include_domains'],
  ['excluded_domains', 'exclude_domains'],
])

/** Translates a path inside a tool of the gateway to the request for its search. Only a plugin has fields of its own. */
function inSearch(tool: Tool, inside: string, search: string): string {
  const [start = '', field = ''] = /^\.parameters\.([^.[]+)/.exec(inside) ?? []
  if (tool.type !== 'hosted' || field === '' || !search.startsWith('plugins[')) return search
  return `${search}.${PLUGIN_FIELDS.get(field) ?? field}${inside.slice(start.length)}`
}
