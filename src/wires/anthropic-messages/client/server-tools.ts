import type { HostedItem, HostedItemType } from '../../../protocol/item.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, parseJson, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { EncodeContext } from '../../client-contract.ts'
import { isServerBlock } from '../encrypted-blocks.ts'
import { areTitled, type PendingPages, pagesOf, resultBlock } from './search-results.ts'
import { toServerToolId } from './server-tool-ids.ts'

/** The blocks of a hosted tool: its call, and its result as far as it is known. */
type Blocks = readonly JsonObject[]

/** Returns the original blocks if the vendor of this wire issued them; null for an item of another vendor. */
function ownBlocks(item: HostedItem, open: EncodeContext['open']): Blocks | null {
  const sealed = item.fields.encrypted_content
  const payload = isNonEmptyString(sealed) ? open(sealed) : undefined
  if (!isObject(payload)) return null
  if (payload.type === 'compaction') return [payload as JsonObject]
  return payload.type === 'server_tool' ? (toArray(payload.blocks).filter(isServerBlock) as Blocks) : null
}

const isRunning = ({ status }: HostedItem): boolean => status === 'in_progress' || status === 'incomplete'
const hasFailed = ({ status }: HostedItem): boolean => status === 'failed'

const call = (id: string, name: string, input: JsonObject): JsonObject => ({ type: 'server_tool_use', id, name, input })

/** An item in progress has no result yet. */
const withResult = (item: HostedItem, use: JsonObject, result: JsonObject): Blocks =>
  isRunning(item) ? [use] : [use, result]

/** The blocks of a search that ended; or its call alone, and the pages that wait for their titles. */
interface SearchBlocks {
  readonly blocks: Blocks
  readonly pending: PendingPages | null
}

/**
 * Only a search can be expressed in this API, which returns an opened page with its text; that text is unknown here.
 */
function searchBlocks(item: HostedItem): SearchBlocks {
  const action: JsonRecord = isObject(item.fields.action) ? item.fields.action : {}
  if (action.type !== 'search') return { blocks: [], pending: null }
  const queries = toArray(action.queries).filter(isNonEmptyString)
  const query = isNonEmptyString(action.query) ? action.query : queries.join('\n')
  const id = toServerToolId('srvtoolu', item.id)
  const use = call(id, 'web_search', { query })
  if (isRunning(item)) return { blocks: [use], pending: null }
  if (hasFailed(item)) {
    const content = { type: 'web_search_tool_result_error', error_code: 'unavailable' }
    return { blocks: [use, { type: 'web_search_tool_result', tool_use_id: id, content }], pending: null }
  }
  const pages = pagesOf(item)
  return areTitled(pages)
    ? { blocks: [use, resultBlock(id, pages)], pending: null }
    : { blocks: [use], pending: { id, pages: pages ?? [] } }
}

function code(item: HostedItem): Blocks {
  const { fields } = item
  const id = toServerToolId('srvtoolu', item.id)
  const logs = toArray(fields.outputs).flatMap((output) =>
    isObject(output) && typeof output.logs === 'string' ? [output.logs] : [],
  )
  const output = logs.join('')
  const content = hasFailed(item)
    ? { type: 'code_execution_result', stdout: '', stderr: output, return_code: 1, content: [] }
    : { type: 'code_execution_result', stdout: output, stderr: '', return_code: 0, content: [] }
  const input = { code: isNonEmptyString(fields.code) ? fields.code : '' }
  return withResult(item, call(id, 'code_execution', input), {
    type: 'code_execution_tool_result',
    tool_use_id: id,
    content,
  })
}

function remote(item: HostedItem): Blocks {
  const { server_label, name, arguments: json, output, error } = item.fields
  const id = toServerToolId('mcptoolu', item.id)
  const input = isNonEmptyString(json) ? parseJson(json) : {}
  const failure = isObject(error) ? formatJson(error) : isNonEmptyString(error) ? error : ''
  const text = failure !== '' ? failure : isNonEmptyString(output) ? output : ''
  const use = {
    type: 'mcp_tool_use',
    id,
    name: isNonEmptyString(name) ? name : '',
    server_name: isNonEmptyString(server_label) ? server_label : '',
    input: isObject(input) ? (input as JsonObject) : {},
  }
  return withResult(item, use, {
    type: 'mcp_tool_result',
    tool_use_id: id,
    is_error: failure !== '' || hasFailed(item),
    content: text === '' ? [] : [{ type: 'text', text }],
  })
}

const KINDS: Partial<Record<HostedItemType, (item: HostedItem) => Blocks>> = {
  code_interpreter_call: code,
  mcp_call: remote,
}

/** Encodes an item of a hosted tool as blocks; none if this API has no blocks for it. */
export function hostedBlocks(item: HostedItem, open: EncodeContext['open']): SearchBlocks {
  const own = ownBlocks(item, open)
  if (own !== null) return { blocks: own, pending: null }
  if (item.type === 'web_search_call') return searchBlocks(item)
  const kinds = KINDS as Readonly<Record<string, (item: HostedItem) => Blocks>>
  return { blocks: lookup(kinds, item.type)?.(item) ?? [], pending: null }
}
