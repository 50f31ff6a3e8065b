import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { createUpstreamGuard } from '../../../src/gateway/upstream/upstream-guard.ts'
import { toAccounts } from '../../../src/gateway/vendors/accounts.ts'
import { createMemberTurns, orderMembers } from '../../../src/gateway/vendors/pool-order.ts'
import type { ModelRoute, ModelRoutes } from '../../../src/gateway/vendors/vendor-registry.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import { hash32 } from '../../../src/text/hash.ts'
import { check } from '../../property.ts'

const unused = () => Promise.reject(new Error('no request is sent'))

/** A server of its own: its accounts, its guard and its turns. */
function createServer(vendors: object) {
  const loaded = checkConfigValue({ vendors })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const accounts = toAccounts(loaded.config, { env: {}, source: unused, clock: () => 0, hashes: NODE_HASHES })
  const parts = { guard: createUpstreamGuard(loaded.config.retry, () => 0), turns: createMemberTurns() }
  const routesOf = (...names: readonly string[]): ModelRoutes => {
    const [first, ...further] = names.flatMap((name): ModelRoute[] => {
      const account = accounts.get(name)
      return account === undefined ? [] : [{ account, model: 'm' }]
    })
    if (first === undefined) throw new Error('no route')
    return [first, ...further]
  }
  return { ...parts, routesOf }
}

const WIRE = { wire: 'openai-chat', base_url: 'https://acme.example' }
const poolOf = (names: readonly string[]) => ({ ...WIRE, pool: names.map((name) => ({ name, key: `key-${name}` })) })

/** A conversation that may not be identified. */
const unread = (): number => {
  throw new Error('the conversation was identified')
}

const membersOf = ({ routes }: { readonly routes: ModelRoutes }): readonly string[] =>
  routes.map(({ account }) => account.member ?? account.name)

describe('the order of members', () => {
  it('is the same on several servers, whatever the order of their configurations', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/), { minLength: 1, maxLength: 6 })
    check(
      fc.property(names, fc.string({ minLength: 1, maxLength: 64 }), (given, session) => {
        const orders = [given, given.toReversed()].map((list) => {
          const server = createServer({ acme: poolOf(list) })
          return orderMembers(server, server.routesOf('acme'), () => hash32(session))
        })
        expect(membersOf(orders[0] ?? { routes: [] as never })).toEqual(membersOf(orders[1] ?? { routes: [] as never }))
        expect(orders[0]?.preferred).toBe(orders[1]?.preferred)
      }),
      200,
    )
  })

  it('keeps the order of the routes of a rule', () => {
    const server = createServer({ first: poolOf(['a', 'b']), second: { ...WIRE }, third: poolOf(['c', 'd']) })
    const ordered = orderMembers(server, server.routesOf('first', 'second', 'third'), () => 1)
    const members = membersOf(ordered)
    expect([members.slice(0, 2).toSorted(), members[2], members.slice(3).toSorted()]).toEqual([
      ['a', 'b'],
      'second',
      ['c', 'd'],
    ])
    expect(ordered.preferred).toBe(`first@${members[0]}`)
  })

  it('hashes nothing without a pool, nor for a pool in turn', () => {
    const server = createServer({ plain: WIRE, turns: { ...poolOf(['a', 'b']), affinity: false } })
    const routes = server.routesOf('plain')
    expect(orderMembers(server, routes, unread).routes).toBe(routes)
    expect(membersOf(orderMembers(server, server.routesOf('turns'), unread))).toEqual(['a', 'b'])
    expect(membersOf(orderMembers(server, server.routesOf('turns'), unread))).toEqual(['b', 'a'])
  })

  it('serves a further wire by the members that all have it', () => {
    const further = { wires: { 'anthropic-messages': 'https://acme.example/anthropic' } }
    const server = createServer({ acme: { ...poolOf(['a', 'b']), ...further } })
    const [{ account }] = server.routesOf('acme')
    const other = account.others.get('anthropic-messages')
    expect(other?.pool?.members.map((one) => [one.name, one.account.key, one.account.baseUrl])).toEqual([
      ['a', 'key-a', 'https://acme.example/anthropic'],
      ['b', 'key-b', 'https://acme.example/anthropic'],
    ])
  })
})
