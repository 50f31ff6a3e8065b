import { type Frame, isDone } from '../../../framing/frame.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { AnswerEnd, AnswerPassthrough, EditAnswer, StreamEvent } from '../../passthrough-contract.ts'
import { failureText, hasError, redactMember } from '../../shared/passthrough/failures.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { sealTexts } from '../../shared/passthrough/sealed-texts.ts'
import { errorOf, isEmptyError } from '../errors.ts'
import { interactionSealedTexts } from '../sealed-texts.ts'
import { EVENT_TYPES, isBody, STATUSES } from '../terms.ts'
import type { InteractionState } from '../upstream/state.ts'
import { hasTurns } from './request.ts'

/**
 * Google's libraries read the type of an event from its data. A failure without a type is bare JSON, and some proxies
 * send a whole body, which ends the answer.
 */
function typedEvent(value: JsonObject, { name: event }: StreamEvent<InteractionState>): JsonObject {
  if (isWholeBody(value, event)) return { event_type: LAST, interaction: value }
  if (isNonEmptyString(value.event_type)) return value
  const type = event === '' && hasError(value) ? 'error' : event
  return type === '' ? value : withMember(value, 'event_type', type)
}

const LAST = 'interaction.completed'

/** The libraries return the interaction of the last event. */
const withInteraction = (value: JsonObject, { after }: StreamEvent<InteractionState>): JsonObject =>
  value.event_type === LAST && !isObject(value.interaction)
    ? withMember(value, 'interaction', { ...after.created, status: 'completed', object: 'interaction' })
    : value

const isKnown = (value: JsonObject, event: string): boolean =>
  EVENT_TYPES.has(isNonEmptyString(value.event_type) ? value.event_type : event)

const isWholeBody = (value: JsonObject, event: string): boolean =>
  isBody(value) && !value.error && !isKnown(value, event)

/** An event that the gateway writes. */
const frameOf = (value: JsonObject & { readonly event_type: string }): Frame => ({
  event: value.event_type,
  data: '',
  value,
})

/** The last event of an answer whose upstream has sent none, with the id that its first event has. */
const lastEvent = ({ created }: InteractionState, status: string, error: JsonObject): Frame =>
  frameOf({
    event_type: LAST,
    interaction: { ...created, status, object: 'interaction', errors: [error] },
  })

const DONE: Frame = { event: 'done', data: '[DONE]' }

const statusOf = ({ interaction }: JsonObject): string =>
  isObject(interaction) ? scalarToString(interaction.status) : ''

/**
 * An error that reports no failure decides nothing, and Google's libraries end at any: the gateway writes the failure of
 * an answer that does not go on.
 */
const withoutEmptyErrors: EditAnswer = (value) =>
  value.event_type === 'error' && isEmptyError(value.error) ? null : value

/** A failed interaction lists its failures. */
const failureTexts: EditAnswer = (value, context) => {
  const own = redactMember(failureText(value, context) ?? value, 'errors', context.redact)
  return isObject(own.interaction)
    ? withMember(own, 'interaction', redactMember(own.interaction as JsonObject, 'errors', context.redact))
    : own
}

const reportOf = (error: GatewayError): JsonObject => errorOf(error) as unknown as JsonObject

/** A filter ends an answer whose upstream has sent no last event. */
const missingEnd = (state: InteractionState): readonly Frame[] =>
  state.filtered === null ? [] : [lastEvent(state, 'incomplete', reportOf(state.filtered))]

function close(state: InteractionState, { error, last, lastFails, isReported }: AnswerEnd): readonly Frame[] {
  const isSent = last !== null && !isDone(last)
  if (error === null) return [...(isSent ? [last] : missingEnd(state)), DONE]
  if (isSent && lastFails) return [last, DONE]
  const reported = reportOf(error)
  const event = frameOf({ event_type: 'error', error: reported })
  // The open step does not stop: clients run no call of such a step.
  return [...(isReported ? [] : [event]), lastEvent(state, 'failed', reported), DONE]
}

export const interactionAnswers: AnswerPassthrough<InteractionState> = {
  edits: {
    'errors without a failure': withoutEmptyErrors,
    'sealed reasoning': sealTexts(interactionSealedTexts),
    'secrets in failures': failureTexts,
  },
  formName: 'form of events',
  form: (value, event) => withInteraction(typedEvent(value, event), event),
  eventName: ({ event_type: type }, event) => (event !== '' && isNonEmptyString(type) ? type : event),
  hasStarted: ({ created }) => created !== null,
  // Turns with roles belong to an older form of the protocol.
  isForeign: (body) => hasTurns(body),
  isFailure: (value) => (value.event_type === LAST ? lookup(STATUSES, statusOf(value)) === 'failed' : hasError(value)),
  close,
}
