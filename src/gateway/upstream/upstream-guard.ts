import { getOrCreate } from '../../collections/get-or-create.ts'
import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { Config } from '../config/config.ts'
import { type Breaker, type BreakerOptions, createBreaker } from './breaker.ts'
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
 * A change of an upstream that one process of a server has noticed, for the others. Plain JSON. `rested`: a pause is over before
 * its time. `probed`: the upstream is being called although its breaker is open.
 */
export interface UpstreamNotice {
  readonly upstream: UpstreamState
  readonly state: UpstreamChange['state'] | 'rested' | 'probed'
  /** Of a pause; else 0. */
  readonly seconds: number
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
  /** Called for what another process of the server has noticed. It has reported the change. */
  note(notice: UpstreamNotice): void
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
  /** The end that the other processes know. */
  readonly shared: number
}

type Report = (change: UpstreamChange) => void
type Share = (upstream: UpstreamState, state: UpstreamNotice['state'], seconds?: number) => void

/** The other processes do not learn of a pause that is longer than they know by less. */
const SHARED_MS = 1000

/** The key of what is known about a model under one credential. */
const keyOf = (upstream: UpstreamState): string => `${upstreamName(upstream)} ${upstream.credential} ${upstream.model}`

/** The pauses for which upstreams have asked. `after`, `number`: as those of `Rest`. */
class Pauses {
  private readonly rests = new Map<string, Rest>()
  private readonly clock: () => number
  private readonly report: Report
  private readonly share: Share

  constructor(clock: () => number, report: Report, share: Share) {
    this.clock = clock
    this.report = report
    this.share = share
  }

  begin(upstream: UpstreamState, reason: string | null, seconds: number, after: number): void {
    if (upstream.model.length > LONGEST_MODEL) return
    const { rests } = this
    const key = keyOf(upstream)
    const known = rests.get(key)
    const now = this.clock()
    const end = now + seconds * 1000
    const isNew = known === undefined || known.end <= now
    const isShared = isNew || known.shared + SHARED_MS < end
    rests.delete(key)
    rests.set(key, { end: Math.max(end, known?.end ?? 0), after, shared: isShared ? end : known.shared })
    const [oldest] = rests.keys()
    if (rests.size > MOST_MODELS && oldest !== undefined) rests.delete(oldest)
    if (isNew) this.report({ upstream, state: 'paused', reason, seconds })
    if (isShared) this.share(upstream, 'paused', seconds)
  }

  end(upstream: UpstreamState, number: number): void {
    if (this.rests.size === 0) return
    const key = keyOf(upstream)
    const rest = this.rests.get(key)
    if (rest === undefined || number <= rest.after) return
    this.rests.delete(key)
    if (rest.end > this.clock()) this.share(upstream, 'rested')
  }

  /** Milliseconds. */
  left(upstream: UpstreamState): number {
    if (this.rests.size === 0) return 0
    const key = keyOf(upstream)
    const left = (this.rests.get(key)?.end ?? 0) - this.clock()
    if (left <= 0) this.rests.delete(key)
    return Math.max(0, left)
  }
}

/** The breakers of the models whose last call failed. */
class Breakers {
  private readonly watched = new Map<string, Watched>()
  private readonly options: BreakerOptions
  private readonly clock: () => number
  private readonly report: Report
  private readonly share: Share

  constructor(options: BreakerOptions, clock: () => number, report: Report, share: Share) {
    this.options = options
    this.clock = clock
    this.report = report
    this.share = share
  }

  of(upstream: UpstreamState): Watched | undefined {
    return this.watched.size > 0 ? this.watched.get(keyOf(upstream)) : undefined
  }

  /** `calls`: the number of the last call. */
  fail(upstream: UpstreamState, { code }: GatewayError, calls: number): void {
    const watched = this.of(upstream) ?? this.add(upstream)
    if (watched === null) return
    const { breaker } = watched
    const wasOpen = breaker.isOpen()
    breaker.fail()
    if (wasOpen || !breaker.isOpen()) return
    watched.openedAfter = calls
    this.report({ upstream, state: 'out', reason: code, seconds: null })
    this.share(upstream, 'out')
  }

  /** Opens the breaker that another process has opened. `calls`: the number of the last call. */
  open(upstream: UpstreamState, calls: number): void {
    const watched = this.of(upstream) ?? this.add(upstream)
    if (watched === null || watched.breaker.isOpen()) return
    watched.breaker.open()
    watched.openedAfter = calls
  }

