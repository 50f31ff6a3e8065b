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
  /**
   * The map for a request with these tools. `search`: the client's path of the search that the other tools stand for;
   * left out, it stays as it is.
   */
  withTools(tools: readonly Tool[], search?: string | null): SourceMap
}

interface Origins {
  /** Paths of the Responses request as it was read. */
  readonly toBodyPath: PathMap
  /** The path of each tool in that request. */
  readonly toolPaths: ReadonlyMap<Tool, string>
}

const IN_TOOL = /^tools\[(\d+)\]/

/** Creates the map of a request that was just read. Tools are recognised by their identity. */
export const createSourceMap = (origins: Origins, tools: readonly Tool[], search: string | null = null): SourceMap => ({
  toClientPath: (path) => {
    const [entry = '', index] = IN_TOOL.exec(path) ?? []
    const tool = index === undefined ? undefined : tools[Number(index)]
    if (tool === undefined) return origins.toBodyPath(path)
    const toolPath = origins.toolPaths.get(tool)
    const inside = path.slice(entry.length)
    return toolPath === undefined ? inSearch(tool, inside, search ?? 'tools') : origins.toBodyPath(toolPath + inside)
  },
  withTools: (moved, replaced = search) => createSourceMap(origins, moved, replaced),
})

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
