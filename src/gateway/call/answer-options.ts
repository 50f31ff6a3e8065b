import { getOrCreate } from '../../collections/get-or-create.ts'
import type { TranslationOptions } from '../../engine/answer.ts'
import { answerContext } from '../../engine/answer-context.ts'
import type { GuardedHook } from '../../engine/hooks.ts'
import { IN_SLICES } from '../../engine/in-slices.ts'
import type { RoutedRequest } from '../../engine/upstream-call.ts'
import { type Limits, maxBodyBytes } from '../../protocol/limits.ts'
import type { Origin } from '../../responses/encrypted-content.ts'
import type { Redact } from '../../wires/redact.ts'
import type { Config } from '../config/config.ts'
import type { WholeLimits } from '../upstream/read-response-body.ts'

/** How the answer of an upstream is translated for its client. */
export interface ExchangeOptions extends TranslationOptions {
  readonly limits: Limits
  /** Limits of an answer that comes as one body. */
  readonly wholeLimits: WholeLimits
  readonly origin: Origin
  readonly redact: Redact
  /** Machines of the operator between decoder and reducer. */
  readonly machines: readonly GuardedHook[]
}

/** The part of a gateway that every answer reads. */
interface AnswerPlatform {
  readonly config: Pick<Config, 'limits' | 'coalesce'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Returns a new unpredictable text of hexadecimal digits. */
  readonly random: () => string
}

/** Events that one answer may write before other requests get their turn: a few milliseconds of work. */
const SLICE = 256

/** `redact` removes the secrets of the upstream's account. */
export function toExchangeOptions(
  { config, clock, random }: AnswerPlatform,
  routed: RoutedRequest,
  { target, redact, machines }: Pick<ExchangeOptions, 'target' | 'redact' | 'machines'>,
): ExchangeOptions {
  const { limits, wholeLimits } = limitsOf(config.limits)
  return {
    target,
    redact,
    machines,
    limits,
    wholeLimits,
    coalesce: config.coalesce,
    // `host/server/sse-response.ts` copies borrowed output, or writes it at once.
    lend: true,
    slice: SLICE,
    // Given here, so that every stream has one object with its options.
    inSlices: IN_SLICES,
    now: clock,
    ...answerContext(routed, `resp_${random()}`, Math.floor(clock() / 1000)),
  }
}

type AnswerLimits = Pick<ExchangeOptions, 'limits' | 'wholeLimits'>

/** Memory of the process: all answers under one configuration share their limits. */
const ANSWER_LIMITS = new WeakMap<Config['limits'], AnswerLimits>()

const limitsOf = (configured: Config['limits']): AnswerLimits => getOrCreate(ANSWER_LIMITS, configured, toAnswerLimits)

function toAnswerLimits(configured: Config['limits']): AnswerLimits {
  const limits = toLimits(configured)
  return { limits, wholeLimits: { bytes: maxBodyBytes(limits), values: limits.upstreamValues } }
}

const toLimits = (limits: Config['limits']): Limits => ({
  requestBody: limits.request_body_bytes,
  upstreamEvent: limits.upstream_event_bytes,
  upstreamValues: limits.upstream_values,
  upstreamTotal: limits.upstream_total_bytes,
  upstreamBody: limits.upstream_body_bytes,
  answerSize: limits.answer_bytes,
  answerItems: limits.answer_items,
  answerParts: limits.answer_parts,
  answerCitations: limits.answer_citations,
})
