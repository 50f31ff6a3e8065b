import type { JsonRecord } from '../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import { show } from '../rules.ts'
import { checkFields, type FieldTests, is, isCount, isList, isSeconds } from '../schema.ts'
import { nameOf } from '../state.ts'
import {
  type AnswerReport,
  type AnswerState,
  appendCitation,
  callAt,
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

interface ChatState extends AnswerState {
  readonly created: unknown
  readonly model: unknown
  readonly hasRole: boolean
  readonly calledSoFar: number
}

const INITIAL: ChatState = { ...INITIAL_ANSWER, created: null, model: null, hasRole: false, calledSoFar: 0 }

const CHUNK: FieldTests = {
  object: is('chat.completion.chunk'),
  created: (value) => isCount(value) && isSeconds(value),
  model: isNonEmptyString,
  choices: isList,
}

const BODY: FieldTests = { ...CHUNK, object: is('chat.completion') }

const REASONS = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call']

const USAGE = { input: 'prompt_tokens', output: ['completion_tokens'], total: 'total_tokens' } as const

function head(state: ChatState, chunk: JsonRecord, report: AnswerReport): ChatState {
  const { created } = chunk
  if (state.created !== null && state.created !== created)
    report('identity', `created was ${show(state.created)} and is ${show(created)}`)
  // Azure begins with a chunk about its filters, whose model is empty.
  const model = isNonEmptyString(chunk.model) ? chunk.model : state.model
  if (state.model !== null && model !== state.model)
    report('identity', `model was ${show(state.model)} and is ${show(model)}`)
  return { ...sameId(state, chunk.id, report), created, model }
}

function frame(state: ChatState, chunk: JsonRecord, report: AnswerReport, event: string): ChatState {
  if (event !== '') report('event', `a line "event: ${event}", which the protocol does not have`)
  if (state.ended) report('end', 'a chunk after [DONE]')
  if (state.failed) report('end', 'a chunk after an error')
  if (chunk.error !== undefined && chunk.error !== null) {
    checkErrorMessage(chunk.error, report)
    return { ...state, failed: true }
  }
  checkFields(chunk, CHUNK, 'a chunk', 'frame', report)
  let next = head(state, chunk, report)
  for (const choice of toArray(chunk.choices)) next = applyChoice(next, choice, report)
  if (!isObject(chunk.usage)) return next
  if (next.usage !== null) report('usage', 'usage was sent twice')
  if (next.finish === null) report('usage', 'usage before the end of the answer')
  return setUsage(next, chunk.usage, USAGE, report)
}

function applyChoice(state: ChatState, choice: unknown, report: AnswerReport): ChatState {
  if (!isObject(choice)) {
    report('frame', `a choice is ${show(choice)}`)
    return state
  }
  if (choice.index !== 0) report('index', `choices[].index is ${show(choice.index)}, expected 0`)
  const { delta, finish_reason: reason } = choice
  let next = state
  if (isObject(delta)) next = applyDelta(next, delta, report)
  else report('frame', `choices[].delta is ${show(delta)}`)
  return reason === null || reason === undefined ? next : finished(next, reason, REASONS, report)
}

const CONTENT = ['content', 'refusal', 'reasoning', 'reasoning_content', 'tool_calls'] as const
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

function applyDelta(state: ChatState, delta: JsonRecord, report: AnswerReport): ChatState {
  if (!state.hasRole && delta.role !== 'assistant')
    report('order', `the first delta has the role ${show(delta.role)}, expected "assistant"`)
  if (state.finish !== null && CONTENT.some((name) => !isEmpty(delta[name])))
    report('order', 'content after the end of the answer')
  let next: ChatState = { ...applyMessage(state, delta, 'delta', report), hasRole: true }
  for (const piece of toArray(delta.tool_calls)) next = applyPiece(next, piece, report)
  return next
}

/** The members that a delta and a message share. */
function applyMessage(state: ChatState, message: JsonRecord, what: string, report: AnswerReport): ChatState {
  const reasoning = message.reasoning_content ?? message.reasoning
  const next = {
    ...state,
    text: state.text + textOf(message.content, `${what}.content`, report),
    refusal: state.refusal + textOf(message.refusal, `${what}.refusal`, report),
    reasoning: state.reasoning + (typeof reasoning === 'string' ? textOf(reasoning, `${what}.reasoning`, report) : ''),
  }
  return toArray(message.annotations).reduce((so: ChatState, one) => applyAnnotation(so, one, report), next)
}

function applyAnnotation(state: ChatState, annotation: unknown, report: AnswerReport): ChatState {
  const citation = isObject(annotation) ? annotation.url_citation : undefined
  if (!isObject(citation)) return state
  const { url, start_index: start, end_index: end } = citation
  if (!isNonEmptyString(url)) report('citation', `the url is ${show(url)}`)
  const isInside = isCount(start) && isCount(end) && (start as number) <= (end as number)
  if (!isInside || (end as number) > state.text.length)
    report('citation', `a range of ${show(start)} to ${show(end)} in a text of length ${state.text.length}`)
  return appendCitation(state, `${url} ${start}-${end}`)
}

/** A call begins with its index, id and name; later pieces have the index and arguments. */
function applyPiece(state: ChatState, piece: unknown, report: AnswerReport): ChatState {
  if (!isObject(piece) || !isCount(piece.index)) {
    report('index', `tool_calls[].index is ${show(isObject(piece) ? piece.index : piece)}`)
    return state
  }
  const at = piece.index as number
  const called = isObject(piece.function) ? piece.function : {}
  const args = textOf(called.arguments, 'tool_calls[].function.arguments', report)
  const started = callAt(state, at)
  if (started === undefined) {
    if (at !== state.calledSoFar) report('index', `tool_calls[].index is ${at}, expected ${state.calledSoFar}`)
    if (piece.type !== 'function' && piece.type !== 'custom')
      report('call', `tool_calls[${at}].type is ${show(piece.type)}`)
    const call = { id: nameOf(piece.id), name: nameOf(called.name), arguments: args }
    if (call.id === '') report('call', `tool_calls[${at}] begins without an id`)
    return { ...setCall(state, at, call), calledSoFar: state.calledSoFar + 1 }
  }
  if (isNonEmptyString(piece.id) && piece.id !== started.id)
    report('call', `the id of tool_calls[${at}] was ${show(started.id)} and is ${show(piece.id)}`)
  if (isNonEmptyString(called.name)) report('call', `tool_calls[${at}] has its name again, which clients join`)
  return setCall(state, at, { ...started, arguments: started.arguments + args })
}

function checkFinish(state: AnswerState, report: AnswerReport): void {
  if (state.finish === null) report('finish', 'the answer has no finish_reason')
  if (state.finish === 'tool_calls' && state.calls === null)
    report('finish', 'the finish_reason is "tool_calls", but the response has no call')
  if (state.finish === 'function_call' && state.calls !== null)
    report('finish', 'the finish_reason is "function_call", but the response has tool calls')
  checkCalls(state, state.finish === 'length', report)
}

export const CHAT_RULES: ProtocolRules<ChatState> = {
  format: 'sse',
  initial: INITIAL,
  streamType: /^text\/event-stream\b/,
  frame,
  done(state, report) {
    if (state.ended) report('end', 'a second [DONE]')
    return { ...state, ended: true }
  },
  end(state, report) {
    if (state.failed) return
    if (!state.ended) report('end', '[DONE] is missing')
    if (state.usage === null) report('usage', 'usage is missing, which stream_options.include_usage requests')
    checkFinish(state, report)
  },
  body(value, report) {
    checkFields(value, BODY, 'the body', 'frame', report)
    const [choice] = toArray(value.choices)
    const message = isObject(choice) ? choice.message : undefined
    if (!isObject(choice) || !isObject(message)) {
      report('frame', 'choices[0].message is missing')
      return INITIAL
    }
    if (choice.index !== 0) report('index', `choices[0].index is ${show(choice.index)}, expected 0`)
    if (message.role !== 'assistant') report('frame', `choices[0].message.role is ${show(message.role)}`)
    let state = applyMessage(sameId(INITIAL, value.id, report), message, 'message', report)
    for (const [at, call] of toArray(message.tool_calls).entries()) {
      const called = isObject(call) && isObject(call.function) ? call.function : {}
      const id = isObject(call) ? nameOf(call.id) : ''
      if (typeof called.arguments !== 'string')
        report('call', `tool_calls[${at}].function.arguments is ${show(called.arguments)}, expected a text`)
      state = setCall(state, at, { id, name: nameOf(called.name), arguments: nameOf(called.arguments) })
    }
    state = finished(state, choice.finish_reason, REASONS, report)
    checkFinish(state, report)
    if (isObject(value.usage)) return setUsage(state, value.usage, USAGE, report)
    report('usage', `usage is ${show(value.usage)}`)
    return state
  },
}
