import type { JsonRecord } from '../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import { show } from '../rules.ts'
import { checkFields, type FieldTests, is, isList, isNull } from '../schema.ts'
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

interface OpenBlock {
  readonly index: number
  readonly type: string
  readonly input: string
  readonly isSigned: boolean
}

interface MessagesState extends AnswerState {
  readonly started: boolean
  readonly blocks: number
  readonly open: OpenBlock | null
  /** The usage with which the answer began. */
  readonly openingUsage: JsonRecord
}

const INITIAL: MessagesState = { ...INITIAL_ANSWER, started: false, blocks: 0, open: null, openingUsage: {} }

const MESSAGE: FieldTests = {
  id: isNonEmptyString,
  type: is('message'),
  role: is('assistant'),
  model: isNonEmptyString,
  content: isList,
  usage: isObject,
}

const REASONS = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'compaction',
  'model_context_window_exceeded',
]

const USAGE = {
  input: 'input_tokens',
  cached: ['cache_creation_input_tokens', 'cache_read_input_tokens'],
  output: ['output_tokens'],
} as const

/** The deltas of each type of block. A type without a row, such as a result of the vendor's search, has none here. */
const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
  mcp_tool_use: ['input_json_delta'],
}

/** Anthropic refuses a later turn whose thinking has no signature. */
const UNSIGNED = 'a thinking block without a signature'

type Apply = (state: MessagesState, event: JsonRecord, report: AnswerReport) => MessagesState

function startMessage(state: MessagesState, { message }: JsonRecord, report: AnswerReport): MessagesState {
  if (state.started) report('order', 'a second message_start')
  const next = { ...state, started: true }
  checkFields(message, { ...MESSAGE, stop_reason: isNull }, 'message_start.message', 'frame', report)
  if (!isObject(message)) return next
  if (toArray(message.content).length > 0) report('frame', 'message_start.message.content is not empty')
  const usage = isObject(message.usage) ? message.usage : {}
  return { ...sameId(next, message.id, report), openingUsage: usage }
}

function startBlock(state: MessagesState, event: JsonRecord, report: AnswerReport): MessagesState {
  const { index, content_block: block } = event
  if (!state.started) report('order', 'content_block_start before message_start')
  if (state.finish !== null) report('order', 'content_block_start after message_delta')
  if (state.open !== null) report('order', `content_block_start while block ${state.open.index} is open`)
  if (index !== state.blocks)
    report('index', `content_block_start has the index ${show(index)}, expected ${state.blocks}`)
  if (!isObject(block) || !isNonEmptyString(block.type)) {
    report('frame', `content_block is ${show(block)}`)
    return { ...state, blocks: state.blocks + 1 }
  }
  const at = typeof index === 'number' ? index : state.blocks
  const open = { index: at, type: block.type, input: '', isSigned: isNonEmptyString(block.signature) }
  const next = { ...state, blocks: state.blocks + 1, open }
  if (block.type === 'text') return { ...next, text: next.text + textOf(block.text, 'content_block.text', report) }
  if (block.type !== 'tool_use') return next
  if (!isObject(block.input)) report('call', `content_block.input is ${show(block.input)}`)
  return setCall(next, open.index, {
    id: nameOf(block.id),
    name: nameOf(block.name),
    arguments: formatJson(block.input),
  })
}

function deltaOfBlock(state: MessagesState, { index, delta }: JsonRecord, report: AnswerReport): MessagesState {
  const { open } = state
  if (open === null || open.index !== index) {
    report('index', `content_block_delta of block ${show(index)}, but ${open === null ? 'none' : open.index} is open`)
    return state
  }
  if (!isObject(delta)) {
    report('frame', `delta is ${show(delta)}`)
    return state
  }
  if (DELTAS[open.type]?.includes(nameOf(delta.type)) === false)
    report('order', `a ${show(delta.type)} in a block of type ${show(open.type)}`)
  switch (delta.type) {
    case 'text_delta':
      return { ...state, text: state.text + textOf(delta.text, 'delta.text', report) }
    case 'thinking_delta':
      return { ...state, reasoning: state.reasoning + textOf(delta.thinking, 'delta.thinking', report) }
    case 'signature_delta':
      return { ...state, open: { ...open, isSigned: open.isSigned || isNonEmptyString(delta.signature) } }
    case 'input_json_delta':
      return { ...state, open: { ...open, input: open.input + textOf(delta.partial_json, 'partial_json', report) } }
    case 'citations_delta':
      return applyMessagesCitation(state, delta.citation, report)
    default:
      return state
  }
}

function applyMessagesCitation(state: MessagesState, citation: unknown, report: AnswerReport): MessagesState {
  if (!isObject(citation) || !isNonEmptyString(citation.type) || typeof citation.cited_text !== 'string') {
    report('citation', 'a citation without its type or cited_text')
    return state
  }
  return appendCitation(state, `${nameOf(citation.url)} ${citation.cited_text}`)
}

