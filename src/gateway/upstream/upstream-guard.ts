import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import type { Config } from '../config/config.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { createRetryBudget, type RetryBudget } from './retry-budget.ts'

/** The upstream of a call. */
export interface UpstreamState {
  readonly vendor: string
  /** Text of the client. */
  readonly model: string
}

/**
 * Protects upstreams in trouble from too many calls, with a retry budget for each vendor and a breaker for each of its
 * models.
 */
export interface UpstreamGuard {
  /** Returns null if a call may be made, else the reason against it. */
  admit(upstream: UpstreamState): GatewayError | null
  /** Records the outcome of a call: null, or the reason why it has no answer. */
  note(upstream: UpstreamState, error: GatewayError | null): void
  /** Called for the first attempt of a request. */
  spendFirst(vendor: string): void
  /** Whether a failed request may be retried. */
  spendAgain(vendor: string): boolean
  /** Called for the first attempt of a request that its client repeats. */
  spendRepeat(vendor: string): void
  /** For each vendor with a breaker, the number of its models with an open breaker. */
  openBreakers(): ReadonlyMap<string, number>
}

/**
 * Failures of an upstream as a whole. A rate limit requires only a pause. Status 500 is ambiguous: a single request may
 * cause it, and one client must not block an upstream for all others.
 */
const OUTAGES: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_disconnected',
  'upstream_timeout',
  'server_is_overloaded',
])

/** Bounds of the models that fail now. Failures of longer names, and of further models, are not counted. */
const LONGEST_MODEL = 256
const MOST_MODELS = 1000

/** `clock`: milliseconds. */
export function createUpstreamGuard(config: Config['retry'], clock: () => number): UpstreamGuard {
  const { budget_share: share, budget_floor: floor, breaker_failures: failures, breaker_seconds } = config
  const budgets = new Map<string, RetryBudget>()
  /** Contains only models whose last call failed. */
  const breakers = new Map<string, { readonly vendor: string; readonly breaker: Breaker }>()

  const budgetOf = (vendor: string): RetryBudget => {
    const known = budgets.get(vendor)
    if (known !== undefined) return known
    const budget = createRetryBudget({ share, floor }, clock)
    budgets.set(vendor, budget)
    return budget
  }
  const keyOf = ({ vendor, model }: UpstreamState): string => `${vendor} ${model}`
  const isWatched = ({ model }: UpstreamState): boolean => failures > 0 && model.length <= LONGEST_MODEL

  const fail = (upstream: UpstreamState): void => {
    const key = keyOf(upstream)
    const known = breakers.get(key)
    if (known === undefined && breakers.size >= MOST_MODELS) return
    const { vendor } = upstream
    const entry = known ?? { vendor, breaker: createBreaker({ failures, probeMs: breaker_seconds * 1000 }, clock) }
    breakers.set(key, entry)
    entry.breaker.fail()
  }

  return {
    admit: (upstream) =>
      breakers.get(keyOf(upstream))?.breaker.admits() === false ? toRefusal(failures, breaker_seconds) : null,
    note(upstream, error) {
      if (!isWatched(upstream)) return
      if (error !== null && error.party === 'upstream' && OUTAGES.has(error.code)) fail(upstream)
      else breakers.delete(keyOf(upstream))
    },
    spendFirst: (vendor) => budgetOf(vendor).spendFirst(),
    spendAgain: (vendor) => budgetOf(vendor).spendAgain(),
    spendRepeat: (vendor) => budgetOf(vendor).spendRepeat(),
    openBreakers() {
      const counts = new Map<string, number>()
      for (const { vendor, breaker } of breakers.values()) {
        counts.set(vendor, (counts.get(vendor) ?? 0) + (breaker.isOpen() ? 1 : 0))
      }
      return counts
    },
  }
}

const toRefusal = (failures: number, seconds: number): GatewayError =>
  upstreamError(
    'server_is_overloaded',
    `The upstream failed ${failures} times in a row. Until it answers again, it receives one request every ${seconds} s.`,
    503,
    Math.ceil(seconds),
  )
