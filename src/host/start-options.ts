import { checkGatewayOptions, type HookOptions } from '../gateway/call/hooks.ts'
import type { Env } from '../gateway/config/secrets.ts'
import type { Log } from '../gateway/telemetry/log.ts'
import type { DestinationStore } from '../observability/destination.ts'
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

const OPTIONS = ['env', 'fixtures', 'tap', 'destinations']

const FUNCTIONS = ['log', 'clock', 'random']

/** Returns the names of the vendors of the program. Throws a TypeError as `checkGatewayOptions`. */
export const checkStartOptions = (options: StartOptions): readonly string[] =>
  checkGatewayOptions(options, OPTIONS, FUNCTIONS)
