import { isDone } from '../../../framing/frame.ts'
import type { Json } from '../../../protocol/json.ts'
import { isObject, scalarToString } from '../../../text/json.ts'
import type { AnswerPassthrough, EditEvent } from '../../passthrough-contract.ts'
import { failureText, hasError } from '../../shared/passthrough/failures.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { sealTexts } from '../../shared/passthrough/sealed-texts.ts'
import { geminiSealedTexts } from '../sealed-texts.ts'
import { beginsAnswer } from '../terms.ts'

/** The code of a failure whose own one is no HTTP status. */
const UNKNOWN_CODE = 500

const isStatus = (code: unknown): boolean => typeof code === 'number' && code >= 400 && code < 600

/** Google's libraries read a failure only from an object whose code is the status of a failure. */
const readableFailure: EditEvent = (chunk, stream) => {
  if (beginsAnswer(chunk)) stream.memory = { begun: true }
  const { error } = chunk
  if (!error || (isObject(error) && isStatus(error.code))) return chunk
  const own: Json = isObject(error) ? error : { message: scalarToString(error) }
  return withMember(chunk, 'error', { status: 'INTERNAL', ...own, code: UNKNOWN_CODE })
}

export const geminiAnswers: AnswerPassthrough = {
  marks: ['"error"', '"thoughtSignature"', '"thought_signature"'],
  edits: { 'sealed reasoning': sealTexts(geminiSealedTexts), 'secrets in failures': failureText },
  eventEdits: { 'form of chunks': readableFailure },
  eventName: () => '',
  dataOnly: true,
  readsLists: true,
  unreadEnds: (frame, { begun }) => begun === true && isDone(frame),
  ending: (chunk) => (hasError(chunk) ? 'failed' : null),
}
