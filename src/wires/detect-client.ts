import type { JsonRecord } from '../protocol/json.ts'
import { isObject, toArray } from '../text/json.ts'
import type { WireName } from './contract.ts'

type Matches = (body: JsonRecord) => boolean

const hasAny = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) && names.some((name) => Object.hasOwn(value, name))

const some = (list: unknown, matches: Matches): boolean => toArray(list).some((one) => isObject(one) && matches(one))

/** Any part of any message. */
const someBlock = ({ messages }: JsonRecord, matches: Matches): boolean =>
  some(messages, ({ content }) => some(content, matches))

const MESSAGES_MEMBERS = ['system', 'anthropic_version', 'stop_sequences', 'top_k', 'mcp_servers', 'output_config']
const CHAT_MEMBERS = [
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
const OLLAMA_MEMBERS = ['options', 'keep_alive', 'think', 'format']

const isMessages: Matches = (body) =>
  hasAny(body, MESSAGES_MEMBERS) ||
  hasAny(body.thinking, ['budget_tokens', 'display']) ||
  some(body.tools, (tool) => hasAny(tool, ['input_schema'])) ||
  someBlock(body, (block) => block.type === 'tool_use' || block.type === 'tool_result' || hasAny(block, ['source']))

const isChat: Matches = (body) =>
  hasAny(body, CHAT_MEMBERS) ||
  typeof body.tool_choice === 'string' ||
  some(body.messages, ({ tool_calls: calls }) => some(calls, hasTextArguments)) ||
  someBlock(body, ({ type }) => type === 'image_url' || type === 'input_audio' || type === 'file')

const hasTextArguments: Matches = ({ function: called }) => isObject(called) && typeof called.arguments === 'string'

const isOllama: Matches = (body) =>
  hasAny(body, OLLAMA_MEMBERS) ||
  some(body.messages, (message) => hasAny(message, ['images', 'tool_name', 'thinking'])) ||
  some(body.messages, ({ tool_calls: calls }) =>
    some(calls, ({ function: one }) => isObject(one) && isObject(one.arguments)),
  )

const INTERACTION_MEMBERS = [
  'generation_config',
  'system_instruction',
  'response_format',
  'response_mime_type',
  'previous_interaction_id',
  'agent',
]
const INTERACTION_TYPES: ReadonlySet<unknown> = new Set([
  ...['user_input', 'model_output', 'thought', 'function_result', 'text', 'image', 'document'],
  ...['google_search', 'url_context', 'code_execution', 'google_maps', 'mcp_server'],
])

const isInteraction: Matches = (body) =>
  hasAny(body, INTERACTION_MEMBERS) ||
  [body.input, body.tools].some((list) => some(list, ({ type }) => INTERACTION_TYPES.has(type)))

/** Protocols whose bodies have `messages`. A body that fits two of them is of neither. */
const WITH_MESSAGES: readonly (readonly [WireName, Matches])[] = [
  ['anthropic-messages', isMessages],
  ['ollama-chat', isOllama],
  ['openai-chat', isChat],
]

/** The protocol of a client's body by the members that only one has; null if the body fits none or several. */
export function detectClient(body: unknown): WireName | null {
  if (!isObject(body)) return null
  if (Object.hasOwn(body, 'contents')) return 'gemini-generate'
  if (Object.hasOwn(body, 'input')) return isInteraction(body) ? 'gemini-interactions' : 'openai-responses'
  const found = WITH_MESSAGES.filter(([, matches]) => matches(body))
  const [only, ...others] = found
  if (only !== undefined) return others.length === 0 ? only[0] : null
  // Functions in this form, and messages of these roles, also occur in Ollama's protocol, but not without a member of its own.
  const isShared =
    some(body.tools, (tool) => hasAny(tool, ['function'])) ||
    some(body.messages, ({ role }) => role === 'system' || role === 'developer' || role === 'tool')
  return isShared ? 'openai-chat' : null
}
