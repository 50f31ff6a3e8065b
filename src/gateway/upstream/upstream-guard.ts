import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import type { Config } from '../config/config.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { createRetryBudget, type RetryBudget } from './retry-budget.ts'

export interface UpstreamState {
  readonly vendor: string
  /** The member of the vendor's pool; null if it has none. */
  readonly member: string | null
  /** Text of the client. */
  readonly model: string
}

/** The models of a vendor, or of a member of its pool, whose breaker is open. */
export interface OpenBreakers extends Pick<UpstreamState, 'vendor' | 'member'> {
  readonly open: number
}

/** Names a vendor, or a member of its pool. Neither name has the character between them. */
export const upstreamName = ({ vendor, member }: Pick<UpstreamState, 'vendor' | 'member'>): string =>
  member === null ? vendor : `${vendor}@${member}`

export const vendorIn = (name: string): string => name.split('@', 1)[0] ?? name

/**
 * Protects upstreams in trouble from too many calls, with a retry budget for each vendor or member of a pool, and a
 * breaker for each of its models.
 */
export interface UpstreamGuard {
  /** Returns null if a call may be made, else the reason against it. */
  admit(upstream: UpstreamState): GatewayError | null
  /** Records the outcome of a call: null, or the reason why it has no answer. */
  note(upstream: UpstreamState, error: GatewayError | null): void
  /** Whether a member of a pool has asked for a pause that is not over: others receive its requests. */
  rests(upstream: UpstreamState): boolean
  /** Called for the first attempt of a request. `place`: that of `upstreamName`. */
  spendFirst(place: string): void
  /** Whether a failed request may be retried. */
  spendAgain(place: string): boolean
  /** Called for the first attempt of a request that its client repeats. */
  spendRepeat(place: string): void
  /** The vendors and members with a breaker. */
  openBreakers(): readonly OpenBreakers[]
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

/** Failures of one account. The other members of a pool serve its requests meanwhile. */
const MEMBER_OUTAGES: ReadonlySet<string> = new Set([...OUTAGES, 'upstream_authentication', 'insufficient_quota'])

const isOutage = ({ member }: UpstreamState, { party, code }: GatewayError): boolean =>
  party === 'upstream' && (member === null ? OUTAGES : MEMBER_OUTAGES).has(code)

/** Bounds of the models that fail now. Failures of longer names, and of further models, are not counted. */
const LONGEST_MODEL = 256
const MOST_MODELS = 1000

/** `clock`: milliseconds. */
export function createUpstreamGuard(config: Config['retry'], clock: () => number): UpstreamGuard {
  const { budget_share: share, budget_floor: floor, breaker_failures: failures, breaker_seconds } = config
  const budgets = new Map<string, RetryBudget>()
  /** Contains only models whose last call failed. */
  const breakers = new Map<string, { readonly upstream: UpstreamState; readonly breaker: Breaker }>()
  /** The ends of the pauses that members have asked for. */
  const rests = new Map<string, number>()

  const budgetOf = (place: string): RetryBudget => {
    const known = budgets.get(place)
    if (known !== undefined) return known
    const budget = createRetryBudget({ share, floor }, clock)
    budgets.set(place, budget)
    return budget
  }
  const keyOf = (upstream: UpstreamState): string => `${upstreamName(upstream)} ${upstream.model}`
  const isWatched = ({ model }: UpstreamState): boolean => failures > 0 && model.length <= LONGEST_MODEL

  const fail = (upstream: UpstreamState): void => {
    const key = keyOf(upstream)
    const known = breakers.get(key)
    if (known === undefined && breakers.size >= MOST_MODELS) return
    const entry = known ?? { upstream, breaker: createBreaker({ failures, probeMs: breaker_seconds * 1000 }, clock) }
    breakers.set(key, entry)
    entry.breaker.fail()
  }

  /** Keeps the pause that a member asks for; its next answer ends it. */
  const noteRest = (upstream: UpstreamState, error: GatewayError | null): void => {
    const { member, model } = upstream
    if (member === null || model.length > LONGEST_MODEL) return
    const key = keyOf(upstream)
    const seconds = error?.party === 'upstream' ? (error.retryAfter ?? 0) : 0
    rests.delete(key)
    if (seconds === 0) return
    rests.set(key, clock() + seconds * 1000)
    const [oldest] = rests.keys()
    if (rests.size > MOST_MODELS && oldest !== undefined) rests.delete(oldest)
  }

  return {
    admit: (upstream) =>
      breakers.size > 0 && breakers.get(keyOf(upstream))?.breaker.admits() === false
        ? toRefusal(failures, breaker_seconds)
        : null,
    note(upstream, error) {
      noteRest(upstream, error)
      if (!isWatched(upstream)) return
      if (error !== null && isOutage(upstream, error)) fail(upstream)
      else if (breakers.size > 0) breakers.delete(keyOf(upstream))
    },
    rests(upstream) {
      if (rests.size === 0) return false
      const key = keyOf(upstream)
      const end = rests.get(key)
      if (end !== undefined && end <= clock()) rests.delete(key)
      return end !== undefined && end > clock()
    },
    spendFirst: (place) => budgetOf(place).spendFirst(),
    spendAgain: (place) => budgetOf(place).spendAgain(),
    spendRepeat: (place) => budgetOf(place).spendRepeat(),
    openBreakers() {
      const counts = new Map<string, OpenBreakers>()
      for (const { upstream, breaker } of breakers.values()) {
        const { vendor, member } = upstream
        const place = upstreamName(upstream)
        const open = (counts.get(place)?.open ?? 0) + (breaker.isOpen() ? 1 : 0)
        counts.set(place, { vendor, member, open })
      }
      return [...counts.values()]
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
