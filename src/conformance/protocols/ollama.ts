import type { JsonRecord } from '../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import { show } from '../rules.ts'
import { checkFields, type FieldTests, isBoolean } from '../schema.ts'
import { nameOf } from '../state.ts'
import {
  type AnswerReport,
  type AnswerState,
  checkCalls,
  checkErrorMessage,
  finished,
  INITIAL_ANSWER,
  type ProtocolRules,
  setCall,
  setUsage,
  textOf,
} from './answer.ts'

interface OllamaState extends AnswerState {
  readonly called: number
  readonly model: unknown
}

const INITIAL: OllamaState = { ...INITIAL_ANSWER, called: 0, model: null }

const isTime = (value: unknown): boolean => isNonEmptyString(value) && !Number.isNaN(Date.parse(value))

const LINE: FieldTests = { model: isNonEmptyString, created_at: isTime, message: isObject, done: isBoolean }

const REASONS = ['stop', 'length', 'load', 'unload', 'content_filter']

const USAGE = { input: 'prompt_eval_count', output: ['eval_count'] } as const

function applyLine(state: OllamaState, line: JsonRecord, report: AnswerReport): OllamaState {
  checkFields(line, LINE, 'a line', 'frame', report)
  if (state.model !== null && line.model !== state.model)
    report('identity', `the model was ${show(state.model)} and is ${show(line.model)}`)
  let next: OllamaState = { ...state, model: line.model }
  const { message } = line
  if (isObject(message)) {
    if (message.role !== 'assistant') report('frame', `message.role is ${show(message.role)}`)
    next = {
      ...next,
      text: next.text + textOf(message.content, 'message.content', report),
      reasoning: next.reasoning + textOf(message.thinking, 'message.thinking', report),
    }
    for (const call of toArray(message.tool_calls)) next = applyToolCall(next, call, report)
  }
  if (line.done !== true) {
    if (line.done_reason !== undefined) report('finish', 'a done_reason before the last line')
    return next
  }
  return setUsage(
    { ...finished(next, line.done_reason, REASONS, report), ended: true },
    // A prompt that was in the cache has no count in older versions.
    { prompt_eval_count: 0, ...line },
    USAGE,
    report,
  )
}

function applyToolCall(state: OllamaState, call: unknown, report: AnswerReport): OllamaState {
  const called = isObject(call) ? call.function : undefined
  if (!isObject(called)) {
    report('call', `tool_calls[].function is ${show(called)}`)
    return state
  }
  if (!isObject(called.arguments)) report('call', `the arguments are ${show(called.arguments)}, expected an object`)
  const id = isObject(call) && isNonEmptyString(call.id) ? call.id : `call ${state.called}`
  const whole = { id, name: nameOf(called.name), arguments: formatJson(called.arguments) }
  return { ...setCall(state, state.called, whole), called: state.called + 1 }
}

export const OLLAMA_RULES: ProtocolRules<OllamaState> = {
  format: 'ndjson',
  initial: INITIAL,
  streamType: /^application\/x-ndjson\b/,
  frame(state, line, report) {
    if (state.ended || state.failed) report('end', `a line after ${state.ended ? '"done": true' : 'an error'}`)
    if (line.error === undefined) return applyLine(state, line, report)
    checkErrorMessage(line.error, report)
    return { ...state, failed: true }
  },
  done(state, report) {
    report('end', '[DONE], which the protocol does not have')
    return state
  },
  end(state, report) {
    if (state.failed) return
    if (!state.ended) report('end', 'a last line with "done": true is missing')
    checkCalls(state, state.finish === 'length', report)
  },
  body(value, report) {
    const state = applyLine(INITIAL, value, report)
    if (!state.ended) report('finish', `done is ${show(value.done)}, expected true`)
    checkCalls(state, state.finish === 'length', report)
    return state
  },
}
