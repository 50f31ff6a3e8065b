import { publishedKeyProblems } from '../gateway/auth/published-keys.ts'
import type { RateStore } from '../gateway/auth/rate-limit.ts'
import type { Config } from '../gateway/config/config.ts'
import { toConfig } from '../gateway/config/parse-config.ts'

/** The parts of a server that the program replaces. */
interface Replaced {
  readonly rateStore: RateStore | null
  /** Whether the program passes its own `fetch`. */
  readonly hasFetch: boolean
}

/** Settings without which clients or upstreams would be less protected than the configuration says. */
const REFUSED: readonly (readonly [problem: string, isSet: (config: Config, replaced: Replaced) => boolean])[] = [
  [
    'keys: expected at least one key, because a gateway without a server has no development key. Add a key to the configuration (millrace key)',
    ({ keys }) => keys.length === 0,
  ],
  [
    'rate_limit.redis: a gateway without a server opens no connection to Redis. Remove it, or pass the option rateStore',
    ({ rate_limit }, { rateStore }) => rate_limit.redis !== undefined && rateStore === null,
  ],
  [
    'listen.tls: a gateway without a server does not listen; the certificate belongs to the program that calls it. Remove it',
    ({ listen }) => listen.tls !== undefined,
  ],
  [
    'listen.path: a gateway without a server does not listen; the socket belongs to the program that calls it. Remove it',
    ({ listen }) => listen.path !== undefined,
  ],
  [
    'proxy: the platform decides which proxies fetch uses. Remove it, or pass the option fetch',
    ({ proxy }, { hasFetch }) => proxy !== 'environment' && !hasFetch,
  ],
]

/** Throws an Error that names a setting that a gateway without a server must not ignore, or a key that everyone has. */
export function refuseUnserved(config: Config, replaced: Replaced): void {
  const found = REFUSED.find(([, isSet]) => isSet(config, replaced))
  const problems = found === undefined ? publishedKeyProblems(config) : [found[0]]
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

const IGNORED: readonly (readonly [path: string, select: (config: Config) => unknown])[] = [
  ['listen.host', ({ listen }) => listen.host],
  ['listen.port', ({ listen }) => listen.port],
  ['listen.mode', ({ listen }) => listen.mode],
  ['connections.most', ({ connections }) => connections.most],
  ['connections.header_bytes', ({ connections }) => connections.header_bytes],
  ['connections.header_seconds', ({ connections }) => connections.header_seconds],
  ['connections.idle_seconds', ({ connections }) => connections.idle_seconds],
  ['timeouts.connect_seconds', ({ timeouts }) => timeouts.connect_seconds],
  ['websocket', ({ websocket }) => JSON.stringify(websocket)],
  ['drain', ({ drain }) => JSON.stringify(drain)],
  ['metrics', ({ metrics }) => JSON.stringify(metrics)],
  ['page', ({ page }) => JSON.stringify(page)],
]

/** The other settings that have no effect without a server, and are not those of an empty configuration. */
export function ignoredSettings(config: Config): readonly string[] {
  const empty = toConfig({})
  return IGNORED.filter(([, select]) => select(config) !== select(empty)).map(([path]) => path)
}
