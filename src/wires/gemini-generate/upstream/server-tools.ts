import { listAppend } from '../../../collections/list.ts'
import { EMPTY_QUEUE, type Queue, queueAppend, queueFirst, queueShift, queueSize } from '../../../collections/queue.ts'
import { mapDelete, mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { HostedItem, HostedItemType } from '../../../protocol/item.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { emitImage } from '../../shared/upstream/answers/generated-image.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { SERVER_TOOLS } from '../terms.ts'
import { interrupt, sealParts } from './content.ts'
import {
  type DecoderProgress,
  type FoundPage,
  type GeminiState,
  type OpenStep,
  type OpenSteps,
  updateProgress,
} from './state.ts'

const item = (type: HostedItemType, status: string, fields: JsonObject): HostedItem => ({
  type,
  id: '',
  status,
  fields,
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Creates the item of executed code. Without a result, the code is still running. */
function codeItem(code: JsonRecord, result: JsonRecord | null): HostedItem {
  const outputs = result === null ? null : [{ type: 'logs', logs: textOf(result.output) }]
  const status = result === null ? 'in_progress' : result.outcome === 'OUTCOME_OK' ? 'completed' : 'failed'
  return item('code_interpreter_call', status, { code: textOf(code.code), container_id: '', outputs })
}

const texts = (value: unknown): readonly string[] => toArray(value).filter(isNonEmptyString)

/** Returns the queries of a search, from the field `query` or the list `queries`. */
const queriesOf = (args: JsonRecord): readonly string[] =>
  isNonEmptyString(args.query) ? [args.query] : texts(args.queries)

const toSource = ({ url, title }: FoundPage): JsonObject => ({ type: 'url', url, ...(title === null ? {} : { title }) })

/** Creates the item of a search in OpenAI's format. */
export const searchItem = (
  queries: readonly string[],
  sources: readonly FoundPage[],
  status = 'completed',
): HostedItem =>
  item('web_search_call', status, {
    action: {
      type: 'search',
      query: queries[0] ?? '',
      queries,
      ...(sources.length === 0 ? {} : { sources: sources.map(toSource) }),
    },
  })

export const pageItem = (url: string, status: string): HostedItem =>
  item('web_search_call', status, { action: { type: 'open_page', url } })

/** Creates the item of a server tool. A tool without a counterpart in the Responses API becomes an `mcp_call`. */
function toolItem(call: JsonRecord, response: JsonRecord | null): HostedItem {
  const status = response === null ? 'in_progress' : 'completed'
  const name = textOf(call.toolType)
  const args = isObject(call.args) ? call.args : {}
  switch (lookup(SERVER_TOOLS, name)) {
    case 'search':
      return searchItem(queriesOf(args), [], status)
    case 'open':
      return pageItem(texts(args.urls)[0] ?? textOf(args.url), status)
    case 'files':
      return item('file_search_call', status, { queries: queriesOf(args), results: null })
    default: {
      const output = response === null ? null : formatJson(response.response)
      return item('mcp_call', status, {
        server_label: 'google',
        name,
        arguments: formatJson(args),
        output,
        error: null,
      })
    }
  }
}

const itemOf = (part: JsonRecord, result: JsonRecord | null): HostedItem =>
  isObject(part.executableCode)
    ? codeItem(part.executableCode, result)
    : toolItem(isObject(part.toolCall) ? part.toolCall : {}, result)

const idOf = (value: unknown): string => (isObject(value) ? scalarToString(value.id) : '')

const isCalling = ({ call, waiting }: DecoderProgress): boolean => call !== null || waiting !== null

/** Ends the open items before a step, except between parallel steps, whose parts are sealed together in their order. */
const beside = (state: GeminiState, deltas: Deltas): GeminiState =>
  areOpen(state.progress) && state.progress.run === null && !isCalling(state.progress)
    ? state
    : interrupt(state, deltas)

export const areOpen = ({ code, tools }: Pick<DecoderProgress, 'code' | 'tools'>): boolean =>
  code.open !== null || tools.open !== null

function withStep({ open, order, byId }: OpenSteps, at: number, id: string, step: OpenStep): OpenSteps {
  return {
    open: mapSet(open, at, step),
    order: queueAppend(order, at),
    byId: id === '' ? byId : mapSet(byId, id, queueAppend(mapGet(byId, id) ?? EMPTY_QUEUE, at)),
  }
}

/** Returns the first step of a queue that is still open, and the rest of the queue. Each entry is visited once. */
function firstOpen(queue: Queue<number>, open: OpenSteps['open']): { at: number | null; left: Queue<number> } {
  let left = queue
  for (let at = queueFirst(left); at !== null; at = queueFirst(left)) {
    left = queueShift(left)
    if (mapGet(open, at) !== undefined) return { at, left }
  }
  return { at: null, left }
}

/** Removes the open step of an id, or else the oldest one; null if no step is open. */
function endOne(
  { open, order, byId }: OpenSteps,
  id: string,
): { readonly step: OpenStep; readonly left: OpenSteps } | null {
  const own = id === '' ? undefined : mapGet(byId, id)
  const named = own === undefined ? null : firstOpen(own, open)
  const known = named === null ? byId : queueSize(named.left) === 0 ? mapDelete(byId, id) : mapSet(byId, id, named.left)
  const oldest = named !== null && named.at !== null ? { at: named.at, left: order } : firstOpen(order, open)
  const step = oldest.at === null ? undefined : mapGet(open, oldest.at)
  if (oldest.at === null || step === undefined) return null
  return { step, left: { open: mapDelete(open, oldest.at), order: oldest.left, byId: known } }
}

/** Applies `executableCode` or `toolCall`, which begins a step. */
export function beginStep(state: GeminiState, part: JsonRecord, deltas: Deltas): GeminiState {
  const before = beside(state, deltas)
  const { keys, raw, signed } = before.progress
  const kind = isObject(part.executableCode) ? 'code' : 'tools'
  const step: OpenStep = { key: `step ${keys}`, part }
  const started = itemOf(part, null)
  deltas.push({ kind: 'hosted', key: step.key, item: started, done: false })
  return updateProgress(before, {
    keys: keys + 1,
    [kind]: withStep(before.progress[kind], keys, idOf(part.executableCode ?? part.toolCall), step),
    raw: listAppend(raw, part as Json),
    signed: signed || isNonEmptyString(part.thoughtSignature),
    ...(started.type === 'web_search_call' || started.type === 'file_search_call'
      ? { grounded: true, searched: true }
      : {}),
    hasContent: true,
    ended: false,
  })
}

/** A further result of code that has ended, such as after an image, is an item of its own. */
function endAgain(state: GeminiState, part: JsonRecord, result: JsonRecord, deltas: Deltas): GeminiState {
  const { keys, raw, signed } = state.progress
  const item = itemOf({ executableCode: { code: '' } }, result)
  deltas.push({ kind: 'hosted', key: `step ${keys}`, item, done: true })
  return updateProgress(state, {
    keys: keys + 1,
    raw: listAppend(raw, part as Json),
    signed: signed || isNonEmptyString(part.thoughtSignature),
  })
}

/** Applies `codeExecutionResult` or `toolResponse`, which ends the step of that id, or else the oldest of its kind. */
export function endStep(state: GeminiState, part: JsonRecord, deltas: Deltas): GeminiState {
  const isCode = isObject(part.codeExecutionResult)
  const result = (isCode ? part.codeExecutionResult : part.toolResponse) as JsonRecord
  const kind = isCode ? 'code' : 'tools'
  const before = beside(state, deltas)
  const ended = endOne(before.progress[kind], idOf(result))
  if (ended === null) {
    if (!isCode || !before.progress.resumed) {
      emitLoss('a result without its step', deltas)
      return before
    }
    return endAgain(before, part, result, deltas)
  }
  const { step, left } = ended
  deltas.push({ kind: 'hosted', key: step.key, item: itemOf(step.part, result), done: true })
  const { raw, signed } = before.progress
  const next = updateProgress(before, {
    [kind]: left,
    resumed: true,
    raw: listAppend(raw, part as Json),
    signed: signed || isNonEmptyString(part.thoughtSignature),
  })
  return areOpen(next.progress) ? next : sealParts(next, deltas)
}

/** Emits an image as an item. The Responses API has no item for sounds and other data, which are dropped. */
export function applyData(state: GeminiState, part: JsonRecord, deltas: Deltas): GeminiState {
  const { mimeType, data, fileUri } = (part.inlineData ?? part.fileData) as JsonRecord
  const source = [data, fileUri].find(isNonEmptyString)
  if (!isNonEmptyString(mimeType) || !mimeType.startsWith('image/') || source === undefined || part.thought === true) {
    const feature = isObject(part.inlineData) ? `data of type ${scalarToString(mimeType)}` : 'part fileData'
    // A draft of an image is marked as reasoning.
    emitLoss(part.thought === true ? 'a draft of an image' : feature, deltas)
    return state
  }
  const before = interrupt(state, deltas)
  const { keys } = before.progress
  emitImage(`image ${keys}`, source, mimeType.slice('image/'.length), deltas)
  if (isNonEmptyString(part.thoughtSignature)) {
    const payload = { on: 'image', mimeType, signature: part.thoughtSignature }
    deltas.push({ kind: 'opaque', key: `signature ${keys}`, payload })
  }
  return updateProgress(before, { keys: keys + 1, hasContent: true, ended: false })
}
