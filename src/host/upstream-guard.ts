import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { type Breaker, openBreaker } from './breaker.ts'
import type { Config } from './config.ts'
import { openRetryBudget, type RetryBudget } from './retry-budget.ts'

/** Which upstream a call goes to. */
export interface Upstream {
  readonly vendor: string
  /** A word of the client. */
  readonly model: string
}

/** Keeps upstreams in trouble from being asked too often: a retry budget for each vendor, a breaker for each of its models. */
export interface UpstreamGuard {
  /** null where a call may be made, else the reason why not. */
  admit(upstream: Upstream): GatewayError | null
  /** What became of a call: null, or why it has no answer. */
  note(upstream: Upstream, error: GatewayError | null): void
  /** A request is made for the first time. */
  spendFirst(vendor: string): void
  /** Whether a request that has failed may be made again. */
  spendAgain(vendor: string): boolean
  /** For each vendor with one: how many of its models are not asked now. */
  openBreakers(): ReadonlyMap<string, number>
}

/**
 * Failures of an upstream as a whole. A rate limit is answered by waiting, and of 500 nothing is known: a single request
 * may bring it about, and one client must not close an upstream for all.
 */
const OUTAGES: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_disconnected',
  'upstream_timeout',
  'server_is_overloaded',
])

/** Models that fail now: of longer names, and of more models, nothing is counted. */
const LONGEST_MODEL = 256
const MOST_MODELS = 1000

/** `clock`: milliseconds. */
export function openUpstreamGuard(config: Config['retry'], clock: () => number): UpstreamGuard {
  const { budget_share: share, budget_floor: floor, breaker_failures: failures, breaker_seconds } = config
  const budgets = new Map<string, RetryBudget>()
  /** Only of models whose last call failed. */
  const breakers = new Map<string, { readonly vendor: string; readonly breaker: Breaker }>()

  const budgetOf = (vendor: string): RetryBudget => {
    const known = budgets.get(vendor)
    if (known !== undefined) return known
    const budget = openRetryBudget({ share, floor }, clock)
    budgets.set(vendor, budget)
    return budget
  }
  const keyOf = ({ vendor, model }: Upstream): string => `${vendor} ${model}`
  const isWatched = ({ model }: Upstream): boolean => failures > 0 && model.length <= LONGEST_MODEL

  const fail = (upstream: Upstream): void => {
    const key = keyOf(upstream)
    const known = breakers.get(key)
    if (known === undefined && breakers.size >= MOST_MODELS) return
    const { vendor } = upstream
    const entry = known ?? { vendor, breaker: openBreaker({ failures, probeMs: breaker_seconds * 1000 }, clock) }
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
    `The upstream has failed ${failures} times in a row, and is asked once every ${seconds} s until it answers.`,
    503,
    Math.ceil(seconds),
  )
