import { jsonOf } from '../../../framing/frame.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { AnswerPassthrough, EditEvent } from '../../passthrough-contract.ts'
import { failureText } from '../../shared/passthrough/failures.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { sealTexts } from '../../shared/passthrough/sealed-texts.ts'
import { messagesSealedTexts } from '../sealed-texts.ts'
import { ANSWER_EVENTS } from '../terms.ts'

const LAST = 'message_stop'

/** The decoder does not read an `error` beside these. */
const EVENT_TYPES: ReadonlySet<unknown> = new Set(ANSWER_EVENTS)

const isError = ({ type, error }: JsonObject): boolean => type === 'error' || (Boolean(error) && !EVENT_TYPES.has(type))

/** Some vendors send a failure without its type. */
const typedFailure: EditEvent = (event) => (isError(event) ? withMember(event, 'type', 'error') : event)

export const messagesAnswers: AnswerPassthrough = {
  marks: ['"error"', '"signature"', '"redacted_thinking"'],
  edits: { 'sealed reasoning': sealTexts(messagesSealedTexts), 'secrets in failures': failureText },
  eventEdits: { 'form of events': typedFailure },
  // Anthropic's libraries read no event without its name, and every event named `error` as a failure.
  eventName: ({ type }, event) => (isNonEmptyString(type) ? type : event === 'error' ? '' : event),
  unreadEnds: (frame) => frame.event === 'error' && frame.data.trim() !== '[DONE]',
  // They drop every event before the start of a message.
  begins: (event) => event.type === 'message_start' || event.type === 'ping' || isError(event),
  ending: ({ type }) => (type === 'error' ? 'failed' : type === LAST ? 'complete' : null),
  terminator: {
    frame: { event: LAST, data: JSON.stringify({ type: LAST }) },
    matches(frame) {
      const event = jsonOf(frame)
      return isObject(event) && event.type === LAST
    },
  },
}
