import type { HostedItem, HostedItemType } from '../../protocol/item.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject, isText, parseJson, toArray } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import type { Answering } from '../client.ts'
import { toHostedId } from './hosted-ids.ts'
import { isServerBlock } from './sealed.ts'
import type { Bag } from './state.ts'

/** The blocks of a tool that an upstream has run: its call, and what it gave as far as that is known. */
type Blocks = readonly JsonObject[]

/** The very blocks that the vendor of this wire gave; null where it was another's. */
function ownBlocks(item: HostedItem, open: Answering['open']): Blocks | null {
  const sealed = item.fields.encrypted_content
  const payload = isText(sealed) ? open(sealed) : undefined
  if (!isObject(payload)) return null
  if (payload.type === 'compaction') return [payload as JsonObject]
  return payload.type === 'server_tool' ? (toArray(payload.blocks).filter(isServerBlock) as Blocks) : null
}

const isRunning = ({ status }: HostedItem): boolean => status === 'in_progress' || status === 'incomplete'
const hasFailed = ({ status }: HostedItem): boolean => status === 'failed'

const call = (id: string, name: string, input: JsonObject): JsonObject => ({ type: 'server_tool_use', id, name, input })

/** An item that is not over has no result yet. */
const withResult = (item: HostedItem, told: JsonObject, result: JsonObject): Blocks =>
  isRunning(item) ? [told] : [told, result]

/** A page that was found. Its text is known to its own vendor only. */
function page(source: Json): readonly JsonObject[] {
  if (!isObject(source) || !isText(source.url)) return []
  const { url, title } = source
  return [{ type: 'web_search_result', url, title: isText(title) ? title : url, encrypted_content: '', page_age: null }]
}

/** Only a search has a form of theirs: a page that was opened comes with its text there. */
function search(item: HostedItem): Blocks {
  const action: Bag = isObject(item.fields.action) ? item.fields.action : {}
  if (action.type !== 'search') return []
  const queries = toArray(action.queries).filter(isText)
  const query = isText(action.query) ? action.query : queries.join('\n')
  const id = toHostedId('srvtoolu', item.id)
  const found = toArray(action.sources).flatMap((source) => page(source as Json))
  const error = { type: 'web_search_tool_result_error', error_code: 'unavailable' }
  const content = hasFailed(item) ? error : found
  return withResult(item, call(id, 'web_search', { query }), {
    type: 'web_search_tool_result',
    tool_use_id: id,
    content,
  })
}

function code(item: HostedItem): Blocks {
  const { fields } = item
  const id = toHostedId('srvtoolu', item.id)
  const logs = toArray(fields.outputs).flatMap((output) =>
    isObject(output) && typeof output.logs === 'string' ? [output.logs] : [],
  )
  const said = logs.join('')
  const content = hasFailed(item)
    ? { type: 'code_execution_result', stdout: '', stderr: said, return_code: 1, content: [] }
    : { type: 'code_execution_result', stdout: said, stderr: '', return_code: 0, content: [] }
  const input = { code: isText(fields.code) ? fields.code : '' }
  return withResult(item, call(id, 'code_execution', input), {
    type: 'code_execution_tool_result',
    tool_use_id: id,
    content,
  })
}

function remote(item: HostedItem): Blocks {
  const { server_label, name, arguments: json, output, error } = item.fields
  const id = toHostedId('mcptoolu', item.id)
  const input = isText(json) ? parseJson(json) : {}
  const text = isText(error) ? error : isText(output) ? output : ''
  const told = {
    type: 'mcp_tool_use',
    id,
    name: isText(name) ? name : '',
    server_name: isText(server_label) ? server_label : '',
    input: isObject(input) ? (input as JsonObject) : {},
  }
  return withResult(item, told, {
    type: 'mcp_tool_result',
    tool_use_id: id,
    is_error: isText(error) || hasFailed(item),
    content: text === '' ? [] : [{ type: 'text', text }],
  })
}

const KINDS: Partial<Record<HostedItemType, (item: HostedItem) => Blocks>> = {
  web_search_call: search,
  code_interpreter_call: code,
  mcp_call: remote,
}

/** An item that an upstream has run, in blocks; none where this family has none for it. */
export const hostedBlocks = (item: HostedItem, open: Answering['open']): Blocks =>
  ownBlocks(item, open) ??
  lookup(KINDS as Readonly<Record<string, (item: HostedItem) => Blocks>>, item.type)?.(item) ??
  []
