import type { HostedItem, HostedItemType } from '../../../protocol/item.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { HOSTED_KINDS } from '../terms.ts'

const CALL = '_call'
const RESULT = '_result'

/** The kind of a hosted step, without `_call` or `_result`. */
export const hostedName = (type: string): string => type.slice(0, type.lastIndexOf('_'))

export const isHostedCall = (type: string): boolean => type.endsWith(CALL) && type !== 'function_call'
export const isHostedResult = (type: string): boolean => type.endsWith(RESULT) && type !== 'function_result'

const textsIn = (value: unknown): readonly string[] => toArray(value).filter(isNonEmptyString)

const textOf = (value: unknown): string => scalarToString(value)

const argumentsOf = ({ arguments: args }: JsonRecord): JsonRecord => (isObject(args) ? args : {})

const objectsIn = (value: unknown): readonly JsonRecord[] => toArray(value).filter(isObject)

/** Pages and places that a result lists. */
const sourcesOf = (result: JsonRecord | null): readonly JsonObject[] =>
  objectsIn(result?.result)
    .flatMap((found) => [found, ...objectsIn(found.places)])
    .flatMap(({ url, title, name }) => {
      const shown = [title, name].find(isNonEmptyString)
      return isNonEmptyString(url) ? [{ type: 'url', url, ...(shown === undefined ? {} : { title: shown }) }] : []
    })

function searchAction(call: JsonRecord, result: JsonRecord | null): JsonObject {
  const { queries, query } = argumentsOf(call)
  const all = isNonEmptyString(query) ? [query] : textsIn(queries)
  const sources = sourcesOf(result)
  return { type: 'search', query: all[0] ?? '', queries: all, ...(sources.length === 0 ? {} : { sources }) }
}

/** The text of a result: a text, the texts of a list of contents, or JSON. */
function outputOf({ result }: JsonRecord): string {
  if (typeof result === 'string') return result
  const contents = objectsIn(Array.isArray(result) ? result : isObject(result) ? result.content : null)
  const texts = contents.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  return texts.length > 0 && texts.length === contents.length ? texts.join('\n') : formatJson(result ?? null)
}

function codeOutputs(result: JsonRecord | null): Json {
  if (result === null) return null
  const images = objectsIn(result.result).flatMap(({ type, data, mime_type: mime }) =>
    type === 'image' && isNonEmptyString(data)
      ? [{ type: 'image', url: `data:${textOf(mime) || 'image/png'};base64,${data}` }]
      : [],
  )
  const texts = objectsIn(result.result).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  const logs = Array.isArray(result.result) ? texts.join('\n') : outputOf(result)
  return [...(logs === '' && images.length > 0 ? [] : [{ type: 'logs', logs }]), ...images]
}

const fileResults = (result: JsonRecord | null): Json =>
  result === null
    ? null
    : objectsIn(result.result).map(({ title, text, file_search_store: store }) => ({
        file_id: textOf(store),
        filename: textOf(title),
        text: textOf(text),
      }))

function mcpFields(name: string, call: JsonRecord, result: JsonRecord | null): JsonObject {
  const isOwn = name !== 'mcp_server_tool'
  const failed = result?.is_error === true
  const output = result === null ? null : outputOf(result)
  return {
    server_label: isOwn ? 'google' : textOf(call.server_name),
    name: isOwn ? name : textOf(call.name),
    arguments: typeof call.arguments === 'string' ? call.arguments : formatJson(call.arguments ?? {}),
    output: failed ? null : output,
    error: failed ? output : null,
  }
}

const item = (type: HostedItemType, status: string, fields: JsonObject): HostedItem => ({
  type,
  id: '',
  status,
  fields,
})

/** `url_context` opens several pages in one step; each of them has a status of its own. */
function openedPages(call: JsonRecord, result: JsonRecord | null, status: string): readonly HostedItem[] {
  const { urls, url } = argumentsOf(call)
  const pages = isNonEmptyString(url) ? [url] : textsIn(urls)
  const results = objectsIn(result?.result)
  return (pages.length === 0 ? [''] : pages).map((page, at) => {
    const own = results.find((found) => found.url === page) ?? results[at]
    const isBad = status === 'completed' && isNonEmptyString(own?.status) && own.status !== 'success'
    return item('web_search_call', isBad ? 'failed' : status, { action: { type: 'open_page', url: page } })
  })
}

/**
 * Returns the items of a hosted step, usually one. Without a result, it is still running. A step without a counterpart
 * in the Responses API becomes an `mcp_call`.
 */
export function hostedItems(call: JsonRecord, result: JsonRecord | null): readonly HostedItem[] {
  const name = hostedName(textOf(call.type))
  const status = result === null ? 'in_progress' : result.is_error === true ? 'failed' : 'completed'
  switch (lookup(HOSTED_KINDS, name)) {
    case 'search':
      return [item('web_search_call', status, { action: searchAction(call, result) })]
    case 'open':
      return openedPages(call, result, status)
    case 'files':
      return [item('file_search_call', status, { queries: [], results: fileResults(result) })]
    case 'code': {
      const { code } = argumentsOf(call)
      const fields = { code: typeof code === 'string' ? code : null, container_id: '', outputs: codeOutputs(result) }
      return [item('code_interpreter_call', status, fields)]
    }
    default:
      return [item('mcp_call', status, mcpFields(name, call, result))]
  }
}
