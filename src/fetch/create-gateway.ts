import type { RateStore } from '../gateway/auth/rate-limit.ts'
import { checkGatewayOptions, type HookOptions } from '../gateway/call/hooks.ts'
import type { ConfigInput } from '../gateway/config/config.ts'
import { toConfig } from '../gateway/config/parse-config.ts'
import type { Env } from '../gateway/config/secrets.ts'
import { toRequestId } from '../gateway/exchange/ids.ts'
import { openGateway } from '../gateway/open-gateway.ts'
import { type ReloadableConfig, restartNeeded, toReloadableConfig } from '../gateway/reloadable-config.ts'
import type { Log } from '../gateway/telemetry/log.ts'
import type { Recordings } from '../gateway/vendors/vendor-registry.ts'
import { answerRequest, openEntrance } from './answer-request.ts'
import { createFetchContext, toRequestHead } from './fetch-context.ts'
import { fetchPlatform } from './fetch-platform.ts'
import type { Fetch } from './fetch-transport.ts'
import { PORTABLE_HASHES } from './portable-hashes.ts'
import { ignoredSettings, refuseUnserved } from './unserved-settings.ts'

export interface GatewayOptions extends HookOptions {
  /** The environment variables of keys. Default: none. */
  readonly env?: Env
  /** Receives the log, one object a line. Default: nothing is logged. */
  readonly log?: Log
  /** Sends requests to upstreams, search engines and destinations. Default: the `fetch` of the platform. */
  readonly fetch?: Fetch
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: () => number
  /** Stores the rate limits of keys. Default: the memory of this process, which other processes do not share. */
  readonly rateStore?: RateStore
  /** Receives work that continues after an answer. Default: the function `waitUntil` of an argument of `fetch`. */
  readonly waitUntil?: (work: Promise<unknown>) => void
}

/** A gateway as a function from `Request` to `Response`. */
export interface FetchGateway {
  /**
   * Answers a request; the answer begins before it is complete. Never rejects. `platform`: the further arguments of the
   * platform's handler, of which one may have the function `waitUntil`.
   */
  readonly fetch: (request: Request, ...platform: readonly unknown[]) => Promise<Response>
  readonly vendors: readonly string[]
  /**
   * Replaces keys, workspaces, destinations, vendors and rules for models by those of another configuration. Rejects
   * with an Error that describes the problem, in which case nothing changes.
   */
  reload(input: ConfigInput): Promise<void>
  /** Sends the waiting traces for at most this time. */
  close(limitSeconds?: number): Promise<void>
}

const OPTIONS = ['env', 'rateStore']

const FUNCTIONS = ['log', 'fetch', 'clock', 'waitUntil']

const LAST_TRACES_SECONDS = 5

/**
 * Creates a gateway without a server, for every runtime that has `fetch`. `input` is the contents of a configuration
 * file. Throws an Error whose message describes the problem of the configuration, and a TypeError for an option that does
 * not exist.
 */
export const createGateway = (input: ConfigInput, options: GatewayOptions = {}): FetchGateway =>
  openFetchGateway(input, options)

/** `recordings`: those of the vendor `replay`; undefined: there is no such vendor. */
export function openFetchGateway(
  input: ConfigInput,
  options: GatewayOptions,
  recordings?: Recordings | undefined,
): FetchGateway {
  const own = checkGatewayOptions(options, OPTIONS, FUNCTIONS)
  const config = toConfig(input, own)
  const { env = {}, log = () => {}, clock = Date.now, rateStore = null } = options
  const replaced = { rateStore, hasFetch: options.fetch !== undefined }
  refuseUnserved(config, replaced)
  let settings: ReloadableConfig = toReloadableConfig(config, env, '', PORTABLE_HASHES)
  // The function of the platform has to be called as a method of nothing.
  const send = options.fetch ?? ((url, init) => fetch(url, init))
  const { machines, requests, vendors } = options
  const hooks = { machines, requests, vendors }
  const platform = fetchPlatform(config, { env, log, send, clock, rates: rateStore, recordings, hooks }, () => settings)
  const gateway = openGateway(config, platform, settings.destinations)
  const entrance = openEntrance(gateway)
  const limits = {
    stalledMs: config.timeouts.stalled_client_seconds * 1000,
    bodyMs: config.connections.body_seconds * 1000,
  }
  const ignored = ignoredSettings(config)
  if (ignored.length > 0) log({ event: 'settings_ignored', settings: ignored })
  return {
    fetch(request, ...rest) {
      const head = toRequestHead(request)
      const id = toRequestId(head.headers['x-request-id'], gateway.random)
      const context = createFetchContext(request, head, id, limits)
      const waitUntil = options.waitUntil ?? findWaitUntil(rest)
      const work = answerRequest(entrance, { gateway, context, log, isFollowed: waitUntil !== null })
      waitUntil?.(work)
      return context.reply.response
    },
    get vendors() {
      return gateway.accounts.names
    },
    async reload(input) {
      const next = toConfig(input, own)
      refuseUnserved(next, replaced)
      const fresh = toReloadableConfig(next, env, '', PORTABLE_HASHES)
      const applyVendors = gateway.accounts.prepare(next)
      settings = fresh
      applyVendors()
      await gateway.observability.refresh()
      log({ event: 'reloaded', restart_needed: restartNeeded(config, next) })
    },
    close(limitSeconds = LAST_TRACES_SECONDS) {
      gateway.resumable?.close()
      return gateway.observability.close(limitSeconds * 1000)
    },
  }
}

function findWaitUntil(platform: readonly unknown[]): ((work: Promise<unknown>) => void) | null {
  for (const one of platform) {
    if (typeof one !== 'object' || one === null || !('waitUntil' in one)) continue
    const { waitUntil } = one
    if (typeof waitUntil === 'function') return (work) => void waitUntil.call(one, work)
  }
  return null
}
