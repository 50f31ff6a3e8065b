import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject, scalarToString } from '../../../text/json.ts'
import type { AnswerPassthrough, EditAnswer } from '../../passthrough-contract.ts'
import { hasInexactNumber, hasLargeNumber } from '../../shared/large-numbers.ts'
import { failedEnd, failureText, hasError } from '../../shared/passthrough/failures.ts'
import { changeEntries, withMember } from '../../shared/passthrough/members.ts'
import { argumentsObject } from '../../shared/passthrough/other-forms.ts'
import { sealTexts } from '../../shared/passthrough/sealed-texts.ts'
import { geminiSealedTexts } from '../sealed-texts.ts'

/** The code of a failure whose own one is no HTTP status. */
const UNKNOWN_CODE = 500

const isStatus = (code: unknown): boolean => typeof code === 'number' && code >= 400 && code < 600

/** Google's libraries read a failure only from an object whose code is the status of a failure. */
function readableFailure(chunk: JsonObject): JsonObject {
  const { error } = chunk
  if (!error || (isObject(error) && isStatus(error.code))) return chunk
  const own: Json = isObject(error) ? error : { message: scalarToString(error) }
  return withMember(chunk, 'error', { status: 'INTERNAL', ...own, code: UNKNOWN_CODE })
}

/** Google's libraries read arguments from an object, not from its text. A text keeps identifiers that an object would round. */
function withArguments(part: Json): Json {
  if (!isObject(part) || !isObject(part.functionCall)) return part
  const call = part.functionCall as JsonObject
  const args = typeof call.args === 'string' ? argumentsObject(call.args) : null
  if (args === null || (hasLargeNumber(args) && hasInexactNumber(String(call.args)))) return part
  return withMember(part as JsonObject, 'functionCall', withMember(call, 'args', args))
}

function withCalls(candidate: Json): Json {
  if (!isObject(candidate) || !isObject(candidate.content)) return candidate
  const content = candidate.content as JsonObject
  const parts = withMember(content, 'parts', changeEntries(content.parts, withArguments))
  return withMember(candidate as JsonObject, 'content', parts)
}

const argumentsAsObjects: EditAnswer = (value) =>
  withMember(value, 'candidates', changeEntries(value.candidates, withCalls))

export const geminiAnswers: AnswerPassthrough = {
  edits: {
    'JSON as objects': argumentsAsObjects,
    'sealed reasoning': sealTexts(geminiSealedTexts),
    'secrets in failures': failureText,
  },
  formName: 'form of chunks',
  // An event with the name of a failure is one, whatever it contains.
  form: (chunk, { name }) => readableFailure(name === 'error' && !chunk.error ? { error: chunk } : chunk),
  eventName: () => '',
  dataOnly: true,
  readsLists: true,
  isFailure: hasError,
  // The protocol has no last frame: that of a proxy is not sent.
  close: (_, end) => (end.error === null ? [] : failedEnd(end)),
}
