import { workerProblems } from '../gateway/config/checks.ts'
import type { Config } from '../gateway/config/config.ts'
import { formatConfigPath } from '../gateway/config/config-problems.ts'
import { MOST_WORKERS } from '../gateway/config/listening.ts'

/** The options of a command that take the place of `listen` in its configuration. */
export interface ListenOptions {
  /** From 0 to 65535; 0: a free port. Default: that of the configuration, else PORT, else 8787. */
  readonly port?: string
  /** The name or address to listen on. Default: that of the configuration. */
  readonly host?: string
  /** The number of processes that share the address. Default: that of the configuration. */
  readonly workers?: string
}

/** The part of `listen` that the command line has. */
export type Address = { readonly host?: string; readonly port?: number; readonly workers?: number }

const LAST_PORT = 65_535

/** Throws an Error that names the wrong option. */
export function servedAddress({ host, port, workers }: ListenOptions): Address {
  if (host === '') throw new Error('--host: expected a name or an address, got "". Left out, it is 127.0.0.1.')
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= LAST_PORT))
    throw new Error(`--port: expected a number from 0 to ${LAST_PORT}, got "${port}". 0 is a free port.`)
  if (workers !== undefined && !(/^[1-9]\d{0,2}$/.test(workers) && Number(workers) <= MOST_WORKERS))
    throw new Error(`--workers: expected a number from 1 to ${MOST_WORKERS}, got "${workers}".`)
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(workers === undefined ? {} : { workers: Number(workers) }),
  }
}

interface ListeningConfig {
  readonly config: Config
  readonly problems: readonly string[]
}

/**
 * Applies the options to a configuration. A host or a port takes the place of a socket of the file system. The number of
 * workers may not fit other fields.
 */
export function listeningOn(config: Config, address: Address): ListeningConfig {
  const isElsewhere = address.host !== undefined || address.port !== undefined
  const listen = { ...config.listen, ...address, ...(isElsewhere ? { path: undefined } : {}) }
  const served = { ...config, listen }
  const problems = [...workerProblems(served)].map(([path, message]) => `${formatConfigPath(path)}: ${message}`)
  return { config: served, problems }
}
