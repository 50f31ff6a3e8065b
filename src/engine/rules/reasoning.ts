import { nearestStep } from '../../models/efforts.ts'
import { dropped, type Loss, mapped, NO_REASONING } from '../../protocol/loss.ts'
import type { InputItem, Request } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import { toTurns } from '../../wires/shared/upstream/conversation.ts'
import { readableReasoningText } from '../../wires/shared/upstream/history-text.ts'
import { isAnswer, isPrompt, isToolCall, isToolOutput } from './items.ts'
import {
  EFFORT,
  type Facts,
  type Fitted,
  fitting,
  isEffortAlone,
  isReasoningOn,
  type RequestRule,
  withEffort,
} from './rule.ts'

const withoutEffort = (request: Request, why: string): Fitted =>
  fitting(withEffort(request, null), dropped(EFFORT, why))

/** The effort is one that the model has. Where the vendor's field is a budget or a switch, the wire converts it. */
function fitEffort(request: Request, { model, wire }: Facts): Fitted {
  const { reasons, reasoningBy, efforts: all = [], chatEfforts } = model
  const efforts = wire.chatLimits === true ? (chatEfforts ?? all) : all
  const effort = request.reasoning?.effort ?? null
  if (effort === null) return fitting(request)
  if (reasons === 'never')
    return effort === 'none' ? fitting(withEffort(request, null)) : withoutEffort(request, NO_REASONING)
  if (reasoningBy === 'name')
    return effort === 'none' && reasons !== 'always'
      ? fitting(withEffort(request, null))
      : withoutEffort(request, 'this model has no such setting')
  if (effort === 'none') {
    if (reasons !== 'always' || reasoningBy === 'budget') return fitting(request)
    const lowest = nearestStep('none', efforts)
    if (lowest === undefined) return withoutEffort(request, 'reasoning of this model cannot be turned off')
    const why = `none sent as ${lowest}, because reasoning of this model cannot be turned off`
    const reasoning = { effort: lowest, summary: request.reasoning?.summary ?? null, hidden: true } as const
    return fitting({ ...request, reasoning }, mapped(EFFORT, why))
  }
  const isAlone = isEffortAlone(request, model)
  if (reasoningBy !== 'effort' && !isAlone) return fitting(request)
  const step = nearestStep(effort, efforts)
  if (step === undefined && isAlone) return withoutEffort(request, 'this model accepts no effort')
  if (step === undefined || step === effort) return fitting(request)
  const why = `${effort} sent as ${step}, the nearest effort of this model`
  return fitting(withEffort(request, step), mapped(EFFORT, why))
}

/** The first call of each turn that called a tool, and whose reasoning is missing or unreadable, by its index. O(n). */
const bareCalls = ({ input }: Request): readonly number[] =>
  toTurns(input).flatMap((turn) =>
    turn.kind === 'assistant' && turn.reasoning.every((located) => readableReasoningText(located) === '')
      ? (turn.calls[0]?.at ?? [])
      : [],
  )

/** The last turn of the assistant. */
interface LastTurn {
  readonly items: readonly InputItem[]
  /** The index of its first item. */
  readonly begin: number
  /** The model goes on with it: it is the end of the input, or results of its calls follow. */
  readonly isOpen: boolean
}

function lastTurnOf({ input }: Request): LastTurn {
  const end = input.findLastIndex((item) => !isToolOutput(item) && !isPrompt(item)) + 1
  const begin = input.slice(0, end).findLastIndex((item) => isPrompt(item) || isToolOutput(item)) + 1
  const isOpen = end > begin && (end === input.length || input.slice(end).some(isToolOutput))
  return { items: input.slice(begin, end), begin, isOpen }
}

/** Whether an item is reasoning that this upstream signed. */
const isSigned = (item: InputItem, open: Facts['open']): boolean =>
  item.type === 'reasoning' &&
  item.encrypted_content !== null &&
  (open === undefined || open(item.encrypted_content) !== undefined)

/** The turn as it is sent: reasoning without a signature, and items of other protocols, are left out. */
const beginsSigned = ({ items }: LastTurn, open: Facts['open']): boolean => {
  const first = items.find((item) => isSigned(item, open) || isAnswer(item) || isToolCall(item))
  return first !== undefined && isSigned(first, open)
}

const UNSIGNED = 'this model reasons only behind its own signed reasoning, with which its last turn does not begin'

