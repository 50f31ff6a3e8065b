import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import type { StreamWire } from '../../wires/contract.ts'

/** The failure of an answer with an HTTP status of 300 or more. `headers` have lower-case names, `body` is text. */
export const httpFailure = (
  { decodeError }: Pick<StreamWire, 'decodeError'>,
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
): GatewayError =>
  status >= 400
    ? decodeError(status, headers, body)
    : upstreamError(
        'upstream_invalid',
        `The upstream answered with status ${status}, which is a redirect. Check the base URL of the vendor.`,
      )

/** Adds a remedy to the failure of an upstream that refused the key; other failures stay as they are. */
export const withKeyRemedy = (error: GatewayError, remedy: string | null): GatewayError =>
  remedy !== null && error.code === 'upstream_authentication'
    ? { ...error, message: `${error.message}${/[.!?…]$/.test(error.message) ? '' : '.'} ${remedy}` }
    : error
