import type { Config } from '../gateway/config/config.ts'
import type { Env } from '../gateway/config/secrets.ts'
import type { CheckedStart } from '../host/check-start.ts'
import { toUrl } from '../host/server/listen.ts'
import { configPath } from './config-file.ts'
import { releaseHangUps } from './hang-up.ts'
import { servedAddress } from './listen-options.ts'
import { endOnOutputError } from './output/output-error.ts'
import { readServerConfig } from './read-server-config.ts'
import type { ServeOptions } from './serve.ts'
import type { Streams } from './streams.ts'

const REFUSED = 1

/**
 * Checks the configuration and everything that it names, without a server. Prints a summary on the standard output, or
 * all problems on the standard error. Resolves with the exit code.
 */
export async function checkServe(
  options: Pick<ServeOptions, 'config' | 'host' | 'port' | 'workers'>,
  streams: Streams,
  env: Env,
): Promise<number> {
  releaseHangUps()
  endOnOutputError(streams)
  const file = configPath(options.config, env)
  const address = servedAddress(options)
  const shown = file === '' ? 'no configuration file' : file
  const served = await readServerConfig(file, address, env)
  if (!served.ok) {
    streams.stderr.write(`${shown}:\n${served.problems.map((problem) => `  ${problem}\n`).join('')}`)
    return REFUSED
  }
  streams.stdout.write(
    `${shown}: correct\n${summaryOf(served.config, served.start)
      .map((line) => `  ${line}\n`)
      .join('')}`,
  )
  return 0
}

const listed = (values: readonly string[]): string => (values.length === 0 ? 'none' : values.join(', '))

const formatVendor = ({ name, wires, pool }: CheckedStart['vendors'][number]): string =>
  `${name} (${wires.join(', ')}${pool === undefined ? '' : `; pool ${pool.members.join(', ')}, ${orderOf(pool)}`})`

const orderOf = ({ affinity }: { readonly affinity: boolean }): string =>
  affinity ? 'one member for a conversation' : 'members in turn'

const formatKey = ({ name, kind, models, rate_limit }: Config['keys'][number]): string => {
  const limits = [
    ...(models === undefined ? [] : [`models ${models.join(', ')}`]),
    ...(rate_limit === undefined || rate_limit === null ? [] : [formatRate(rate_limit)]),
  ]
  return `${name} (${[kind, ...limits].join('; ')})`
}

const formatRate = ({ requests, seconds, burst }: NonNullable<Config['rate_limit']['default']>): string =>
  `${requests} requests in ${seconds} s${burst === requests ? '' : `, ${burst} at once`}`

const MIB = 1024 * 1024
const formatBytes = (bytes: number): string =>
  bytes % MIB === 0 ? `${bytes / MIB} MiB` : bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`

const formatRule = ({ match, to, continue: continues }: Config['models'][number]): string =>
  `${match} to ${to.join(', ')}${continues ? ' (continued)' : ''}`

const formatResume = ({ seconds, streams, stream_bytes, memory_bytes }: NonNullable<Config['resume']>): string =>
  `${seconds} s after the end, ${streams} streams of ${formatBytes(stream_bytes)}, ${formatBytes(memory_bytes)} for all`

/** The limits that clients meet first. */
function limitsOf({ limits, connections, websocket, rate_limit, retry, timeouts }: Config): readonly string[] {
  const rate = rate_limit.default
  return [
    rate === undefined ? 'no rate limit by default' : `${formatRate(rate)} by default`,
    `${connections.most} connections`,
    `${websocket.connections_per_key} WebSockets of a key`,
    `${formatBytes(limits.request_body_bytes)} for a body, ${formatBytes(limits.request_bodies_memory_bytes)} for all`,
    `${retry.attempts} attempts`,
    `${timeouts.first_byte_seconds} s to the first byte`,
  ]
}

const summaryOf = (
  config: Config,
  { address, vendors, notices, engines, proxies, recordings }: CheckedStart,
): readonly string[] => [
  `address: ${toUrl(address)}`,
  ...(config.listen.workers === 1 ? [] : [`workers: ${config.listen.workers}`]),
  `mounts: ${listed(config.mounts.map(({ path, dialect }) => `${path === '' ? '/' : path} (${dialect})`))}`,
  `keys: ${config.keys.length === 0 ? 'a development key' : listed(config.keys.map(formatKey))}`,
  `vendors: ${listed(vendors.map(formatVendor))}`,
  `models: ${listed(config.models.map(formatRule))}`,
  `limits: ${limitsOf(config).join('; ')}`,
  `resume: ${config.resume === undefined ? 'off' : formatResume(config.resume)}`,
  ...(recordings ? ['recordings: served as models replay/…'] : []),
  `search engines: ${listed(engines)}`,
  ...(proxies === null
    ? []
    : [`proxies: ${proxies.https?.origin ?? 'none'} (https), ${proxies.http?.origin ?? 'none'} (http)`]),
  `destinations: ${listed(config.destinations.map(({ type, name }) => (name === null ? type : `${name} (${type})`)))}`,
  ...notices.map((notice) => `note: ${notice}`),
]
