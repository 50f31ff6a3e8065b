import cluster from 'node:cluster'
import type { Config } from '../gateway/config/config.ts'
import type { Log } from '../gateway/telemetry/log.ts'
import { type RunningServer, startInGroup } from '../host/start.ts'
import { setServerFlags } from '../host/v8-flags.ts'
import { openWorkerLink, type WorkerLink } from '../host/workers/worker-link.ts'
import { type LogOptions, openLog } from './log/open-log.ts'

/** The longest time that the process continues after its server has stopped, in milliseconds. */
const LINGER_MS = 1000

const CANNOT_START = 2

/**
 * Runs one worker of a server, as its primary process orders. Signals are for the primary process: a terminal and a
 * service manager send them to all processes of a group. Resolves with the exit code.
 */
export async function serveWorker(options: LogOptions): Promise<number> {
  const { env } = process
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => undefined)
  process.stdout.on('error', () => undefined)
  const link = openWorkerLink(process)
  link.send({ kind: 'loaded' })
  const { number, config, developmentKey } = await link.started
  const log = ofWorker(openLog(options, process.stdout, env), number)
  setServerFlags()
  const surroundings = { env: { ...env, MILLRACE_DEV_KEY: developmentKey }, log }
  // The primary process has checked it: a share may be less than what a whole configuration needs.
  const membership = { group: link.group, check: (checked: Config) => checked }
  const code = await startInGroup(config, surroundings, membership).then(
    (running) => untilStopped(running, link, log),
    (error: unknown) => {
      link.send({ kind: 'failed', message: messageOf(error) })
      return CANNOT_START
    },
  )
  cluster.worker?.disconnect()
  // A connection or timer that is still open must not keep the process alive.
  setTimeout(() => process.exit(), LINGER_MS).unref()
  return code
}

/** The lines of all workers have one output. */
const ofWorker =
  (log: Log, worker: number): Log =>
  (line) =>
    log({ ...line, worker })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const untilStopped = (running: RunningServer<Config>, link: WorkerLink, log: Log): Promise<number> =>
  new Promise((resolve, reject) => {
    link.follow({
      reload: (config) => void reload(running, config, log),
      stop(isAtOnce) {
        const stopped = isAtOnce ? running.close() : running.drain()
        stopped.then(() => resolve(0), reject)
      },
    })
    link.send({ kind: 'listening', url: running.url, vendors: running.vendors, developmentKey: running.developmentKey })
  })

async function reload(running: RunningServer<Config>, config: Config, log: Log): Promise<void> {
  try {
    await running.reload(config)
  } catch (error) {
    log({ event: 'reload_refused', problems: [messageOf(error)] })
  }
}
