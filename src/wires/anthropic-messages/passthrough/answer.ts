import { jsonOf } from '../../../framing/frame.ts'
import { isObject } from '../../../text/json.ts'
import type { AnswerPassthrough } from '../../passthrough-contract.ts'
import { failureText } from '../../shared/passthrough/failures.ts'

const LAST = 'message_stop'

export const messagesAnswers: AnswerPassthrough = {
  marks: ['"error"'],
  edits: { 'secrets in failures': failureText },
  isFailure: ({ type }) => type === 'error',
  terminator: {
    frame: { event: LAST, data: JSON.stringify({ type: LAST }) },
    matches(frame) {
      const event = jsonOf(frame)
      return isObject(event) && event.type === LAST
    },
  },
}
