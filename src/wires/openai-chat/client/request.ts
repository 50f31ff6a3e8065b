import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { exceptWhen, exceptWhenEmpty, fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import { describeValue, oneOf } from '../../../validation/messages.ts'
import type { DecodeContext, DecodedRequest } from '../../client-contract.ts'
import { breakpointPaths } from '../../shared/client/cache-control.ts'
import {
  COUNT,
  createRequestReader,
  dropField,
  flagAt,
  isAbsent,
  keepOwn,
  nameAt,
  objectAt,
  optionalAt,
  optionalFieldsAt,
  optionalNumberAt,
  optionalWordAt,
  type RequestReader,
  readFieldsAt,
  readOutcomeOf,
  requireOwn,
  textAt,
  textsAt,
  wordAt,
} from '../../shared/client/request-reader.ts'
import { createPathMap, type FieldPaths } from '../../shared/client/source-map.ts'
import { FIELD_PATHS, NO_LIMIT } from '../terms.ts'
import { decodeMessages } from './messages.ts'
import { decodeReasoning } from './reasoning-config.ts'
import type { StreamSettings } from './stream-settings.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'
import { inOwnForm } from './usual-form.ts'

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
  'prompt_cache_options',
  'prompt_cache_retention',
  'cache_control',
  'x_search_filter',
] as const

/**
 * Every field that is read. The second table lists values of other fields that ask for nothing and are therefore no
 * loss; some services refuse these fields even then.
 */
const CHAT = fieldSet(
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
    'thinking_budget',
    'enable_thinking',
    'think',
    'chat_template_kwargs',
    'tools',
    'tool_choice',
    'functions',
    'function_call',
    'web_search_options',
    'plugins',
  ],
  {
    store: { idle: exceptWhen(false) },
    safe_prompt: { idle: exceptWhen(false) },
    logit_bias: { idle: exceptWhenEmpty },
  },
)

type Chat = KnownFields<typeof CHAT>

const STREAM_OPTIONS = fieldSet(['include_usage'], {
  include_obfuscation: { why: 'this service does not pad events', idle: exceptWhen(false) },
})
const USAGE = fieldSet(['include'])
const FORMAT = fieldSet(['type'])
const SCHEMA_FORMAT = fieldSet(['type', 'json_schema'])
const SCHEMA = fieldSet(['name', 'description', 'schema', 'strict'])

const FORMATS = ['text', 'json_object', 'json_schema'] as const
const VERBOSITIES = ['low', 'medium', 'high', 'xhigh', 'max'] as const

function sameFields(body: Chat): Record<string, Json> {
  const fields: Record<string, Json> = {}
  for (const name of SAME) if (!isAbsent(body[name])) fields[name] = body[name] as Json
  return fields
}

/** Programs for servers of llama.cpp request no limit by -1. */
const limitAt = (notes: RequestReader, path: string, value: unknown): number | null =>
  value === NO_LIMIT ? null : optionalNumberAt(notes, path, value, COUNT)

function maxTokens(body: Chat, notes: RequestReader): JsonObject {
  const newer = limitAt(notes, 'max_completion_tokens', body.max_completion_tokens)
  const older = limitAt(notes, 'max_tokens', body.max_tokens)
  if (newer !== null && older !== null && newer !== older)
    dropField(notes, 'max_tokens', 'max_completion_tokens takes precedence')
  const most = newer ?? older
  return most === null ? {} : { max_output_tokens: most }
}

function decodeFormat(value: unknown, notes: RequestReader): JsonObject | null {
  const format = objectAt(notes, 'response_format', value)
  if (isNonEmptyString(format.type) && !(FORMATS as readonly string[]).includes(format.type)) {
    const expected = `expected ${oneOf(FORMATS)}, got ${describeValue(format.type)}`
    requireOwn(notes, 'response_format', expected, 'response_format.type')
    return null
  }
  const type = wordAt(notes, 'response_format.type', format.type, FORMATS)
  if (type !== 'json_schema') {
    pickKnown(format, FORMAT, 'response_format', notes)
    return { type }
  }
  const path = 'response_format.json_schema'
  const json = readFieldsAt(notes, path, pickKnown(format, SCHEMA_FORMAT, 'response_format', notes).json_schema, SCHEMA)
  const description = optionalAt(textAt, notes, `${path}.description`, json.description)
  const strict = optionalAt(flagAt, notes, `${path}.strict`, json.strict)
  return {
    type,
    name: isAbsent(json.name) || json.name === '' ? 'response' : nameAt(notes, `${path}.name`, json.name),
    schema: isAbsent(json.schema) ? {} : (objectAt(notes, `${path}.schema`, json.schema) as JsonObject),
    ...(description === null ? {} : { description }),
    ...(strict === null ? {} : { strict }),
  }
}

