import type { JsonObject } from '../../../protocol/json.ts'
import type { GivenTool, NamedTool, Request, Tool } from '../../../protocol/request.ts'
import { flatName } from '../../../validation/namespaces.ts'
import type { Quirks } from '../../quirks.ts'
import { givenTools } from './added-tools.ts'

type Namespace = Extract<GivenTool, { readonly type: 'namespace' }>

/** A tool as the client gave it, in its namespace. */
interface NamespacedTool {
  readonly namespace: Namespace
  readonly tool: NamedTool
}

/** The tools of namespaces, by their joined names. */
export type Namespaces = ReadonlyMap<string, NamespacedTool>

/** Returns the tools of namespaces for an upstream that has them. */
export function namespacesOf(request: Request, { namespaces }: Quirks): Namespaces {
  if (namespaces !== true) return new Map()
  const places = givenTools(request).flatMap((namespace) =>
    namespace.type === 'namespace'
      ? namespace.tools.map((tool) => [flatName(namespace.name, tool.name), { namespace, tool }] as const)
      : [],
  )
  return new Map(places)
}

const placeOf = (tool: Tool | undefined, spaces: Namespaces): NamespacedTool | undefined =>
  tool === undefined || tool.type === 'hosted' ? undefined : spaces.get(tool.name)

/** Returns the tool with the name and the description that it has in its namespace. */
export function toOwnName(tool: Tool, spaces: Namespaces): Tool {
  const place = placeOf(tool, spaces)
  if (place === undefined || tool.type === 'hosted') return tool
  const { type, name, description } = place.tool
  // A custom tool that is sent as a function has a description of its own.
  return type === tool.type ? { ...tool, name, description } : { ...tool, name }
}

/**
 * Puts the tools of each namespace into one tool of type `namespace`, in the place of its first tool. `encoded`: the
 * encoded tools in the order of `tools`, null for those that are dropped.
 */
export function inNamespaces(
  encoded: readonly (JsonObject | null)[],
  tools: readonly Tool[],
  spaces: Namespaces,
): readonly JsonObject[] {
  const groups = new Map<Namespace, JsonObject[]>()
  return encoded.flatMap((one, at): readonly JsonObject[] => {
    if (one === null) return []
    const place = placeOf(tools[at], spaces)
    if (place === undefined) return [one]
    const { namespace } = place
    const group = groups.get(namespace)
    if (group !== undefined) {
      group.push(one)
      return []
    }
    const inner = [one]
    groups.set(namespace, inner)
    // OpenAI requires a description.
    return [{ type: 'namespace', name: namespace.name, description: namespace.description ?? '', tools: inner }]
  })
}
