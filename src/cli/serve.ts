import type { Config, ConfigInput } from '../gateway/config/config.ts'
import type { Loaded } from '../gateway/config/parse-config.ts'
import type { Env } from '../gateway/config/secrets.ts'
import type { Log } from '../gateway/telemetry/log.ts'
import { loadConfig } from '../host/config/load-config.ts'
import { type RunningServer, start } from '../host/start.ts'
import type { StartOptions } from '../host/start-options.ts'
import { setServerFlags } from '../host/v8-flags.ts'
import { WORKER_VARIABLE } from '../host/workers/messages.ts'
import { configPath, describeProblems } from './config-file.ts'
import { firstSteps } from './first-steps.ts'
import { onHangUp, releaseHangUps } from './hang-up.ts'
import { type Address, type ListenOptions, listeningOn, servedAddress } from './listen-options.ts'
import { openLog } from './log/open-log.ts'
import { type ReadServerConfig, readServerConfig } from './read-server-config.ts'
import { holdStopSignals, type OnStopSignal } from './stop-signals.ts'

/** The longest time that the process continues after its server has stopped, in milliseconds. */
const LINGER_MS = 1000

export interface ServeOptions extends ListenOptions {
  /** Path of the configuration file. Default: see `configPath`. */
  readonly config?: string
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
  read: ReadServerConfig = readServerConfig,
): Promise<number> {
  const { env } = process
  if (env[WORKER_VARIABLE] !== undefined && process.connected) {
    const { serveWorker } = await import('./serve-worker.ts')
    return serveWorker(options)
  }
  const file = configPath(options.config, env)
  if (file === '') releaseHangUps()
  const address = servedAddress(options)
  const served = await read(file, address, env)
  if (!served.ok) throw new Error(describeProblems(file, served.problems))
  const { config } = served
  // The reader of the log may exit before the server, which is no reason to stop.
  process.stdout.on('error', () => undefined)
  const log = openLog(options, process.stdout, env)
  setServerFlags()
  const onStopSignal = holdStopSignals()
  log({ event: 'configuration', file, mounts: config.mounts.map(({ path }) => path), keys: config.keys.length })
  if (config.listen.workers > 1 && arrange === asConfigured) {
    const { serveWorkers } = await import('./serve-workers.ts')
    return serveWorkers(config, {
      env,
      log,
      onStopSignal,
      load: file === '' ? null : () => loadListening(file, address),
    })
  }
  const arranged = arrange(config, env, log)
  const running = await start(arranged.config ?? config, { env, log, ...arranged.start })
  process.stdout.write(arranged.notice)
  if (arranged.config !== undefined) releaseHangUps()
  else if (file !== '') onHangUp(() => void reload(file, address, running, log))
  process.stdout.write(firstSteps(running, config, env))
  await untilStopped(running, onStopSignal)
  await arranged.onStopped()
  // A connection or timer that is still open must not keep the process alive.
  setTimeout(() => process.exit(), LINGER_MS).unref()
  return 0
}

async function loadListening(file: string, address: Address): Promise<Loaded> {
  const loaded = await loadConfig(file, process.env)
  if (!loaded.ok) return loaded
  const { config, problems } = listeningOn(loaded.config, address)
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems }
}

/** Reads the configuration again. If the new one is invalid, the server keeps the old one. */
async function reload(file: string, address: Address, running: RunningServer, log: Log): Promise<void> {
  const loaded = await loadListening(file, address)
  if (!loaded.ok) return log({ event: 'reload_refused', problems: loaded.problems })
  try {
    await running.reload(loaded.config)
  } catch (error) {
    log({ event: 'reload_refused', problems: [error instanceof Error ? error.message : String(error)] })
  }
}

const untilStopped = (running: RunningServer, onStopSignal: OnStopSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    onStopSignal((isAtOnce) => {
      const stopped = isAtOnce ? running.close() : running.drain()
      stopped.then(resolve, reject)
    })
  })
