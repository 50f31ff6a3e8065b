import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject, toArray } from '../../../text/json.ts'
import { finish, type Steps } from '../../../text/steps.ts'
import { type Heard, hear, known, RETENTION, unless, unlessFilled } from '../../../validation/unknown-fields.ts'
import type { Asking, Client, Decoded } from '../../client-contract.ts'
import {
  countAt,
  expected,
  flagAt,
  heardAt,
  isAbsent,
  lose,
  type Notes,
  nameAt,
  objectAt,
  openNotes,
  optionalAt,
  optionalHeardAt,
  optionalWordAt,
  refuse,
  textAt,
  textsAt,
  wordAt,
} from '../../shared/client/request-reader.ts'
import type { FieldPlaces } from '../../shared/client/source-map.ts'
import { decodeMessages } from './messages.ts'
import { decodeThinking } from './reasoning-config.ts'
import type { Settings } from './stream-settings.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

/** Fields with the same name and meaning in both APIs. The validator of the Responses request reports their errors. */
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

/**
 * Every field that is read. The second table lists values of other fields that ask for nothing and are therefore no
 * loss; some services refuse these fields even then.
 */
const CHAT = known(
  [
    ...SAME,
    'messages',
    'n',
    'max_tokens',
    'max_completion_tokens',
    'modalities',
    'response_format',
    'verbosity',
    'stop',
    'logprobs',
    'stream_options',
    'usage',
    'reasoning',
    'reasoning_effort',
    'include_reasoning',
    'thinking',
    'tools',
    'tool_choice',
    'functions',
    'function_call',
    'web_search_options',
    'plugins',
  ],
  {
    ...RETENTION,
    store: { idle: unless(false) },
    safe_prompt: { idle: unless(false) },
    logit_bias: { idle: unlessFilled },
  },
)

type Chat = Heard<typeof CHAT>

const STREAM_OPTIONS = known(['include_usage'], {
  include_obfuscation: { why: 'this service pads nothing', idle: unless(false) },
})
const USAGE = known(['include'])
const FORMAT = known(['type'])
const SCHEMA_FORMAT = known(['type', 'json_schema'])
const SCHEMA = known(['name', 'description', 'schema', 'strict'])

const FORMATS = ['text', 'json_object', 'json_schema'] as const
const VERBOSITIES = ['low', 'medium', 'high', 'xhigh', 'max'] as const

const sameFields = (body: Chat): JsonObject =>
  Object.fromEntries(SAME.flatMap((name) => (isAbsent(body[name]) ? [] : [[name, body[name] as Json]])))

function maxTokens(body: Chat, notes: Notes): JsonObject {
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
  if (type !== 'json_schema') {
    hear(format, FORMAT, 'response_format', notes)
    return { type }
  }
  const place = 'response_format.json_schema'
  const json = heardAt(notes, place, hear(format, SCHEMA_FORMAT, 'response_format', notes).json_schema, SCHEMA)
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

function textOptions(body: Chat, notes: Notes): JsonObject {
  const format = isAbsent(body.response_format) ? {} : { format: decodeFormat(body.response_format, notes) }
  const wished = optionalWordAt(notes, 'verbosity', body.verbosity, VERBOSITIES)
  const text = wished === null ? format : { ...format, verbosity: wished }
  return Object.keys(text).length === 0 ? {} : { text }
}

/** Rejects settings that change the answer so much that they cannot be dropped. */
function refuseOthers(body: Chat, notes: Notes): void {
  if (!isAbsent(body.n) && body.n !== 1) {
    expected(notes, 'n', '1, since a Responses answer has no other choices', body.n)
  }
  const others = toArray(body.modalities).filter((word) => word !== 'text')
  if (others.includes('audio')) refuse(notes, 'modalities', 'this service answers with no sounds')
  else if (others.length > 0) lose(notes, 'modalities', 'answers are text')
}

/** The older `functions` cannot be called in parallel. */
const oneCall = (body: Chat): JsonObject =>
  isAbsent(body.functions) || !isAbsent(body.tools) ? {} : { parallel_tool_calls: false }

function settingsOf(body: Chat, hidden: boolean, notes: Notes): Settings {
  const options = optionalHeardAt(notes, 'stream_options', body.stream_options, STREAM_OPTIONS)
  const usage = isObject(body.usage) && hear(body.usage, USAGE, 'usage', notes).include === true
  return {
    usage: optionalAt(flagAt, notes, 'stream_options.include_usage', options.include_usage) === true || usage,
    legacy: !isAbsent(body.functions) && isAbsent(body.tools),
    hidden,
  }
}

function logprobs(body: Chat, notes: Notes): JsonObject {
  const asked = optionalAt(flagAt, notes, 'logprobs', body.logprobs) === true
  return asked ? { include: ['message.output_text.logprobs'] } : {}
}

/** Maps fields that a chat client may have set under one of several names to the name that it used. */
const fieldPlaces = (body: Chat): FieldPlaces => ({
  parallel_tool_calls: isAbsent(body.parallel_tool_calls) ? null : 'parallel_tool_calls',
  max_output_tokens: isAbsent(body.max_completion_tokens) ? 'max_tokens' : 'max_completion_tokens',
  tool_choice: isAbsent(body.tool_choice) ? 'function_call' : 'tool_choice',
})

/** Decodes a chat completion request into a Responses request. */
export const decodeRequest: Client['decodeRequest'] = (body, asking) => finish(decodeSteps(body, asking))

export function* decodeSteps(given: JsonObject, asking: Asking): Steps<Decoded> {
  const notes = openNotes()
  const body = hear(given, CHAT, '', notes)
  nameAt(notes, 'model', body.model)
  refuseOthers(body, notes)
  const thinking = decodeThinking(body, notes)
  const { tools, toolPlaces, fieldPlaces: searched } = decodeTools(body, notes)
  const choice = decodeToolChoice(body, tools, notes)
  const { items, itemPlaces } = yield* decodeMessages(body.messages, asking, notes)
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
    itemPlaces,
    toolPlaces,
    fieldPlaces: { ...fieldPlaces(body), ...thinking.fieldPlaces, ...searched },
    stop: stop.length === 0 ? null : stop,
    settings: { ...settings },
    losses: notes.losses,
  }
}
