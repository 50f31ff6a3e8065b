import type { Env } from '../gateway/auth/secrets.ts'
import type { Config } from '../gateway/config/config.ts'
import type { Loaded } from '../gateway/config/parse-config.ts'
import { noteMissingSecret } from '../gateway/open-gateway.ts'
import type { Log } from '../gateway/telemetry/log.ts'
import { createRandom } from '../host/random.ts'
import { removeStaleSocket } from '../host/server/unix-socket.ts'
import { toDevelopmentKey } from '../host/start.ts'
import { startPrimary } from '../host/workers/primary.ts'
import { toWorkerConfig } from '../host/workers/worker-config.ts'
import { firstSteps } from './first-steps.ts'
import { onHangUp } from './hang-up.ts'

export interface ServedWorkers {
  readonly env: Env
  readonly log: Log
  /** Reads the configuration again. */
  load(): Promise<Loaded>
}

/** Runs a server of several processes until a signal stops it. Resolves with the exit code; rejects if it cannot start. */
export async function serveWorkers(config: Config, { env, log, load }: ServedWorkers): Promise<number> {
  const { workers: count, path } = config.listen
  const random = createRandom()
  const secret = random()
  noteMissingSecret(config, env, log)
  if (path !== undefined) await removeStaleSocket(path)
  const primary = startPrimary({
    config: toWorkerConfig(config, count, secret),
    count,
    developmentKey: toDevelopmentKey(env, random),
    log,
  })
  let isStopping = false
  const onSignal = (): void => {
    primary.stop(isStopping)
    isStopping = true
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  const first = await Promise.race([primary.listening, primary.ended])
  if (typeof first === 'number') return first
  onHangUp(async () => {
    const loaded = await load()
    if (loaded.ok) primary.reload(toWorkerConfig(loaded.config, count, secret))
    else log({ event: 'reload_refused', problems: loaded.problems })
  })
  process.stdout.write(firstSteps({ ...first, page: null }, config, env))
  return primary.ended
}
