import type { Frame } from '../../../framing/frame.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
import { runSteps } from '../../../text/steps.ts'
import type { AnswerEnd, EditAnswer } from '../../passthrough-contract.ts'
import type { Redact } from '../../redact.ts'
import { withMember } from './members.ts'
import { redactValue } from './secrets.ts'

/** Failures of vendors have two or three levels. Values below this one are removed. */
const DEEPEST = 16

/** Hides secrets in a member; returns the object itself if there are none. */
export function redactMember(object: JsonObject, name: string, redact: Redact): JsonObject {
  const value = object[name]
  if (value === undefined || value === null) return object
  return withMember(object, name, runSteps(redactValue(value, redact, DEEPEST)))
}

/** Hides the secrets that the `error` of an event quotes. */
export const failureText: EditAnswer = (value, { redact }) => redactMember(value, 'error', redact)

/** The end of a failed stream, in protocols in which nothing follows the failure. */
export function failedEnd({ last, lastFails, isReported, failure }: AnswerEnd): readonly Frame[] {
  if (last !== null && lastFails) return [last]
  return isReported ? [] : failure()
}

/** Whether an event has an `error`, which is how most protocols report failures. */
export const hasError = ({ error }: JsonObject): boolean =>
  isObject(error) || (typeof error === 'string' && error !== '')
