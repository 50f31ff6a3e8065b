import { isObject } from '../../text/json.ts'
import { isText } from '../shared/matches.ts'
import type { WireTraits } from '../traits.ts'

const EVENT = /^(?:(?:message|content|tool-call|citation)-(?:start|delta|end)|tool-plan-delta)$/

export const cohereChatTraits: WireTraits = {
  title: 'Cohere chat',
  requestPath: /\/v2\/chat$/,
  isAnswer: ({ type, message, finish_reason: reason }) =>
    (isText(type) && EVENT.test(type)) || (isObject(message) && isText(reason)),
}
