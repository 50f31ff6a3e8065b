import type { HostedItem, HostedItemType } from '../protocol/item.ts'
import type { JsonObject } from '../protocol/json.ts'
import { isNonEmptyString } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'

/** A call of a tool that the upstream ran itself, with its result, as interfaces show any call. */
interface ExecutedCall {
  readonly tool: string
  readonly input: JsonObject
  readonly output: JsonObject
  readonly isFailed: boolean
  /** The generated image in base64; null if there is none. */
  readonly image: { readonly mediaType: string; readonly data: string } | null
}

/** The name of the tool, and the members of the item that are its input; all others are its output. */
const TOOLS: Readonly<Partial<Record<HostedItemType, readonly [tool: string, ...input: string[]]>>> = {
  web_search_call: ['web_search', 'action'],
  file_search_call: ['file_search', 'queries'],
  code_interpreter_call: ['code_interpreter', 'code', 'container_id'],
  image_generation_call: ['image_generation', 'prompt'],
  mcp_call: ['mcp', 'server_label', 'name', 'arguments'],
}

/** The name of the tool of a hosted item; null for items that are no call with a result. */
export const hostedTool = ({ type, fields }: HostedItem): string | null => {
  const tool = lookup(TOOLS, type)?.[0] ?? null
  return tool === 'mcp' && isNonEmptyString(fields.name) ? `mcp.${fields.name}` : tool
}

/** A finished item as a call; null for items that are no call with a result: these are passed on as they are. */
export function toExecutedCall(item: HostedItem): ExecutedCall | null {
  const { type, status, fields } = item
  const tool = hostedTool(item)
  const row = lookup(TOOLS, type)
  if (tool === null || row === undefined) return null
  const { result, ...others } = fields
  const image = type === 'image_generation_call' && isNonEmptyString(result) ? result : null
  const entries = Object.entries(image === null ? fields : others)
  const isInput = (name: string): boolean => row.indexOf(name, 1) > 0
  return {
    tool,
    input: Object.fromEntries(entries.filter(([name]) => isInput(name))),
    output: { status, ...Object.fromEntries(entries.filter(([name]) => !isInput(name))) },
    isFailed: status === 'failed' || status === 'incomplete',
    image: image === null ? null : { mediaType: mediaTypeOf(fields), data: image },
  }
}

const mediaTypeOf = ({ output_format }: JsonObject): string =>
  `image/${isNonEmptyString(output_format) ? output_format : 'png'}`

/** An item with its members at one level, as clients of the Responses API have it. */
export const flatItem = ({ type, id, status, fields }: HostedItem): JsonObject => ({ ...fields, type, id, status })
