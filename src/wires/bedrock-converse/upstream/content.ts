import { EMPTY_LIST, listAppend, listConcat, listOf } from '../../../collections/list.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { readCallId, readTextField } from '../../shared/upstream/answers/answer-values.ts'
import { shortWord } from '../../shared/upstream/answers/finish-reasons.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import { closeBlock, openBlock, openBlockOf } from './blocks.ts'
import { toCitation } from './citations.ts'
import { type ConverseState, callKey, messageKey, reasoningKey, updateProgress } from './state.ts'

/** The kinds of content beside text. */
const KINDS = ['reasoningContent', 'toolUse', 'citation', 'toolResult', 'image', 'citationsContent'] as const

/** Whether content has another kind beside its text, as some proxies send it. */
const hasMore = (content: JsonRecord): boolean => KINDS.some((kind) => isObject(content[kind]))

const withoutText = ({ text: _, ...rest }: JsonRecord): JsonRecord => rest

/** Decodes a delta of a block. Text is checked first, because most deltas are text. */
export function applyBlockDelta(state: ConverseState, index: string, delta: JsonRecord, deltas: Deltas): ConverseState {
  if (typeof delta.text === 'string') {
    const next = delta.text === '' ? state : applyText(state, index, delta.text, deltas)
    return hasMore(delta) ? applyBlockDelta(next, index, withoutText(delta), deltas) : next
  }
  if (isObject(delta.reasoningContent)) return applyReasoning(state, index, delta.reasoningContent, deltas)
  if (isObject(delta.toolUse)) return applyInput(state, index, delta.toolUse.input, deltas)
  if (isObject(delta.citation)) return applyCitation(state, index, delta.citation, deltas)
  // Some proxies send the form of whole answers.
  if (isObject(delta.citationsContent))
    return piecesOf(delta).reduce((now, piece) => applyBlockDelta(now, index, piece, deltas), state)
  if (delta.toolResult) return applyResult(state, index, delta.toolResult)
  if (isObject(delta.image)) return applyImage(state, index, delta.image, deltas)
  emitLoss(`content ${shortWord(Object.keys(delta)[0] ?? '')}`, deltas)
  return state
}

function applyText(state: ConverseState, index: string, text: string, deltas: Deltas): ConverseState {
  const open = openBlockOf(state, 'text', index)
  const now = open === null ? openBlock(state, { kind: 'text', index, start: 0, citations: EMPTY_LIST }, deltas) : state
  deltas.push({ kind: 'text', key: messageKey(now.progress.message), part: '', text, logprobs: null })
  return { length: now.length + text.length, reasoning: now.reasoning, progress: now.progress }
}

/** A citation precedes the text that it refers to, in the same block. */
function applyCitation(state: ConverseState, index: string, payload: JsonRecord, deltas: Deltas): ConverseState {
  const citation = toCitation(payload)
  if (citation === null) {
    emitLoss('a citation without a source', deltas)
    return state
  }
  const open = openBlockOf(state, 'text', index)
  if (open === null) return openBlock(state, { kind: 'text', index, start: 0, citations: listOf([citation]) }, deltas)
  return updateProgress(state, { block: { ...open, citations: listAppend(open.citations, citation) } })
}

function applyReasoning(state: ConverseState, index: string, payload: JsonRecord, deltas: Deltas): ConverseState {
  // Some proxies send the form of whole answers.
  const inner = isObject(payload.reasoningText) ? payload.reasoningText : payload
  const { signature } = inner
  // Proxies name redacted content as the Messages API does.
  const redactedContent = payload.redactedContent ?? payload.data
  const text = readTextField(inner.text, 'reasoningContent.text', deltas)
  if (!isNonEmptyString(text) && !isNonEmptyString(signature) && !isNonEmptyString(redactedContent)) return state
  const open = openBlockOf(state, 'thought', index)
  const now =
    open === null ? openBlock(state, { kind: 'thought', index, signature: '', redacted: EMPTY_LIST }, deltas) : state
  if (isNonEmptyString(text)) {
    deltas.push({ kind: 'reasoning', key: reasoningKey(index), part: '', text, logprobs: null })
    if (!isNonEmptyString(signature))
      return { length: now.length, reasoning: appendFlat(now.reasoning, text), progress: now.progress }
  }
  const block = openBlockOf(now, 'thought', index)
  const sealed = {
    kind: 'thought' as const,
    index,
    signature: appendFlat(block?.signature ?? '', isNonEmptyString(signature) ? signature : ''),
    redacted: listConcat<string>(
      block?.redacted ?? EMPTY_LIST,
      isNonEmptyString(redactedContent) ? [redactedContent] : [],
    ),
  }
  const reasoning = isNonEmptyString(text) ? now.reasoning + text : now.reasoning
  return { length: now.length, reasoning, progress: { ...now.progress, block: sealed } }
}

