import type { HostedItem } from '../../../protocol/item.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { toArgumentObject } from '../../../responses/call-arguments.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { mediaTypeOf } from '../../shared/media-types.ts'

/** A step: its first members, and those that follow in a delta. */
interface WholeStep {
  readonly head: JsonObject & { readonly type: string }
  readonly rest: JsonObject
}

/** The names of the members that a step has from its beginning. */
const NAMES: ReadonlySet<string> = new Set(['type', 'id', 'call_id', 'name', 'server_name'])

/** Splits a step as Google streams it: the names are in its start, and the content is in one delta. */
export function splitStep(step: JsonObject): WholeStep {
  const entries = Object.entries(step)
  const head = Object.fromEntries(entries.filter(([name]) => NAMES.has(name)))
  return {
    head: { ...head, type: scalarToString(step.type) },
    rest: Object.fromEntries(entries.filter(([name]) => !NAMES.has(name))),
  }
}

const objectsIn = (value: unknown): readonly JsonObject[] => toArray(value).filter(isObject) as readonly JsonObject[]

const failedIf = (failed: boolean): JsonObject => (failed ? { is_error: true } : {})

function searchSteps(action: JsonObject, failed: boolean, id: string): readonly JsonObject[] {
  const { type, query, queries, url, sources } = action
  if (type === 'open_page' || type === 'find_in_page') {
    const page = scalarToString(url)
    return [
      { type: 'url_context_call', id, arguments: { urls: page === '' ? [] : [page] } },
      { type: 'url_context_result', call_id: id, result: [{ url: page, status: failed ? 'error' : 'success' }] },
    ]
  }
  const texts = toArray(queries).filter(isNonEmptyString)
  const all = texts.length > 0 ? texts : isNonEmptyString(query) ? [query] : []
  const pages = objectsIn(sources).flatMap(({ url: page, title }): readonly JsonObject[] =>
    isNonEmptyString(page) ? [{ url: page, ...(isNonEmptyString(title) ? { title } : {}) }] : [],
  )
  return [
    { type: 'google_search_call', id, arguments: { queries: all } },
    { type: 'google_search_result', call_id: id, result: pages, ...failedIf(failed) },
  ]
}

const logsIn = (outputs: unknown): string =>
  objectsIn(outputs)
    .map(({ logs }) => scalarToString(logs))
    .join('')

function mcpSteps({ fields }: HostedItem, failed: boolean, id: string): readonly JsonObject[] {
  const { name, server_label: server_name, arguments: args, output, error } = fields
  const names = { name: scalarToString(name), server_name: scalarToString(server_name) }
  const text = isNonEmptyString(error) ? error : scalarToString(output)
  return [
    { type: 'mcp_server_tool_call', id, ...names, arguments: toArgumentObject(scalarToString(args)) ?? {} },
    { type: 'mcp_server_tool_result', call_id: id, ...names, result: text, ...failedIf(failed || text === error) },
  ]
}

function imageSteps({ result, url, output_format: format }: JsonObject): readonly JsonObject[] {
  const mime_type = `image/${isNonEmptyString(format) ? format : 'png'}`
  const step = (content: JsonObject): readonly JsonObject[] => [{ type: 'model_output', content: [content] }]
  if (isNonEmptyString(url)) return step({ type: 'image', uri: url, mime_type: mediaTypeOf(url) ?? mime_type })
  return isNonEmptyString(result) ? step({ type: 'image', data: result, mime_type }) : []
}

/** Returns the steps of an item that its upstream ran: a call and its result, or an image of the answer. */
export function hostedSteps(item: HostedItem, id: string): readonly JsonObject[] {
  const { type, status, fields } = item
  const failed = status === 'failed'
  switch (type) {
    case 'web_search_call':
      return searchSteps(isObject(fields.action) ? (fields.action as JsonObject) : {}, failed, id)
    case 'code_interpreter_call':
      return [
        {
          type: 'code_execution_call',
          id,
          arguments: { code: scalarToString(fields.code), language: 'python' },
        },
        { type: 'code_execution_result', call_id: id, result: logsIn(fields.outputs), ...failedIf(failed) },
      ]
    case 'file_search_call': {
      const result = objectsIn(fields.results).map(({ file_id, filename, text }) => ({
        title: scalarToString(filename),
        text: scalarToString(text),
        file_search_store: scalarToString(file_id),
      }))
      return [
        { type: 'file_search_call', id },
        { type: 'file_search_result', call_id: id, result },
      ]
    }
    case 'mcp_call':
      return mcpSteps(item, failed, id)
    case 'image_generation_call':
      return imageSteps(fields)
    default:
      return []
  }
}
