import { clientError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../protocol/limits.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { runSteps, type Steps } from '../../../text/steps.ts'
import { exceptWhenEmpty, fieldSet, type KnownFields, pickKnown } from '../../../validation/unknown-fields.ts'
import type { ClientCodec, DecodeContext, DecodedRequest } from '../../client-contract.ts'
import { dropField, mapField } from '../../shared/client/request-reader.ts'
import { decodeMessages } from './messages.ts'
import {
  CACHE,
  isPresent,
  type MessagesReader,
  readOptionalText,
  readString,
  readText,
  rejectBlockType,
  rejectValue,
} from './reader.ts'
import { decodeReasoning } from './reasoning-config.ts'
import { decodeTools } from './tools.ts'

/** The fields of a body that are read; any other field is dropped as a loss. */
const BODY = fieldSet(
  [
    'model',
    'messages',
    'system',
    'stream',
    'max_tokens',
    'temperature',
    'top_p',
    'stop_sequences',
    'thinking',
    'output_config',
    'output_format',
    'tools',
    'tool_choice',
    'metadata',
    'service_tier',
    'thread',
  ],
  { ...CACHE, context_management: { idle: exceptWhenEmpty } },
)

type Body = KnownFields<typeof BODY>

const RULE = fieldSet(['type', 'text'], CACHE)
const OUTPUT_CONFIG = fieldSet(['format', 'effort'])
const FORMAT = fieldSet(['type', 'schema'])
const METADATA = fieldSet(['user_id'])

/** Decodes the top-level `system` into `instructions`. Its blocks become paragraphs. */
function decodeSystem(system: unknown, reading: MessagesReader): JsonObject {
  if (!isPresent(system)) return {}
  if (typeof system === 'string') return system === '' ? {} : { instructions: system }
  if (!Array.isArray(system)) {
    rejectValue(reading, 'system', 'a string or a list of text blocks', system)
    return {}
  }
  const texts = system.map((block, i) => decodeRule(block, `system[${i}]`, reading)).filter((text) => text !== '')
  return texts.length === 0 ? {} : { instructions: texts.join('\n\n') }
}

function decodeRule(block: unknown, path: string, reading: MessagesReader): string {
  if (!isObject(block)) {
    rejectValue(reading, path, 'an object', block)
    return ''
  }
  const rule = pickKnown(block, RULE, path, reading)
  if (rule.type !== 'text') rejectBlockType(reading, path, ['text'], rule.type)
  return readString(rule, 'text', path, reading)
}

/** Numbers that both APIs have, with their bounds. */
const NUMBERS = [
  { theirs: 'max_tokens', ours: 'max_output_tokens', least: 1, most: Number.MAX_SAFE_INTEGER, whole: true },
  { theirs: 'temperature', ours: 'temperature', least: 0, most: 1, whole: false },
  { theirs: 'top_p', ours: 'top_p', least: 0, most: 1, whole: false },
] as const

function decodeNumbers(body: Body, reading: MessagesReader): JsonObject {
  const found = NUMBERS.filter(({ theirs }) => isPresent(body[theirs])).map(({ theirs, ours, least, most, whole }) => {
    const value = body[theirs]
    const fits = typeof value === 'number' && value >= least && value <= most && (!whole || Number.isSafeInteger(value))
    const expected = whole ? `a whole number of at least ${least}` : `a number from ${least} to ${most}`
    if (!fits) rejectValue(reading, theirs, expected, value)
    return [ours, value]
  })
  return Object.fromEntries(found) as JsonObject
}

const formatPath = ({ output_config: config }: Body): string =>
  isObject(config) && isPresent(config.format) ? 'output_config.format' : 'output_format'

/** Answers of this API always follow the schema, so the format is strict. */
function decodeFormat({ output_config: config, output_format }: Body, reading: MessagesReader): JsonObject {
  if (isPresent(config) && !isObject(config)) rejectValue(reading, 'output_config', 'an object', config)
  if (isObject(config)) pickKnown(config, OUTPUT_CONFIG, 'output_config', reading)
  const inside = isObject(config) && isPresent(config.format)
  if (inside && isPresent(output_format)) dropField(reading, 'output_format', 'output_config.format takes precedence')
  const format = inside ? config.format : output_format
  const path = formatPath({ output_config: config })
  if (!isPresent(format)) return {}
  if (!isObject(format)) {
    rejectValue(reading, path, 'an object', format)
    return {}
  }
  const { type, schema } = pickKnown(format, FORMAT, path, reading)
  if (type !== 'json_schema') rejectBlockType(reading, path, ['json_schema'], type)
  if (!isObject(schema)) rejectValue(reading, `${path}.schema`, 'an object', schema)
  return { text: { format: { type: 'json_schema', name: 'answer', schema: schema as JsonObject, strict: true } } }
}

function decodeAccount({ metadata, service_tier }: Body, reading: MessagesReader): JsonObject {
  if (isPresent(metadata) && !isObject(metadata)) rejectValue(reading, 'metadata', 'an object', metadata)
  const about = isObject(metadata) ? pickKnown(metadata, METADATA, 'metadata', reading) : {}
  const user = isObject(metadata) ? readOptionalText(about, 'user_id', 'metadata', reading) : null
  const fits = user === null || user.length <= MAX_LENGTHS.user
  if (!fits) dropField(reading, 'metadata.user_id', `it is longer than ${MAX_LENGTHS.user} characters`)
  return { ...(isNonEmptyString(user) && fits ? { user } : {}), ...decodeTier(service_tier, reading) }
}

function decodeTier(tier: unknown, reading: MessagesReader): JsonObject {
  if (!isPresent(tier)) return {}
  if (tier !== 'auto' && tier !== 'standard_only') {
    rejectValue(reading, 'service_tier', 'one of auto, standard_only', tier)
    return {}
  }
  if (tier === 'auto') return { service_tier: 'auto' }
  mapField(reading, 'service_tier', 'sent as default')
  return { service_tier: 'default' }
}

function readStop({ stop_sequences: list }: Body, reading: MessagesReader): readonly string[] | null {
  if (!isPresent(list)) return null
  if (!Array.isArray(list)) rejectValue(reading, 'stop_sequences', 'a list', list)
  const stops: readonly unknown[] = Array.isArray(list) ? list : []
  stops.forEach((stop, i) => {
    if (!isNonEmptyString(stop)) rejectValue(reading, `stop_sequences[${i}]`, 'a string that is not empty', stop)
  })
  return stops.length === 0 ? null : stops.filter(isNonEmptyString)
}

function readStream({ stream }: Body, fromPath: boolean | null, reading: MessagesReader): boolean {
  if (isPresent(stream) && typeof stream !== 'boolean') rejectValue(reading, 'stream', 'true or false', stream)
  return fromPath ?? stream === true
}

/**
 * `thread` is a conversation that Anthropic's server would store. The gateway stores none: creating a thread is dropped
 * as a loss, and continuing one is an error, upon which clients send the whole conversation.
 */
function decodeThread({ thread }: Body, reading: MessagesReader): void {
  if (!isPresent(thread)) return
  if (!isObject(thread)) rejectValue(reading, 'thread', 'an object', thread)
  else if (thread.type === 'create') dropField(reading, 'thread', 'this service stores no conversations')
  else if (thread.type !== 'continue') rejectBlockType(reading, 'thread', ['create', 'continue'], thread.type)
  else {
    const message = 'thread: this service stores no conversations; send the whole conversation as messages'
    reading.fault ??= clientError('previous_response_not_found', message, 'thread')
  }
}

/** Decodes a request into the body of a Responses request. */
export const decodeRequest: ClientCodec['decodeRequest'] = (body, context) => runSteps(decodeSteps(body, context))

export function* decodeSteps(given: JsonObject, context: DecodeContext): Steps<DecodedRequest> {
  const reading: MessagesReader = { losses: [], fault: null, seal: context.seal }
  const body = pickKnown(given, BODY, '', reading)
  decodeThread(body, reading)
  const model = context.model ?? readText(body, 'model', '', reading)
  const rules = decodeSystem(body.system, reading)
  const { items, itemPaths } = yield* decodeMessages(body.messages, reading)
  const { fields, toolPaths, fieldPaths: ofTools } = decodeTools(body, reading)
  const stream = readStream(body, context.stream, reading)
  const numbers = decodeNumbers(body, reading)
  const reasoning = decodeReasoning(body, reading)
  const decoded: JsonObject = {
    model,
    ...rules,
    input: items,
    stream,
    ...numbers,
    ...reasoning.fields,
    ...decodeFormat(body, reading),
    ...fields,
    ...decodeAccount(body, reading),
  }
  const stop = readStop(body, reading)
  if (reading.fault !== null) return { ok: false, error: reading.fault }
  const fieldPaths = { ...ofTools, ...reasoning.fieldPaths, 'text.format': formatPath(body) }
  return {
    ok: true,
    body: decoded,
    itemPaths,
    toolPaths,
    fieldPaths: fieldPaths,
    stop,
    settings: {},
    losses: reading.losses,
  }
}
