import type { JsonObject } from '../../../protocol/json.ts'
import { UNSUPPORTED_VALUE } from '../../../protocol/loss.ts'
import type { Effort } from '../../../protocol/request.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { exceptWhen, fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import type { AbsentMembers } from '../../absent-members.ts'
import {
  dropField,
  isAbsent,
  leaveUnsupported,
  mapField,
  type RequestReader,
  rejectType,
  rejectWord,
} from '../../shared/client/request-reader.ts'
import type { FieldPaths } from '../../shared/client/source-map.ts'
import { BUDGET_SHARES, LEAST_BUDGET } from '../../shared/upstream/reasoning-budget.ts'

const display = { why: 'reasoning is always shown if the upstream returns it', idle: exceptWhen('summarized') }

const BY_BUDGET = fieldSet(['type', 'budget_tokens'], { display })
const BY_EFFORT = fieldSet(['type'], { display, budget_tokens: { why: 'output_config.effort takes precedence' } })

/** The fields of a body that determine reasoning. */
interface ReasoningFields {
  readonly thinking?: unknown
  readonly output_config?: unknown
  readonly max_tokens?: unknown
}

/** The output limit, in tokens, against which a budget is measured if the request has none. */
const USUAL_MOST = 32_000

const EFFORTS = (Object.keys(BUDGET_SHARES) as Effort[]).filter((effort) => effort !== 'none')

/**
 * Returns the effort whose share of the output limit is nearest to this number of tokens. A budget that is smaller than
 * Anthropic's smallest one asks for as little as there is, whatever its share is.
 */
function nearestEffort(budget: number, most: number): Effort {
  if (budget < LEAST_BUDGET) return 'minimal'
  const distance = (effort: Effort): number => Math.abs(BUDGET_SHARES[effort] - budget / most)
  return EFFORTS.reduce((best, effort) => (distance(effort) < distance(best) ? effort : best))
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

function byBudget(thinking: KnownFields<typeof BY_BUDGET>, body: ReasoningFields, notes: RequestReader): Effort {
  const { budget_tokens: budget } = thinking
  const path = 'thinking.budget_tokens'
  if (isAbsent(budget)) return USUAL_EFFORT
  if (!isCount(budget)) {
    rejectType(notes, path, 'a whole number above 0', budget)
    return 'none'
  }
  const effort = nearestEffort(budget, isCount(body.max_tokens) ? body.max_tokens : USUAL_MOST)
  mapField(notes, path, `sent as the effort ${effort}`)
  return effort
}

/** Anthropic's names of efforts, all of which the Responses API has, too. */
const STEPS = ['low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly Effort[]

/** Steps of other protocols. */
const OF_OTHERS = ['minimal', 'none'] as const satisfies readonly Effort[]

function requestedEffort({ output_config: config }: ReasoningFields, notes: RequestReader): Effort | null {
  const effort = isObject(config) ? config.effort : null
  if (isAbsent(effort)) return null
  const found = [...STEPS, ...OF_OTHERS].find((step) => step === effort)
  if (found !== undefined) return found
  if (typeof effort === 'string') leaveUnsupported(notes, 'output_config.effort', UNSUPPORTED_VALUE)
  else rejectType(notes, 'output_config.effort', `one of ${STEPS.join(', ')}`, effort)
  return null
}

/** Anthropic's default effort. */
const USUAL_EFFORT: Effort = 'high'

type Mode = (effort: Effort | null, notes: RequestReader) => Effort

function off(effort: Effort | null, notes: RequestReader): Effort {
  if (effort !== null) dropField(notes, 'output_config.effort', 'reasoning is disabled')
  return 'none'
}

const on: Mode = (effort) => effort ?? USUAL_EFFORT

const MODES: Readonly<Record<string, Mode>> = { disabled: off, adaptive: on, between_tools: on, enabled: on }

/** An effort, and the path of the field that requests it. */
interface ReadEffort {
  readonly effort: Effort
  readonly path: string
}

function effortOf(body: ReasoningFields, notes: RequestReader): ReadEffort | null {
  const effort = requestedEffort(body, notes)
  const configured = effort === null ? null : { effort, path: 'output_config.effort' }
  const { thinking } = body
  if (isAbsent(thinking)) return configured
  if (!isObject(thinking)) {
    rejectType(notes, 'thinking', 'an object', thinking)
    return null
  }
  const mode = isNonEmptyString(thinking.type) ? lookup(MODES, thinking.type) : undefined
  if (mode === undefined && isNonEmptyString(thinking.type)) {
    leaveUnsupported(notes, 'thinking', UNSUPPORTED_VALUE)
    return configured
  }
  if (mode === undefined) rejectWord(notes, 'thinking.type', Object.keys(MODES), thinking.type)
  const budgeted = thinking.type === 'enabled' && effort === null
  if (budgeted) {
    const near = byBudget(pickKnown(thinking, BY_BUDGET, 'thinking', notes), body, notes)
    return { effort: near, path: 'thinking.budget_tokens' }
  }
  pickKnown(thinking, BY_EFFORT, 'thinking', notes)
  if (thinking.type === 'between_tools') mapField(notes, 'thinking.type', 'sent as adaptive')
  const meant = mode?.(effort, notes) ?? null
  return meant === null || meant === effort ? configured : { effort: meant, path: 'thinking' }
}

interface DecodedReasoning {
  readonly fields: JsonObject
  readonly fieldPaths: FieldPaths
  /** Whether the client wants to read a summary of it. */
  readonly summary: AbsentMembers['summary']
  /** Whether the client requests an effort, and leaves it to the model whether it reasons. */
  readonly isEffortAlone: boolean
}

/** A client that turns thinking on reads it, unless it wants signatures alone. An effort without `thinking` shows none. */
const isRead = ({ thinking }: ReasoningFields): boolean => isObject(thinking) && thinking.display !== 'omitted'

/** Decodes `thinking` and `output_config.effort` into `reasoning`. */
export function decodeReasoning(body: ReasoningFields, notes: RequestReader): DecodedReasoning {
  const requested = effortOf(body, notes)
  const summary = isRead(body) ? 'auto' : null
  const isEffortAlone = requested !== null && isAbsent(body.thinking)
  if (requested === null) return { fields: {}, fieldPaths: {}, summary, isEffortAlone }
  const { effort, path } = requested
  const fieldPaths = { reasoning: path, 'reasoning.effort': path }
  return { fields: { reasoning: { effort } }, fieldPaths, summary, isEffortAlone }
}
