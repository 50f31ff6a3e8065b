import { listOf, listToArray } from '../../../collections/list.ts'
import { EMPTY_QUEUE, queueAppend, queueFirst, queueShift, queueSize } from '../../../collections/queue.ts'
import { mapDelete, mapGet, mapSet } from '../../../collections/sorted-map.ts'
import type { Citation } from '../../../protocol/delta.ts'
import type { Bag, JsonObject } from '../../../protocol/json.ts'
import { formatJson, isObject, isText, toArray, wordOf } from '../../../text/json.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { isSigned } from '../encrypted-blocks.ts'
import { toCitation } from './citations.ts'
import { content } from './deltas.ts'
import { openBlocks, withBlock } from './open-blocks.ts'
import { isResult, sayServerTool, strayTool } from './server-tools.ts'
import { type Block, type MessagesState, type Sealed, type ServerTool, tell } from './state.ts'

/** Opens a content block and emits everything that its start already contains, so a whole block can close at once. */
export function openBlock(state: MessagesState, index: string, block: Bag, say: Say): MessagesState {
  const ready = makeRoom(state, index, say)
  switch (block.type) {
    case 'text':
      return openText(ready, index, block, say)
    case 'thinking':
      return openThought(ready, index, block, say)
    case 'redacted_thinking':
      return sayRedacted(ready, index, block, say)
    case 'tool_use':
      return openCall(ready, index, block)
    case 'server_tool_use':
    case 'mcp_tool_use':
      return openServerTool(ready, index, block)
    case 'compaction':
      return openCompaction(ready, index, block)
    case 'fallback':
      return withBlock(hearModel(ready, isObject(block.to) ? block.to.model : null, say), { kind: 'other', index })
    default:
      if (isResult(block.type)) return hearResult(ready, index, block, block.type, say)
      loss(`content block ${wordOf(block.type)}`, say)
      return withBlock(ready, { kind: 'other', index })
  }
}

/**
 * Closes the open block of this index and the open block that is not a tool, because content blocks do not overlap. If
 * a proxy lets blocks overlap, only tools stay open: their deltas name the block that they belong to.
 */
function makeRoom(state: MessagesState, index: string, say: Say): MessagesState {
  const { blocks, lone } = state.story
  const indices = lone === null || lone === index ? [index] : [index, lone]
  return indices
    .map((one) => mapGet(blocks, one))
    .filter((open) => open !== undefined)
    .sort((a, b) => a.order - b.order)
    .reduce((now, { block }) => closeBlock(now, block, say), state)
}

export function hearModel(state: MessagesState, model: unknown, say: Say): MessagesState {
  if (!isText(model) || model === state.story.model) return state
  say.push({ kind: 'start', model })
  return tell(state, { model })
}

/** Returns a key for a new item. The run of text before the item ends. */
function nextKey(state: MessagesState, kind: string): { readonly key: string; readonly state: MessagesState } {
  const items = state.story.items + 1
  return { key: `${kind} ${items}`, state: tell(state, { items, run: '' }) }
}

// ---------------------------------------------------------------- text

function openText(state: MessagesState, index: string, block: Bag, say: Say): MessagesState {
  const begun = beginText(state)
  const { run: key } = begun.story
  const citations = listOf(
    toArray(block.citations)
      .map((cited) => toCitation(cited, say))
      .filter((it) => it !== null),
  )
  const opened = withBlock(begun, { kind: 'text', index, key, start: begun.length, citations })
  return isText(block.text) ? sayText(opened, key, block.text, say) : opened
}

/** Consecutive text blocks are one visible text and have one key. */
export function beginText(state: MessagesState): MessagesState {
  if (state.story.run !== '') return state
  const { key, state: next } = nextKey(state, 'message')
  return { length: 0, thought: next.thought, story: { ...next.story, run: key } }
}

export function sayText(state: MessagesState, key: string, text: string, say: Say): MessagesState {
  say.push(content('text', key, text))
  return { length: state.length + text.length, thought: state.thought, story: state.story }
}

/** A citation has no offsets in the answer: its span is the whole of its block. */
function sayCitations({ length }: MessagesState, block: Block & { readonly kind: 'text' }, say: Say): void {
  const { key, start, citations } = block
  const span: Citation['span'] = length > start ? { start, end: length, unit: 'utf16' } : null
  for (const citation of listToArray(citations)) {
    say.push({ kind: 'citation', key, part: '', citation: { ...citation, span } })
  }
}

// ---------------------------------------------------------------- reasoning

function openThought(state: MessagesState, index: string, block: Bag, say: Say): MessagesState {
  const { key, state: next } = nextKey(state, 'thought')
  const thought = isText(block.thinking) ? block.thinking : ''
  const signature = isText(block.signature) ? block.signature : ''
  if (thought !== '') say.push(content('reasoning', key, thought))
  const { length, story } = withBlock(next, { kind: 'thought', index, key, signature })
  return { length, thought, story }
}

function sayRedacted(state: MessagesState, index: string, block: Bag, say: Say): MessagesState {
  const { key, state: next } = nextKey(state, 'thought')
  if (isText(block.data)) {
    const payload: Sealed = { type: 'redacted_thinking', data: block.data }
    say.push({ kind: 'opaque', key, payload }, { kind: 'stop', key })
  }
  return withBlock(next, { kind: 'other', index })
}

