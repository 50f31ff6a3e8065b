import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { AnswerPassthrough, EditAnswer } from '../../passthrough-contract.ts'
import { isPresent } from '../../shared/passthrough/conditions.ts'
import { type CountNames, nameCounts } from '../../shared/passthrough/count-names.ts'
import { failedEnd, failureText, hasError } from '../../shared/passthrough/failures.ts'
import { changeEntries, withMember } from '../../shared/passthrough/members.ts'
import { sealTexts } from '../../shared/passthrough/sealed-texts.ts'
import { toStreamSettings } from '../client/stream-settings.ts'
import { chatSealedTexts } from '../sealed-texts.ts'
import { argumentsIn } from '../upstream/choice.ts'
import { finishOfCalls, hasCalls, missingFinish, type PassedState, readableChunk, usualCall } from './chunk-form.ts'
import { joinsCalls } from './request.ts'

/** The gateway requests the counts of each stream. Clients that did not request them fail at a chunk without choices. */
const unrequestedUsage: EditAnswer = (chunk, { settings }) => {
  const { choices, usage } = chunk
  const isCount = isObject(usage) && Array.isArray(choices) && choices.length === 0
  return isCount && !toStreamSettings(settings).usage ? null : chunk
}

/** mlx-vlm and others have the names of Responses. */
const COUNTS: CountNames = {
  counts: { prompt_tokens: 'input_tokens', completion_tokens: 'output_tokens', total_tokens: 'total_tokens' },
  details: { prompt_tokens_details: 'input_tokens_details', completion_tokens_details: 'output_tokens_details' },
}

const namesOfCounts: EditAnswer = (value) =>
  isObject(value.usage) ? withMember(value, 'usage', nameCounts(value.usage as JsonObject, COUNTS)) : value

/** The calls of a body; those of a stream have their form as pieces. */
function withCalls(choice: Json): Json {
  if (!isObject(choice) || !isObject(choice.message)) return choice
  const message = choice.message as JsonObject
  const calls = changeEntries(message.tool_calls, (call) => (isObject(call) ? usualCall(call as JsonObject) : call))
  return withMember(choice as JsonObject, 'message', withMember(message, 'tool_calls', calls))
}

/** Some vendors send the JSON that was requested, and arguments, as an object, where clients read text. */
function withText(choice: Json): Json {
  if (!isObject(choice)) return choice
  const form = isObject(choice.delta) ? 'delta' : 'message'
  const message = choice[form]
  if (!isObject(message)) return choice as Json
  const { content, tool_calls: calls } = message as JsonObject
  const text = isObject(content) ? withMember(message as JsonObject, 'content', JSON.stringify(content)) : message
  const called = withMember(text as JsonObject, 'tool_calls', changeEntries(calls, withArguments))
  return withMember(choice as JsonObject, form, called)
}

/** An empty list means no arguments, as servers in PHP write an empty object. */
function withArguments(call: Json): Json {
  if (!isObject(call) || !isObject(call.function)) return call
  const args = argumentsIn(call.function as JsonObject)
  if (typeof args !== 'object' || args === null) return call as Json
  const text = Array.isArray(args) && args.length === 0 ? '{}' : JSON.stringify(args)
  return withMember(call as JsonObject, 'function', withMember(call.function as JsonObject, 'arguments', text))
}

/** Applies an edit to each choice of a chunk or a body. */
const inChoices =
  (edit: (choice: Json) => Json): EditAnswer =>
  (value) =>
    withMember(value, 'choices', changeEntries(value.choices, edit))

/** Of a body; that of a stream needs the earlier chunks. */
const finishOfBody: EditAnswer = (value) => {
  const { choices } = value
  const isOnly = Array.isArray(choices) && choices.length === 1
  const formed = changeEntries(choices, (choice) => {
    if (!isObject(choice) || !isObject(choice.message)) return choice
    const message = choice.message as JsonObject
    const calls = hasCalls(message)
    const hasTextAlone = isOnly && !calls && !message.function_call && isNonEmptyString(message.content)
    return finishOfCalls(choice as JsonObject, calls, hasTextAlone)
  })
  return withMember(value, 'choices', formed)
}

export const chatAnswers: AnswerPassthrough<PassedState> = {
  edits: {
    'sealed reasoning': sealTexts(chatSealedTexts),
    'unrequested usage': unrequestedUsage,
    'names of counts': namesOfCounts,
    'form of calls': inChoices(withCalls),
    'JSON as text': inChoices(withText),
    'finish of calls': finishOfBody,
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
