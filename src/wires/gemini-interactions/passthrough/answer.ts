import { type Frame, isDone } from '../../../framing/frame.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { AnswerPassthrough, EditAnswer, EditEvent } from '../../passthrough-contract.ts'
import { failureText, hasError, redactMember } from '../../shared/passthrough/failures.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { isFiltered } from '../errors.ts'
import { STATUSES } from '../terms.ts'

/** Google's libraries read the type of an event from its data. A failure without a type is bare JSON. */
const typedEvent: EditEvent = (value, { event }) => {
  if (isNonEmptyString(value.event_type)) return value
  const type = event === '' && hasError(value) ? 'error' : event
  return type === '' ? value : withMember(value, 'event_type', type)
}

/** An empty failure decides nothing if the answer ends all the same. */
const isEmptyError = ({ error }: JsonObject): boolean => isObject(error) && Object.keys(error).length === 0

/** Keeps the verdict of a filter, which ends an answer whose stream has no last event. */
const noted: EditEvent = (value, stream) => {
  const typed = typedEvent(value, stream)
  if (typed === null) return null
  if (typed.event_type === 'interaction.completed') stream.memory = {}
  else if (isFiltered(typed.error)) stream.memory = { filtered: typed.error as JsonObject }
  return typed
}

/** The last event of an answer that a filter ended. */
const lastEvent = (error: JsonObject): Frame => ({
  event: 'interaction.completed',
  data: JSON.stringify({
    event_type: 'interaction.completed',
    interaction: { status: 'incomplete', object: 'interaction', errors: [error] },
  }),
})

const statusOf = ({ interaction }: JsonObject): string =>
  isObject(interaction) ? scalarToString(interaction.status) : ''

/** A failed interaction lists its failures. */
const failureTexts: EditAnswer = (value, context) => {
  const own = redactMember(failureText(value, context) ?? value, 'errors', context.redact)
  return isObject(own.interaction)
    ? withMember(own, 'interaction', redactMember(own.interaction as JsonObject, 'errors', context.redact))
    : own
}

export const interactionAnswers: AnswerPassthrough = {
  marks: ['"error"', '"errors"'],
  edits: { 'secrets in failures': failureTexts },
  eventEdits: { 'form of events': noted },
  eventName: ({ event_type: type }, event) => (event !== '' && isNonEmptyString(type) ? type : event),
  begins: ({ event_type: type }, event) => (isNonEmptyString(type) ? type : event) === 'interaction.created',
  ending: (value) => {
    if (value.event_type === 'interaction.completed')
      return lookup(STATUSES, statusOf(value)) === 'failed' ? 'failed' : 'complete'
    return hasError(value) && !isEmptyError(value) && !isFiltered(value.error) ? 'failing' : null
  },
  missing: ({ filtered }) => (isObject(filtered) ? [lastEvent(filtered as JsonObject)] : []),
  terminator: { frame: { event: 'done', data: '[DONE]' }, matches: isDone, afterFailure: true },
}
