import { withKeyRemedy } from '../../engine/call/http-failure.ts'
import type { UpstreamRoute } from '../../engine/upstream-call.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { findVendor } from '../../vendors/registry.ts'
import { type Redact, redactError } from '../../wires/redact.ts'

/** The members of a route that explain a failure. */
type FailedRoute = Pick<UpstreamRoute, 'vendor' | 'member' | 'key' | 'baseUrl' | 'headers'>

/** The failure of an upstream as a client may read it: without secrets, and with a remedy where one is known. */
export const shownFailure = (error: GatewayError, redact: Redact, route: FailedRoute): GatewayError =>
  // Secrets are hidden first: one that the upstream has cut is found only at the end of the message.
  explainFailure(redactError(error, redact), route)

/**
 * Adds to the failure of an upstream the vendor that cannot be reached, or the place of a key that was refused. Its
 * address stays out: clients receive the message.
 */
function explainFailure(error: GatewayError, route: FailedRoute): GatewayError {
  if (error.code !== 'upstream_unreachable') return withKeyRemedy(error, keyRemedyOf(route))
  return { ...error, message: error.message.replace(/\.(?= |$)/, ` (vendor ${route.vendor}).`) }
}

/** Null for credentials that are no key: headers of the configuration, and signatures. */
function keyRemedyOf({ vendor, member, key, baseUrl, headers }: FailedRoute): string | null {
  const row = findVendor(vendor)
  if (key === null && (row?.awsService !== undefined || 'authorization' in headers)) return null
  const option =
    member === undefined ? `vendors.${vendor}.key` : `the key of the member ${member} in vendors.${vendor}.pool`
  // The variable of a vendor applies to its own base URL only.
  const isOwn = row !== undefined && row.keyVariable !== null && row.baseUrl === baseUrl
  const places = isOwn ? `the environment variable ${row.keyVariable}, or ${option}` : option
  return key === null
    ? `The server has no key for the vendor ${vendor}. Set ${places}.`
    : `Check the server's key for the vendor ${vendor}: ${places}.`
}
