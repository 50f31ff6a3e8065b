import type { EffortStep, ModelFacts } from '../../models/facts.ts'
import { dropped, type Loss, mapped } from '../../protocol/loss.ts'
import { EFFORT_LEVELS, type Effort, type Request } from '../../protocol/request.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import type { Pass, PassContext } from './pass.ts'

/** A request that fits one more fact, and the loss of each change. */
interface Fitted {
  readonly request: Request
  readonly losses: readonly Loss[]
}

/** Fits a request to facts of its model. The same object: nothing has to change. */
type Adapt = (request: Request, facts: ModelFacts, context: Pick<PassContext, 'wire' | 'quirks'>) => Fitted

const unchanged = (request: Request): Fitted => ({ request, losses: [] })

// ---------------------------------------------------------------- reasoning

const EFFORT = 'reasoning.effort'

/** `null`: the request has no effort any more. */
const withEffort = (request: Request, effort: Effort | null): Request => ({
  ...request,
  reasoning: { effort, summary: request.reasoning?.summary ?? null },
})

const indexOf = (effort: Effort): number => EFFORT_LEVELS.indexOf(effort)
const HIGH = indexOf('high')

/** Returns the step at the smallest distance; of two, the one that is nearer to high. */
function nearestStep(effort: Effort, steps: readonly EffortStep[]): EffortStep | undefined {
  const distance = (step: EffortStep): number => Math.abs(indexOf(step) - indexOf(effort))
  const fromHigh = (step: EffortStep): number => Math.abs(indexOf(step) - HIGH)
  return [...steps].sort((a, b) => distance(a) - distance(b) || fromHigh(a) - fromHigh(b))[0]
}

const lowestStep = (steps: readonly EffortStep[]): EffortStep | undefined => nearestStep('none', steps)

const withoutEffort = (request: Request, why: string): Fitted => ({
  request: withEffort(request, null),
  losses: [dropped(EFFORT, why)],
})

/** The effort is one that the model has. Where the vendor's field is a budget or a switch, the wire converts it. */
const fitEffort: Adapt = (request, { reasons, reasoningBy, efforts = [] }) => {
  const effort = request.reasoning?.effort ?? null
  if (effort === null) return unchanged(request)
  if (reasons === 'never')
    return effort === 'none'
      ? unchanged(withEffort(request, null))
      : withoutEffort(request, 'this model does not support reasoning')
  if (reasoningBy === 'name')
    return effort === 'none' && reasons !== 'always'
      ? unchanged(withEffort(request, null))
      : withoutEffort(request, 'this model has no such setting')
  if (effort === 'none') {
    if (reasons !== 'always' || reasoningBy === 'budget') return unchanged(request)
    const lowest = lowestStep(efforts)
    if (lowest === undefined) return withoutEffort(request, 'reasoning of this model cannot be turned off')
    const why = `none sent as ${lowest}, because reasoning of this model cannot be turned off`
    const reasoning = { effort: lowest, summary: request.reasoning?.summary ?? null, hidden: true } as const
    return { request: { ...request, reasoning }, losses: [mapped(EFFORT, why)] }
  }
  if (reasoningBy !== 'effort') return unchanged(request)
  const step = nearestStep(effort, efforts)
  if (step === undefined || step === effort) return unchanged(request)
  const why = `${effort} sent as ${step}, the nearest effort of this model`
  return { request: withEffort(request, step), losses: [mapped(EFFORT, why)] }
}

// ---------------------------------------------------------------- forced calls

type Forced = NonNullable<ModelFacts['forcedTools']>

const CHOICE = 'tool_choice'

/** Whether a choice of this form is among those that a model accepts. */
const accepts = (forced: Forced | undefined, form: 'required' | 'named'): boolean =>
  forced === undefined || forced === 'all' || forced === form

/** An effort that the request or the model sets, other than `none`. */
const reasonsBy = ({ reasoning }: Request, { reasons, defaultEffort = 'none' }: ModelFacts): boolean =>
  reasons !== 'never' && (reasoning?.effort ?? defaultEffort) !== 'none'

const withSentence = (request: Request, text: string): Request => ({
  ...request,
  input: [...request.input, { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
})

/** The end of the conversation has the sentence: before it, it would change the prefix that caches and signatures have. */
function asSentence(request: Request, why: string): Fitted {
  const { tool_choice: choice } = request
  const text = typeof choice === 'object' && choice !== null ? `Call the tool ${choice.name} now.` : 'Call a tool now.'
  return {
    request: withSentence({ ...request, tool_choice: 'auto' }, text),
    losses: [mapped(CHOICE, `${why}: sent as auto, with the sentence "${text}" at the end of the input`)],
  }
}

/** A single function is forced by either form. */
function otherForm(request: Request, forced: Forced | undefined): Request | null {
  const { tool_choice: choice, tools } = request
  const [only, ...others] = tools
  if (only === undefined || others.length > 0 || only.type === 'hosted') return null
  if (choice === 'required') {
    return accepts(forced, 'named') ? { ...request, tool_choice: { type: only.type, name: only.name } } : null
  }
  const isIt = choice !== null && typeof choice === 'object' && choice.name === only.name
  return isIt && accepts(forced, 'required') ? { ...request, tool_choice: 'required' } : null
}

/**
 * A call is forced only in a form that the model accepts. Claude reasons less for it; another model that reasons only
 * because nothing turns it off does not reason, and one that the client made reason receives a sentence.
 */
const fitForcedTools: Adapt = (request, facts) => {
  const { tool_choice: choice } = request
  if (choice === null || choice === 'auto' || choice === 'none' || request.tools.length === 0) return unchanged(request)
  const form = choice === 'required' ? 'required' : 'named'
  const { family, reasons, forcedTools, forcedWhileReasoning } = facts
  if (!accepts(forcedTools, form)) {
    const other = otherForm(request, forcedTools)
    return other === null ? asSentence(request, 'this model cannot be forced to call it') : unchanged(other)
  }
  if (accepts(forcedWhileReasoning, form) || !reasonsBy(request, facts)) return unchanged(request)
  const other = otherForm(request, forcedWhileReasoning)
  if (other !== null) return unchanged(other)
  const why = 'this model does not support reasoning together with a forced tool call'
  const isRequested = (request.reasoning?.effort ?? null) !== null
  if (reasons === 'optional' && (family === 'claude' || !isRequested)) {
    const off = withEffort(request, 'none')
    return { request: off, losses: isRequested ? [dropped(EFFORT, why)] : [mapped(EFFORT, `${why}: turned off`)] }
  }
  return asSentence(request, why)
}

// ---------------------------------------------------------------- the pass

/** All facts, in the order in which a request is fitted to them. */
const FITS: readonly Adapt[] = [fitEffort, fitForcedTools]

/**
 * A request is what its model accepts (`models/`), for all wires. Only facts that are known change it. Each change is a
 * loss.
 */
export const fitsModel: Pass = (_, context) => {
  const facts = factsOf(context, context.wire.name)
  return {
    apply(original) {
      let request = original
      const losses: Loss[] = []
      for (const adapt of FITS) {
        const fitted = adapt(request, facts, context)
        request = fitted.request
        losses.push(...fitted.losses)
      }
      return { ok: true, request, losses: (later) => (losses.length === 0 ? later : [...losses, ...later]) }
    },
  }
}
