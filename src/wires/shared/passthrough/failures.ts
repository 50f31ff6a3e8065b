import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
import type { EditAnswer } from '../../passthrough-contract.ts'
import type { Redact } from '../upstream/redact.ts'
import { withMember } from './members.ts'

/** Failures of vendors have two or three levels. Values below this one are removed. */
const DEEPEST = 16

/** Hides secrets in every text of a value. */
function redactValue(value: Json, redact: Redact, deepest = DEEPEST): Json {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (deepest === 0) return null
  if (Array.isArray(value)) return value.map((inner: Json) => redactValue(inner, redact, deepest - 1))
  const members = Object.entries(value as JsonObject)
  return Object.fromEntries(members.map(([name, inner]) => [name, redactValue(inner as Json, redact, deepest - 1)]))
}

/** Hides secrets in a member; returns the object itself if there are none. */
export function redactMember(object: JsonObject, name: string, redact: Redact): JsonObject {
  const value = object[name]
  if (value === undefined || value === null) return object
  const redacted = redactValue(value, redact)
  return JSON.stringify(redacted) === JSON.stringify(value) ? object : withMember(object, name, redacted)
}

/** Hides the secrets that the `error` of an event quotes. */
export const failureText: EditAnswer = (value, { redact }) => redactMember(value, 'error', redact)

/** Whether an event has an `error`, which is how most protocols report failures. */
export const hasError = ({ error }: JsonObject): boolean =>
  isObject(error) || (typeof error === 'string' && error !== '')
