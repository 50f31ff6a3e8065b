import { clientError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../protocol/limits.ts'
import type { InstructionBreakpoint } from '../../../protocol/request.ts'
import { isNonEmptyString, isObject, parseJson, toArray } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { exceptWhenEmpty, fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import type { DecodeContext, DecodedRequest } from '../../client-contract.ts'
import { breakpointPaths, instructionBreakpointAt, promptControlAt } from '../../shared/client/cache-control.ts'
import {
  COUNT,
  createRequestReader,
  dropField,
  flagAt,
  isAbsent,
  mapField,
  nameAt,
  objectAt,
  optionalAt,
  optionalFieldsAt,
  optionalNumberAt,
  optionalWordAt,
  type RequestReader,
  readFieldsAt,
  readListAt,
  readOutcomeOf,
  rejectField,
  rejectType,
  rejectWord,
  textAt,
} from '../../shared/client/request-reader.ts'
import { createPathMap } from '../../shared/client/source-map.ts'
import { FIELD_PATHS } from '../terms.ts'
import { decodeMessages } from './messages.ts'
import { withOtherMembers } from './other-members.ts'
import { decodeReasoning } from './reasoning-config.ts'
import { decodeTools } from './tools.ts'
import { inOwnForm } from './usual-form.ts'

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
    'cache_control',
  ],
  { context_management: { idle: exceptWhenEmpty } },
)

type Body = KnownFields<typeof BODY>

const RULE = fieldSet(['type', 'text', 'cache_control'])
const OUTPUT_CONFIG = fieldSet(['format', 'effort'])
const FORMAT = fieldSet(['type', 'schema'])
const METADATA = fieldSet(['user_id'])

interface Rules {
  readonly fields: JsonObject
  readonly breakpoints: readonly InstructionBreakpoint[]
}

const NO_RULES: Rules = { fields: {}, breakpoints: [] }

/** Decodes the top-level `system` into `instructions`. Its blocks become paragraphs. */
function decodeSystem(system: unknown, notes: RequestReader): Rules {
  if (isAbsent(system)) return NO_RULES
  if (typeof system === 'string') return system === '' ? NO_RULES : { ...NO_RULES, fields: { instructions: system } }
  if (!Array.isArray(system)) {
    rejectType(notes, 'system', 'a string or a list of text blocks', system)
    return NO_RULES
  }
  const breakpoints: InstructionBreakpoint[] = []
  let instructions = ''
  system.forEach((block, i) => {
    const path = `system[${i}]`
    const text = decodeRule(block, path, notes)
    if (text !== '') instructions += instructions === '' ? text : `\n\n${text}`
    if (isObject(block)) breakpoints.push(...instructionBreakpointAt(notes, path, block, instructions.length))
  })
  return { fields: instructions === '' ? {} : { instructions }, breakpoints }
}

function decodeRule(block: unknown, path: string, notes: RequestReader): string {
  const rule = readFieldsAt(notes, path, block, RULE)
  if (rule.type !== 'text') rejectWord(notes, `${path}.type`, ['text'], rule.type)
  return textAt(notes, `${path}.text`, rule.text)
}

/** A request of this protocol that no other upstream has. It is passed through to those of its own. */
const CACHE_ONLY =
  '0 fills the prompt cache of the vendor without an answer, which this upstream cannot do; send at least 1, or route the request to Anthropic'

/** Numbers that both APIs have, with their bounds. */
const NUMBERS = [
  ['max_tokens', 'max_output_tokens', COUNT],
  ['temperature', 'temperature', { least: 0, most: 1 }],
  ['top_p', 'top_p', { least: 0, most: 1 }],
] as const

function decodeNumbers(body: Body, notes: RequestReader): JsonObject {
  if (body.max_tokens === 0) rejectField(notes, 'max_tokens', CACHE_ONLY)
  const found = NUMBERS.flatMap(([theirs, ours, bounds]) => {
    const value = optionalNumberAt(notes, theirs, body[theirs], bounds)
    return value === null ? [] : [[ours, value] as const]
  })
  return Object.fromEntries(found)
}

const formatPath = ({ output_config: config }: Body): string =>
  isObject(config) && !isAbsent(config.format) ? 'output_config.format' : 'output_format'

function decodeFormat({ output_config: config, output_format }: Body, notes: RequestReader): JsonObject {
  const { format: newer } = optionalFieldsAt(notes, 'output_config', config, OUTPUT_CONFIG)
  const inside = !isAbsent(newer)
  if (inside && !isAbsent(output_format)) dropField(notes, 'output_format', 'output_config.format takes precedence')
  const format = inside ? newer : output_format
  const path = formatPath({ output_config: config })
  if (isAbsent(format)) return {}
  const { type, schema } = readFieldsAt(notes, path, format, FORMAT)
  if (type !== 'json_schema') rejectWord(notes, `${path}.type`, ['json_schema'], type)
  const answer = objectAt(notes, `${path}.schema`, schema) as JsonObject
  return { text: { format: { type: 'json_schema', name: 'answer', schema: answer } } }
}

