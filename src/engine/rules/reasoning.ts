import type { EffortStep } from '../../models/facts.ts'
import { dropped, mapped } from '../../protocol/loss.ts'
import { EFFORT_LEVELS, type Effort, type Request } from '../../protocol/request.ts'
import { toTurns } from '../../wires/shared/upstream/conversation.ts'
import { readableReasoningText } from '../../wires/shared/upstream/history-text.ts'
import { isPrompt, isToolOutput } from './items.ts'
import { EFFORT, type Facts, type Fitted, fitting, isReasoningOn, type RequestRule, withEffort } from './rule.ts'

const indexOf = (effort: Effort): number => EFFORT_LEVELS.indexOf(effort)
const HIGH = indexOf('high')

/** Returns the step at the smallest distance; of two, the one that is nearer to high. */
function nearestStep(effort: Effort, steps: readonly EffortStep[]): EffortStep | undefined {
  const distance = (step: EffortStep): number => Math.abs(indexOf(step) - indexOf(effort))
  const fromHigh = (step: EffortStep): number => Math.abs(indexOf(step) - HIGH)
  return [...steps].sort((a, b) => distance(a) - distance(b) || fromHigh(a) - fromHigh(b))[0]
}

const lowestStep = (steps: readonly EffortStep[]): EffortStep | undefined => nearestStep('none', steps)

const withoutEffort = (request: Request, why: string): Fitted =>
  fitting(withEffort(request, null), dropped(EFFORT, why))

/** The effort is one that the model has. Where the vendor's field is a budget or a switch, the wire converts it. */
function fitEffort(request: Request, { model, wire }: Facts): Fitted {
  const { reasons, reasoningBy, efforts: all = [], chatEfforts } = model
  const efforts = wire.chatLimits === true ? (chatEfforts ?? all) : all
  const effort = request.reasoning?.effort ?? null
  if (effort === null) return fitting(request)
  if (reasons === 'never')
    return effort === 'none'
      ? fitting(withEffort(request, null))
      : withoutEffort(request, 'this model does not support reasoning')
  if (reasoningBy === 'name')
    return effort === 'none' && reasons !== 'always'
      ? fitting(withEffort(request, null))
      : withoutEffort(request, 'this model has no such setting')
  if (effort === 'none') {
    if (reasons !== 'always' || reasoningBy === 'budget') return fitting(request)
    const lowest = lowestStep(efforts)
    if (lowest === undefined) return withoutEffort(request, 'reasoning of this model cannot be turned off')
    const why = `none sent as ${lowest}, because reasoning of this model cannot be turned off`
    const reasoning = { effort: lowest, summary: request.reasoning?.summary ?? null, hidden: true } as const
    return fitting({ ...request, reasoning }, mapped(EFFORT, why))
  }
  if (reasoningBy !== 'effort') return fitting(request)
  const step = nearestStep(effort, efforts)
  if (step === undefined || step === effort) return fitting(request)
  const why = `${effort} sent as ${step}, the nearest effort of this model`
  return fitting(withEffort(request, step), mapped(EFFORT, why))
}

/** Whether a turn of the assistant called a tool, and the reasoning that led to the call is missing or unreadable. */
const hasBareCalls = ({ input }: Request): boolean =>
  toTurns(input).some(
    (turn) =>
      turn.kind === 'assistant' &&
      turn.calls.length > 0 &&
      turn.reasoning.every((located) => readableReasoningText(located) === ''),
  )

/**
 * Whether the request goes on behind calls whose sealed reasoning is missing: a model with a budget refuses to reason
 * then, and its wires send the request without reasoning.
 */
export function isBehindBareCalls({ input }: Request, open: Facts['open']): boolean {
  const answered = input.findLastIndex((item) => !isToolOutput(item) && !isPrompt(item))
  if (!input.slice(answered + 1).some(isToolOutput)) return false
  const turn = input.slice(0, answered + 1)
  const begun = turn.findLastIndex((item) => isPrompt(item) || isToolOutput(item)) + 1
  return !turn.slice(begun).some((item) => {
    if (item.type !== 'reasoning' || item.encrypted_content === null) return false
    return open === undefined || open(item.encrypted_content) !== undefined
  })
}

const BARE = 'this model requires the reasoning before tool calls, and the input has none'

/** A model that refuses calls without their reasoning does not reason, or decides itself whether it does. O(n). */
function fitReasoningHistory(request: Request, { model }: Facts): Fitted {
  if (!isReasoningOn(request, model) || !hasBareCalls(request)) return fitting(request)
  const isRequested = (request.reasoning?.effort ?? null) !== null
  if (model.reasons === 'optional') {
    return fitting(
      withEffort(request, 'none'),
      isRequested ? dropped(EFFORT, BARE) : mapped(EFFORT, `${BARE}: turned off`),
    )
  }
  return isRequested ? withoutEffort(request, BARE) : fitting(request)
}

export const effort: RequestRule = {
  name: 'effort',
  about: {
    upstreams: 'models of which is known whether and how they reason',
    change: 'the effort is the nearest one that the model has, or is dropped',
  },
  when: ({ model: { reasons, reasoningBy } }) => reasons !== undefined || reasoningBy !== undefined,
  mend: fitEffort,
}

export const reasoningHistory: RequestRule = {
  name: 'reasoning of calls',
  subject: 'calls',
  about: {
    upstreams: 'models with `needsReasoning`',
    change: 'reasoning is turned off, or left to the model, where the history has calls without theirs',
  },
  when: ({ model }) => model.needsReasoning === true,
  mend: fitReasoningHistory,
}
