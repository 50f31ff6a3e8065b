import { type Env, readVariable } from '../gateway/auth/secrets.ts'
import type { Config, ConfigInput } from '../gateway/config/config.ts'
import type { Log } from '../gateway/telemetry/log.ts'
import { loadConfig } from '../host/config/load-config.ts'
import { type RunningServer, type StartOptions, start } from '../host/start.ts'
import { keepHeapSmall } from '../host/v8-flags.ts'
import { trimSlashes } from '../text/trim-slashes.ts'
import { configPath, readConfigFile } from './config-file.ts'
import { onHangUp, releaseHangUps } from './hang-up.ts'
import { openLog } from './log/open-log.ts'

/** The longest time that the process continues after its server has stopped, in milliseconds. */
const LINGER_MS = 1000

export interface ServeOptions {
  /** Path of the configuration file. Default: the file that MILLRACE_CONFIG names, or none. */
  readonly config?: string
  /** From 0 to 65535; 0: a free port. Default: that of the configuration, else PORT, else 8787. */
  readonly port?: string
  /** The name or address to listen on. Default: that of the configuration. */
  readonly host?: string
  /** The format of the log on the standard output. Default: `pretty` on a terminal, else `json`. */
  readonly log?: string
  /** Default: `info`. */
  readonly 'log-level'?: string
}

/** A server with more than its configuration. */
export interface Arrangement {
  /** Replaces the configuration. */
  readonly config?: ConfigInput
  readonly start: Pick<StartOptions, 'env' | 'tap'>
  /** Printed before the first request. */
  readonly notice: string
  /** Called after the last exchange. */
  onStopped(): Promise<void>
}

const asConfigured = (): Arrangement => ({ start: {}, notice: '', onStopped: async () => undefined })

/** Runs a server until a signal stops it. Resolves with the exit code; rejects if the server cannot start. */
export async function serve(
  options: ServeOptions,
  arrange: (config: Config, env: Env, log: Log) => Arrangement = asConfigured,
): Promise<number> {
  const { env } = process
  const file = configPath(options.config, env)
  if (file === '') releaseHangUps()
  const address = servedAddress(options)
  const read = listeningOn(await readConfigFile(file), address)
  // The reader of the log may exit before the server, which is no reason to stop.
  process.stdout.on('error', () => undefined)
  const log = openLog(options, process.stdout, env)
  keepHeapSmall()
  log({ event: 'configuration', file, mounts: read.mounts.map(({ path }) => path), keys: read.keys.length })
  const arranged = arrange(read, env, log)
  const running = await start(arranged.config ?? read, { env, log, ...arranged.start })
  process.stdout.write(arranged.notice)
  if (arranged.config !== undefined) releaseHangUps()
  else if (file !== '') onHangUp(() => void reload(file, address, running, log))
  if (running.developmentKey !== null)
    process.stdout.write(toBanner(running, firstPath(read), toShownKey(running.developmentKey, env)))
  // In a pipe, the log of a server with keys has nothing but JSON.
  else if (running.page !== null && process.stdout.isTTY)
    process.stdout.write(`\npage for the browser: ${running.page}\n\n`)
  await untilStopped(running)
  await arranged.onStopped()
  // A connection or timer that is still open must not keep the process alive.
  setTimeout(() => process.exit(), LINGER_MS).unref()
  return 0
}

/** Reads the configuration again. If the new one is invalid, the server keeps the old one. */
async function reload(file: string, address: Address, running: RunningServer, log: Log): Promise<void> {
  const loaded = await loadConfig(file, process.env)
  if (!loaded.ok) return log({ event: 'reload_refused', problems: loaded.problems })
  try {
    await running.reload(listeningOn(loaded.config, address))
  } catch (error) {
    log({ event: 'reload_refused', problems: [error instanceof Error ? error.message : String(error)] })
  }
}

/** The part of an address that the command line has. */
type Address = { readonly host?: string; readonly port?: number }

/** Throws an Error that names the wrong option. */
export function servedAddress({ host, port }: ServeOptions): Address {
  if (host === '') throw new Error('--host: expected a name or an address, got "". Left out, it is 127.0.0.1.')
  const number = Number(port)
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && number <= LAST_PORT))
    throw new Error(`--port: expected a number from 0 to ${LAST_PORT}, got "${port}". 0 is a free port.`)
  return { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port: number }) }
}

const LAST_PORT = 65_535

/** A host or a port of the command line takes the place of a socket of the file system. */
export const listeningOn = (config: Config, address: Address): Config => ({
  ...config,
  listen: { ...config.listen, ...address, ...(Object.keys(address).length > 0 ? { path: undefined } : {}) },
})

/** The path of the first mount, without a slash at its end. */
const firstPath = ({ mounts: [first] }: Config): string => trimSlashes(first?.path ?? '')

/** The development key in the first steps. */
interface ShownKey {
  readonly line: string
  /** Follows the address of the page, which takes the key out of it. Browsers do not send this part of an address. */
  readonly fragment: string
  /** A quoted word of a shell. */
  readonly header: string
}

/** A chosen key is a secret of its user, and the output is also the log. */
const toShownKey = (key: string, env: Env): ShownKey =>
  readVariable(env, 'MILLRACE_DEV_KEY') === key
    ? {
        line: 'development key: the value of MILLRACE_DEV_KEY',
        fragment: '',
        header: '"Authorization: Bearer $MILLRACE_DEV_KEY"',
      }
    : {
        fragment: `#key=${key}`,
        line: `development key (valid on this machine until the server stops): ${key}`,
        header: `'Authorization: Bearer ${key}'`,
      }

const toCurlUrl = (url: string): string =>
  url.startsWith('unix:') ? `--unix-socket '${url.slice('unix:'.length)}' http://localhost` : url

/** The first steps for a new user: the development key and an example request. */
const toBanner = ({ url, page }: RunningServer, path: string, { line, fragment, header }: ShownKey): string => `
millrace listens on ${url}
${line}
${page === null ? '' : `page for the browser: ${page}${fragment}\n`}
curl -N ${toCurlUrl(url)}${path}/responses \\
  -H ${header} \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"replay/hello","input":"Hello!","stream":true}'

`

/** The first signal lets the open streams finish, the second ends them. */
function untilStopped(running: RunningServer): Promise<void> {
  return new Promise((resolve, reject) => {
    let isDraining = false
    const onSignal = (): void => {
      const stop = isDraining ? running.close : running.drain
      isDraining = true
      stop().then(resolve, reject)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