function stopBlock(state: MessagesState, { index }: JsonRecord, report: AnswerReport): MessagesState {
  const { open } = state
  if (open === null || open.index !== index) {
    report('index', `content_block_stop of block ${show(index)}, but ${open === null ? 'none' : open.index} is open`)
    return state
  }
  const next = { ...state, open: null }
  if (open.type === 'thinking' && !open.isSigned) report('reasoning', UNSIGNED)
  if (open.type !== 'tool_use' || open.input === '') return next
  return changeCall(next, open)
}

/** The pieces replace the empty input with which a block begins. */
const changeCall = (state: MessagesState, { index, input }: OpenBlock): MessagesState =>
  setCall(state, index, { id: '', name: '', ...callAt(state, index), arguments: input })

function deltaOfMessage(state: MessagesState, { delta, usage }: JsonRecord, report: AnswerReport): MessagesState {
  if (state.open !== null) report('order', `message_delta while block ${state.open.index} is open`)
  let next = state
  if (isObject(delta) && delta.stop_reason !== null && delta.stop_reason !== undefined)
    next = finished(next, delta.stop_reason, REASONS, report)
  if (!isObject(usage)) {
    report('usage', `message_delta.usage is ${show(usage)}`)
    return next
  }
  if (next.usage !== null) report('usage', 'usage of the answer was sent twice')
  return setUsage(next, { ...state.openingUsage, output_tokens: undefined, ...usage }, USAGE, report)
}

const EVENTS: Readonly<Record<string, Apply>> = {
  message_start: startMessage,
  content_block_start: startBlock,
  content_block_delta: deltaOfBlock,
  content_block_stop: stopBlock,
  message_delta: deltaOfMessage,
  message_stop: (state) => ({ ...state, ended: true }),
  ping: (state) => state,
  error(state, { error }, report) {
    if (!isObject(error) || !isNonEmptyString(error.type)) report('error', 'an error without a type')
    checkErrorMessage(error, report)
    return { ...state, failed: true }
  },
}

function checkFinish(state: AnswerState, report: AnswerReport): void {
  if (state.finish === null) report('finish', 'the answer has no stop_reason')
  const hasCalls = state.calls !== null
  const isCut = state.finish === 'max_tokens' || state.finish === 'model_context_window_exceeded'
  if (state.finish === 'tool_use' && !hasCalls)
    report('finish', 'the stop_reason is "tool_use", but the response has no call')
  if (hasCalls && state.finish === 'end_turn')
    report('finish', 'the stop_reason is "end_turn", but the response has a call')
  checkCalls(state, isCut, report)
}

export const MESSAGES_RULES: ProtocolRules<MessagesState> = {
  format: 'sse',
  initial: INITIAL,
  streamType: /^text\/event-stream\b/,
  frame(state, event, report, line) {
    const { type } = event
    const apply = typeof type === 'string' && Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined
    if (apply === undefined) {
      report('event', `${show(type)} is not an event of the protocol`)
      return state
    }
    if (line !== type) report('event', `the event line is ${show(line)}, the type ${show(type)}`)
    if (state.ended || state.failed) report('end', `${show(type)} after ${state.ended ? 'message_stop' : 'an error'}`)
    if (!state.started && type !== 'message_start' && type !== 'error' && type !== 'ping')
      report('order', `${show(type)} before message_start`)
    return apply(state, event, report)
  },
  done(state, report) {
    report('end', '[DONE], which the protocol does not have')
    return state
  },
  end(state, report) {
    if (state.failed) return
    if (state.open !== null) report('order', `block ${state.open.index} has no content_block_stop`)
    if (!state.ended) report('end', 'message_stop is missing')
    if (state.usage === null) report('usage', 'usage of the answer is missing')
    checkFinish(state, report)
  },
  body(value, report) {
    checkFields(value, MESSAGE, 'the body', 'frame', report)
    let state: MessagesState = sameId(INITIAL, value.id, report)
    for (const [at, block] of toArray(value.content).entries()) {
      if (!isObject(block)) {
        report('frame', `content[${at}] is ${show(block)}`)
        continue
      }
      if (block.type === 'text') {
        state = { ...state, text: state.text + textOf(block.text, `content[${at}].text`, report) }
        for (const one of toArray(block.citations)) state = applyMessagesCitation(state, one, report)
      }
      if (block.type === 'thinking') {
        if (!isNonEmptyString(block.signature)) report('reasoning', UNSIGNED)
        state = { ...state, reasoning: state.reasoning + textOf(block.thinking, `content[${at}].thinking`, report) }
      }
      if (block.type !== 'tool_use') continue
      if (!isObject(block.input)) report('call', `content[${at}].input is ${show(block.input)}, expected an object`)
      state = setCall(state, at, {
        id: nameOf(block.id),
        name: nameOf(block.name),
        arguments: formatJson(block.input),
      })
    }
    state = finished(state, value.stop_reason, REASONS, report)
    checkFinish(state, report)
    return setUsage(state, isObject(value.usage) ? value.usage : {}, USAGE, report)
  },
}