/** The answer without its reasoning from the item `first` on. */
function withoutReasoning(request: Request, { items, begin }: LastTurn, open: Facts['open'], first: number): Fitted {
  const gone = items.flatMap((item, at) => (at >= first && isSigned(item, open) ? [begin + at] : []))
  if (gone.length === 0) return fitting(request)
  const places = [...request.input.keys()].filter((at) => !gone.includes(at))
  return {
    request: { ...request, input: places.flatMap((at) => request.input[at] ?? []) },
    losses: gone.map((at): Loss => dropped(`input[${at}]`, 'this model does not accept it there')),
    toEarlier: movedEntries({ input: places }),
  }
}

/**
 * A model with a budget goes on with a turn of its own only if both that turn and the request have reasoning, or neither
 * has: "a final `assistant` message must start with a thinking block", "When thinking is disabled, an `assistant` message
 * in the final position cannot contain `thinking`", "The final block in an assistant message cannot be `thinking`". In its
 * place, `thinking` begins the message: "the first block must be thinking or redacted_thinking".
 */
function fitLastTurn(request: Request, { model, open }: Facts): Fitted {
  const turn = lastTurnOf(request)
  if (!turn.isOpen) return fitting(request)
  const { items, begin } = turn
  const isOn = isReasoningOn(request, model)
  const isClaude = model.family === 'claude'
  const isContinued = isClaude && begin + items.length === request.input.length
  const end = isContinued ? items.findLastIndex((item) => !isSigned(item, open)) + 1 : items.length
  const isBound = isOn && end > 0 && !beginsSigned({ ...turn, items: items.slice(0, end) }, open)
  const first = isOn && !isBound ? end : 0
  const left = isContinued || (isClaude && isBound) ? withoutReasoning(request, turn, open, first) : fitting(request)
  return isBound
    ? { ...left, request: withEffort(left.request, null), losses: [...left.losses, dropped(EFFORT, UNSIGNED)] }
    : left
}

const BARE = 'this model requires the reasoning before tool calls, and the input has none'

/** An empty text is missing for these vendors. */
const BLANK: InputItem = { type: 'reasoning', summary: [], content: [' '], encrypted_content: null }

/** Blank reasoning before calls that have none. */
function withBlanks(request: Request, calls: readonly number[]): Fitted {
  const before = new Set(calls)
  return {
    request: { ...request, input: request.input.flatMap((item, at) => (before.has(at) ? [BLANK, item] : [item])) },
    losses: calls.map((at) => mapped(`input[${at}]`, `${BARE}: sent with a blank one`)),
    toEarlier: movedEntries({ input: [...request.input.keys()].flatMap((at) => (before.has(at) ? [null, at] : [at])) }),
  }
}

/** A model that refuses calls without their reasoning does not reason; if it always does, the calls get a blank one. O(n). */
function fitReasoningHistory(request: Request, { model }: Facts): Fitted {
  const isAlways = model.reasons === 'always'
  if (!isAlways && !isReasoningOn(request, model)) return fitting(request)
  const calls = bareCalls(request)
  if (calls.length === 0) return fitting(request)
  if (isAlways) return withBlanks(request, calls)
  const isRequested = (request.reasoning?.effort ?? null) !== null
  if (model.reasons !== 'optional') return isRequested ? withoutEffort(request, BARE) : fitting(request)
  return fitting(
    withEffort(request, 'none'),
    isRequested ? dropped(EFFORT, BARE) : mapped(EFFORT, `${BARE}: turned off`),
  )
}

/** "The following tools cannot be used with reasoning.effort 'minimal': web_search." */
export const leastEffort: RequestRule = {
  name: 'effort beside server tools',
  subject: 'tools',
  when: ({ model: { family, efforts } }) => family === 'gpt' && efforts?.includes('minimal') === true,
  mend(request) {
    const hasServerTools = request.tools.some(({ type }) => type === 'hosted')
    if (request.reasoning?.effort !== 'minimal' || !hasServerTools) return fitting(request)
    const why = 'minimal sent as low, because this model refuses it together with tools of the server'
    return fitting(withEffort(request, 'low'), mapped(EFFORT, why))
  },
}

export const effort: RequestRule = {
  name: 'effort',
  when: ({ model: { reasons, reasoningBy } }) => reasons !== undefined || reasoningBy !== undefined,
  mend: fitEffort,
}

export const reasoningOfTurns: RequestRule = {
  name: 'reasoning of the last turn',
  subject: 'turns',
  when: ({ wire, model: { reasoningBy, reasons } }) =>
    wire.needsSealedReasoning === true && reasoningBy !== 'effort' && reasons !== 'never',
  mend: fitLastTurn,
}

export const reasoningHistory: RequestRule = {
  name: 'reasoning of calls',
  subject: 'calls',
  when: ({ model }) => model.needsReasoning === true,
  mend: fitReasoningHistory,
}
