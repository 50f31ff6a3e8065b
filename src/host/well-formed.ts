import type { IncomingMessage } from 'node:http'
import { clientError, type GatewayError, gatewayError } from '../protocol/error.ts'

const malformed = (message: string): GatewayError => clientError('malformed_request', message)

const NO_HOST = malformed('The header "Host" is missing.')
const UNKNOWN_CODING = gatewayError('not_implemented', 'The body must be sent as it is, or chunked.', 501)

/** Some HTTP servers ignore a second header of these names and others use it, which could deceive a proxy. */
const SINGLE: ReadonlyMap<string, GatewayError> = new Map(
  ['Host', 'Authorization', 'Content-Type', 'X-Api-Key', 'X-Goog-Api-Key'].map((name) => [
    name.toLowerCase(),
    malformed(`There must be one header "${name}".`),
  ]),
)

/** Checks the rules of HTTP that Node leaves to the application (RFC 9112, 3.2 and 6.1); null for a valid request. */
export function faultOf({ httpVersion, headers, rawHeaders }: IncomingMessage): GatewayError | null {
  const met = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    const fault = SINGLE.get(name)
    if (fault === undefined) continue
    if (met.has(name)) return fault
    met.add(name)
  }
  if (httpVersion === '1.1' && !met.has('host')) return NO_HOST
  const coding = headers['transfer-encoding']
  return coding === undefined || coding.trim().toLowerCase() === 'chunked' ? null : UNKNOWN_CODING
}
