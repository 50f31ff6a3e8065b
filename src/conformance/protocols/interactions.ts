import type { JsonRecord } from '../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import { show } from '../rules.ts'
import { checkFields, type FieldTests, is } from '../schema.ts'
import { nameOf } from '../state.ts'
import {
  type AnswerReport,
  type AnswerState,
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

interface OpenStep {
  readonly index: number
  readonly type: string
  readonly input: string
}

interface InteractionState extends AnswerState {
  readonly created: boolean
  readonly completed: boolean
  readonly steps: number
  readonly open: OpenStep | null
}

const INITIAL: InteractionState = { ...INITIAL_ANSWER, created: false, completed: false, steps: 0, open: null }

/** An answer that is not stored has an empty id in a stream, and none in a body. */
const isId = (value: unknown): boolean => value === undefined || typeof value === 'string'

const HEAD: FieldTests = { id: isId, object: is('interaction'), status: isNonEmptyString }

const STATUSES = ['completed', 'requires_action', 'incomplete', 'failed', 'cancelled', 'budget_exceeded']

const USAGE = {
  input: 'total_input_tokens',
  output: ['total_output_tokens', 'total_thought_tokens'],
  beside: ['total_tool_use_tokens'],
  total: 'total_tokens',
} as const

type Apply = (state: InteractionState, event: JsonRecord, report: AnswerReport) => InteractionState

function checkInteraction(
  state: InteractionState,
  value: unknown,
  what: string,
  report: AnswerReport,
): InteractionState {
  checkFields(value, HEAD, what, 'frame', report)
  return isObject(value) && isNonEmptyString(value.id) ? sameId(state, value.id, report) : state
}

function startStep(state: InteractionState, { index, step }: JsonRecord, report: AnswerReport): InteractionState {
  if (state.open !== null) report('order', `step.start while step ${state.open.index} is open`)
  if (index !== state.steps) report('index', `step.start has the index ${show(index)}, expected ${state.steps}`)
  const at = typeof index === 'number' ? index : state.steps
  const type = isObject(step) ? nameOf(step.type) : ''
  if (type === '') report('frame', `step.start.step is ${show(step)}`)
  const next = { ...state, steps: state.steps + 1, open: { index: at, type, input: '' } }
  return isObject(step) ? applyStep(next, at, step, report) : next
}

/** Applies the content that a step has as a whole. */
function applyStep(state: InteractionState, at: number, step: JsonRecord, report: AnswerReport): InteractionState {
  switch (step.type) {
    case 'model_output':
      return { ...state, text: state.text + joined(step.content, report) }
    case 'thought':
      return { ...state, reasoning: state.reasoning + joined(step.summary, report) }
    case 'function_call': {
      if (!isObject(step.arguments)) report('call', `arguments of a step are ${show(step.arguments)}`)
      const call = { id: nameOf(step.id), name: nameOf(step.name), arguments: formatJson(step.arguments) }
      return setCall(state, at, call)
    }
    default:
      return state
  }
}

const joined = (parts: unknown, report: AnswerReport): string =>
  toArray(parts)
    .map((part) => (isObject(part) && part.type === 'text' ? textOf(part.text, 'text', report) : ''))
    .join('')

function deltaOfStep(state: InteractionState, { index, delta }: JsonRecord, report: AnswerReport): InteractionState {
  const { open } = state
  if (open === null || open.index !== index) {
    report('index', `step.delta of step ${show(index)}, but ${open === null ? 'none' : open.index} is open`)
    return state
  }
  if (!isObject(delta) || !isNonEmptyString(delta.type)) {
    report('frame', `step.delta.delta is ${show(delta)}`)
    return state
  }
  switch (delta.type) {
    case 'text':
      if (open.type !== 'model_output') report('order', `a text in a step of type ${show(open.type)}`)
      return { ...state, text: state.text + textOf(delta.text, 'delta.text', report) }
    case 'thought_summary':
      return { ...state, reasoning: state.reasoning + joined([delta.content], report) }
    case 'arguments_delta':
      if (open.type !== 'function_call') report('order', `arguments in a step of type ${show(open.type)}`)
      return { ...state, open: { ...open, input: open.input + textOf(delta.arguments, 'arguments', report) } }
    default:
      return state
  }
}

function stopStep(state: InteractionState, { index }: JsonRecord, report: AnswerReport): InteractionState {
  const { open } = state
  if (open === null || open.index !== index) {
    report('index', `step.stop of step ${show(index)}, but ${open === null ? 'none' : open.index} is open`)
    return state
  }
  const next = { ...state, open: null }
  if (open.input === '') return next
  return setCall(next, open.index, { id: '', name: '', ...callAt(state, open.index), arguments: open.input })
}

/** Applies the interaction of the end. Where it repeats its steps, they are those of the stream. */
function complete(state: InteractionState, value: JsonRecord, report: AnswerReport): InteractionState {
  const next = finished(state, value.status, STATUSES, report)
  if (isObject(value.usage)) return setUsage(next, value.usage, USAGE, report)
  report('usage', `usage is ${show(value.usage)}`)
  return next
}

const EVENTS: Readonly<Record<string, Apply>> = {
  'interaction.created'(state, { interaction }, report) {
    if (state.created) report('order', 'a second interaction.created')
    return { ...checkInteraction(state, interaction, 'the created interaction', report), created: true }
  },
  'interaction.status_update': (state) => state,
  'step.start': startStep,
  'step.delta': deltaOfStep,
  'step.stop': stopStep,
  'interaction.completed'(state, { interaction }, report) {
    if (state.open !== null) report('order', `interaction.completed while step ${state.open.index} is open`)
    const next = checkInteraction(state, interaction, 'the completed interaction', report)
    return { ...complete(next, isObject(interaction) ? interaction : {}, report), completed: true }
  },
  error(state, { error }, report) {
    checkErrorMessage(error, report)
    return { ...state, failed: true }
  },
}

function checkFinish(state: InteractionState, report: AnswerReport): void {
  // Newer models end a call with "completed", too (docs/wires/gemini-interactions.md).
  if (state.finish === 'requires_action' && state.calls === null)
    report('finish', 'the status is "requires_action", but the response has no call')
  checkCalls(state, state.finish === 'incomplete', report)
}

export const INTERACTIONS_RULES: ProtocolRules<InteractionState> = {
  format: 'sse',
  initial: INITIAL,
  streamType: /^text\/event-stream\b/,
  frame(state, event, report, line) {
    const { event_type: type } = event
    const apply = typeof type === 'string' && Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined
    if (apply === undefined) {
      report('event', `${show(type)} is not an event of the protocol`)
      return state
    }
    if (line !== type) report('event', `the event line is ${show(line)}, the type ${show(type)}`)
    if (state.ended) report('end', `${show(type)} after [DONE]`)
    else if (state.completed || state.failed)
      report('end', `${show(type)} after ${state.completed ? 'interaction.completed' : 'an error'}`)
    if (!state.created && type !== 'interaction.created' && type !== 'error')
      report('order', `${show(type)} before interaction.created`)
    return apply(state, event, report)
  },
  done(state, report) {
    if (state.ended) report('end', 'a second [DONE]')
    return { ...state, ended: true }
  },
  end(state, report) {
    if (state.failed) return
    if (state.open !== null) report('order', `step ${state.open.index} has no step.stop`)
    if (!state.completed) report('end', 'interaction.completed is missing')
    if (!state.ended) report('end', '[DONE] is missing')
    checkFinish(state, report)
  },
  body(value, report) {
    let state = checkInteraction(INITIAL, value, 'the body', report)
    for (const [at, step] of toArray(value.steps).entries())
      if (isObject(step)) state = applyStep(state, at, step, report)
      else report('frame', `steps[${at}] is ${show(step)}`)
    state = complete(state, value, report)
    checkFinish(state, report)
    return state
  },
}
