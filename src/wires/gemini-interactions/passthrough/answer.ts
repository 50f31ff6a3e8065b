import { type Frame, isDone } from '../../../framing/frame.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { AnswerPassthrough, EditAnswer, EditEvent } from '../../passthrough-contract.ts'
import { failureText, hasError, redactMember } from '../../shared/passthrough/failures.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { sealTexts } from '../../shared/passthrough/sealed-texts.ts'
import { errorOf, isFiltered } from '../errors.ts'
import { interactionSealedTexts } from '../sealed-texts.ts'
import { EVENT_TYPES, isBody, STATUSES } from '../terms.ts'

/**
 * Google's libraries read the type of an event from its data. A failure without a type is bare JSON, and some proxies
 * send a whole body, which ends the answer.
 */
const typedEvent: EditEvent = (value, { event }) => {
  if (isWholeBody(value, event)) return { event_type: 'interaction.completed', interaction: value }
  if (isNonEmptyString(value.event_type)) return value
  const type = event === '' && hasError(value) ? 'error' : event
  return type === '' ? value : withMember(value, 'event_type', type)
}

const isKnown = (value: JsonObject, event: string): boolean =>
  EVENT_TYPES.has(scalarToString(value.event_type) || event)

const isWholeBody = (value: JsonObject, event: string): boolean =>
  isBody(value) && !value.error && !isKnown(value, event)

/** An empty failure decides nothing if the answer ends all the same. */
const isEmptyError = ({ error }: JsonObject): boolean => isObject(error) && Object.keys(error).length === 0

/** Keeps the id and the model of the answer, and the verdict of a filter, which ends one whose stream has no last event. */
const noted: EditEvent = (value, stream) => {
  const typed = typedEvent(value, stream)
  if (typed === null) return null
  if (typed.event_type === 'interaction.completed') {
    const { filtered: _, ...kept } = stream.memory
    stream.memory = kept
  } else if (typed.event_type === 'interaction.created') stream.memory = { head: headOf(typed) }
  else if (isFiltered(typed.error)) stream.memory = { ...stream.memory, filtered: typed.error as JsonObject }
  return typed
}

function headOf({ interaction }: JsonObject): JsonObject {
  const { id, model } = isObject(interaction) ? (interaction as JsonObject) : {}
  return { ...(isNonEmptyString(id) ? { id } : {}), ...(isNonEmptyString(model) ? { model } : {}) }
}

const frameOf = (event: JsonObject & { readonly event_type: string }): Frame => ({
  event: event.event_type,
  data: JSON.stringify(event),
})

/** The last event of an answer whose upstream has sent none, with the id that its first event has. */
const lastEvent = ({ head }: JsonObject, status: string, error: JsonObject): Frame =>
  frameOf({
    event_type: 'interaction.completed',
    interaction: { ...(isObject(head) ? (head as JsonObject) : {}), status, object: 'interaction', errors: [error] },
  })

const DONE: Frame = { event: 'done', data: '[DONE]' }

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
  marks: ['"error"', '"errors"', '"signature"'],
  edits: { 'sealed reasoning': sealTexts(interactionSealedTexts), 'secrets in failures': failureTexts },
  eventEdits: { 'form of events': noted },
  eventName: ({ event_type: type }, event) => (event !== '' && isNonEmptyString(type) ? type : event),
  begins: ({ event_type: type }, event) => (isNonEmptyString(type) ? type : event) === 'interaction.created',
  ending: (value, event) => {
    if (value.event_type === 'interaction.completed')
      return lookup(STATUSES, statusOf(value)) === 'failed' ? 'failed' : 'complete'
    if (value.event_type !== 'error' && isKnown(value, event)) return null
    return hasError(value) && !isEmptyError(value) && !isFiltered(value.error) ? 'failing' : null
  },
  missing: (memory) => {
    const { filtered } = memory
    return isObject(filtered) ? [lastEvent(memory, 'incomplete', filtered as JsonObject)] : []
  },
  // The open step does not stop: clients run no call of such a step.
  failure: (memory, error, isReported) => {
    const reported = errorOf(error) as unknown as JsonObject
    const event = frameOf({ event_type: 'error', error: reported })
    return [...(isReported ? [] : [event]), lastEvent(memory, 'failed', reported), DONE]
  },
  terminator: { frame: DONE, matches: isDone, afterFailure: true },
}
