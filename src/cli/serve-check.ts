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

const formatVendor = ({ name, wires, members = [] }: CheckedStart['vendors'][number]): string =>
  `${name} (${wires.join(', ')}${members.length === 0 ? '' : `; pool ${members.join(', ')}`})`

const summaryOf = (
  config: Config,
  { address, vendors, engines, proxies, recordings }: CheckedStart,
): readonly string[] => [
  `address: ${toUrl(address)}`,
  ...(config.listen.workers === 1 ? [] : [`workers: ${config.listen.workers}`]),
  `mounts: ${listed(config.mounts.map(({ path, dialect }) => `${path === '' ? '/' : path} (${dialect})`))}`,
  `keys: ${config.keys.length === 0 ? 'a development key' : listed(config.keys.map(({ name, kind }) => `${name} (${kind})`))}`,
  `vendors: ${listed(vendors.map(formatVendor))}`,
  `models: ${listed(config.models.map(({ match, to }) => `${match} to ${to.join(', ')}`))}`,
  ...(recordings ? ['recordings: served as models replay/…'] : []),
  `search engines: ${listed(engines)}`,
  ...(proxies === null
    ? []
    : [`proxies: ${proxies.https?.origin ?? 'none'} (https), ${proxies.http?.origin ?? 'none'} (http)`]),
  `destinations: ${listed(config.destinations.map(({ type, name }) => (name === null ? type : `${name} (${type})`)))}`,
]
