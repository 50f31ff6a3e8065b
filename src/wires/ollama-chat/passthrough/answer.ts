import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import type { AnswerPassthrough } from '../../passthrough-contract.ts'
import { failedEnd, failureText, hasError } from '../../shared/passthrough/failures.ts'
import { withMember } from '../../shared/passthrough/members.ts'

/** Ollama's libraries read every line with an `error` as a failure, and its value as the message. */
function withFailure(line: JsonObject): JsonObject {
  const { error } = line
  if (error === undefined || isNonEmptyString(error)) return line
  if (!error) return withMember(line, 'error', undefined)
  const message = isObject(error) ? scalarToString(error.message) : scalarToString(error)
  return withMember(line, 'error', message === '' ? JSON.stringify(error) : message)
}

/** Gateways that use the endpoint /api/generate have the text at the top of the line. */
function withMessage(line: JsonObject): JsonObject {
  const { message, response, thinking } = line
  if (isObject(message) || (!isNonEmptyString(response) && !isNonEmptyString(thinking))) return line
  const content: Json = isNonEmptyString(response) ? response : ''
  const own: JsonObject = { role: 'assistant', content }
  return withMember(line, 'message', isNonEmptyString(thinking) ? { ...own, thinking } : own)
}

/** Only `true` ends an answer; any other value would end it for clients. */
const withDone = (line: JsonObject): JsonObject =>
  !line.done || line.done === true ? line : withMember(line, 'done', false)

export const ollamaAnswers: AnswerPassthrough = {
  edits: { 'secrets in failures': failureText },
  formName: 'form of lines',
  form: (line) => withDone(withMessage(withFailure(line))),
  isFailure: hasError,
  close: (_, end) => (end.error !== null ? failedEnd(end) : end.last === null ? [] : [end.last]),
}
