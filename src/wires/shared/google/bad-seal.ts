import type { GatewayError } from '../../../protocol/error.ts'
import { ERROR_MAPPINGS } from '../upstream/error-map.ts'

/** "Corrupted thought signature." has the code of any bad request. */
const SIGNATURE = /thought[ _]?signature/i

/** Distinguishes a refused signature from other bad requests by its message. */
export const withBadSeal = (error: GatewayError): GatewayError =>
  error.code === ERROR_MAPPINGS.badRequest.code && SIGNATURE.test(error.message)
    ? { ...error, ...ERROR_MAPPINGS.badSeal, param: null }
    : error
