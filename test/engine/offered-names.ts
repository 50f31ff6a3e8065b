import { isObject } from '../../src/text/json.ts'
import { flatName } from '../../src/validation/namespaces.ts'
import type { Loose } from './encoded-call.ts'

/** The names of the functions in a list of tools of any wire, those of namespaces joined. */
const namesIn = (tools: readonly Loose[]): readonly string[] =>
  tools.flatMap((tool): readonly string[] => {
    if (tool.type === 'namespace') return namesIn(tool.tools).map((name) => flatName(tool.name, name))
    if (Array.isArray(tool.functionDeclarations)) return namesIn(tool.functionDeclarations)
    const { name } = tool.function ?? tool.toolSpec ?? tool
    return typeof name === 'string' ? [name] : []
  })

/** The names of the functions that a body of any wire offers to the model, in their order. */
export function offeredNames(body: Loose): readonly string[] {
  const tools = isObject(body.toolConfig) && Array.isArray(body.toolConfig.tools) ? body.toolConfig.tools : body.tools
  const added = (Array.isArray(body.input) ? body.input : []).filter(({ type }: Loose) => type === 'additional_tools')
  return [...namesIn(tools ?? []), ...added.flatMap((item: Loose) => namesIn(item.tools))]
}