  /** `number`: of the call. */
  succeed(upstream: UpstreamState, number: number): void {
    const watched = this.of(upstream)
    if (watched === undefined) return
    const isOpen = watched.breaker.isOpen()
    // The answer of an earlier call says nothing about the time since.
    if (isOpen && number <= watched.openedAfter) return
    this.watched.delete(keyOf(upstream))
    if (!isOpen) return
    this.report({ upstream, state: 'back', reason: null, seconds: null })
    this.share(upstream, 'back')
  }

  values(): Iterable<Watched> {
    return this.watched.values()
  }

  private add(upstream: UpstreamState): Watched | null {
    if (this.watched.size >= MOST_MODELS) return null
    const added = { upstream, breaker: createBreaker(this.options, this.clock), openedAfter: 0, probe: null }
    this.watched.set(keyOf(upstream), added)
    return added
  }
}

/**
 * `clock`: milliseconds. `report`: receives what changes about an upstream. `send`: receives what the other processes of
 * the server should know.
 */
export function createUpstreamGuard(
  config: Config['retry'],
  clock: () => number,
  report: Report = () => undefined,
  send: (notice: UpstreamNotice) => void = () => undefined,
): UpstreamGuard {
  const { budget_share: share, budget_floor: floor, breaker_failures: failures, breaker_seconds } = config
  const budgets = new Map<string, RetryBudget>()
  /** Another process has reported what changes. */
  let isNoted = false
  const reportOwn: Report = (change) => {
    if (!isNoted) report(change)
  }
  const shareOwn: Share = (upstream, state, seconds = 0) => {
    if (!isNoted) send({ upstream, state, seconds })
  }
  const pauses = new Pauses(clock, reportOwn, shareOwn)
  const breakers = new Breakers({ failures, probeMs: breaker_seconds * 1000 }, clock, reportOwn, shareOwn)
  /** The credential of the last call of each vendor or member. */
  const credentials = new Map<string, string>()
  let calls = 0
  const open = { upstreamCalls: 0, probes: 0 }

  const budgetOf = (place: string): RetryBudget =>
    getOrCreate(budgets, place, () => createRetryBudget({ share, floor }, clock))
  const note = (upstream: UpstreamState, error: GatewayError | null, number: number): void => {
    const seconds = error?.party === 'upstream' ? (error.retryAfter ?? 0) : 0
    if (error === null) pauses.end(upstream, number)
    else if (seconds > 0) pauses.begin(upstream, error.code, seconds, calls)
    if (failures === 0 || upstream.model.length > LONGEST_MODEL) return
    if (error !== null && isOutage(upstream, error)) breakers.fail(upstream, error, calls)
    else breakers.succeed(upstream, number)
  }
  const noteBreaker = (upstream: UpstreamState, state: UpstreamNotice['state']): void => {
    if (state === 'out') breakers.open(upstream, calls)
    else if (state === 'back') breakers.succeed(upstream, Number.POSITIVE_INFINITY)
    else breakers.of(upstream)?.breaker.postpone()
  }
  const begin = (upstream: UpstreamState, watched: Watched | undefined): GuardedCall => {
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
        pauses.end(upstream, number)
      },
      end: (error) => {
        if (finish()) note(upstream, error, number)
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
      const place = upstreamName(upstream)
      if (credentials.get(place) !== upstream.credential) credentials.set(place, upstream.credential)
      const watched = breakers.of(upstream)
      if (watched === undefined || !watched.breaker.isOpen()) return ok(begin(upstream, undefined))
      const isProbe = watched.probe === null && watched.breaker.admits()
      if (!isProbe) return err(toRefusal(failures, breaker_seconds))
      shareOwn(upstream, 'probed')
      return ok(begin(upstream, watched))
    },
    restOf: (upstream) => pauses.left(upstream),
    spendFirst: (place) => budgetOf(place).spendFirst(),
    spendAgain: (place) => budgetOf(place).spendAgain(),
    spendRepeat: (place) => budgetOf(place).spendRepeat(),
    open: () => ({ ...open }),
    openBreakers: () => openOf(breakers, credentials),
    note({ upstream, state, seconds }) {
      isNoted = true
      if (state === 'paused') pauses.begin(upstream, null, seconds, calls)
      else if (state === 'rested') pauses.end(upstream, Number.POSITIVE_INFINITY)
      // A worker that has started since a reload may have no breakers.
      else if (failures > 0) noteBreaker(upstream, state)
      isNoted = false
    },
  }
}

function openOf(breakers: Breakers, credentials: ReadonlyMap<string, string>): readonly OpenBreakers[] {
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
}

const toRefusal = (failures: number, seconds: number): GatewayError =>
  upstreamError(
    'server_is_overloaded',
    `The upstream failed ${failures} times in a row. Until it answers again, it receives one request every ${seconds} s.`,
    503,
    Math.ceil(seconds),
  )
