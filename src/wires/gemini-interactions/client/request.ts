import type { JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import type { DecodeContext, DecodedRequest } from '../../client-contract.ts'
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
  rejectField,
  rejectType,
  textAt,
  textsAt,
} from '../../shared/client/request-reader.ts'
import {
  createPathMap,
  type LocatedConversation,
  type LocatedItem,
  toConversation,
} from '../../shared/client/source-map.ts'
import { FIELD_PATHS, type STATE_MEMBERS, type STATE_SETTINGS } from '../terms.ts'
import { HistoryReader } from './history.ts'
import { decodeTools } from './tools.ts'

const BODY = fieldSet([
  'model',
  'agent',
  'input',
  'system_instruction',
  'tools',
  'generation_config',
  'response_format',
  'response_mime_type',
  'response_modalities',
  'stream',
  'store',
  'background',
  'previous_interaction_id',
  'continuation_token',
  'cached_content',
  'service_tier',
  'labels',
  'agent_config',
  'environment',
  'webhook_config',
])

type Body = KnownFields<typeof BODY>

const CONFIG = fieldSet([
  'max_output_tokens',
  'temperature',
  'top_p',
  'stop_sequences',
  'thinking_level',
  'thinking_summaries',
  'tool_choice',
])

type Config = KnownFields<typeof CONFIG>

const NUMBERS = [
  ['max_output_tokens', COUNT],
  ['temperature', { least: 0, most: 2 }],
  ['top_p', { least: 0, most: 1 }],
] as const

/** State that this service does not have: the request has another meaning without it. */
const STATE = {
  previous_interaction_id: 'this service stores no interactions; send the whole conversation as input',
  continuation_token: 'this service stores no interactions; send the whole conversation as input',
  cached_content: 'this service does not cache content; send the whole content',
  agent: 'this service has no agents; send a model',
} as const satisfies Record<(typeof STATE_MEMBERS)[number], string>

/** Settings of agents and of stored answers, which mean nothing without them. Google does not receive them either. */
const SETTINGS_OF_STATE = {
  agent_config: 'this service has no agents',
  environment: 'this service has no agents',
  webhook_config: 'this service stores no interactions, so that none ends in the background',
} as const satisfies Record<(typeof STATE_SETTINGS)[number], string>

/** Rejects state, and drops its settings. */
function refuseState(body: Body, notes: RequestReader): void {
  for (const [name, why] of Object.entries(STATE)) {
    const value = body[name as keyof typeof STATE]
    if (!isAbsent(value) && value !== '') rejectField(notes, name, why)
  }
  if (optionalAt(flagAt, notes, 'background', body.background) === true)
    rejectField(notes, 'background', 'this service stores no interactions; send false, and read the answer at once')
  for (const [name, why] of Object.entries(SETTINGS_OF_STATE))
    if (!isAbsent(body[name as keyof typeof SETTINGS_OF_STATE])) dropField(notes, name, why)
}

// ---------------------------------------------------------------- configuration

function numbers(config: Config, notes: RequestReader): JsonObject {
  const fields = NUMBERS.flatMap(([name, bounds]): (readonly [string, number])[] => {
    const value = optionalNumberAt(notes, `generation_config.${name}`, config[name], bounds)
    return value === null ? [] : [[name, value]]
  })
  return Object.fromEntries(fields)
}

const LEVELS = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const
const SUMMARIES = ['auto', 'none'] as const

interface DecodedReasoning {
  readonly fields: JsonObject
  readonly settings: JsonObject
}

/** Clients receive the summaries of an upstream unless they decline them. */
function decodeReasoning(config: Config, notes: RequestReader): DecodedReasoning {
  const path = 'generation_config'
  const effort = optionalWordAt(notes, `${path}.thinking_level`, config.thinking_level, LEVELS)
  const summaries = optionalWordAt(notes, `${path}.thinking_summaries`, config.thinking_summaries, SUMMARIES)
  const reasoning = {
    ...(effort === null ? {} : { effort }),
    ...(summaries === 'auto' ? { summary: 'auto' } : {}),
  }
  return {
    fields: Object.keys(reasoning).length === 0 ? {} : { reasoning },
    settings: summaries === 'none' ? { reasoning: false } : {},
  }
}

