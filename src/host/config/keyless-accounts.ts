import { NO_HOST } from '../../api/translate-request.ts'
import type { OpenRoute } from '../../api/upstream-route.ts'
import type { Config, MemberEntry, VendorEntry } from '../../gateway/config/config.ts'
import type { Env } from '../../gateway/config/secrets.ts'
import { readVariable } from '../../gateway/config/secrets.ts'
import type { Transport } from '../../gateway/upstream/transport.ts'
import { toAccounts, type VendorAccount } from '../../gateway/vendors/accounts.ts'
import { findVendor } from '../../vendors/registry.ts'
import { NODE_HASHES } from '../node-hashes.ts'

/** A region for base URLs that contain one. No request goes there. */
const ANY_REGION = 'us-east-1'

const UNUSED: Transport = () => Promise.reject(new Error('an account without a key sends nothing'))

const entryFor = (name: string): VendorEntry => ({
  passthrough: true,
  traceparent: false,
  learn: true,
  cache: 'auto',
  affinity: true,
  ...((findVendor(name)?.baseUrl ?? null) === null ? { base_url: NO_HOST } : {}),
})

const withoutSecrets = <T extends VendorEntry | MemberEntry>({ key: _, headers: __, aws, ...entry }: T) => ({
  ...entry,
  ...(aws?.region === undefined ? {} : { aws: { region: aws.region } }),
})

const withoutAnySecret = ({ pool, ...entry }: VendorEntry): VendorEntry => ({
  ...withoutSecrets(entry),
  ...(pool === undefined ? {} : { pool: pool.map(withoutSecrets) }),
})

/**
 * The accounts of the configuration, and of these vendors of the table, without keys and headers: for explanations of
 * requests that are never sent.
 */
export function keylessAccounts(
  config: Config,
  names: readonly string[],
  env: Env,
): ReadonlyMap<string, VendorAccount> {
  const own = Object.entries(config.vendors).map(([name, entry]) => [name, withoutAnySecret(entry)] as const)
  const table = names.filter((name) => !Object.hasOwn(config.vendors, name) && findVendor(name) !== undefined)
  const vendors = Object.fromEntries([...own, ...table.map((name) => [name, entryFor(name)] as const)])
  const region = readVariable(env, 'AWS_REGION') || readVariable(env, 'AWS_DEFAULT_REGION') || ANY_REGION
  const outside = { env: { AWS_REGION: region }, source: UNUSED, clock: Date.now, hashes: NODE_HASHES }
  return toAccounts({ ...config, vendors }, outside)
}

/** The route of an account for a client of this protocol, without key and headers. Its model depends on the request. */
export function keylessRoute(account: VendorAccount, client: string, model: string | null): OpenRoute {
  const { name, wire, quirks, passthrough, cache, bodyEdits } = account.others.get(client) ?? account
  return {
    vendor: name,
    model,
    wire,
    quirks,
    baseUrl: NO_HOST,
    passthrough,
    cache,
    key: null,
    headers: {},
    ...bodyEdits,
  }
}
