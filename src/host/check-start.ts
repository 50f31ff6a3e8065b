import { toWorkspaces } from '../gateway/auth/workspaces.ts'
import { REPLAY } from '../gateway/config/checks.ts'
import type { Config, VendorEntry } from '../gateway/config/config.ts'
import { type Env, missingSecrets, readSecret } from '../gateway/config/secrets.ts'
import { createSearch } from '../gateway/search/engines.ts'
import { toDestination } from '../gateway/telemetry/destinations.ts'
import { toAccounts } from '../gateway/vendors/accounts.ts'
import { createVendorRegistry, type VendorRegistry } from '../gateway/vendors/vendor-registry.ts'
import { checkRedisUrl } from './auth/rate-limit-redis.ts'
import { createRecordings } from './config/recordings-account.ts'
import { NODE_HASHES } from './node-hashes.ts'
import { createRandom } from './random.ts'
import { type ListenAddress, toAddress } from './server/listen.ts'
import { readTlsPair } from './server/tls-pair.ts'
import { toDevelopmentKey } from './start.ts'
import { createAgent, httpTransport } from './upstream/http-transport.ts'
import { type ProxyRules, readProxies } from './upstream/proxy-rules.ts'

/** The server that a start would open. */
export interface CheckedStart {
  readonly address: ListenAddress
  /** The vendors without the recordings, with their wires. */
  readonly vendors: VendorRegistry['vendors']
  /** Options that have no effect, or another one than it seems. */
  readonly notices: readonly string[]
  /** Whether it serves recordings. */
  readonly recordings: boolean
  /** The proxies to upstreams; null: none. */
  readonly proxies: ProxyRules | null
  /** The search engines whose keys are set. */
  readonly engines: readonly string[]
}

type StartCheck =
  | { readonly ok: true; readonly start: CheckedStart }
  /** One line for each problem, which begins with its path. */
  | { readonly ok: false; readonly problems: readonly string[] }

/** Takes the place of a vendor that cannot be made, whose problem is reported. */
const withoutFault = (entry: VendorEntry): VendorEntry => ({
  passthrough: entry.passthrough,
  traceparent: entry.traceparent,
  learn: entry.learn,
  cache: entry.cache,
  affinity: entry.affinity,
  wire: 'openai-chat',
  base_url: 'http://localhost',
})

const NO_ROUTING = { models: [] }

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Makes everything of a server but its connections: reads all secrets, resolves all vendors and rules. Opens no socket
 * and calls no upstream. Returns all problems, where a start stops at the first one.
 */
export async function checkStart(config: Config, env: Env): Promise<StartCheck> {
  const problems = new Set<string>()
  const notices = new Set<string>()
  const attempt = <T>(make: () => T): T | null => {
    try {
      return make()
    } catch (error) {
      for (const problem of messageOf(error).split('\n')) problems.add(problem)
      return null
    }
  }
  const proxies = config.proxy === 'environment' ? attempt(() => readProxies(env)) : null
  const agent = createAgent(config.timeouts)
  const source = httpTransport(agent)
  attempt(() => toDevelopmentKey(env, createRandom()))
  const address = attempt(() => toAddress(config, env))
  attempt(() => readTlsPair(config.listen.tls))
  for (const problem of missingSecrets(config, env)) problems.add(problem)
  const workspaces = toWorkspaces(config.workspaces, NODE_HASHES)
  for (const [index, entry] of config.destinations.entries())
    attempt(() => toDestination(entry, index, workspaces, env))
  const entries = Object.entries(config.vendors).map(([name, entry]) => {
    const outside = { env, source, clock: Date.now, hashes: NODE_HASHES }
    const account = attempt(() => toAccounts({ ...config, vendors: { [name]: entry } }, outside))
    return [name, account === null ? withoutFault(entry) : entry] as const
  })
  const { redis } = config.rate_limit
  const redisUrl = redis === undefined ? null : attempt(() => readSecret(redis.url, 'rate_limit.redis.url', env))
  if (redisUrl !== null)
    await checkRedisUrl(redisUrl).catch((error: unknown) =>
      attempt(() => {
        throw error
      }),
    )
  const engines = attempt(() => createSearch(config.search, env, source).available.engines)
  // A vendor that cannot be made must not hide the problems of rules that name others.
  const named = { ...config, vendors: Object.fromEntries(entries) }
  const registry = attempt(() =>
    createVendorRegistry(named, env, source, {
      hashes: NODE_HASHES,
      recordings: createRecordings(undefined),
      routing: () => NO_ROUTING,
      onNotice: (message) => void notices.add(message),
    }),
  )
  attempt(() => registry?.prepare(named))
  await agent.destroy()
  if (problems.size > 0 || address === null || engines === null || registry === null)
    return { ok: false, problems: [...problems] }
  const { vendors, names } = registry
  return {
    ok: true,
    start: { address, vendors, notices: [...notices], engines, proxies, recordings: names.includes(REPLAY) },
  }
}
