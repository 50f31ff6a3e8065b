import { withoutMembers } from '../../engine/rules/members.ts'
import { isSameRestriction, type Restriction, type Taught } from '../../engine/rules/refusal.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Quirks } from '../../wires/quirks.ts'

/** The upstream of a request, and what tells it and its conversation apart from others. */
export interface LearningRequest {
  readonly vendor: string
  readonly wire: string
  readonly model: string
  /** Tells the credentials and addresses apart that the vendor has had under its name (`VendorAccount.identity`). */
  readonly identity: VendorIdentity
  /** The conversation that the request continues; null if none is known. Called only if a restriction depends on it. */
  readonly conversation: () => number | null
}

export interface VendorIdentity {
  /** Of the key and the address of this account. */
  readonly account: string
  /** Of all accounts of the vendor. */
  readonly vendor: string
}

/** The restrictions of refusals. The memory ends with the process. */
export interface RestrictionMemory {
  /** The quirks of a vendor with what is known for the request, and with these further restrictions. */
  quirksFor(request: LearningRequest, quirks: Quirks, tried?: readonly Restriction[]): Quirks
  /** The lines of configuration that would make it permanent. */
  linesFor(request: LearningRequest): readonly string[]
  /**
   * Called when the upstream has accepted a request because of the restriction. Returns false if nothing is kept, because it
   * is for one request only.
   */
  note(request: LearningRequest, restriction: Restriction): boolean
  /**
   * Called when the upstream has accepted a body without a restriction of its own: a member that it contains is not refused
   * by the model, so that no other conversation may confirm the restriction which says so.
   */
  noteAccepted(request: LearningRequest, body: JsonObject): void
}

/** Vendors change what they accept. */
const AGE_MS = 12 * 60 * 60 * 1000
/** Of models, and of accounts. */
const MOST_PLACES = 1000
/** Of one model or account, which all requests have; and of its conversations. */
const MOST_RESTRICTIONS = 16
const MOST_UNCONFIRMED = 64

interface Known {
  readonly restriction: Restriction
  readonly until: number
  /** The conversation that has it alone; null: every request has it. */
  readonly conversation: number | null
  /** Another conversation was accepted without it: it cannot be confirmed. */
  readonly isRefuted: boolean
}

const joinLists = <T>(first: readonly T[] | undefined, second: readonly T[] | undefined): readonly T[] | undefined =>
  first === undefined || second === undefined ? (second ?? first) : [...new Set([...first, ...second])]

/** A later restriction about the same fact takes precedence. */
function withRestriction(quirks: Quirks, model: string, { facts, quirks: learned = {} }: Taught): Quirks {
  const refusesMembers = joinLists(quirks.refusesMembers, learned.refusesMembers)
  const refusesBetas = joinLists(quirks.refusesBetas, learned.refusesBetas)
  const refusesInSchemas = joinLists(quirks.refusesInSchemas, learned.refusesInSchemas)
  const own = quirks.modelFacts?.[model]
  return {
    ...quirks,
    ...learned,
    ...(refusesMembers === undefined ? {} : { refusesMembers }),
    ...(refusesBetas === undefined ? {} : { refusesBetas }),
    ...(refusesInSchemas === undefined ? {} : { refusesInSchemas }),
    ...(facts === undefined ? {} : { modelFacts: { ...quirks.modelFacts, [model]: { ...own, ...facts } } }),
  }
}

/** `vendors.acme.quirks: {"modelFacts":{"new-model":{"sampling":"none"}}}` */
const configurationLine = ({ vendor, model }: LearningRequest, restriction: Restriction): string =>
  `vendors.${vendor}.quirks: ${JSON.stringify(withRestriction({}, model, restriction))}`

export const areSameRestrictions = (a: readonly Restriction[], b: readonly Restriction[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** Whether the body has a member that the restriction calls refused. */
const contradicts = (body: JsonObject, { quirks }: Restriction): boolean =>
  withoutMembers(body, quirks?.refusesMembers ?? []) !== body

/** A restriction of a model, after a further conversation or none has confirmed it. */
function confirmedBy(conversation: number, others: readonly Known[]): Pick<Known, 'conversation' | 'isRefuted'> {
  const isRefuted = others.some((one) => one.isRefuted)
  const isConfirmed = others.some(
    (one) => one.conversation === null || (!one.isRefuted && one.conversation !== conversation),
  )
  return { conversation: isConfirmed ? null : conversation, isRefuted }
}

/** `clock`: milliseconds. */
export function createRestrictionMemory(clock: () => number): RestrictionMemory {
  const places = new Map<string, readonly Known[]>()
  const modelPlace = ({ vendor, wire, model, identity }: LearningRequest): string =>
    JSON.stringify([vendor, identity.vendor, wire, model])
  const keyPlace = ({ vendor, wire, identity }: LearningRequest): string =>
    JSON.stringify([vendor, identity.account, wire])
  const knownAt = (place: string): readonly Known[] => (places.get(place) ?? []).filter(({ until }) => clock() < until)

  function restrictionsOf(request: LearningRequest): readonly Restriction[] {
    if (places.size === 0) return []
    const known = [...knownAt(modelPlace(request)), ...knownAt(keyPlace(request))]
    if (known.length === 0) return []
    const needs = known.some(({ conversation }) => conversation !== null)
    const own = needs ? request.conversation() : null
    return known
      .filter(({ conversation }) => conversation === null || conversation === own)
      .map(({ restriction }) => restriction)
  }

  function keep(place: string, known: readonly Known[]): void {
    const confirmed = known.filter(({ conversation }) => conversation === null).slice(-MOST_RESTRICTIONS)
    const others = known.filter(({ conversation }) => conversation !== null).slice(-MOST_UNCONFIRMED)
    places.delete(place)
    places.set(place, [...confirmed, ...others])
    const [oldest] = places.keys()
    if (places.size > MOST_PLACES && oldest !== undefined) places.delete(oldest)
  }

  return {
    quirksFor: (request, quirks, tried = []) =>
      [...restrictionsOf(request), ...tried].reduce(
        (now, restriction) => withRestriction(now, request.model, restriction),
        quirks,
      ),
    linesFor: (request) => restrictionsOf(request).map((restriction) => configurationLine(request, restriction)),
    note(request, restriction) {
      if (restriction.scope === 'request') return false
      const place = restriction.scope === 'key' ? keyPlace(request) : modelPlace(request)
      const known = knownAt(place)
      const same = known.filter((one) => isSameRestriction(one.restriction, restriction))
      const own = restriction.scope === 'key' ? null : request.conversation()
      if (own === null && restriction.scope === 'model') return false
      const found = own === null ? { conversation: null, isRefuted: false } : confirmedBy(own, same)
      const kept = known.filter(
        (one) => !same.includes(one) || (found.conversation !== null && one.conversation !== found.conversation),
      )
      keep(place, [...kept, { restriction, until: clock() + AGE_MS, ...found }])
      return true
    },
    noteAccepted(request, body) {
      if (places.size === 0) return
      const place = modelPlace(request)
      const known = knownAt(place)
      const doubted = known.filter(
        ({ restriction, conversation, isRefuted }) =>
          conversation !== null && !isRefuted && contradicts(body, restriction),
      )
      if (doubted.length === 0) return
      const own = request.conversation()
      const refuted = new Set(doubted.filter(({ conversation }) => conversation !== own))
      if (refuted.size > 0)
        places.set(
          place,
          known.map((one) => (refuted.has(one) ? { ...one, isRefuted: true } : one)),
        )
    },
  }
}
