import type { Config } from '../../gateway/config/config.ts'
import type { Env } from '../../gateway/config/secrets.ts'
import { trimSlashes } from '../../text/trim-slashes.ts'
import { configPath, readConfigFile } from '../config-file.ts'
import { findNamed } from '../names.ts'
import type { Streams } from '../streams.ts'
import { PRINTED_SETTINGS, type RunningAddress, SERVER_KEY } from './printed-settings.ts'

export interface PrintOptions {
  readonly model?: string
  readonly config?: string
  /** The address of the server. Default: that of the configuration. */
  readonly url?: string
}

const DEFAULT_PORT = 8787

/**
 * Writes the settings of a coding agent for a running server to the standard output, and their place to the standard
 * error, so that the output can be run by a shell or written into a file.
 */
export async function printSettings(
  name: string | undefined,
  { model = '', config, url }: PrintOptions,
  { stdout, stderr }: Pick<Streams, 'stdout' | 'stderr'>,
  env: Env,
): Promise<number> {
  const names = [...PRINTED_SETTINGS.keys()]
  const settings = findNamed('launch --print', name, names, (one) => PRINTED_SETTINGS.get(one))
  if (settings.needsModel && model === '')
    throw new Error(`launch --print ${name}: the model is missing. Add --model <vendor>/<model>.`)
  const address = addressOf(await readConfigFile(configPath(config, env)), url)
  stderr.write(`${settings.place}. Set ${SERVER_KEY} to one of the server’s keys.\n`)
  stdout.write(settings.text(address, model))
  return 0
}

/** The mount for clients of all families: of the dialect that they have, at a path that ends in the version. */
function addressOf({ mounts, listen }: Config, url: string | undefined): RunningAddress {
  const paths = mounts.filter(({ dialect }) => dialect === 'openai').map(({ path }) => trimSlashes(path))
  const path = paths.find((one) => one.endsWith('/v1'))
  if (path === undefined)
    throw new Error('launch --print: the configuration has no mount with the dialect "openai" whose path ends in /v1.')
  const api = (url === undefined ? ownAddress(listen) : originOf(url)) + path
  return { root: api.slice(0, -'/v1'.length), api }
}

const EXPECTED_URL = 'expected an http or https URL without a path, such as http://127.0.0.1:8787'

/** The address of a server; a base URL of clients has the version as its path. */
function originOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !isServerAddress(parsed)) throw new Error(`--url: ${EXPECTED_URL}, got "${url}".`)
  return parsed.origin
}

const isServerAddress = ({ protocol, username, password, pathname, search, hash }: URL): boolean =>
  /^https?:$/.test(protocol) &&
  /^(?:\/v1)?\/*$/.test(pathname) &&
  [username, password, search, hash].every((part) => part === '')

const ANY_HOST: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

function ownAddress({ host, port = DEFAULT_PORT, path, tls }: Config['listen']): string {
  if (path !== undefined) throw new Error('launch --print: the server listens on a socket. Add --url with its address.')
  const name = ANY_HOST.has(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port}`
}
