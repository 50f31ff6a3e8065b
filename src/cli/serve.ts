import { keepHeapSmall } from '../host/heap.ts'
import { checkConfigValue, type Loaded, loadConfig } from '../host/load-config.ts'
import { type Log, lineLog } from '../host/log.ts'
import { type Running, start } from '../host/server.ts'
import { onHangUp, releaseHangUps } from './hang-up.ts'

/** How long the process may last after its server has stopped. */
const LINGER_MS = 1000

export interface ServeOptions {
  /** The configuration file; left out: what MILLRACE_CONFIG names, or none. */
  readonly config?: string
}

/** Runs a server until it is told to stop. Resolves with the exit code; rejects where it cannot start. */
export async function serve({ config }: ServeOptions): Promise<number> {
  const { env } = process
  const file = config ?? env.MILLRACE_CONFIG ?? ''
  if (file === '') releaseHangUps()
  const loaded: Loaded = file === '' ? checkConfigValue({}) : await loadConfig(file)
  if (!loaded.ok) throw new Error(`${file}:\n${loaded.problems.map((problem) => `  ${problem}`).join('\n')}`)
  // Whoever read the log may have gone; that is no reason to stop.
  process.stdout.on('error', () => undefined)
  const log = lineLog((text) => process.stdout.write(text), Date.now)
  keepHeapSmall()
  const running = await start(loaded.config, { env, log })
  if (file !== '') onHangUp(() => void reload(file, running, log))
  if (running.developmentKey !== null) process.stdout.write(toBanner(running.url, running.developmentKey))
  await untilStopped(running)
  // What is left open now is no reason to stay.
  setTimeout(() => process.exit(), LINGER_MS).unref()
  return 0
}

/** Reads the configuration again. A bad one is refused, and the old one stays. */
async function reload(file: string, running: Running, log: Log): Promise<void> {
  const loaded = await loadConfig(file)
  if (!loaded.ok) return log({ event: 'reload_refused', problems: loaded.problems })
  try {
    await running.reload(loaded.config)
  } catch (error) {
    log({ event: 'reload_refused', problems: [error instanceof Error ? error.message : String(error)] })
  }
}

/** What a person needs who has just started it for the first time. */
const toBanner = (url: string, key: string): string => `
millrace listens on ${url}
development key (good on this machine, until it stops): ${key}

curl -N ${url}/api/v1/responses \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"replay/hello","input":"Hello!","stream":true}'

`

/** The first signal lets streams finish, the second ends them. */
function untilStopped(running: Running): Promise<void> {
  return new Promise((resolve, reject) => {
    let told = false
    const onSignal = (): void => {
      const stop = told ? running.close : running.drain
      told = true
      stop().then(resolve, reject)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
