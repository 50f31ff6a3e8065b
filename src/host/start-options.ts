import { HOOK_OPTIONS, type HookOptions, namesOfVendors } from '../gateway/call/hooks.ts'
import type { Env } from '../gateway/config/secrets.ts'
import type { Log } from '../gateway/telemetry/log.ts'
import type { DestinationStore } from '../observability/destination.ts'
import { checkOptions } from '../validation/arguments.ts'
import type { UpstreamTap } from './recording/upstream-tap.ts'

export interface StartOptions extends HookOptions {
  /** The environment variables of keys and PORT. Default: none. */
  readonly env?: Env
  readonly log?: Log
  readonly clock?: () => number
  /** Returns unpredictable hexadecimal digits. */
  readonly random?: () => string
  /** The folder of recordings for the vendor `replay`. Default: the folder in the package. */
  readonly fixtures?: URL
  /** Records the exchanges with upstreams, or answers in their place. Default: none. */
  readonly tap?: UpstreamTap
  /** The store of destinations. Default: the configuration. A store is read again every half minute. */
  readonly destinations?: DestinationStore
}

const START_OPTIONS = [...HOOK_OPTIONS, 'env', 'log', 'clock', 'random', 'fixtures', 'tap', 'destinations']

/** Returns the names of the vendors of the program. Throws a TypeError for an option that does not exist. */
export function checkStartOptions(options: StartOptions): readonly string[] {
  checkOptions(options, START_OPTIONS)
  return namesOfVendors(options)
}
