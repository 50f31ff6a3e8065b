import { isObject } from '../../text/json.ts'
import { hasAny, isText, someObject, somePart } from '../shared/matches.ts'
import type { WireTraits } from '../traits.ts'

const EVENT = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop))$/

const MEMBERS = ['system', 'anthropic_version', 'stop_sequences', 'top_k', 'mcp_servers', 'output_config']

export const anthropicMessagesTraits: WireTraits = {
  title: 'Anthropic messages',
  requestPath: /\/messages(?:\/|$)/,
  isAnswer: ({ type, content }) => isText(type) && (EVENT.test(type) || (type === 'message' && Array.isArray(content))),
  isFailure: ({ type, error }) => type === 'error' && isObject(error) && isText(error.type),
  client: {
    conversation: 'messages',
    isOwn: (body) =>
      hasAny(body, MEMBERS) ||
      hasAny(body.thinking, ['budget_tokens', 'display']) ||
      someObject(body.tools, (tool) => hasAny(tool, ['input_schema'])) ||
      somePart(body, (part) => part.type === 'tool_use' || part.type === 'tool_result' || hasAny(part, ['source'])),
  },
}
