import type { Json, JsonObject } from '../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../text/json.ts'

/**
 * The content of an envelope, which goes back to where it came from:
 * - `thought`: the signature of the thought that the reasoning item itself is
 * - `call`: the signature of the call of that id, or else of the next call after the reasoning item
 * - `steps`: whole steps of Google's tools, for which no other item exists
 */
export type Payload =
  | { readonly on: 'thought'; readonly signature: string }
  | { readonly on: 'call'; readonly id: string; readonly signature: string }
  | { readonly on: 'steps'; readonly steps: readonly JsonObject[] }

/** Validates an opened payload: clients may have changed an envelope that has no HMAC. */
export function readPayload(payload: Json | undefined): Payload | null {
  if (!isObject(payload)) return null
  const { on, signature } = payload
  switch (on) {
    case 'thought':
      return isNonEmptyString(signature) ? { on, signature } : null
    case 'call':
      return isNonEmptyString(signature) ? { on, id: isNonEmptyString(payload.id) ? payload.id : '', signature } : null
    case 'steps':
      return { on, steps: toArray(payload.steps).filter(isStep) }
    default:
      return null
  }
}

const isStep = (value: unknown): value is JsonObject => isObject(value) && isNonEmptyString(value.type)
