import { EMPTY_LIST, listAppend, listConcat, listOf } from '../../../collections/list.ts'
import type { Bag, Json } from '../../../protocol/json.ts'
import { append } from '../../../text/flat-string.ts'
import { formatJson, isObject, isText, toArray, wordOf } from '../../../text/json.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { closeBlock, openBlock, openBlockOf } from './blocks.ts'
import { toCitation } from './citations.ts'
import { callKey, messageKey, thoughtKey } from './deltas.ts'
import { type ConverseState, retold } from './state.ts'

/** Field names come from the upstream and may have any length, so they are shortened. */
const nameOf = (bag: Bag): string => (Object.keys(bag)[0] ?? '').slice(0, 40)

/** Decodes a delta of a block. Text is checked first, because most deltas are text. */
export function hearDelta(state: ConverseState, index: string, delta: Bag, say: Say): ConverseState {
  if (typeof delta.text === 'string') return delta.text === '' ? state : hearText(state, index, delta.text, say)
  if (isObject(delta.reasoningContent)) return hearThought(state, index, delta.reasoningContent, say)
  if (isObject(delta.toolUse)) return hearInput(state, index, delta.toolUse.input, say)
  if (isObject(delta.citation)) return hearCitation(state, index, delta.citation, say)
  if (delta.toolResult) return hearResult(state, index, delta.toolResult)
  if (isObject(delta.image)) return hearImage(state, index, delta.image, say)
  loss(`content ${nameOf(delta)}`, say)
  return state
}

function hearText(state: ConverseState, index: string, text: string, say: Say): ConverseState {
  const open = openBlockOf(state, 'text', index)
  const now = open === null ? openBlock(state, { kind: 'text', index, start: 0, citations: EMPTY_LIST }, say) : state
  say.push({ kind: 'text', key: messageKey(now.story.message), part: '', text, logprobs: null })
  return { length: now.length + text.length, thought: now.thought, story: now.story }
}

/** A citation precedes the text that it refers to, in the same block. */
function hearCitation(state: ConverseState, index: string, told: Bag, say: Say): ConverseState {
  const citation = toCitation(told)
  if (citation === null) {
    loss('a citation without a source', say)
    return state
  }
  const open = openBlockOf(state, 'text', index)
  if (open === null) return openBlock(state, { kind: 'text', index, start: 0, citations: listOf([citation]) }, say)
  return retold(state, { block: { ...open, citations: listAppend(open.citations, citation) } })
}

function hearThought(state: ConverseState, index: string, told: Bag, say: Say): ConverseState {
  const { text, signature, redactedContent } = told
  if (!isText(text) && !isText(signature) && !isText(redactedContent)) return state
  const open = openBlockOf(state, 'thought', index)
  const now =
    open === null ? openBlock(state, { kind: 'thought', index, signature: '', redacted: EMPTY_LIST }, say) : state
  if (isText(text)) {
    say.push({ kind: 'reasoning', key: thoughtKey(index), part: '', text, logprobs: null })
    if (!isText(signature)) return { length: now.length, thought: append(now.thought, text), story: now.story }
  }
  const block = openBlockOf(now, 'thought', index)
  const sealed = {
    kind: 'thought' as const,
    index,
    signature: append(block?.signature ?? '', isText(signature) ? signature : ''),
    redacted: listConcat<string>(block?.redacted ?? EMPTY_LIST, isText(redactedContent) ? [redactedContent] : []),
  }
  const thought = isText(text) ? now.thought + text : now.thought
  return { length: now.length, thought, story: { ...now.story, block: sealed } }
}

/** Decodes a piece of the arguments of a call, for a client's tool or a server tool. */
function hearInput(state: ConverseState, index: string, told: unknown, say: Say): ConverseState {
  const input = typeof told === 'string' ? told : formatJson(told)
  const server = openBlockOf(state, 'server call', index)
  if (server !== null) {
    const call = { ...server.call, input: append(server.call.input, input) }
    return retold(state, { block: { kind: 'server call', index, call } })
  }
  const open = openBlockOf(state, 'call', index)
  const now = open === null ? openBlock(state, { kind: 'call', index, empty: true }, say) : state
  say.push({ kind: 'call', key: callKey(index), type: 'function_call', callId: null, name: null, arguments: input })
  const stillEmpty = input === '' || open?.empty === false
  return stillEmpty ? now : retold(now, { block: { kind: 'call', index, empty: false } })
}

function hearResult(state: ConverseState, index: string, told: unknown): ConverseState {
  const open = openBlockOf(state, 'server result', index)
  if (open === null) return state
  // The value was parsed from JSON, so the cast is safe.
  const parts = listConcat(open.parts, toArray(told) as readonly Json[])
  return retold(state, { block: { ...open, parts } })
}

function hearImage(state: ConverseState, index: string, told: Bag, say: Say): ConverseState {
  const open = openBlockOf(state, 'image', index)
  const now = open === null ? openBlock(state, { kind: 'image', index, format: '', bytes: '' }, say) : state
  const { bytes } = isObject(told.source) ? told.source : {}
  const block = openBlockOf(now, 'image', index)
  if (!isText(bytes) || block === null) return now
  return retold(now, { block: { ...block, bytes: append(block.bytes, bytes) } })
}

/** Decodes the start of a block. Bedrock sends it for tool calls, tool results and images only. */
export function hearStart(state: ConverseState, index: string, start: Bag, say: Say): ConverseState {
  if (isObject(start.toolUse)) return startCall(state, index, start.toolUse, say)
  if (isObject(start.toolResult)) {
    const { toolUseId, status } = start.toolResult
    const failed = status === 'error'
    return openBlock(state, { kind: 'server result', index, id: wordOf(toolUseId), parts: EMPTY_LIST, failed }, say)
  }
  if (isObject(start.image)) {
    return openBlock(state, { kind: 'image', index, format: wordOf(start.image.format), bytes: '' }, say)
  }
  return state
}

function startCall(state: ConverseState, index: string, { toolUseId, name, type }: Bag, say: Say): ConverseState {
  const id = wordOf(toolUseId)
  if (type === 'server_tool_use') {
    const call = { key: `server ${index}`, id, name: wordOf(name), input: '' }
    return openBlock(state, { kind: 'server call', index, call }, say)
  }
  const open = openBlock(state, { kind: 'call', index, empty: true }, say)
  say.push({
    kind: 'call',
    key: callKey(index),
    type: 'function_call',
    callId: id === '' ? null : id,
    name: isText(name) ? name : null,
    arguments: '',
  })
  return open
}

/** Decodes a block of a whole answer as the deltas that a stream would have sent. */
export function hearBlock(state: ConverseState, index: string, block: Bag, say: Say): ConverseState {
  const started = hearStart(state, index, block, say)
  const told = piecesOf(block).reduce((now, piece) => hearDelta(now, index, piece, say), started)
  return closeBlock(told, say)
}

function piecesOf(block: Bag): readonly Bag[] {
  if (isObject(block.citationsContent)) {
    const { citations, content } = block.citationsContent
    return [...toArray(citations).map((citation) => ({ citation })), ...toArray(content).filter(isObject)]
  }
  if (isObject(block.reasoningContent)) {
    const { reasoningText, redactedContent } = block.reasoningContent
    const said = isObject(reasoningText) ? reasoningText : {}
    return [{ reasoningContent: { text: said.text, signature: said.signature, redactedContent } }]
  }
  if (isObject(block.toolResult)) return [{ toolResult: block.toolResult.content }]
  // A block may have a label (`type`) beside its one field; the label has no meaning.
  return [typeof block.text === 'string' ? { text: block.text } : block]
}
