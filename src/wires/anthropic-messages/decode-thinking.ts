import type { JsonObject } from '../../protocol/json.ts'
import { dropped, mapped } from '../../protocol/loss.ts'
import type { Effort } from '../../protocol/request.ts'
import { isObject, isText } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { isSaid, type Reading, refuseType, refuseValue } from './reading.ts'
import type { Bag } from './state.ts'
import { SHARES } from './thinking.ts'

/** What is thought of where nothing is said of how much may be written. */
const USUAL_MOST = 32_000

const EFFORTS = (Object.keys(SHARES) as Effort[]).filter((effort) => effort !== 'none')

/** The effort whose part of all that may be written is nearest to this number of tokens. */
function nearestEffort(budget: number, most: number): Effort {
  const distance = (effort: Effort): number => Math.abs(SHARES[effort] - budget / most)
  return EFFORTS.reduce((best, effort) => (distance(effort) < distance(best) ? effort : best))
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

function byBudget(thinking: Bag, body: Bag, reading: Reading): Effort {
  const { budget_tokens: budget } = thinking
  const place = 'thinking.budget_tokens'
  if (!isCount(budget)) {
    refuseValue(reading, place, 'a whole number above 0', budget)
    return 'none'
  }
  const effort = nearestEffort(budget, isCount(body.max_tokens) ? body.max_tokens : USUAL_MOST)
  reading.losses.push(mapped(place, `sent as the effort ${effort}`))
  return effort
}

/** Their words for an effort are among ours. */
const STEPS = ['low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly Effort[]

function askedEffort({ output_config: config }: Bag, reading: Reading): Effort | null {
  const effort = isObject(config) ? config.effort : null
  if (!isSaid(effort)) return null
  const found = STEPS.find((step) => step === effort)
  if (found === undefined) refuseValue(reading, 'output_config.effort', `one of ${STEPS.join(', ')}`, effort)
  return found ?? null
}

/** They think hard where they are not told how hard. */
const USUAL_EFFORT: Effort = 'high'

type Mode = (thinking: Bag, body: Bag, effort: Effort | null, reading: Reading) => Effort

function off(_: Bag, __: Bag, effort: Effort | null, reading: Reading): Effort {
  if (effort !== null) reading.losses.push(dropped('output_config.effort', 'there is no thought to spend it on'))
  return 'none'
}

function adaptive({ display }: Bag, _: Bag, effort: Effort | null, reading: Reading): Effort {
  if (display === 'omitted')
    reading.losses.push(dropped('thinking.display', 'thoughts are told wherever there are any'))
  return effort ?? USUAL_EFFORT
}

const MODES: Readonly<Record<string, Mode>> = {
  disabled: off,
  adaptive,
  between_tools: adaptive,
  enabled: (thinking, body, effort, reading) =>
    effort === null ? byBudget(thinking, body, reading) : adaptive(thinking, body, effort, reading),
}

function effortOf(body: Bag, reading: Reading): Effort | null {
  const effort = askedEffort(body, reading)
  const { thinking } = body
  if (!isSaid(thinking)) return effort
  if (!isObject(thinking)) {
    refuseValue(reading, 'thinking', 'an object', thinking)
    return null
  }
  const mode = isText(thinking.type) ? lookup(MODES, thinking.type) : undefined
  if (mode === undefined) refuseType(reading, 'thinking', Object.keys(MODES), thinking.type)
  return mode?.(thinking, body, effort, reading) ?? null
}

/** `thinking` and `output_config.effort` → `reasoning`. */
export function decodeThinking(body: Bag, reading: Reading): JsonObject {
  const effort = effortOf(body, reading)
  return effort === null ? {} : { reasoning: { effort } }
}
