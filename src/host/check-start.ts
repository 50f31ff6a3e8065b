import { toKeys } from '../gateway/auth/auth.ts'
import { type Env, readSecret } from '../gateway/auth/secrets.ts'
import { toWorkspaces } from '../gateway/auth/workspaces.ts'
import type { Config } from '../gateway/config/config.ts'
import { createVendorRegistry, type VendorRegistry } from '../gateway/config/vendor-registry.ts'
import { toAccounts } from '../gateway/config/vendors.ts'
import { createSearch } from '../gateway/search/engines.ts'
import { toDestination } from '../gateway/telemetry/destinations.ts'
import { checkRedisUrl } from './auth/rate-limit-redis.ts'
import { createRecordings } from './config/recordings-account.ts'
import { NODE_HASHES } from './node-hashes.ts'
import { createRandom } from './random.ts'
import type { ListenAddress } from './server/listen.ts'
import { readTlsPair } from './server/tls-pair.ts'
import { toAddress, toDevelopmentKey } from './start.ts'
import { createAgent, httpTransport } from './upstream/http-transport.ts'
import { type ProxyRules, readProxies } from './upstream/proxy-rules.ts'

/** The server that a start would open. */
export interface CheckedStart {
  readonly address: ListenAddress
  /** The vendors without the recordings, with their wires. */
  readonly vendors: VendorRegistry['vendors']
  /** The proxies to upstreams; null: none. */
  readonly proxies: ProxyRules | null
  /** The search engines whose keys are set. */
  readonly engines: readonly string[]
}

export type StartCheck =
  | { readonly ok: true; readonly start: CheckedStart }
  /** One line for each problem, which begins with its path. */
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Makes everything of a server but its connections: reads all secrets, resolves all vendors and rules. Opens no socket
 * and calls no upstream. Returns all problems, where a start stops at the first one.
 */
export async function checkStart(config: Config, env: Env): Promise<StartCheck> {
  const problems = new Set<string>()
  const attempt = <T>(make: () => T): T | null => {
    try {
      return make()
    } catch (error) {
      problems.add(error instanceof Error ? error.message : String(error))
      return null
    }
  }
  const proxies = config.proxy === 'environment' ? attempt(() => readProxies(env)) : null
  const agent = createAgent(config.timeouts)
  const source = httpTransport(agent)
  const developmentKey = attempt(() => toDevelopmentKey(env, createRandom())) ?? ''
  const address = attempt(() => toAddress(config, toKeys(config, developmentKey, NODE_HASHES), env))
  attempt(() => readTlsPair(config.listen.tls))
  const workspaces = toWorkspaces(config.workspaces, NODE_HASHES)
  for (const [index, entry] of config.destinations.entries())
    attempt(() => toDestination(entry, index, workspaces, env))
  for (const [name, entry] of Object.entries(config.vendors))
    attempt(() =>
      toAccounts({ ...config, vendors: { [name]: entry } }, { env, source, clock: Date.now, hashes: NODE_HASHES }),
    )
  const { encrypted_content_secret: sealing, rate_limit: rates } = config
  if (sealing !== undefined) attempt(() => readSecret(sealing, 'encrypted_content_secret', env))
  const { redis } = rates
  const redisUrl = redis === undefined ? null : attempt(() => readSecret(redis.url, 'rate_limit.redis.url', env))
  if (redisUrl !== null)
    await checkRedisUrl(redisUrl).catch((error: unknown) =>
      attempt(() => {
        throw error
      }),
    )
  const engines = attempt(() => createSearch(config.search, env, source).available.engines)
  const vendors = attempt(
    () =>
      createVendorRegistry(config, env, source, { hashes: NODE_HASHES, recordings: createRecordings(undefined) })
        .vendors,
  )
  await agent.destroy()
  if (problems.size > 0 || address === null || vendors === null || engines === null)
    return { ok: false, problems: [...problems] }
  return { ok: true, start: { address, vendors, engines, proxies } }
}
