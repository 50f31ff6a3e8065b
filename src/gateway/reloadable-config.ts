import type { Destination } from '../observability/destination.ts'
import { type Key, toKeys } from './auth/auth.ts'
import { toWorkspaces, type Workspaces } from './auth/workspaces.ts'
import type { Config } from './config/config.ts'
import type { ModelRouting } from './config/model-rules.ts'
import type { Env } from './config/secrets.ts'
import type { Hashes } from './hashes.ts'
import { toDestinations } from './telemetry/destinations.ts'

/** The parts of a configuration that can change while the server runs. */
export interface ReloadableConfig {
  readonly keys: readonly Key[]
  readonly workspaces: Workspaces
  readonly destinations: readonly Destination[]
  readonly routing: ModelRouting
}

/** Throws an Error with the path of a missing secret. */
export function toReloadableConfig(config: Config, env: Env, developmentKey: string, hashes: Hashes): ReloadableConfig {
  const workspaces = toWorkspaces(config.workspaces, hashes)
  return {
    keys: toKeys(config, developmentKey, hashes),
    workspaces,
    destinations: toDestinations(config.destinations, workspaces, env),
    routing: config,
  }
}

const RELOADED: readonly string[] = [
  '$schema',
  'keys',
  'workspaces',
  'destinations',
  'vendors',
  'recordings',
  'models',
  'default_vendor',
]

/** Other fields that have changed, and take effect at the next start. */
export const restartNeeded = (before: Config, after: Config): readonly string[] =>
  Object.entries(after)
    .filter(([name, value]) => !RELOADED.includes(name) && !isSame(value, before[name as keyof Config]))
    .map(([name]) => name)

/**
 * The configuration of a process that starts beside others that have read `next` again: the parts that they have
 * reloaded, and the others as they have started with them.
 */
export function afterReload(started: Config, next: Config): Config {
  const reloaded = Object.entries(next).filter(([name]) => RELOADED.includes(name))
  const kept = Object.entries(started).filter(([name]) => !RELOADED.includes(name))
  const tls = started.listen.tls === undefined ? undefined : (next.listen.tls ?? started.listen.tls)
  return { ...(Object.fromEntries([...kept, ...reloaded]) as Config), listen: { ...started.listen, tls } }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
