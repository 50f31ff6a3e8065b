import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import type { Asking, Decoded } from '../client.ts'
import {
  countAt,
  expected,
  flagAt,
  isAbsent,
  lose,
  loseFields,
  type Notes,
  nameAt,
  objectAt,
  openNotes,
  optionalAt,
  optionalWordAt,
  refuse,
  textAt,
  textsAt,
  wordAt,
} from '../notes.ts'
import { decodeMessages } from './decode-messages.ts'
import { decodeThinking } from './decode-thinking.ts'
import { decodeToolChoice, decodeTools } from './decode-tools.ts'
import type { Settings } from './settings.ts'
import type { Bag } from './state.ts'

/** Fields of the same name and meaning on both sides: what is wrong with them is said where they are validated. */
const SAME = [
  'model',
  'stream',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
  'parallel_tool_calls',
  'user',
  'metadata',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'x_search_filter',
] as const

/** Of OpenAI, OpenRouter and the servers that took over their chats: what asks for something, and has no place here. */
const UNKNOWN = [
  'logit_bias',
  'seed',
  'random_seed',
  'prediction',
  'moderation',
  'prompt_cache_options',
  'prompt_cache_retention',
  'store',
  'top_k',
  'top_a',
  'min_p',
  'repetition_penalty',
  'models',
  'provider',
  'route',
  'transforms',
  'cache_control',
  'session_id',
  'trace',
  'debug',
  'image_config',
  'search_parameters',
  'safe_prompt',
  'chat_template_kwargs',
  'enable_thinking',
  'thinking_budget',
  'reasoning_format',
] as const

const NOT_KNOWN = 'this service does not know it'

const FORMATS = ['text', 'json_object', 'json_schema'] as const
const VERBOSITIES = ['low', 'medium', 'high', 'xhigh', 'max'] as const

const sameFields = (body: Bag): JsonObject =>
  Object.fromEntries(SAME.flatMap((name) => (isAbsent(body[name]) ? [] : [[name, body[name] as Json]])))

function maxTokens(body: Bag, notes: Notes): JsonObject {
  const newer = optionalAt(countAt, notes, 'max_completion_tokens', body.max_completion_tokens)
  const older = optionalAt(countAt, notes, 'max_tokens', body.max_tokens)
  if (newer !== null && older !== null && newer !== older)
    lose(notes, 'max_tokens', 'max_completion_tokens says another')
  const most = newer ?? older
  return most === null ? {} : { max_output_tokens: most }
}

function decodeFormat(value: unknown, notes: Notes): JsonObject {
  const format = objectAt(notes, 'response_format', value)
  const type = wordAt(notes, 'response_format.type', format.type, FORMATS)
  if (type !== 'json_schema') return { type }
  const place = 'response_format.json_schema'
  const json = objectAt(notes, place, format.json_schema)
  const description = optionalAt(textAt, notes, `${place}.description`, json.description)
  const strict = optionalAt(flagAt, notes, `${place}.strict`, json.strict)
  return {
    type,
    name: nameAt(notes, `${place}.name`, json.name),
    schema: isAbsent(json.schema) ? {} : (objectAt(notes, `${place}.schema`, json.schema) as JsonObject),
    ...(description === null ? {} : { description }),
    ...(strict === null ? {} : { strict }),
  }
}

function textOptions(body: Bag, notes: Notes): JsonObject {
  const format = isAbsent(body.response_format) ? {} : { format: decodeFormat(body.response_format, notes) }
  const wished = optionalWordAt(notes, 'verbosity', body.verbosity, VERBOSITIES)
  const text = wished === null ? format : { ...format, verbosity: wished }
  return Object.keys(text).length === 0 ? {} : { text }
}

/** What changes the answer so much that it cannot be left out. */
function refuseOthers(body: Bag, notes: Notes): void {
  if (!isAbsent(body.n) && body.n !== 1) {
    expected(notes, 'n', '1, since a Responses answer has no other choices', body.n)
  }
  if (Array.isArray(body.modalities) && body.modalities.includes('audio')) {
    refuse(notes, 'modalities', 'this service answers with no sounds')
  }
}

/** The old calls cannot be several at once. */
const oneCall = (body: Bag): JsonObject =>
  isAbsent(body.functions) || !isAbsent(body.tools) ? {} : { parallel_tool_calls: false }

function settingsOf(body: Bag, hidden: boolean, notes: Notes): Settings {
  const options = isAbsent(body.stream_options) ? {} : objectAt(notes, 'stream_options', body.stream_options)
  loseFields(notes, options, ['include_obfuscation'], 'this service pads nothing', 'stream_options.')
  const usage = isObject(body.usage) && body.usage.include === true
  return {
    usage: optionalAt(flagAt, notes, 'stream_options.include_usage', options.include_usage) === true || usage,
    legacy: !isAbsent(body.functions) && isAbsent(body.tools),
    hidden,
  }
}

function logprobs(body: Bag, notes: Notes): JsonObject {
  const asked = optionalAt(flagAt, notes, 'logprobs', body.logprobs) === true
  return asked ? { include: ['message.output_text.logprobs'] } : {}
}

/** A chat as a Responses request. */
export function decodeRequest(body: JsonObject, asking: Asking): Decoded {
  const notes = openNotes()
  nameAt(notes, 'model', body.model)
  refuseOthers(body, notes)
  loseFields(notes, body, UNKNOWN, NOT_KNOWN)
  const thinking = decodeThinking(body, notes)
  const { tools, toolPlaces } = decodeTools(body, notes)
  const choice = decodeToolChoice(body, tools, notes)
  const { items, origins } = decodeMessages(body.messages, asking, notes)
  const asked: JsonObject = {
    ...sameFields(body),
    input: items,
    ...maxTokens(body, notes),
    ...thinking.fields,
    ...textOptions(body, notes),
    ...logprobs(body, notes),
    ...oneCall(body),
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === null ? {} : { tool_choice: choice }),
  }
  const stop = optionalAt(textsAt, notes, 'stop', body.stop) ?? []
  const settings = settingsOf(body, thinking.hidden, notes)
  if (notes.error !== null) return { ok: false, error: notes.error }
  return {
    ok: true,
    body: asked,
    origins,
    toolPlaces,
    stop: stop.length === 0 ? null : stop,
    settings: { ...settings },
    losses: notes.losses,
  }
}