function textOptions(body: Chat, notes: RequestReader): JsonObject {
  const decoded = isAbsent(body.response_format) ? null : decodeFormat(body.response_format, notes)
  const format: JsonObject = decoded === null ? {} : { format: decoded }
  const verbosity = optionalWordAt(notes, 'verbosity', body.verbosity, VERBOSITIES)
  const text = verbosity === null ? format : { ...format, verbosity }
  return Object.keys(text).length === 0 ? {} : { text }
}

/** Leaves settings that change the answer so much that they cannot be dropped to upstreams of this protocol. */
function leaveOthers(body: Chat, notes: RequestReader): void {
  if (!isAbsent(body.n) && body.n !== 1) {
    requireOwn(notes, 'n', `expected 1, because only one choice is supported, got ${describeValue(body.n)}`)
  }
  const others = toArray(body.modalities).filter((word) => word !== 'text')
  if (others.includes('audio'))
    requireOwn(notes, 'modalities', 'expected text, because audio answers are not supported')
  else if (others.length > 0) dropField(notes, 'modalities', 'only text answers are supported')
}

/** The older `functions` cannot be called in parallel. */
const oneCall = (body: Chat): JsonObject =>
  isAbsent(body.functions) || !isAbsent(body.tools) ? {} : { parallel_tool_calls: false }

function settingsOf(body: Chat, hidden: boolean, notes: RequestReader): StreamSettings {
  const options = optionalFieldsAt(notes, 'stream_options', body.stream_options, STREAM_OPTIONS)
  const usage = isObject(body.usage) && pickKnown(body.usage, USAGE, 'usage', notes).include === true
  return {
    usage: optionalAt(flagAt, notes, 'stream_options.include_usage', options.include_usage) === true || usage,
    legacy: !isAbsent(body.functions) && isAbsent(body.tools),
    hidden,
  }
}

function logprobs(body: Chat, notes: RequestReader): JsonObject {
  const requested = optionalAt(flagAt, notes, 'logprobs', body.logprobs) === true
  return requested ? { include: ['message.output_text.logprobs'] } : {}
}

/** Maps fields that a chat client may have set under one of several names to the name that it used. */
const fieldPathsOf = (body: Chat): FieldPaths => ({
  parallel_tool_calls: isAbsent(body.parallel_tool_calls) ? null : 'parallel_tool_calls',
  max_output_tokens: isAbsent(body.max_completion_tokens) ? 'max_tokens' : 'max_completion_tokens',
  tool_choice: isAbsent(body.tool_choice) ? 'function_call' : 'tool_choice',
  ...(isAbsent(body.cache_control) ? {} : { prompt_cache_options: 'cache_control' }),
})

/** Decodes a chat completion request into a Responses request. */
export function* decodeRequest(given: JsonObject, context: DecodeContext): Steps<DecodedRequest> {
  const notes = createRequestReader(context)
  const { body: usual, ...form } = inOwnForm(given)
  const body = pickKnown(usual, CHAT, '', notes)
  nameAt(notes, 'model', body.model)
  leaveOthers(body, notes)
  const reasoning = decodeReasoning(body, notes)
  const { tools, toolPaths, fieldPaths: searched } = decodeTools(body, notes)
  const choice = decodeToolChoice(body, tools, notes)
  const { items, itemPaths, partPaths } = yield* decodeMessages(body.messages, notes)
  const decoded: JsonObject = Object.assign(
    sameFields(body),
    { input: items },
    maxTokens(body, notes),
    reasoning.fields,
    textOptions(body, notes),
    logprobs(body, notes),
    oneCall(body),
    tools.length === 0 ? null : { tools },
    choice === null ? null : { tool_choice: choice },
  )
  if (!isAbsent(body.metadata)) keepOwn(notes, 'metadata')
  const stop = optionalAt(textsAt, notes, 'stop', body.stop) ?? []
  const settings = settingsOf(body, reasoning.hidden, notes)
  const fieldPaths: FieldPaths = Object.assign(fieldPathsOf(body), reasoning.fieldPaths, searched)
  const breakpoints = breakpointPaths(notes, { tools, input: items, instructions: [] })
  return {
    body: decoded,
    toClientPath: createPathMap(FIELD_PATHS, { itemPaths, partPaths, toolPaths, fieldPaths, breakpoints }),
    partPaths,
    ...form,
    stop: stop.length === 0 ? null : stop,
    settings: { ...settings },
    ...(reasoning.summary === null ? {} : { absent: { summary: reasoning.summary } }),
    losses: notes.losses,
    unsupported: notes.unsupported,
    required: notes.required,
    ...readOutcomeOf(notes),
  }
}
