import { DISCONNECTED } from '../engine/stream-translator.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { findVendor } from '../vendors/registry.ts'
import type { OpenRoute } from './upstream-route.ts'

/** Codes of connections that were never open (https://nodejs.org/api/errors.html#common-system-errors). */
const UNREACHABLE = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

/** The failure of a request whose `fetch` was rejected. A URL may contain secrets, its host does not. */
export function toUnsent(error: unknown, url: string): GatewayError {
  const { cause } = (error ?? {}) as { readonly cause?: { readonly code?: unknown } }
  const code = String(cause?.code)
  if (!UNREACHABLE.test(code)) return DISCONNECTED
  return upstreamError('upstream_unreachable', `The upstream ${new URL(url).host} cannot be reached (${code}).`)
}

/** Headers in which a program may send credentials of its own. */
const CREDENTIALS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

/** The remedy for credentials that the upstream refuses. */
export function keyRemedyOf({ vendor, key, headers }: OpenRoute): string {
  if (CREDENTIALS.some((name) => name in headers)) return 'Check the credentials in upstream.headers.'
  const variable = findVendor(vendor)?.keyVariable ?? null
  if (key !== null) return `Check upstream.apiKey${variable === null ? '' : `, usually from ${variable}`}.`
  return variable === null
    ? 'The request had no key: set upstream.apiKey.'
    : `The request had no key: set the environment variable ${variable}, and pass it as upstream.apiKey.`
}
