import { type Env, readVariable } from '../host/auth/secrets.ts'
import type { Config } from '../host/config/config.ts'
import { loadConfig } from '../host/config/load-config.ts'
import { type RunningServer, start } from '../host/start.ts'
import { type Log, lineLog } from '../host/telemetry/log.ts'
import { keepHeapSmall } from '../host/v8-flags.ts'
import { trimSlashes } from '../text/trim-slashes.ts'
import { configPath, readConfigFile } from './config-file.ts'
import { onHangUp, releaseHangUps } from './hang-up.ts'

/** The longest time that the process continues after its server has stopped, in milliseconds. */
const LINGER_MS = 1000

export interface ServeOptions {
  /** Path of the configuration file. Default: the file that MILLRACE_CONFIG names, or none. */
  readonly config?: string
}

/** Runs a server until a signal stops it. Resolves with the exit code; rejects if the server cannot start. */
export async function serve({ config }: ServeOptions): Promise<number> {
  const { env } = process
  const file = configPath(config, env)
  if (file === '') releaseHangUps()
  const read = await readConfigFile(file)
  // The reader of the log may exit before the server, which is no reason to stop.
  process.stdout.on('error', () => undefined)
  const log = lineLog((text) => process.stdout.write(text), Date.now)
  keepHeapSmall()
  const running = await start(read, { env, log })
  if (file !== '') onHangUp(() => void reload(file, running, log))
  if (running.developmentKey !== null)
    process.stdout.write(toBanner(running, firstPath(read), toShownKey(running.developmentKey, env)))
  await untilStopped(running)
  // A connection or timer that is still open must not keep the process alive.
  setTimeout(() => process.exit(), LINGER_MS).unref()
  return 0
}

/** Reads the configuration again. If the new one is invalid, the server keeps the old one. */
async function reload(file: string, running: RunningServer, log: Log): Promise<void> {
  const loaded = await loadConfig(file)
  if (!loaded.ok) return log({ event: 'reload_refused', problems: loaded.problems })
  try {
    await running.reload(loaded.config)
  } catch (error) {
    log({ event: 'reload_refused', problems: [error instanceof Error ? error.message : String(error)] })
  }
}

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

/** The first steps for a new user: the development key and an example request. */
const toBanner = ({ url, page }: RunningServer, path: string, { line, fragment, header }: ShownKey): string => `
millrace listens on ${url}
${line}
${page === null ? '' : `page for the browser: ${page}${fragment}\n`}
curl -N ${url}${path}/responses \\
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
