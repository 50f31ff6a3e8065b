import { type List, listAppend, listOf, listToArray } from '../../../collections/list.ts'
import { EMPTY_QUEUE, queueAppend, queueFirst, queueShift, queueSize } from '../../../collections/queue.ts'
import { mapDelete, mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { Citation } from '../../../protocol/delta.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { readCallId, readTextField } from '../../shared/upstream/answers/answer-values.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import { compactionFields, isSigned } from '../encrypted-blocks.ts'
import { toCitation } from './citations.ts'
import { emitServerTool, isResult, strayTool } from './server-tools.ts'
import {
  type Block,
  contentDelta,
  type FetchedPage,
  findBlock,
  isOfCode,
  type MessagesState,
  openBlocks,
  replaceBlock,
  type Sealed,
  type ServerTool,
  updateProgress,
  withBlock,
  withCallOf,
} from './state.ts'

/** Opens a content block and emits everything that its start already contains, so a whole block can close at once. */
export function openBlock(state: MessagesState, index: string, block: JsonRecord, deltas: Deltas): MessagesState {
  const open = findBlock(state, index)
  if (repeatsCall(open, block)) return withLateInput(state, open, block, deltas)
  const ready = makeRoom(state, index, deltas)
  switch (block.type) {
    case 'text':
      return openText(ready, index, block, deltas)
    case 'thinking':
    // Kimi's endpoint has this name of the block, and of its deltas and their text.
    case 'reasoning':
      return openReasoningBlock(ready, index, block, deltas)
    case 'redacted_thinking':
      return emitRedacted(ready, index, block, deltas)
    case 'tool_use':
      return openCall(ready, index, block, deltas)
    case 'server_tool_use':
    case 'mcp_tool_use':
      return openServerTool(ready, index, block, deltas)
    case 'compaction':
      return openCompaction(ready, index, block)
    case 'fallback':
      emitLoss('content block fallback', deltas)
      return withBlock(applyModel(ready, isObject(block.to) ? block.to.model : null, deltas), { kind: 'other', index })
    default:
      if (isResult(block.type)) return applyResult(ready, index, block, block.type, deltas)
      emitLoss(`content block ${scalarToString(block.type)}`, deltas)
      return withBlock(ready, { kind: 'other', index })
  }
}

/**
 * Closes the open block of this index and the open block that is not a tool, because content blocks do not overlap. If
 * a proxy lets blocks overlap, only tools stay open: their deltas name the block that they belong to.
 */
function makeRoom(state: MessagesState, index: string, deltas: Deltas): MessagesState {
  const { blocks, lone } = state.progress
  const indices = lone === null || lone === index ? [index] : [index, lone]
  return indices
    .map((one) => mapGet(blocks, one))
    .filter((open) => open !== undefined)
    .sort((a, b) => a.order - b.order)
    .reduce((now, { block }) => closeBlock(now, block, deltas), state)
}

export function applyModel(state: MessagesState, model: unknown, deltas: Deltas): MessagesState {
  if (!isNonEmptyString(model) || model === state.progress.model) return state
  deltas.push({ kind: 'start', model })
  return updateProgress(state, { model })
}

/** Returns a key for a new item. The run of text before the item ends. */
function nextKey(state: MessagesState, kind: string): { readonly key: string; readonly state: MessagesState } {
  const items = state.progress.items + 1
  return { key: `${kind} ${items}`, state: updateProgress(state, { items, run: '' }) }
}

// ---------------------------------------------------------------- text

function openText(state: MessagesState, index: string, block: JsonRecord, deltas: Deltas): MessagesState {
  const ready = beginText(state)
  const { run: key } = ready.progress
  const citations = listOf(
    toArray(block.citations)
      .map((cited) => toCitation(cited, state.progress.pages, deltas))
      .filter((it) => it !== null),
  )
  const given = readTextField(block.text, 'text', deltas)
  const opened = withBlock(ready, { kind: 'text', index, key, start: ready.length, citations, given })
  return given === '' ? opened : emitText(opened, key, given, deltas)
}

/** Consecutive text blocks are one visible text and have one key. */
export function beginText(state: MessagesState): MessagesState {
  if (state.progress.run !== '') return state
  const { key, state: next } = nextKey(state, 'message')
  return { length: 0, reasoning: next.reasoning, progress: { ...next.progress, run: key } }
}

export function emitText(state: MessagesState, key: string, text: string, deltas: Deltas): MessagesState {
  deltas.push(contentDelta('text', key, text))
  return { length: state.length + text.length, reasoning: state.reasoning, progress: state.progress }
}

/** A citation has no offsets in the answer: its span is the whole of its block. */
function emitCitations({ length }: MessagesState, block: Block & { readonly kind: 'text' }, deltas: Deltas): void {
  const { key, start, citations } = block
  const span: Citation['span'] = length > start ? { start, end: length, unit: 'utf16' } : null
  for (const citation of listToArray(citations)) {
    deltas.push({ kind: 'citation', key, part: '', citation: { ...citation, span } })
  }
}

// ---------------------------------------------------------------- reasoning

function openReasoningBlock(state: MessagesState, index: string, block: JsonRecord, deltas: Deltas): MessagesState {
  const { key, state: next } = nextKey(state, 'thought')
  const reasoning = readTextField(block.thinking ?? block.reasoning, 'thinking', deltas)
  const signature = isNonEmptyString(block.signature) ? block.signature : ''
  if (reasoning !== '') deltas.push(contentDelta('reasoning', key, reasoning))
  const { length, progress } = withBlock(next, { kind: 'thought', index, key, signature, given: reasoning })
  return { length, reasoning, progress }
}

function emitRedacted(state: MessagesState, index: string, block: JsonRecord, deltas: Deltas): MessagesState {
  const { key, state: next } = nextKey(state, 'thought')
  if (isNonEmptyString(block.data)) {
    const payload: Sealed = { type: 'redacted_thinking', data: block.data }
    deltas.push({ kind: 'opaque', key, payload }, { kind: 'stop', key })
  }
  return withBlock(next, { kind: 'other', index })
}

function sealReasoningBlock(
  { reasoning }: MessagesState,
  { key, signature }: { key: string; signature: string },
  deltas: Deltas,
) {
  if (isSigned(signature)) {
    const payload: Sealed = { type: 'thinking', thinking: reasoning, signature }
    deltas.push({ kind: 'opaque', key, payload })
  }
  deltas.push({ kind: 'stop', key })
}

// ---------------------------------------------------------------- tools

/** Returns the input as JSON text; empty if it is missing, null or an empty object. */
function inputOf(input: unknown, deltas: Deltas): string {
  if (typeof input === 'string') return input
  const isEmpty = input === undefined || input === null || (isObject(input) && Object.keys(input).length === 0)
  return isEmpty ? '' : formatArguments(input, deltas)
}

type OpenCall = Block & { readonly kind: 'call' }

/** Whether the start of a call comes again before its arguments. Another input is that of another call. */
const repeatsCall = (open: Block | undefined, { type, id, name, input }: JsonRecord): open is OpenCall =>
  open?.kind === 'call' &&
  !open.emitted &&
  (type === undefined || type === 'tool_use') &&
  isNonEmptyString(id) &&
  open.id === id &&
  ['', open.name].includes(scalarToString(name)) &&
  (open.input === '' || ['', open.input].includes(inputOf(input, [])))

function withLateInput(state: MessagesState, open: OpenCall, block: JsonRecord, deltas: Deltas): MessagesState {
  const input = open.input === '' ? inputOf(block.input, deltas) : ''
  return input === '' ? state : replaceBlock(state, { ...open, input, isLate: true })
}

/**
 * A call is emitted with its first fragment of arguments, or whole at its end. A call that a proxy abandons before that
 * is never emitted.
 */
function openCall(state: MessagesState, index: string, block: JsonRecord, deltas: Deltas): MessagesState {
  const { key, state: next } = nextKey(state, 'call')
  const { id, name, input, toolset_name } = block
  if (isOfCode(block)) emitLoss('caller of a call', deltas)
  return withBlock(updateProgress(next, { calls: withCallOf(next.progress.calls, block) }), {
    kind: 'call',
    index,
    key,
    id: readCallId(id) ?? '',
    name: scalarToString(name),
    toolset: scalarToString(toolset_name),
    input: inputOf(input, deltas),
    isLate: false,
    emitted: false,
  })
}

export function emitCall({ key, id, name, toolset, emitted }: OpenCall, args: string, deltas: Deltas): void {
  const named = emitted ? { callId: null, name: null } : { callId: id || null, name: name || null }
  const space = emitted || toolset === '' ? {} : { namespace: toolset }
  deltas.push({ kind: 'call', key, type: 'function_call', ...named, arguments: args, ...space })
}

function openServerTool(state: MessagesState, index: string, block: JsonRecord, deltas: Deltas): MessagesState {
  const { key, state: next } = nextKey(state, 'tool')
  const server = block.type === 'mcp_tool_use' ? scalarToString(block.server_name) : null
  const call = block as JsonObject
  const tool: ServerTool = {
    key,
    id: scalarToString(block.id),
    name: scalarToString(block.name),
    server,
    input: '',
    call,
  }
  return withBlock(next, { kind: 'server', index, tool, given: inputOf(block.input, deltas) })
}

function closeServerTool(
  state: MessagesState,
  block: Block & { readonly kind: 'server' },
  deltas: Deltas,
): MessagesState {
  const tool: ServerTool = { ...block.tool, input: block.tool.input || block.given }
  emitServerTool(tool, null, state.progress.container, deltas)
  const { tools } = state.progress
  return updateProgress(state, {
    tools: mapSet(tools, tool.id, queueAppend(mapGet(tools, tool.id) ?? EMPTY_QUEUE, tool)),
  })
}

function applyResult(
  state: MessagesState,
  index: string,
  block: JsonRecord,
  type: string,
  deltas: Deltas,
): MessagesState {
  const id = scalarToString(block.tool_use_id)
  const { tools } = state.progress
  const waiting = mapGet(tools, id) ?? EMPTY_QUEUE
  const known = queueFirst(waiting)
  const { key, state: next } = nextKey(state, 'tool')
  emitServerTool(known ?? strayTool(type, id, key), block, state.progress.container, deltas)
  const left = queueShift(waiting)
  const rest = queueSize(left) === 0 ? mapDelete(tools, id) : mapSet(tools, id, left)
  const pages = type === 'web_fetch_tool_result' ? withPage(next.progress.pages, block.content) : next.progress.pages
  return withBlock(updateProgress(next, { tools: rest, pages }), { kind: 'other', index })
}

/** Citations of a fetched page name its title or its place among the documents, and not its address. */
function withPage(pages: List<FetchedPage>, content: unknown): List<FetchedPage> {
  if (!isObject(content) || !isNonEmptyString(content.url)) return pages
  const document = isObject(content.content) ? content.content : {}
  return listAppend(pages, { url: content.url, title: scalarToString(document.title) })
}

function openCompaction(state: MessagesState, index: string, block: JsonRecord): MessagesState {
  const { key, state: next } = nextKey(state, 'compaction')
  const text = isNonEmptyString(block.content) ? block.content : ''
  return withBlock(next, { kind: 'compaction', index, key, text, fields: compactionFields(block) })
}

// ---------------------------------------------------------------- closing

/** Emits the remaining deltas of a block at its end. */
export function closeBlock(state: MessagesState, block: Block, deltas: Deltas): MessagesState {
  const { blocks, openCalls, lone } = state.progress
  const next = updateProgress(state, {
    blocks: mapDelete(blocks, block.index),
    openCalls: openCalls - Number(block.kind === 'call'),
    lone: lone === block.index ? null : lone,
  })
  switch (block.kind) {
    case 'text':
      emitCitations(state, block, deltas)
      return next
    case 'thought':
      sealReasoningBlock(state, block, deltas)
      return { length: next.length, reasoning: '', progress: next.progress }
    case 'call':
      if (!block.emitted) emitCall(block, block.input, deltas)
      deltas.push({ kind: 'stop', key: block.key })
      return next
    case 'server':
      return closeServerTool(next, block, deltas)
    case 'compaction':
      emitCompaction(block, deltas)
      return next
    case 'other':
      return next
  }
}

function emitCompaction({ key, text, fields }: Block & { readonly kind: 'compaction' }, deltas: Deltas): void {
  const payload: Sealed = { type: 'compaction', content: text === '' ? null : text, ...fields }
  deltas.push({
    kind: 'hosted',
    key,
    item: { type: 'compaction', id: '', status: 'completed', fields: {} },
    done: false,
  })
  deltas.push({ kind: 'opaque', key, of: 'compaction', payload }, { kind: 'stop', key })
}

export const closeBlocks = (state: MessagesState, deltas: Deltas): MessagesState =>
  openBlocks(state).reduce((now, block) => closeBlock(now, block, deltas), state)

/**
 * Closes the blocks in which the answer was cut off. Emitted deltas remain valid, and a call that was not emitted yet
 * is dropped as a loss.
 */
export function dropBlocks(state: MessagesState, deltas: Deltas): MessagesState {
  for (const block of openBlocks(state)) {
    if (block.kind === 'text') emitCitations(state, block, deltas)
    if (block.kind === 'call' && !block.emitted) emitLoss('an incomplete call', deltas)
    if (block.kind === 'server') emitServerTool(block.tool, null, state.progress.container, deltas)
  }
  return {
    length: state.length,
    reasoning: '',
    progress: { ...state.progress, blocks: null, openCalls: 0, lone: null, tools: null, run: '' },
  }
}
