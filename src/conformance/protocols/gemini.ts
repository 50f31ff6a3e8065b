import type { JsonRecord } from '../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import { utf8Length } from '../../text/utf8.ts'
import { show } from '../rules.ts'
import { isCount } from '../schema.ts'
import { nameOf } from '../state.ts'
import {
  type AnswerReport,
  type AnswerState,
  appendCitation,
  checkCalls,
  checkErrorMessage,
  finished,
  INITIAL_ANSWER,
  type ProtocolRules,
  sameId,
  setCall,
  setUsage,
  textOf,
} from './answer.ts'

interface GeminiState extends AnswerState {
  readonly called: number
  /** The prompt was blocked, so that there is no candidate. */
  readonly blocked: boolean
  readonly model: unknown
}

const INITIAL: GeminiState = { ...INITIAL_ANSWER, called: 0, blocked: false, model: null }

const REASONS = [
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'IMAGE_SAFETY',
]

/** Counts that are 0 are left out. */
const USAGE = {
  input: 'promptTokenCount',
  output: ['candidatesTokenCount', 'thoughtsTokenCount'],
  beside: ['toolUsePromptTokenCount'],
  total: 'totalTokenCount',
} as const

/** Early chunks of Vertex have usage without any count: `{"trafficType": "ON_DEMAND"}`. */
const COUNTS = [USAGE.input, ...USAGE.output, USAGE.total] as const

function applyChunk(state: GeminiState, chunk: JsonRecord, report: AnswerReport): GeminiState {
  if (chunk.error !== undefined) {
    const { error } = chunk
    if (!isObject(error) || !isCount(error.code) || !isNonEmptyString(error.status))
      report('error', 'an error without its code and status')
    checkErrorMessage(error, report)
    return { ...state, failed: true }
  }
  let next: GeminiState = chunk.responseId === undefined ? state : sameId(state, chunk.responseId, report)
  const { modelVersion: model } = chunk
  // The types of the vendor's SDK have it as optional.
  if (model !== undefined) {
    if (!isNonEmptyString(model)) report('frame', `modelVersion is ${show(model)}`)
    if (next.model !== null && model !== next.model)
      report('identity', `modelVersion was ${show(next.model)} and is ${show(model)}`)
    next = { ...next, model }
  }
  const isBlocked = isObject(chunk.promptFeedback) && isNonEmptyString(chunk.promptFeedback.blockReason)
  if (isBlocked) next = { ...next, blocked: true }
  const candidates = toArray(chunk.candidates)
  if (candidates.length === 0 && !isBlocked && !isObject(chunk.usageMetadata))
    report('frame', 'a chunk without candidates, promptFeedback or usageMetadata')
  for (const candidate of candidates) next = applyCandidate(next, candidate, report)
  const { usageMetadata: usage } = chunk
  if (!isObject(usage) || COUNTS.every((name) => usage[name] === undefined)) return next
  // Each chunk may have the counts so far. The last ones are those of the answer.
  return setUsage(next, { candidatesTokenCount: 0, ...usage }, USAGE, report)
}

function applyCandidate(state: GeminiState, candidate: unknown, report: AnswerReport): GeminiState {
  if (!isObject(candidate)) {
    report('frame', `a candidate is ${show(candidate)}`)
    return state
  }
  const { index = 0, content, finishReason, groundingMetadata } = candidate
  if (index !== 0) report('index', `candidates[].index is ${show(index)}, expected 0`)
  if (state.finish !== null) report('order', 'a candidate after the finishReason')
  let next = state
  if (isObject(content)) {
    if (content.role !== undefined && content.role !== 'model') report('frame', `content.role is ${show(content.role)}`)
    if (content.parts === null) report('frame', 'content.parts is null')
    for (const part of toArray(content.parts)) next = applyPart(next, part, report)
  }
  if (finishReason !== undefined && finishReason !== null) next = finished(next, finishReason, REASONS, report)
  return isObject(groundingMetadata) ? applyGrounding(next, groundingMetadata, report) : next
}

function applyPart(state: GeminiState, part: unknown, report: AnswerReport): GeminiState {
  if (!isObject(part)) {
    report('frame', `a part is ${show(part)}`)
    return state
  }
  if (part.text !== undefined) {
    const text = textOf(part.text, 'part.text', report)
    return part.thought === true
      ? { ...state, reasoning: state.reasoning + text }
      : { ...state, text: state.text + text }
  }
  const { functionCall: call } = part
  if (call === undefined) return state
  if (!isObject(call)) {
    report('call', `functionCall is ${show(call)}`)
    return state
  }
  if (call.args !== undefined && !isObject(call.args)) report('call', `functionCall.args is ${show(call.args)}`)
  // Ids are optional in this protocol: calls are matched by their place.
  const id = isNonEmptyString(call.id) ? call.id : `call ${state.called}`
  const called = { id, name: nameOf(call.name), arguments: formatJson(call.args ?? {}) }
  return { ...setCall(state, state.called, called), called: state.called + 1 }
}

/** Segments have offsets in bytes of UTF-8, and repeat the text between them. */
function applyGrounding(state: GeminiState, grounding: JsonRecord, report: AnswerReport): GeminiState {
  const length = utf8Length(state.text)
  const chunks = toArray(grounding.groundingChunks)
  return toArray(grounding.groundingSupports).reduce((so: GeminiState, support) => {
    const segment = isObject(support) ? support.segment : undefined
    if (!isObject(segment)) return so
    const { startIndex: start = 0, endIndex: end, text } = segment
    if (!isCount(start) || !isCount(end) || (end as number) > length)
      report('citation', `a segment of ${show(start)} to ${show(end)} in a text of ${length} bytes`)
    else if (isNonEmptyString(text)) {
      const bytes = new TextEncoder().encode(state.text).subarray(start as number, end as number)
      const between = new TextDecoder().decode(bytes)
      if (between !== text)
        report('citation', `the segment ${show(text)} is not the text between its offsets, ${show(between)}`)
    }
    const indices = toArray(isObject(support) ? support.groundingChunkIndices : [])
    if (indices.some((at) => !isCount(at) || (at as number) >= chunks.length))
      report('citation', 'a segment without its source')
    return appendCitation(so, `${start}-${end}`)
  }, state)
}

function checkFinish(state: GeminiState, report: AnswerReport): void {
  if (state.finish === null && !state.blocked) report('finish', 'the answer has no finishReason')
  if (state.usage === null) report('usage', 'usageMetadata is missing')
  checkCalls(state, state.finish === 'MAX_TOKENS', report)
}

export const GEMINI_RULES: ProtocolRules<GeminiState> = {
  format: 'sse',
  initial: INITIAL,
  streamType: /^text\/event-stream\b/,
  frame(state, chunk, report, event) {
    if (event !== '') report('event', `a line "event: ${event}", which the protocol does not have`)
    if (state.failed) report('end', 'a chunk after an error')
    return applyChunk(state, chunk, report)
  },
  done(state, report) {
    report('end', '[DONE], which the protocol does not have')
    return state
  },
  end(state, report) {
    if (!state.failed) checkFinish(state, report)
  },
  body(value, report) {
    const state = applyChunk(INITIAL, value, report)
    checkFinish(state, report)
    return state
  },
}
