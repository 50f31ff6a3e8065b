import type { GatewayError } from '../protocol/error.ts'
import { isNonEmptyString, isObject, parseJson } from '../text/json.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'

/** Stands in for the HTTP status of a failure without one. A more specific code in the body takes precedence. */
const UNKNOWN_STATUS = 500

/**
 * Returns the failure that a body describes if the upstream sent that body in place of a stream; null if it describes
 * none.
 */
export function bodyError(wire: StreamWire, quirks: Quirks, text: string): GatewayError | null {
  const body = parseJson(text.trim().replace(/^\ufeff/, ''))
  if (body === undefined) return null
  for (const delta of wire.decodeBody(body, quirks)) if (delta.kind === 'error') return delta.error
  return hasMessage(body) ? wire.decodeError(UNKNOWN_STATUS, {}, text) : null
}

/** Some vendors send the message at the top level, without an `error` object around it. */
const hasMessage = (body: unknown): boolean =>
  isObject(body) && [body.message, body.Message, body.detail].some(isNonEmptyString)
