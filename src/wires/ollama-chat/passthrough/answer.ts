import { type Frame, jsonOf } from '../../../framing/frame.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import type { AnswerEnd, AnswerPassthrough } from '../../passthrough-contract.ts'
import { failedEnd, failureText, hasError } from '../../shared/passthrough/failures.ts'
import { changeEntries, withMember } from '../../shared/passthrough/members.ts'
import { argumentsObject } from '../../shared/passthrough/other-forms.ts'

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

/** The libraries refuse arguments that are the text of an object, and a call without arguments. */
function withArguments(line: JsonObject): JsonObject {
  const { message } = line
  if (!isObject(message) || !Array.isArray(message.tool_calls)) return line
  const calls = changeEntries(message.tool_calls as readonly Json[], withObject)
  return withMember(line, 'message', withMember(message as JsonObject, 'tool_calls', calls))
}

function withObject(call: Json): Json {
  if (!isObject(call) || !isObject(call.function)) return call
  const { arguments: given = null } = call.function
  if (isObject(given)) return call as Json
  const isNothing = given === null || (Array.isArray(given) && given.length === 0)
  const args = argumentsObject(isNothing ? '' : given)
  return args === null
    ? (call as Json)
    : withMember(call as JsonObject, 'function', withMember(call.function as JsonObject, 'arguments', args))
}

const formOf = (line: JsonObject): JsonObject => withDone(withMessage(withFailure(line)))

const hasContent = ({ message }: JsonObject): boolean =>
  isObject(message) &&
  (isNonEmptyString(message.content) ||
    isNonEmptyString(message.thinking) ||
    toArray(message.tool_calls).length > 0 ||
    toArray(message.images).length > 0)

/** The content of a last line that does not end the answer, because an earlier line could not be read. */
function contentOf(last: Frame | null): readonly Frame[] {
  const value = last === null ? null : jsonOf(last)
  const line = isObject(value) ? formOf(value as JsonObject) : {}
  if (!hasContent(line)) return []
  return [{ event: '', data: '', value: withMember(line, 'done', false) }]
}

function failedStream(end: AnswerEnd): readonly Frame[] {
  const isReport = end.isReported || (end.last !== null && end.lastFails)
  return isReport ? failedEnd(end) : [...contentOf(end.last), ...failedEnd(end)]
}

export const ollamaAnswers: AnswerPassthrough = {
  edits: { 'JSON as objects': withArguments, 'secrets in failures': failureText },
  formName: 'form of lines',
  form: formOf,
  isFailure: hasError,
  close: (_, end) => (end.error !== null ? failedStream(end) : end.last === null ? [] : [end.last]),
}
