import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject, scalarToString } from '../../../text/json.ts'
import type { AnswerPassthrough } from '../../passthrough-contract.ts'
import { failedEnd, failureText, hasError } from '../../shared/passthrough/failures.ts'
import { withMember } from '../../shared/passthrough/members.ts'
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

export const geminiAnswers: AnswerPassthrough = {
  edits: { 'sealed reasoning': sealTexts(geminiSealedTexts), 'secrets in failures': failureText },
  formName: 'form of chunks',
  form: readableFailure,
  eventName: () => '',
  dataOnly: true,
  readsLists: true,
  isFailure: hasError,
  // The protocol has no last frame: that of a proxy is not sent.
  close: (_, end) => (end.error === null ? [] : failedEnd(end)),
}