/** Decodes a piece of the arguments of a call, for a client's tool or a server tool. */
function applyInput(state: ConverseState, index: string, payload: unknown, deltas: Deltas): ConverseState {
  const input = typeof payload === 'string' ? payload : formatArguments(payload, deltas)
  const server = openBlockOf(state, 'server call', index)
  if (server !== null) {
    const call = { ...server.call, input: appendFlat(server.call.input, input) }
    return updateProgress(state, { block: { kind: 'server call', index, call } })
  }
  const { block } = state.progress
  // Input under the index of no block continues the open call.
  const open = block?.kind === 'call' ? block : null
  const now = open === null ? openBlock(state, { kind: 'call', index, empty: true }, deltas) : state
  deltas.push({ kind: 'call', key: callKey(index), type: 'function_call', callId: null, name: null, arguments: input })
  const stillEmpty = input === '' || open?.empty === false
  return stillEmpty ? now : updateProgress(now, { block: { kind: 'call', index: open?.index ?? index, empty: false } })
}

function applyResult(state: ConverseState, index: string, payload: unknown): ConverseState {
  const open = openBlockOf(state, 'server result', index)
  if (open === null) return state
  // The value was parsed from JSON, so the cast is safe.
  const parts = listConcat(open.parts, toArray(payload) as readonly Json[])
  return updateProgress(state, { block: { ...open, parts } })
}

function applyImage(state: ConverseState, index: string, payload: JsonRecord, deltas: Deltas): ConverseState {
  const open = openBlockOf(state, 'image', index)
  const now = open === null ? openBlock(state, { kind: 'image', index, format: '', bytes: '' }, deltas) : state
  const { bytes, s3Location: location } = isObject(payload.source) ? payload.source : {}
  const piece = [bytes, isObject(location) ? location.uri : null].find(isNonEmptyString)
  const block = openBlockOf(now, 'image', index)
  if (piece === undefined || block === null) return now
  return updateProgress(now, { block: { ...block, bytes: appendFlat(block.bytes, piece) } })
}

/** Decodes the start of a block. Bedrock sends it for tool calls, tool results and images only. */
export function applyStart(state: ConverseState, index: string, start: JsonRecord, deltas: Deltas): ConverseState {
  if (isObject(start.toolUse)) return startCall(state, index, start.toolUse, deltas)
  if (isObject(start.toolResult)) {
    const { toolUseId, status } = start.toolResult
    const failed = status === 'error'
    return openBlock(
      state,
      { kind: 'server result', index, id: scalarToString(toolUseId), parts: EMPTY_LIST, failed },
      deltas,
    )
  }
  if (isObject(start.image)) {
    return openBlock(state, { kind: 'image', index, format: scalarToString(start.image.format), bytes: '' }, deltas)
  }
  return state
}

function startCall(
  state: ConverseState,
  index: string,
  { toolUseId, name, type }: JsonRecord,
  deltas: Deltas,
): ConverseState {
  const id = readCallId(toolUseId) ?? ''
  if (type === 'server_tool_use') {
    const call = { key: `server ${index}`, id, name: scalarToString(name), input: '' }
    return openBlock(state, { kind: 'server call', index, call }, deltas)
  }
  const open = openBlock(state, { kind: 'call', index, empty: true }, deltas)
  deltas.push({
    kind: 'call',
    key: callKey(index),
    type: 'function_call',
    callId: id === '' ? null : id,
    name: isNonEmptyString(name) ? name : null,
    arguments: '',
  })
  return open
}

/** Decodes a block of a whole answer as the deltas that a stream would have sent. */
export function applyBlock(state: ConverseState, index: string, block: JsonRecord, deltas: Deltas): ConverseState {
  if (typeof block.text === 'string' && hasMore(block)) {
    const texts = applyBlock(state, index, { text: block.text }, deltas)
    return applyBlock(texts, `${index} beside`, withoutText(block), deltas)
  }
  const started = applyStart(state, index, block, deltas)
  const next = piecesOf(block).reduce((now, piece) => applyBlockDelta(now, index, piece, deltas), started)
  return closeBlock(next, deltas)
}

function piecesOf(block: JsonRecord): readonly JsonRecord[] {
  if (isObject(block.citationsContent)) {
    const { citations, content } = block.citationsContent
    return [...toArray(citations).map((citation) => ({ citation })), ...toArray(content).filter(isObject)]
  }
  if (isObject(block.reasoningContent)) {
    const { reasoningText, redactedContent, data } = block.reasoningContent
    const inner: JsonRecord = isObject(reasoningText) ? reasoningText : { text: reasoningText }
    return [
      { reasoningContent: { text: inner.text, signature: inner.signature, redactedContent: redactedContent ?? data } },
    ]
  }
  if (isObject(block.toolResult)) return [{ toolResult: block.toolResult.content }]
  // A block may have a label (`type`) beside its one field; the label has no meaning.
  return [typeof block.text === 'string' ? { text: block.text } : block]
}