// ---------------------------------------------------------------- format

const FORMAT = fieldSet(['type', 'mime_type', 'schema'])
const MODALITIES: ReadonlySet<unknown> = new Set(['image', 'audio', 'video'])

/** A Responses format needs a name: the title of the schema if it is valid as a name, else `response`. */
const titleOf = ({ title }: JsonObject): string =>
  typeof title === 'string' && /^[\w-]{1,64}$/.test(title) ? title : 'response'

const ofSchema = (schema: JsonObject): JsonObject => ({
  text: { format: { type: 'json_schema', name: titleOf(schema), schema } },
})

const JSON_ANSWER: JsonObject = { text: { format: { type: 'json_object' } } }

const ONLY_TEXT = 'only text answers are supported'
const JSON_TYPE = 'application/json'

/** One format; a bare schema stands for one. */
function decodeFormat(value: unknown, path: string, notes: RequestReader): JsonObject {
  const record = objectAt(notes, path, value)
  if (MODALITIES.has(record.type)) {
    dropField(notes, path, ONLY_TEXT)
    return {}
  }
  if (record.type !== 'text') return Object.keys(record).length === 0 ? {} : ofSchema(record as JsonObject)
  const { mime_type: mime, schema } = readFieldsAt(notes, path, record, FORMAT)
  const own = optionalAt(objectAt, notes, `${path}.schema`, schema)
  if (own !== null && Object.keys(own).length > 0) return ofSchema(own as JsonObject)
  return formatOfType(mime, `${path}.mime_type`, notes)
}

function formatOfType(mime: unknown, path: string, notes: RequestReader): JsonObject {
  const type = optionalAt(textAt, notes, path, mime)?.toLowerCase() ?? ''
  if (type === JSON_TYPE) return JSON_ANSWER
  if (type !== '' && type !== 'text/plain') dropField(notes, path, 'only text and JSON answers are supported')
  return {}
}

interface DecodedFormat {
  readonly fields: JsonObject
  readonly path: string
}

function formatIn(body: Body, notes: RequestReader): DecodedFormat {
  const { response_format: format, response_mime_type: mime, response_modalities: modalities } = body
  if (!isAbsent(modalities)) {
    const words = textsAt(notes, 'response_modalities', modalities)
    if (words.some((word) => word.toLowerCase() !== 'text')) dropField(notes, 'response_modalities', ONLY_TEXT)
  }
  if (isAbsent(format)) return { fields: formatOfType(mime, 'response_mime_type', notes), path: 'response_mime_type' }
  if (!isAbsent(mime) && mime !== JSON_TYPE) dropField(notes, 'response_mime_type', 'response_format takes precedence')
  if (!Array.isArray(format)) return { fields: decodeFormat(format, 'response_format', notes), path: 'response_format' }
  const found = format.map((one, at) => decodeFormat(one, `response_format[${at}]`, notes))
  const at = found.findIndex((fields) => fields.text !== undefined)
  return { fields: found[at] ?? {}, path: at < 0 ? 'response_format' : `response_format[${at}]` }
}

// ---------------------------------------------------------------- others

const TIERS = ['standard', 'flex', 'priority', 'deferred'] as const

function tierOf(tier: unknown, notes: RequestReader): JsonObject {
  const word = optionalWordAt(notes, 'service_tier', tier, TIERS)
  if (word === null) return {}
  keepOwn(notes, 'service_tier')
  if (word === 'deferred') {
    dropField(notes, 'service_tier', 'this service does not support this tier')
    return {}
  }
  return { service_tier: word === 'standard' ? 'default' : word }
}

