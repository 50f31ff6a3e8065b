import type { Delta } from '../../../protocol/delta.ts'
import type { HostedItem } from '../../../protocol/item.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, parseJson } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { ServerCall } from './state.ts'

interface ServerResult {
  /** Objects with `text` or `json`. */
  readonly parts: readonly Json[]
  readonly failed: boolean
}

/** null until the result has arrived. */
type Parts = readonly Json[] | null

type HostedContent = Pick<HostedItem, 'type' | 'fields'>

const inputOf = ({ input }: ServerCall): JsonObject => {
  const value = parseJson(input)
  return isObject(value) ? (value as JsonObject) : {}
}

const textOf = (value: Json | undefined): string => (isNonEmptyString(value) ? value : '')

/** The sources of a search arrive as citations; its result is hidden. */
const search = (call: ServerCall): HostedContent => ({
  type: 'web_search_call',
  fields: { action: { type: 'search', query: textOf(inputOf(call).query) } },
})

function runCode(call: ServerCall, result: Parts): HostedContent {
  const outputs = (result ?? []).flatMap((part): JsonObject[] => {
    const { json } = isObject(part) ? part : {}
    if (!isObject(json)) return []
    const logs = [json.stdOut, json.stdErr].filter(isNonEmptyString).join('\n')
    return [{ type: 'logs', logs }]
  })
  const code = textOf(inputOf(call).snippet)
  return {
    type: 'code_interpreter_call',
    fields: { code, container_id: '', outputs: result === null ? null : outputs },
  }
}

/** The nearest item for an unknown tool is a call of a remote MCP server. */
function other({ name, input }: ServerCall, result: Parts): HostedContent {
  const output = result === null ? null : result.map(partText).join('\n')
  return { type: 'mcp_call', fields: { server_label: 'bedrock', name, arguments: input, output, error: null } }
}

function partText(part: Json): string {
  if (!isObject(part)) return ''
  return isNonEmptyString(part.text) ? part.text : formatJson(part.json ?? null)
}

const TOOLS: Readonly<Record<string, typeof other>> = {
  nova_grounding: search,
  nova_code_interpreter: runCode,
}

/** Returns the delta for a call that Bedrock executes itself, with the result if it is known. */
export function hostedDelta(call: ServerCall, result: ServerResult | null): Delta {
  const { type, fields } = (lookup(TOOLS, call.name) ?? other)(call, result?.parts ?? null)
  const status = result?.failed === true ? 'failed' : 'completed'
  return { kind: 'hosted', key: call.key, item: { type, id: '', status, fields }, done: result !== null }
}
