import { isObject } from '../../text/json.ts'
import { hasAny, isText, someCall, someObject } from '../shared/matches.ts'
import type { WireTraits } from '../traits.ts'

const MEMBERS = ['options', 'keep_alive', 'think', 'format']

export const ollamaChatTraits: WireTraits = {
  title: 'Ollama chat',
  requestPath: /\/api\/chat$/,
  isAnswer: ({ done, message }) => typeof done === 'boolean' && isObject(message),
  isFailure: ({ error }) => isText(error),
  streamsLines: true,
  client: {
    conversation: 'messages',
    isOwn: (body) =>
      hasAny(body, MEMBERS) ||
      someObject(body.messages, (message) => hasAny(message, ['images', 'tool_name', 'thinking'])) ||
      someCall(body, isObject),
  },
}
