import type { IncomingMessage } from 'node:http'
import { clientError, type GatewayError } from '../protocol/error.ts'

const NO_HOST = clientError('malformed_request', 'The header "Host" is missing.')
const TWO_HOSTS = clientError('malformed_request', 'There must be one header "Host".')

/** What HTTP asks of every request and node leaves to us (RFC 9112, 3.2); null where nothing is wrong. */
export function faultOf({ httpVersion, rawHeaders }: IncomingMessage): GatewayError | null {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1) return TWO_HOSTS
  return hosts === 0 && httpVersion === '1.1' ? NO_HOST : null
}
