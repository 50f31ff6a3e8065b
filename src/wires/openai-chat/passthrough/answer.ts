import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
import type { AnswerPassthrough, EditAnswer } from '../../passthrough-contract.ts'
import { isPresent } from '../../shared/passthrough/conditions.ts'
import { failedEnd, failureText, hasError } from '../../shared/passthrough/failures.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { sealTexts } from '../../shared/passthrough/sealed-texts.ts'
import { toStreamSettings } from '../client/stream-settings.ts'
import { chatSealedTexts } from '../sealed-texts.ts'
import { finishOfCalls, hasCalls, missingFinish, type PassedState, readableChunk } from './chunk-form.ts'
import { joinsCalls } from './request.ts'

/** The gateway requests the counts of each stream. Clients that did not request them fail at a chunk without choices. */
const unrequestedUsage: EditAnswer = (chunk, { settings }) => {
  const { choices, usage } = chunk
  const isCount = isObject(usage) && Array.isArray(choices) && choices.length === 0
  return isCount && !toStreamSettings(settings).usage ? null : chunk
}

/** Some vendors send the JSON that was requested as an object, where clients read text. */
function withText(choice: Json): Json {
  if (!isObject(choice)) return choice
  const form = isObject(choice.delta) ? 'delta' : 'message'
  const message = choice[form]
  if (!isObject(message) || !isObject(message.content)) return choice as Json
  const text = JSON.stringify(message.content)
  return withMember(choice as JsonObject, form, withMember(message as JsonObject, 'content', text))
}

/** Applies an edit to each choice of a chunk or a body. */
const inChoices =
  (edit: (choice: Json) => Json): EditAnswer =>
  (value) => {
    const { choices } = value
    if (!Array.isArray(choices)) return value
    const edited = (choices as readonly Json[]).map(edit)
    return edited.every((choice, at) => choice === choices[at]) ? value : withMember(value, 'choices', edited)
  }

/** Of a body; that of a stream needs the earlier chunks. */
const finishOfBody = (choice: Json): Json =>
  isObject(choice) && isObject(choice.message)
    ? finishOfCalls(choice as JsonObject, hasCalls(choice.message as JsonObject))
    : choice

export const chatAnswers: AnswerPassthrough<PassedState> = {
  edits: {
    'sealed reasoning': sealTexts(chatSealedTexts),
    'unrequested usage': unrequestedUsage,
    'JSON as text': inChoices(withText),
    'finish of calls': inChoices(finishOfBody),
    'secrets in failures': failureText,
  },
  formName: 'form of chunks',
  form: readableChunk,
  // The older form of calls, and calls that only the hub joins.
  isForeign: (body, quirks) => isPresent(body.functions) || isPresent(body.function_call) || joinsCalls(body, quirks),
  isFailure: (chunk, event) => event === 'error' || hasError(chunk),
  close: (state, end) =>
    end.error === null ? [...missingFinish(state), end.last ?? { event: '', data: '[DONE]' }] : failedEnd(end),
}
