import { isObject } from '../../text/json.ts'
import { hasAny, isText, someCall, someObject, somePart } from '../shared/matches.ts'
import type { WireTraits } from '../traits.ts'

/** Completions without messages are a protocol of their own, which no wire reads. */
const COMPLETION = 'text_completion'

const isChoice = (choice: unknown): boolean => hasAny(choice, ['delta', 'message'])

const MEMBERS = [
  'frequency_penalty',
  'functions',
  'logit_bias',
  'max_completion_tokens',
  'modalities',
  'n',
  'parallel_tool_calls',
  'presence_penalty',
  'reasoning_effort',
  'response_format',
  'seed',
  'stream_options',
]

export const openaiChatTraits: WireTraits = {
  title: 'Chat completions',
  requestPath: /\/chat\/completions$/,
  isAnswer: ({ object, choices }) =>
    object === 'chat.completion.chunk' ||
    object === 'chat.completion' ||
    // Some vendors begin or end with a chunk without choices. Completions without messages do, too.
    (Array.isArray(choices) && (choices.length === 0 ? object !== COMPLETION : choices.some(isChoice))),
  isFailure: ({ type, error }) => type !== 'error' && isObject(error) && !isText(error.status),
  client: {
    conversation: 'messages',
    isOwn: (body) =>
      hasAny(body, MEMBERS) ||
      isText(body.tool_choice) ||
      someCall(body, isText) ||
      somePart(body, ({ type }) => type === 'image_url' || type === 'input_audio' || type === 'file'),
    // Functions in this form, and messages of these roles, also occur in Ollama's protocol, but not without a member of its own.
    isUsual: (body) =>
      someObject(body.tools, (tool) => hasAny(tool, ['function'])) ||
      someObject(body.messages, ({ role }) => role === 'system' || role === 'developer' || role === 'tool'),
  },
}
