import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { Config } from '../config/config.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { createRetryBudget, type RetryBudget } from './retry-budget.ts'

export interface UpstreamState {
  readonly vendor: string
  /** The member of the vendor's pool; null if it has none. */
  readonly member: string | null
  /** `VendorIdentity.account`: what is known about one key is not true of the next one under its name. */
  readonly credential: string
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

/** A call that the guard has admitted. Ends once, by `end` or `cancel`. */
export interface GuardedCall {
  /** The breaker is open, and the call shows whether the upstream answers again. There is one at a time. */
  readonly isProbe: boolean
  /** The client has the beginning of the answer. */
  started(): void
  /** `error`: the reason why the call has no answer; null if it has one. */
  end(error: GatewayError | null): void
  /** The call shows nothing about the upstream: it was not made, or its client has left. */
  cancel(): void
}

/** A change of an upstream. */
export interface UpstreamChange {
  readonly upstream: Pick<UpstreamState, 'vendor' | 'member' | 'model'>
  /** `paused`: it has asked for a pause. `out`: its breaker has opened. `back`: it answers again. */
  readonly state: 'paused' | 'out' | 'back'
  /** The code of the failure; null if it is back. */
  readonly reason: string | null
  /** Of a pause. */
  readonly seconds: number | null
}

/**
 * Protects upstreams in trouble from too many calls, with a retry budget for each vendor or member of a pool, and a
 * breaker for each of its models.
 */
export interface UpstreamGuard {
  /** Admits a call, or returns the reason against it. */
  admit(upstream: UpstreamState): Result<GuardedCall>
  /** Milliseconds until the end of the pause for which an upstream has asked; 0 if there is none. */
  restOf(upstream: UpstreamState): number
  /** Called for the first attempt of a request. `place`: that of `upstreamName`. */
  spendFirst(place: string): void
  /** Whether a failed request may be retried. */
  spendAgain(place: string): boolean
  /** Called for the first attempt of a request that its client repeats. */
  spendRepeat(place: string): void
  /** The calls that have not ended, and those of them that are probes. */
  open(): { readonly upstreamCalls: number; readonly probes: number }
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

/** The breaker of a model whose last call failed. */
interface Watched {
  readonly upstream: UpstreamState
  readonly breaker: Breaker
  /** The number of the last call before it opened. */
  openedAfter: number
  probe: GuardedCall | null
}

/** A pause for which an upstream has asked. */
interface Rest {
  readonly end: number
  /** The number of the last call before the upstream asked for it: an answer of an earlier one does not end it. */
  readonly after: number
}

/** `clock`: milliseconds. `report`: receives what changes about an upstream. */
export function createUpstreamGuard(
  config: Config['retry'],
  clock: () => number,
  report: (change: UpstreamChange) => void = () => undefined,
): UpstreamGuard {
  const { budget_share: share, budget_floor: floor, breaker_failures: failures, breaker_seconds } = config
  const budgets = new Map<string, RetryBudget>()
  /** Contains only models whose last call failed. */
  const breakers = new Map<string, Watched>()
  const rests = new Map<string, Rest>()
  /** The credential of the last call of each vendor or member. */
  const credentials = new Map<string, string>()
  let calls = 0
  const open = { upstreamCalls: 0, probes: 0 }

  const budgetOf = (place: string): RetryBudget => {
    const known = budgets.get(place)
    if (known !== undefined) return known
    const budget = createRetryBudget({ share, floor }, clock)
    budgets.set(place, budget)
    return budget
  }
  const keyOf = (upstream: UpstreamState): string =>
    `${upstreamName(upstream)} ${upstream.credential} ${upstream.model}`
  const isWatched = ({ model }: UpstreamState): boolean => failures > 0 && model.length <= LONGEST_MODEL
  const announce = (
    upstream: UpstreamState,
    state: UpstreamChange['state'],
    reason: string | null,
    seconds: number | null,
  ) => report({ upstream, state, reason, seconds })

  const fail = (upstream: UpstreamState, key: string, { code }: GatewayError): void => {
    const known = breakers.get(key)
    if (known === undefined && breakers.size >= MOST_MODELS) return
    const watched = known ?? {
      upstream,
      breaker: createBreaker({ failures, probeMs: breaker_seconds * 1000 }, clock),
      openedAfter: 0,
      probe: null,
    }
    breakers.set(key, watched)
    const { breaker } = watched
    const wasOpen = breaker.isOpen()
    breaker.fail()
    if (wasOpen || !breaker.isOpen()) return
    watched.openedAfter = calls
    announce(upstream, 'out', code, null)
  }

  const succeed = (upstream: UpstreamState, key: string, number: number): void => {
    const watched = breakers.get(key)
    if (watched === undefined) return
    const isOpen = watched.breaker.isOpen()
    // The answer of an earlier call says nothing about the time since.
    if (isOpen && number <= watched.openedAfter) return
    breakers.delete(key)
    if (isOpen) announce(upstream, 'back', null, null)
  }

  const pause = (upstream: UpstreamState, key: string, { code }: GatewayError, seconds: number): void => {
    if (upstream.model.length > LONGEST_MODEL) return
    const known = rests.get(key)
    const end = Math.max(clock() + seconds * 1000, known?.end ?? 0)
    const isNew = known === undefined || known.end <= clock()
    rests.delete(key)
    rests.set(key, { end, after: calls })
    const [oldest] = rests.keys()
    if (rests.size > MOST_MODELS && oldest !== undefined) rests.delete(oldest)
    if (isNew) announce(upstream, 'paused', code, seconds)
  }

  const endRest = (key: string, number: number): void => {
    const rest = rests.get(key)
    if (rest !== undefined && number > rest.after) rests.delete(key)
  }

  const begin = (upstream: UpstreamState, key: string, watched: Watched | undefined): GuardedCall => {
    calls += 1
    const number = calls
    let isOver = false
    const releaseProbe = (): void => {
      if (watched?.probe !== call) return
      watched.probe = null
      open.probes -= 1
    }
    const finish = (): boolean => {
      if (isOver) return false
      isOver = true
      open.upstreamCalls -= 1
      releaseProbe()
      return true
    }
    const call: GuardedCall = {
      isProbe: watched !== undefined,
      started() {
        releaseProbe()
        endRest(key, number)
      },
      end(error) {
        if (!finish()) return
        const seconds = error?.party === 'upstream' ? (error.retryAfter ?? 0) : 0
        if (error === null) endRest(key, number)
        else if (seconds > 0) pause(upstream, key, error, seconds)
        if (!isWatched(upstream)) return
        if (error !== null && isOutage(upstream, error)) fail(upstream, key, error)
        else if (breakers.size > 0) succeed(upstream, key, number)
      },
      cancel: () => void finish(),
    }
    open.upstreamCalls += 1
    if (watched !== undefined) {
      watched.probe = call
      open.probes += 1
    }
    return call
  }

  return {
    admit(upstream) {
      const key = keyOf(upstream)
      const place = upstreamName(upstream)
      if (credentials.get(place) !== upstream.credential) credentials.set(place, upstream.credential)
      const watched = breakers.size > 0 ? breakers.get(key) : undefined
      if (watched === undefined || !watched.breaker.isOpen()) return ok(begin(upstream, key, undefined))
      const isProbe = watched.probe === null && watched.breaker.admits()
      return isProbe ? ok(begin(upstream, key, watched)) : err(toRefusal(failures, breaker_seconds))
    },
    restOf(upstream) {
      if (rests.size === 0) return 0
      const key = keyOf(upstream)
      const left = (rests.get(key)?.end ?? 0) - clock()
      if (left <= 0) rests.delete(key)
      return Math.max(0, left)
    },
    spendFirst: (place) => budgetOf(place).spendFirst(),
    spendAgain: (place) => budgetOf(place).spendAgain(),
    spendRepeat: (place) => budgetOf(place).spendRepeat(),
    open: () => ({ ...open }),
    openBreakers() {
      const counts = new Map<string, OpenBreakers>()
      for (const { upstream, breaker } of breakers.values()) {
        const { vendor, member, credential } = upstream
        const place = upstreamName(upstream)
        // That of an earlier key opens for nobody.
        const isOpen = breaker.isOpen() && credentials.get(place) === credential
        const open = (counts.get(place)?.open ?? 0) + (isOpen ? 1 : 0)
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
