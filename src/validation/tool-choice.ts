import {
  type AddedTools,
  addedTools,
  type GivenChoice,
  type GivenTool,
  type QualifiedNames,
  type Request,
  type Tool,
  type ToolChoice,
  type ToolNames,
} from '../protocol/request.ts'
import { isNonEmptyString } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { flatName, flatten, toQualifiedNames } from './namespaces.ts'

/** The tools that are offered to an upstream, and the choice between them. */
interface ToolOffer {
  readonly tools: readonly Tool[]
  readonly tool_choice: ToolChoice | null
  readonly names: QualifiedNames
}

/**
 * Returns the name under which upstreams have a tool: its own; or the joined one if a namespace is given, or if no tool
 * has the name by itself and exactly one namespace has it.
 */
function toFlat(
  { name, namespace }: { readonly name: string; readonly namespace: string | null },
  tools: readonly Tool[],
  names: ToolNames,
): string {
  if (namespace !== null) return flatName(namespace, name)
  if (tools.some((tool) => tool.name === name)) return name
  const [found, ...more] = Object.entries(names).filter(([, qualified]) => qualified.name === name)
  return found === undefined || more.length > 0 ? name : found[0]
}

type Allowed = Extract<GivenChoice, { readonly type: 'allowed_tools' }>

type Entry = Allowed['tools'][number]

/** The names by which entries refer to tools: to those of a whole namespace, to hosted tools, to all others. */
interface Words {
  readonly namespaces: ReadonlySet<unknown>
  readonly hosted: ReadonlySet<unknown>
  readonly names: ReadonlySet<unknown>
}

/** MCP servers have one type and a label each. An entry without a label stands for all of them. */
const hostedWord = ({ type, server_label: label }: Entry): unknown =>
  type === 'mcp' && isNonEmptyString(label) ? `mcp ${label}` : type

const wordsOfEntries = (entries: readonly Entry[]): Words => {
  const single = entries.filter(({ type }) => type !== 'namespace')
  return {
    namespaces: new Set(
      entries.filter(({ type, name }) => type === 'namespace' && isNonEmptyString(name)).map(({ name }) => name),
    ),
    hosted: new Set(single.map(hostedWord)),
    names: new Set(single.map(({ name }) => name).filter(isNonEmptyString)),
  }
}

const hostedWords = ({ name, fields }: Extract<Tool, { readonly type: 'hosted' }>): readonly unknown[] => [
  name,
  hostedWord({ ...fields, type: name }),
]

/** `allowed_tools` is carried as the same request without the other tools, so that every wire can express it. */
function isAllowed(allowed: Allowed, names: ToolNames): (tool: Tool) => boolean {
  const words = wordsOfEntries(allowed.tools)
  return (tool) => {
    const { name } = tool
    const qualified = lookup(names, name)
    if (qualified !== undefined && words.namespaces.has(qualified.namespace)) return true
    if (tool.type === 'hosted') return hostedWords(tool).some((word) => words.hosted.has(word))
    return words.names.has(name) || (qualified !== undefined && words.names.has(qualified.name))
  }
}

/** `added`: the tools of the input, which follow those of `tools`. */
export function toToolOffer(
  given: readonly GivenTool[],
  choice: GivenChoice | null,
  added: readonly AddedTools[] = [],
): ToolOffer {
  const own = flatten(given)
  const tools = added.length === 0 ? own : [...own, ...added.flatMap((list) => list.tools)]
  const names = toQualifiedNames(added.length === 0 ? given : [...given, ...added.flatMap((list) => list.given)])
  if (choice === null || typeof choice === 'string') return { tools, tool_choice: choice, names }
  if (choice.type === 'hosted') return { tools, tool_choice: choice, names }
  if (choice.type === 'allowed_tools') {
    return { tools: tools.filter(isAllowed(choice, names)), tool_choice: choice.mode, names }
  }
  return { tools, tool_choice: { type: choice.type, name: toFlat(choice, tools, names) }, names }
}

const pathsOf = (given: readonly GivenTool[], list: string): readonly string[] =>
  given.flatMap((tool, at) =>
    tool.type === 'namespace' ? tool.tools.map((_, inner) => `${list}[${at}].tools[${inner}]`) : [`${list}[${at}]`],
  )

/**
 * Returns the path of each offered tool in the body: `tools[2]`, or `tools[2].tools[0]` in a namespace, or
 * `input[0].tools[2]`.
 */
export function toolPaths({
  tools,
  given,
  names,
  input = [],
}: Pick<Request, 'tools' | 'given' | 'names'> & Partial<Pick<Request, 'input'>>): ReadonlyMap<Tool, string> {
  const { tools: own, tool_choice: choice } = given
  const added = addedTools(input)
  const paths = [...pathsOf(own, 'tools'), ...added.flatMap((list) => pathsOf(list.given, `input[${list.at}].tools`))]
  const narrowed = typeof choice === 'object' && choice?.type === 'allowed_tools'
  const all = [...flatten(own), ...added.flatMap((list) => list.tools)]
  const kept = narrowed ? all.map(isAllowed(choice, names)) : null
  const shown = kept === null ? paths : paths.filter((_, at) => kept[at] === true)
  return new Map(tools.map((tool, at) => [tool, shown[at] ?? 'tools']))
}

/** A name that no tool has, and its path. */
interface UnknownTool {
  readonly path: readonly (string | number)[]
  readonly name: string
}

/** Returns a tool that is named but not given, which no upstream could interpret; null if there is none. */
export function unknownTool(given: readonly GivenTool[], choice: GivenChoice | null): UnknownTool | null {
  if (choice === null || typeof choice === 'string') return null
  if (choice.type === 'allowed_tools') return unknownAllowed(given, choice)
  const { tools, tool_choice: forced } = toToolOffer(given, choice)
  if (forced === null || typeof forced === 'string') return null
  const found = tools.some(({ type, name }) => type === forced.type && name === forced.name)
  return found ? null : { path: ['tool_choice', 'name'], name: forced.name }
}

/** An unknown entry is an error, because dropping it silently would change the list. */
function unknownAllowed(given: readonly GivenTool[], allowed: Allowed): UnknownTool | null {
  const { namespaces, hosted, names } = wordsOfTools(given)
  const at = allowed.tools.findIndex((entry) =>
    entry.type === 'namespace'
      ? !namespaces.has(entry.name)
      : !hosted.has(hostedWord(entry)) && (entry.type === 'mcp' || !names.has(entry.name)),
  )
  const { type, name } = allowed.tools[at] ?? {}
  if (at < 0) return null
  const path = ['tool_choice', 'tools', at]
  return isNonEmptyString(name) ? { path: [...path, 'name'], name } : { path: [...path, 'type'], name: String(type) }
}

function wordsOfTools(given: readonly GivenTool[]): Words {
  const qualified = Object.values(toQualifiedNames(given))
  const tools = flatten(given)
  return {
    namespaces: new Set(qualified.map(({ namespace }) => namespace)),
    hosted: new Set(tools.flatMap((tool) => (tool.type === 'hosted' ? hostedWords(tool) : []))),
    names: new Set([...tools.filter(({ type }) => type !== 'hosted'), ...qualified].map(({ name }) => name)),
  }
}