function decodeAccount({ metadata, service_tier }: Body, notes: RequestReader): JsonObject {
  const { user_id } = optionalFieldsAt(notes, 'metadata', metadata, METADATA)
  const user = optionalAt(textAt, notes, 'metadata.user_id', user_id)
  const fits = user === null || user.length <= MAX_LENGTHS.user
  if (!fits) dropField(notes, 'metadata.user_id', `it is longer than ${MAX_LENGTHS.user} characters`)
  return { ...(isNonEmptyString(user) && fits ? { user } : {}), ...decodeTier(service_tier, notes) }
}

const SESSION = 'session_'

/**
 * The session that Claude Code names in `metadata.user_id`: a member of an object in JSON, or at the end of older ids
 * (`user_…_account_…_session_…`).
 */
function sessionIn({ metadata }: Body): string | null {
  const user = isObject(metadata) ? metadata.user_id : undefined
  if (!isNonEmptyString(user)) return null
  const parsed = user.startsWith('{') ? parseJson(user) : undefined
  const at = user.lastIndexOf(SESSION)
  const session = isObject(parsed) ? parsed.session_id : at < 0 ? '' : user.slice(at + SESSION.length)
  return isNonEmptyString(session) && /^[\w-]{8,64}$/.test(session) ? session : null
}

function decodeTier(tier: unknown, notes: RequestReader): JsonObject {
  const word = optionalWordAt(notes, 'service_tier', tier, ['auto', 'standard_only'])
  if (word !== 'standard_only') return word === null ? {} : { service_tier: word }
  mapField(notes, 'service_tier', 'sent as default')
  return { service_tier: 'default' }
}

function readStop({ stop_sequences: list }: Body, notes: RequestReader): readonly string[] | null {
  const stops = optionalAt(readListAt, notes, 'stop_sequences', list) ?? []
  return stops.length === 0 ? null : stops.map((stop, i) => nameAt(notes, `stop_sequences[${i}]`, stop))
}

function readStream({ stream }: Body, fromPath: boolean | null, notes: RequestReader): boolean {
  const inBody = optionalAt(flagAt, notes, 'stream', stream)
  return fromPath ?? inBody === true
}

/**
 * `thread` is a conversation that Anthropic's server would store. The gateway stores none: creating a thread is dropped
 * as a loss, and continuing one is an error, upon which clients send the whole conversation.
 */
function decodeThread({ thread }: Body, notes: RequestReader): void {
  if (isAbsent(thread)) return
  if (!isObject(thread)) rejectType(notes, 'thread', 'an object', thread)
  else if (thread.type === 'create') dropField(notes, 'thread', 'this service stores no conversations')
  else if (thread.type !== 'continue') rejectWord(notes, 'thread.type', ['create', 'continue'], thread.type)
  else {
    const message = 'thread: this service stores no conversations; send the whole conversation as messages'
    notes.error ??= clientError('previous_response_not_found', message, 'thread')
  }
}

/** Decodes a request into the body of a Responses request. */
export function* decodeRequest(given: JsonObject, context: DecodeContext): Steps<DecodedRequest> {
  const notes = createRequestReader(context)
  const { body: usual, ...form } = withOtherMembers(given)
  const own = inOwnForm(usual)
  for (const { path, why } of own.losses) dropField(notes, path, why)
  const body = pickKnown(own.body, BODY, '', notes)
  decodeThread(body, notes)
  const model = context.model ?? nameAt(notes, 'model', body.model)
  const rules = decodeSystem(body.system, notes)
  const { items, itemPaths, partPaths } = yield* decodeMessages(body.messages, notes)
  const { fields, toolPaths, fieldPaths: ofTools } = decodeTools(body, notes)
  const stream = readStream(body, context.stream, notes)
  const numbers = decodeNumbers(body, notes)
  const reasoning = decodeReasoning(body, notes)
  const decoded: JsonObject = {
    model,
    ...rules.fields,
    ...promptControlAt(notes, body.cache_control),
    input: items,
    stream,
    ...numbers,
    ...reasoning.fields,
    ...decodeFormat(body, notes),
    ...fields,
    ...decodeAccount(body, notes),
  }
  const stop = readStop(body, notes)
  const session = sessionIn(body)
  const fieldPaths = {
    'text.format': formatPath(body),
    prompt_cache_options: 'cache_control',
    ...ofTools,
    ...reasoning.fieldPaths,
  }
  const tools = toArray(fields.tools).filter(isObject)
  const breakpoints = breakpointPaths(notes, { tools, input: items, instructions: rules.breakpoints })
  return {
    body: decoded,
    toClientPath: createPathMap(FIELD_PATHS, { itemPaths, partPaths, toolPaths, fieldPaths, breakpoints }),
    partPaths,
    ...form,
    stop,
    ...(rules.breakpoints.length === 0 ? {} : { instruction_breakpoints: rules.breakpoints }),
    ...(reasoning.isEffortAlone ? { hides_reasoning: true } : {}),
    settings: {},
    ...(reasoning.summary === null && session === null
      ? {}
      : { absent: { summary: reasoning.summary, cacheKey: session } }),
    losses: notes.losses,
    unsupported: notes.unsupported,
    required: notes.required,
    ...readOutcomeOf(notes),
  }
}
