import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemberTurns, rendezvous, type Weighted } from '../../../src/gateway/vendors/pool-order.ts'
import { hash32 } from '../../../src/text/hash.ts'
import { check, IS_WHOLE } from '../../property.ts'

const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,8}$/)
const weight = fc.oneof(fc.constant(1), fc.constantFrom(0.5, 2, 3, 10))
const pool = fc.uniqueArray(fc.record({ name, weight }), { minLength: 1, maxLength: 8, selector: (one) => one.name })
const key = fc.nat(0xffffffff)

const preferredOf = (members: readonly Weighted[], of: number): string => rendezvous(members, of)[0]?.name ?? ''
const namesOf = (members: readonly Weighted[]): readonly string[] => members.map((one) => one.name)

/** The share of each member that its weight gives it. */
const shareOf = (members: readonly Weighted[], { weight: own }: Weighted): number =>
  own / members.reduce((sum, one) => sum + one.weight, 0)

describe('rendezvous hashing', () => {
  it('moves only the keys of a member that is removed, each to its next member', () => {
    check(
      fc.property(pool, fc.nat(7), key, (members, at, of) => {
        const gone = members[at % members.length]
        const left = members.filter((one) => one !== gone)
        const before = namesOf(rendezvous(members, of))
        expect(namesOf(rendezvous(left, of))).toEqual(before.filter((one) => one !== gone?.name))
      }),
    )
  })

  it('moves keys only to a member that is added', () => {
    check(
      fc.property(pool, weight, key, (members, added, of) => {
        const more = [...members, { name: '-new', weight: added }]
        const now = preferredOf(more, of)
        expect(now === '-new' || now === preferredOf(members, of)).toBe(true)
      }),
    )
  })

  it('gives several servers the same order, whatever the order of their configurations', () => {
    check(
      fc.property(pool, fc.func(fc.integer()), key, (members, order, of) => {
        const other = members.toSorted((one, next) => order(one.name) - order(next.name))
        expect(namesOf(rendezvous(other, of))).toEqual(namesOf(rendezvous(structuredClone(members), of)))
      }),
    )
  })

  it('gives each member its share of the conversations within five standard deviations', () => {
    const sessions = IS_WHOLE ? 20_000 : 4000
    check(
      fc.property(pool, fc.string(), (members, prefix) => {
        const counts = new Map<string, number>()
        for (let at = 0; at < sessions; at += 1) {
          const own = preferredOf(members, hash32(`${prefix} ${at}`))
          counts.set(own, (counts.get(own) ?? 0) + 1)
        }
        for (const member of members) {
          const share = shareOf(members, member)
          const deviation = Math.sqrt(sessions * share * (1 - share))
          expect(Math.abs((counts.get(member.name) ?? 0) - sessions * share)).toBeLessThanOrEqual(5 * deviation + 1)
        }
      }),
      50,
    )
  })

  it('spreads the conversations of a member that is removed over the others by their weights', () => {
    const members = [
      { name: 'gone', weight: 2 },
      { name: 'one', weight: 1 },
      { name: 'three', weight: 3 },
    ]
    const next = Array.from({ length: 8000 }, (_, at) => rendezvous(members, hash32(String(at)))).flatMap(
      ([first, second]) => (first?.name === 'gone' ? [second?.name] : []),
    )
    expect(next.length / 8000).toBeCloseTo(1 / 3, 1)
    expect(next.filter((one) => one === 'three').length / next.length).toBeCloseTo(3 / 4, 1)
  })
})

describe('the turns of members', () => {
  it('give each member its share in every run of turns, up to one turn', () => {
    check(
      fc.property(pool, fc.integer({ min: 1, max: 200 }), (members, requests) => {
        const turns = createMemberTurns()
        const counts = new Map<string, number>()
        for (let at = 1; at <= requests; at += 1) {
          const order = namesOf(turns.next('acme', members))
          expect(order.toSorted()).toEqual(namesOf(members).toSorted())
          counts.set(order[0] ?? '', (counts.get(order[0] ?? '') ?? 0) + 1)
          // Smooth round robin stays within a turn for each other member.
          for (const member of members) {
            const due = at * shareOf(members, member)
            expect(Math.abs((counts.get(member.name) ?? 0) - due)).toBeLessThanOrEqual(members.length)
          }
        }
      }),
    )
  })

  it('are exact after as many requests as the sum of the weights', () => {
    const turns = createMemberTurns()
    const members = [
      { name: 'a', weight: 5 },
      { name: 'b', weight: 1 },
      { name: 'c', weight: 1 },
    ]
    const first = Array.from({ length: 7 }, () => turns.next('acme', members)[0]?.name)
    expect(first.join('')).toBe('aabacaa')
  })

  it('of one vendor do not depend on those of another', () => {
    const turns = createMemberTurns()
    const members = [
      { name: 'a', weight: 1 },
      { name: 'b', weight: 1 },
    ]
    expect(turns.next('one', members)[0]?.name).toBe('a')
    expect(turns.next('other', members)[0]?.name).toBe('a')
    expect(turns.next('one', members)[0]?.name).toBe('b')
  })
})
