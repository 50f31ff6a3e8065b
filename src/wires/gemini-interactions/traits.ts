import { hasAny, isText, someObject } from '../shared/matches.ts'
import type { WireTraits } from '../traits.ts'

const EVENT = /^(?:interaction|step)\./

const MEMBERS = [
  'generation_config',
  'system_instruction',
  'response_format',
  'response_mime_type',
  'previous_interaction_id',
  'agent',
]
const TYPES: ReadonlySet<unknown> = new Set([
  ...['user_input', 'model_output', 'thought', 'function_result', 'text', 'image', 'document'],
  ...['google_search', 'url_context', 'code_execution', 'google_maps', 'mcp_server'],
])

export const geminiInteractionsTraits: WireTraits = {
  title: 'Gemini Interactions',
  requestPath: /\/interactions$/,
  isAnswer: ({ object, event_type: type }) => object === 'interaction' || (isText(type) && EVENT.test(type)),
  client: {
    conversation: 'input',
    isOwn: (body) =>
      hasAny(body, MEMBERS) || [body.input, body.tools].some((list) => someObject(list, ({ type }) => TYPES.has(type))),
  },
}