const MOST_LABELS = 16
const LONGEST_KEY = 64
const LONGEST_LABEL = 512

function labelsOf(value: unknown, notes: RequestReader): JsonObject {
  const labels = optionalAt(objectAt, notes, 'labels', value)
  if (labels === null) return {}
  keepOwn(notes, 'labels')
  const pairs = Object.entries(labels).map(([name, label]) => [name, textAt(notes, `labels.${name}`, label)] as const)
  const fits = ([name, label]: readonly [string, string]): boolean =>
    name.length <= LONGEST_KEY && label.length <= LONGEST_LABEL
  if (pairs.length <= MOST_LABELS && pairs.every(fits)) return { metadata: Object.fromEntries(pairs) }
  dropField(
    notes,
    'labels',
    `expected at most ${MOST_LABELS} pairs, with at most ${LONGEST_KEY} and ${LONGEST_LABEL} characters`,
  )
  return {}
}

function instructionsOf(value: unknown, notes: RequestReader): JsonObject {
  const text = optionalAt(textAt, notes, 'system_instruction', value)
  return text === null || text === '' ? {} : { instructions: text }
}

/** The entries of `input`: a text, one content or step, or a list of them. */
function entriesOf(input: unknown, notes: RequestReader): readonly unknown[] {
  if (Array.isArray(input) && input.length > 0) return input
  if (isNonEmptyString(input) || isObject(input)) return [input]
  rejectType(notes, 'input', 'a text, or a list of contents or steps that is not empty', input)
  return []
}

function* decodeInput(input: unknown, notes: RequestReader): Steps<LocatedConversation> {
  const entries = entriesOf(input, notes)
  const items: LocatedItem[] = []
  const reader = new HistoryReader(entries, notes, items)
  for (const [at, entry] of entries.entries()) {
    reader.add(entry, Array.isArray(input) ? `input[${at}]` : 'input')
    yield
  }
  reader.close()
  return toConversation(items)
}

/** Decodes a request into a Responses request. Names of members are in snake case only, as Google requires. */
export function* decodeRequest(given: JsonObject, context: DecodeContext): Steps<DecodedRequest> {
  const notes = createRequestReader(context)
  const body = pickKnown(given, BODY, '', notes)
  refuseState(body, notes)
  const config = optionalFieldsAt(notes, 'generation_config', body.generation_config, CONFIG)
  const model = nameAt(notes, 'model', body.model).replace(/^models\//, '')
  const { items, itemPaths } = yield* decodeInput(body.input, notes)
  const { fields: tools, toolPaths, fieldPaths } = decodeTools(body.tools, config.tool_choice, notes)
  const reasoning = decodeReasoning(config, notes)
  const format = formatIn(body, notes)
  const store = optionalAt(flagAt, notes, 'store', body.store)
  const decoded: JsonObject = {
    model,
    input: items,
    stream: optionalAt(flagAt, notes, 'stream', body.stream) ?? false,
    ...instructionsOf(body.system_instruction, notes),
    ...tools,
    ...numbers(config, notes),
    ...reasoning.fields,
    ...format.fields,
    ...labelsOf(body.labels, notes),
    ...tierOf(body.service_tier, notes),
  }
  const stop = isAbsent(config.stop_sequences)
    ? []
    : textsAt(notes, 'generation_config.stop_sequences', config.stop_sequences)
  return {
    body: decoded,
    toClientPath: createPathMap(FIELD_PATHS, {
      itemPaths,
      toolPaths,
      fieldPaths: { 'text.format': format.path, 'text.format.schema': format.path, ...fieldPaths },
    }),
    stop: stop.length === 0 ? null : stop,
    settings: { ...reasoning.settings, ...(store === false ? { store } : {}) },
    losses: notes.losses,
    unsupported: notes.unsupported,
    required: notes.required,
    ...readOutcomeOf(notes),
  }
}
