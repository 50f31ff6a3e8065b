import type { Config } from '../gateway/config/config.ts'
import type { Loaded } from '../gateway/config/parse-config.ts'
import type { Env } from '../gateway/config/secrets.ts'
import { noteMissingSecret } from '../gateway/open-gateway.ts'
import { afterReload } from '../gateway/reloadable-config.ts'
import type { Log } from '../gateway/telemetry/log.ts'
import { checkStart } from '../host/check-start.ts'
import { createRandom } from '../host/random.ts'
import { removeStaleSocket } from '../host/server/unix-socket.ts'
import { toDevelopmentKey } from '../host/start.ts'
import { startPrimary } from '../host/workers/primary.ts'
import { toWorkerConfig } from '../host/workers/worker-config.ts'
import { firstSteps } from './first-steps.ts'
import { onHangUp } from './hang-up.ts'
import type { OnStopSignal } from './stop-signals.ts'

export interface ServedWorkers {
  readonly env: Env
  readonly log: Log
  readonly onStopSignal: OnStopSignal
  /** Reads the configuration again; null: the server has no file. */
  readonly load: (() => Promise<Loaded>) | null
}

/** Runs a server of several processes until a signal stops it. Resolves with the exit code; rejects if it cannot start. */
export async function serveWorkers(config: Config, { env, log, onStopSignal, load }: ServedWorkers): Promise<number> {
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
  onStopSignal((isAtOnce) => primary.stop(isAtOnce))
  const first = await Promise.race([primary.listening, primary.ended])
  if (typeof first === 'number') return first
  let inForce = config
  const refuse = (problems: readonly string[]): void => log({ event: 'reload_refused', problems })
  const reload = async (loaded: Loaded): Promise<void> => {
    if (!loaded.ok) return refuse(loaded.problems)
    const checked = await checkReload(inForce, loaded.config, env)
    if (!checked.ok) return refuse(checked.problems)
    inForce = checked.config
    primary.reload(toWorkerConfig(loaded.config, count, secret), toWorkerConfig(inForce, count, secret))
  }
  let reloading = Promise.resolve()
  if (load !== null)
    onHangUp(() => {
      reloading = reloading.then(load).then(reload)
    })
  process.stdout.write(firstSteps({ ...first, page: null }, config, env))
  return primary.ended
}

/**
 * Resolves with the configuration of workers that start after `next` was read, or with the reasons why none could start.
 * The workers that run refuse the same. Of a TLS pair that is wrong they keep the old one, and so do the others.
 */
async function checkReload(inForce: Config, next: Config, env: Env): Promise<Loaded> {
  const later = afterReload(inForce, next)
  const withOldPair = { ...later, listen: inForce.listen }
  const checked = await checkStart(withOldPair, env)
  if (!checked.ok) return checked
  const { ok: isPair } = await checkStart(later, env)
  return { ok: true, config: isPair ? later : withOldPair }
}
