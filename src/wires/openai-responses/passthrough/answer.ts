import { isDone } from '../../../framing/frame.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { AnswerPassthrough, EditAnswer } from '../../passthrough-contract.ts'
import { hasError, redactMember } from '../../shared/passthrough/failures.ts'
import { withMember } from '../../shared/passthrough/members.ts'

/** Applies an edit to the response that an event contains, or to a body, which is a response itself. */
const inResponse = (value: JsonObject, edit: (response: JsonObject) => JsonObject): JsonObject =>
  isObject(value.response) ? withMember(value, 'response', edit(value.response as JsonObject)) : edit(value)

// ---------------------------------------------------------------- encrypted reasoning

type Seal = (payload: Json) => string

/** The payload of the envelope is the item as the decoder keeps it, without its type and status. */
function sealItem(item: Json, seal: Seal): Json {
  if (!isObject(item) || item.type !== 'reasoning' || !isNonEmptyString(item.encrypted_content)) return item as Json
  const { type: _, status: __, ...payload } = item as JsonObject
  return withMember(item as JsonObject, 'encrypted_content', seal(payload))
}

function sealOutput(response: JsonObject, seal: Seal): JsonObject {
  const { output } = response
  if (!Array.isArray(output)) return response
  const items = output as readonly Json[]
  const sealed = items.map((item) => sealItem(item, seal))
  return sealed.every((item, at) => item === items[at]) ? response : withMember(response, 'output', sealed)
}

const sealedReasoning: EditAnswer = (value, { seal }) =>
  value.item === undefined
    ? inResponse(value, (response) => sealOutput(response, seal))
    : withMember(value, 'item', sealItem(value.item, seal))

// ---------------------------------------------------------------- failures

const failureTexts: EditAnswer = (value, { redact }) => {
  if (value.type !== 'error') return inResponse(value, (response) => redactMember(response, 'error', redact))
  return ['code', 'message', 'param', 'error'].reduce((event, name) => redactMember(event, name, redact), value)
}

export const responsesAnswers: AnswerPassthrough = {
  marks: ['"encrypted_content"', '"error"', '"response.failed"'],
  edits: { 'sealed reasoning': sealedReasoning, 'secrets in failures': failureTexts },
  isFailure: (value) =>
    value.type === 'error' || value.type === 'response.failed' || (value.type === undefined && hasError(value)),
  terminator: { frame: { event: '', data: '[DONE]' }, matches: isDone },
}
