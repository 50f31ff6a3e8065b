import type { JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { AnswerPassthrough, StreamEvent } from '../../passthrough-contract.ts'
import { failedEnd, failureText } from '../../shared/passthrough/failures.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { sealTexts } from '../../shared/passthrough/sealed-texts.ts'
import { failureIn } from '../../shared/upstream/answers/failure-in-success.ts'
import { messagesSealedTexts } from '../sealed-texts.ts'
import { ANSWER_EVENTS } from '../terms.ts'
import type { MessagesState } from '../upstream/state.ts'
import { omittedEvents, omittedStop, readableEvent, stopOfBody } from './event-form.ts'

const LAST = 'message_stop'

/** The decoder does not read an `error` beside these. */
const EVENT_TYPES: ReadonlySet<unknown> = new Set(ANSWER_EVENTS)

const isError = ({ type, error }: JsonObject): boolean => type === 'error' || (Boolean(error) && !EVENT_TYPES.has(type))

/** The failure of an event that has only its name and the members of the failure; null if it is another event. */
function namedError(event: JsonObject, name: string): JsonObject | null {
  const failure = name === 'error' && !EVENT_TYPES.has(event.type) ? failureIn(event) : null
  if (failure === null) return null
  const { type, message, ...others } = event
  return {
    type: isNonEmptyString(type) ? type : 'api_error',
    message: isNonEmptyString(message) ? message : (failure.message ?? 'The upstream failed.'),
    ...others,
  }
}

/** Some vendors send a failure without its type. */
function formOf(event: JsonObject, states: StreamEvent<MessagesState>): JsonObject | null {
  if (isError(event)) return withMember(event, 'type', 'error')
  const error = namedError(event, states.name)
  return error === null ? readableEvent(event, states) : { type: 'error', error }
}

const isReadableBlock = (block: unknown): boolean =>
  isObject(block) && (block.type !== 'tool_use' || isObject(block.input))

export const messagesAnswers: AnswerPassthrough<MessagesState> = {
  edits: {
    'sealed reasoning': sealTexts(messagesSealedTexts),
    'reason of calls': stopOfBody,
    'secrets in failures': failureText,
  },
  formName: 'form of events',
  form: formOf,
  omitted: omittedEvents,
  // Anthropic's libraries read no event without its name, and every event named `error` as a failure.
  eventName: ({ type }, event) => (isNonEmptyString(type) ? type : event === 'error' ? '' : event),
  // They drop every event before the start of a message, also a whole message.
  hasStarted: ({ progress }, fails) => (progress.started && !progress.over) || fails,
  // They read a list of blocks, and the object that a call gets.
  isReadable: ({ content }) => Array.isArray(content) && content.every(isReadableBlock),
  isFailure: ({ type }) => type === 'error',
  close: (state, end) =>
    end.error === null
      ? [...omittedStop(state), end.last ?? { event: LAST, data: JSON.stringify({ type: LAST }) }]
      : failedEnd(end),
}