function sealThought({ thought }: MessagesState, { key, signature }: { key: string; signature: string }, say: Say) {
  if (isSigned(signature)) {
    const payload: Sealed = { type: 'thinking', thinking: thought, signature }
    say.push({ kind: 'opaque', key, payload })
  }
  say.push({ kind: 'stop', key })
}

// ---------------------------------------------------------------- tools

/** Returns the input as JSON text; empty if it is missing, null or an empty object. */
function inputOf(input: unknown): string {
  if (typeof input === 'string') return input
  const isEmpty = input === undefined || input === null || (isObject(input) && Object.keys(input).length === 0)
  return isEmpty ? '' : formatJson(input)
}

/**
 * A call is emitted with its first fragment of arguments, or whole at its end. A call that a proxy abandons before that
 * is never emitted.
 */
function openCall(state: MessagesState, index: string, block: Bag): MessagesState {
  const { key, state: next } = nextKey(state, 'call')
  const { id, name, input } = block
  return withBlock(next, {
    kind: 'call',
    index,
    key,
    id: wordOf(id),
    name: wordOf(name),
    input: inputOf(input),
    told: false,
  })
}

export function sayCall({ key, id, name, told }: Block & { readonly kind: 'call' }, args: string, say: Say): void {
  const named = told ? { callId: null, name: null } : { callId: id || null, name: name || null }
  say.push({ kind: 'call', key, type: 'function_call', ...named, arguments: args })
}

function openServerTool(state: MessagesState, index: string, block: Bag): MessagesState {
  const { key, state: next } = nextKey(state, 'tool')
  const server = block.type === 'mcp_tool_use' ? wordOf(block.server_name) : null
  const call = block as JsonObject
  const tool: ServerTool = { key, id: wordOf(block.id), name: wordOf(block.name), server, input: '', call }
  return withBlock(next, { kind: 'server', index, tool, given: inputOf(block.input) })
}

function closeServerTool(state: MessagesState, block: Block & { readonly kind: 'server' }, say: Say): MessagesState {
  const tool: ServerTool = { ...block.tool, input: block.tool.input || block.given }
  sayServerTool(tool, null, state.story.container, say)
  const { tools } = state.story
  return tell(state, { tools: mapSet(tools, tool.id, queueAppend(mapGet(tools, tool.id) ?? EMPTY_QUEUE, tool)) })
}

function hearResult(state: MessagesState, index: string, block: Bag, type: string, say: Say): MessagesState {
  const id = wordOf(block.tool_use_id)
  const { tools } = state.story
  const waiting = mapGet(tools, id) ?? EMPTY_QUEUE
  const known = queueFirst(waiting)
  const { key, state: next } = nextKey(state, 'tool')
  sayServerTool(known ?? strayTool(type, id, key), block, state.story.container, say)
  const left = queueShift(waiting)
  const rest = queueSize(left) === 0 ? mapDelete(tools, id) : mapSet(tools, id, left)
  return withBlock(tell(next, { tools: rest }), { kind: 'other', index })
}

function openCompaction(state: MessagesState, index: string, block: Bag): MessagesState {
  const { key, state: next } = nextKey(state, 'compaction')
  return withBlock(next, { kind: 'compaction', index, key, text: isText(block.content) ? block.content : '' })
}

// ---------------------------------------------------------------- closing

/** Emits the remaining deltas of a block at its end. */
export function closeBlock(state: MessagesState, block: Block, say: Say): MessagesState {
  const { blocks, lone } = state.story
  const next = tell(state, { blocks: mapDelete(blocks, block.index), lone: lone === block.index ? null : lone })
  switch (block.kind) {
    case 'text':
      sayCitations(state, block, say)
      return next
    case 'thought':
      sealThought(state, block, say)
      return { length: next.length, thought: '', story: next.story }
    case 'call':
      if (!block.told) sayCall(block, block.input || '{}', say)
      say.push({ kind: 'stop', key: block.key })
      return next
    case 'server':
      return closeServerTool(next, block, say)
    case 'compaction':
      sayCompaction(block, say)
      return next
    case 'other':
      return next
  }
}

function sayCompaction({ key, text }: { readonly key: string; readonly text: string }, say: Say): void {
  const payload: Sealed = { type: 'compaction', content: text }
  say.push({ kind: 'hosted', key, item: { type: 'compaction', id: '', status: 'completed', fields: {} }, done: false })
  say.push({ kind: 'opaque', key, of: 'compaction', payload }, { kind: 'stop', key })
}

export const closeBlocks = (state: MessagesState, say: Say): MessagesState =>
  openBlocks(state).reduce((now, block) => closeBlock(now, block, say), state)

/**
 * Closes the blocks in which the answer was cut off. Emitted deltas remain valid, and a call that was not emitted yet
 * is dropped as a loss.
 */
export function dropBlocks(state: MessagesState, say: Say): MessagesState {
  for (const block of openBlocks(state)) {
    if (block.kind === 'text') sayCitations(state, block, say)
    if (block.kind === 'call' && !block.told) loss('a call that was broken off', say)
    if (block.kind === 'server') sayServerTool(block.tool, null, state.story.container, say)
  }
  return {
    length: state.length,
    thought: '',
    story: { ...state.story, blocks: null, lone: null, tools: null, run: '' },
  }
}
