import type { GatewayError } from '../protocol/error.ts'
import { isObject, isText, parseJson } from '../text/json.ts'
import type { Quirks } from './quirks.ts'
import type { Wire } from './wire.ts'

/** The status of a failure that has none: its words decide where they are more exact. */
const UNKNOWN_STATUS = 500

/** The failure that a body tells which came in place of a stream; null where it tells none. */
export function failureIn(wire: Wire, quirks: Quirks, text: string): GatewayError | null {
  const body = parseJson(text.trim().replace(/^\ufeff/, ''))
  if (body === undefined) return null
  for (const delta of wire.decodeBody(body, quirks)) if (delta.kind === 'error') return delta.error
  return hasMessage(body) ? wire.decodeError(UNKNOWN_STATUS, {}, text) : null
}

/** Some vendors put nothing around the message. */
const hasMessage = (body: unknown): boolean => isObject(body) && [body.message, body.Message, body.detail].some(isText)
