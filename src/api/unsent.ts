import { DISCONNECTED } from '../engine/stream-translator.ts'
import { upstreamError, withCause } from '../protocol/error.ts'
import type { Unsent } from './answer-input.ts'
import type { OpenRoute } from './upstream-route.ts'

/** Codes of connections that were never open (https://nodejs.org/api/errors.html#common-system-errors). */
const UNREACHABLE = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

/** The failure of a request whose `fetch` was rejected. A URL may contain secrets, its host does not. */
export function toUnsent(error: unknown, url: string, signal: AbortSignal | undefined): Unsent {
  // The error of Bun has the code itself.
  const { cause, code: own } = (error ?? {}) as {
    readonly cause?: { readonly code?: unknown }
    readonly code?: unknown
  }
  const code = String(cause?.code ?? own)
  const hasLeft = signal?.aborted === true
  if (!UNREACHABLE.test(code)) return { error: withCause(DISCONNECTED, error), hasLeft }
  const message = `The upstream ${new URL(url).host} cannot be reached (${code}).`
  return { error: withCause(upstreamError('upstream_unreachable', message), error), hasLeft }
}

/** Headers in which a program may send credentials of its own. */
const CREDENTIALS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

/** The remedy for credentials that the upstream refuses. `place`: the option of the program that holds its settings. */
export function keyRemedyOf({ key, headers }: OpenRoute, variable: string | undefined, place: string): string {
  if (CREDENTIALS.some((name) => name in headers)) return `Check the credentials in ${place}headers.`
  if (key !== null) return `Check ${place}apiKey${variable === undefined ? '' : `, usually from ${variable}`}.`
  return variable === undefined
    ? `The request had no key: set ${place}apiKey.`
    : `The request had no key: set the environment variable ${variable}, and pass it as ${place}apiKey.`
}
