import type { GatewayError } from '../../protocol/error.ts'
import type { CancellationSignal } from '../cancellation.ts'
import type { Config } from '../config/config.ts'

/**
 * Failures that may pass: a connection that failed or broke, a rate limit, an overload, a server error of the upstream.
 */
const PASSING: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_disconnected',
  'rate_limit_exceeded',
  'server_is_overloaded',
  'server_error',
])

/** Whether the same request may be answered later. */
export const mayPass = ({ party, code }: GatewayError): boolean => party === 'upstream' && PASSING.has(code)

/**
 * Returns the milliseconds until the next attempt, or null if there is none: the failure will not pass, all attempts
 * are used up, or the upstream requests a longer pause than a client would wait for. The delay doubles with each
 * attempt, between half and all of it (`jitter`, 0 to 1), so that many clients that failed together do not retry
 * together.
 */
export function retryDelay(
  error: GatewayError,
  tries: number,
  jitter: number,
  {
    attempts,
    first_delay_ms,
    longest_delay_ms,
  }: Pick<Config['retry'], 'attempts' | 'first_delay_ms' | 'longest_delay_ms'>,
): number | null {
  if (tries >= attempts || !mayPass(error)) return null
  const wanted = (error.retryAfter ?? 0) * 1000
  if (wanted > longest_delay_ms) return null
  const backoff = Math.min(first_delay_ms * 2 ** (tries - 1), longest_delay_ms) * (0.5 + jitter / 2)
  return Math.max(wanted, backoff)
}

/**
 * Failures of an upstream that another one may not have: those that may pass, and those of its account, its models and
 * its answers. A request that an upstream refuses would be refused again.
 */
const FAILURES_OF_ONE: ReadonlySet<string> = new Set([
  ...PASSING,
  'upstream_timeout',
  'upstream_truncated',
  'upstream_invalid',
  'upstream_authentication',
  'upstream_not_found',
  'insufficient_quota',
  'usage_limit_reached',
  'model_not_found',
])

/** Whether a request goes on to its next upstream after this failure. */
export const fallsBack = ({ party, code }: GatewayError): boolean => party === 'upstream' && FAILURES_OF_ONE.has(code)

/** Waits until the time is up or the client leaves. */
export const sleep = (ms: number, signal: CancellationSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.forget(listener)
      resolve()
    }
    const listener = { onCancel: done }
    const timer = setTimeout(done, ms)
    signal.listen(listener)
    if (signal.aborted) done()
  })
