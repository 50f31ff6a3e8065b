import type { JsonRecord } from '../../../protocol/json.ts'
import { isObject, toArray } from '../../../text/json.ts'
import type { HubRules } from '../../passthrough-contract.ts'
import { isPresent } from '../../shared/passthrough/conditions.ts'

/** "contents.parts must not be empty", "required oneof field 'data' must have one initialized field". */
const isEmptyPart = (part: unknown): boolean => isObject(part) && Object.keys(part).length === 0

const callOf = (part: unknown): unknown => (isObject(part) ? (part.functionCall ?? part.function_call) : undefined)

const responseOf = (part: unknown): unknown =>
  isObject(part) ? (part.functionResponse ?? part.function_response) : undefined

/** Vertex refuses a part without text: "it has an empty text parameter". A signature may stand beside one. */
const isEmptyText = (part: unknown): boolean =>
  isObject(part) && part.text === '' && !isPresent(part.thoughtSignature ?? part.thought_signature)

/** A field that is not left out has to be an object. */
const isOdd = (value: unknown, field: 'args' | 'response'): boolean =>
  isObject(value) && isPresent(value[field]) && !isObject(value[field])

const roleOf = ({ role }: JsonRecord): string => (typeof role === 'string' ? role.toLowerCase() : '')

const ROLES: ReadonlySet<string> = new Set(['user', 'model', 'function'])

/** "Please use a valid role: user, model." Vertex requires one. */
const isValid = (role: string, isVertex: boolean): boolean => ROLES.has(role) || (role === '' && !isVertex)

/**
 * "Please ensure that the number of function response parts is equal to the number of function call parts of the function
 * call turn": one content has the responses to all calls of the turn before. Consecutive contents of the model are one
 * turn.
 */
export const refusesGeminiEntries: NonNullable<HubRules['refusesEntries']> = ({ platform }) => {
  let open = 0
  let isFirst = true
  let isAnswered = true
  return (content) => {
    const parts = toArray(content.parts)
    const calls = parts.map(callOf).filter(isPresent)
    const responses = parts.map(responseOf).filter(isPresent)
    const role = roleOf(content)
    const wasFirst = isFirst
    isFirst = false
    if (!isValid(role, platform === 'vertex') || parts.length === 0 || parts.some(isEmptyPart)) return true
    if (platform === 'vertex' && parts.some(isEmptyText)) return true
    if (calls.some((call) => isOdd(call, 'args')) || responses.some((one) => isOdd(one, 'response'))) return true
    if (role === 'model') {
      // "function call turn comes immediately after a user turn or after a function response turn".
      if ((isAnswered && open > 0) || (wasFirst && calls.length > 0)) return true
      isAnswered = false
      open += calls.length
      return false
    }
    isAnswered = true
    if (responses.length !== open) return true
    open = 0
    return false
  }
}
