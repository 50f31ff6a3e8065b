import { expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { toAccounts } from '../../../src/gateway/vendors/accounts.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'

const unused = () => Promise.reject(new Error('no request is sent'))

function accountsOf(vendors: object) {
  const loaded = checkConfigValue({ vendors })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const accounts = toAccounts(loaded.config, { env: {}, source: unused, clock: () => 0, hashes: NODE_HASHES })
  return (name: string) => {
    const account = accounts.get(name)
    if (account === undefined) throw new Error(`no vendor ${name}`)
    return account
  }
}

const WIRE = { wire: 'openai-chat', base_url: 'https://acme.example' }

it('what is learned about a vendor is for its address, its headers and its key, whatever its name', () => {
  const account = accountsOf({
    one: { ...WIRE, key: 'key-1' },
    same: { ...WIRE, key: 'key-1' },
    other_key: { ...WIRE, key: 'key-2' },
    other_url: { ...WIRE, key: 'key-1', base_url: 'https://b.example' },
    other_header: { ...WIRE, key: 'key-1', headers: { 'x-team': 'blue' } },
  })
  const { identity } = account('one')
  expect(identity.vendor).toBe(identity.account)
  expect(account('same').identity).toEqual(identity)
  for (const name of ['other_key', 'other_url', 'other_header']) {
    expect(account(name).identity.account, name).not.toBe(identity.account)
    expect(account(name).identity.vendor, name).not.toBe(identity.vendor)
  }
})

it('what is learned about a vendor is for all members of its pool, and what is learned about a key for one', () => {
  const pool = (...keys: readonly string[]) => ({ ...WIRE, pool: keys.map((key) => ({ name: key, key })) })
  const account = accountsOf({ acme: pool('a', 'b'), larger: pool('a', 'b', 'c') })
  const [first, second] = account('acme').pool?.members ?? []
  const [same] = account('larger').pool?.members ?? []
  expect(second?.account.identity.vendor).toBe(first?.account.identity.vendor)
  expect(second?.account.identity.account).not.toBe(first?.account.identity.account)
  expect(same?.account.identity.account).toBe(first?.account.identity.account)
  expect(same?.account.identity.vendor).not.toBe(first?.account.identity.vendor)
})
