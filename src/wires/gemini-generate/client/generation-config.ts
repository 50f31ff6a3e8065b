import type { JsonObject } from '../../../protocol/json.ts'
import type { Effort } from '../../../protocol/request.ts'
import { exceptWhen, type NamesOf } from '../../../validation/known-fields.ts'
import { COUNT, dropField, mapField, type NumberBounds, rejectField } from '../../shared/client/request-reader.ts'
import type { FieldPaths } from '../../shared/client/source-map.ts'
import { effortOf } from '../upstream/reasoning-config.ts'
import {
  dropBeside,
  fieldNames,
  fieldOf,
  fieldPath,
  has,
  isOn,
  numberIn,
  objectIn,
  onlyIn,
  type ReadFields,
  textField,
  textsIn,
  wordIn,
} from './fields.ts'
import { decodeSchema } from './schema.ts'

/** Numbers of `generationConfig`, with their names in a Responses request and their bounds. */
const NUMBERS = {
  maxOutputTokens: ['max_output_tokens', COUNT],
  temperature: ['temperature', { least: 0, most: 2 }],
  topP: ['top_p', { least: 0, most: 1 }],
  presencePenalty: ['presence_penalty', { least: -2, most: 2 }],
  frequencyPenalty: ['frequency_penalty', { least: -2, most: 2 }],
} as const satisfies Record<string, readonly [string, NumberBounds]>

const NAMES = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]

const CONFIG = fieldNames(
  [
    ...NAMES,
    'stopSequences',
    'candidateCount',
    'responseMimeType',
    'responseSchema',
    'responseJsonSchema',
    'responseLogprobs',
    'logprobs',
    'thinkingConfig',
    'responseModalities',
  ],
  {
    audioTimestamp: { idle: exceptWhen(false) },
    enableAffectiveDialog: { idle: exceptWhen(false) },
    enableEnhancedCivicAnswers: { idle: exceptWhen(false) },
  },
)

type Config = ReadFields<NamesOf<typeof CONFIG>>

interface DecodedConfig {
  readonly fields: JsonObject
  readonly fieldPaths: FieldPaths
  readonly stop: readonly string[] | null
  readonly settings: JsonObject
}

export function decodeConfig(body: ReadFields<'generationConfig'>): DecodedConfig {
  const config = onlyIn(body, 'generationConfig', CONFIG)
  if (config === null) return { fields: {}, fieldPaths: {}, stop: null, settings: {} }
  refuseCandidates(config)
  dropModalities(config)
  const stop = textsIn(config, 'stopSequences').filter((text) => text !== '')
  const reasoning = decodeReasoning(config)
  return {
    fields: { ...sampling(config), ...format(config), ...logprobs(config), ...reasoning.fields },
    fieldPaths: { ...fieldPathsIn(config), ...reasoning.fieldPaths },
    stop: stop.length === 0 ? null : stop,
    settings: reasoning.settings,
  }
}

/** Maps fields of the Responses request to the client's fields, in the client's own spelling. */
function fieldPathsIn(config: Config): FieldPaths {
  const paths: Record<string, string> = {}
  for (const name of NAMES) paths[NUMBERS[name][0]] = fieldPath(config, name)
  const schema = schemaName(config) ?? 'responseMimeType'
  const format = fieldPath(config, schema)
  return Object.assign(paths, {
    stop: fieldPath(config, 'stopSequences'),
    include: fieldPath(config, 'responseLogprobs'),
    top_logprobs: fieldPath(config, 'logprobs'),
    'text.format': format,
    'text.format.schema': format,
  })
}

function sampling(config: Config): JsonObject {
  const fields: Record<string, number> = {}
  for (const name of NAMES) {
    const [own, bounds] = NUMBERS[name]
    const value = numberIn(config, name, bounds)
    if (value !== null) fields[own] = value
  }
  return fields
}

/** Rejects more than one candidate, as Google does for its models that support only one. */
function refuseCandidates(config: Config): void {
  const count = numberIn(config, 'candidateCount', COUNT)
  if (count !== null && count > 1) {
    rejectField(
      config.notes,
      fieldPath(config, 'candidateCount'),
      `expected 1, because only one candidate is supported, got ${count}`,
    )
  }
}

function dropModalities(config: Config): void {
  const others = textsIn(config, 'responseModalities').filter((word) => word.toUpperCase() !== 'TEXT')
  if (others.length > 0)
    dropField(config.notes, fieldPath(config, 'responseModalities'), 'only text answers are supported')
}

// ---------------------------------------------------------------- format

const FORMATS: ReadonlySet<string | null> = new Set([null, 'text/plain', 'application/json'])

function format(config: Config): JsonObject {
  const type = textField(config, 'responseMimeType')?.toLowerCase() ?? null
  const schema = schemaIn(config)
  if (!FORMATS.has(type)) {
    const why = 'only text and JSON answers are supported'
    dropField(config.notes, fieldPath(config, 'responseMimeType'), why)
    if (schema !== null) dropField(config.notes, fieldPath(config, schemaName(config) ?? 'responseSchema'), why)
    return {}
  }
  if (schema !== null) return { text: { format: { type: 'json_schema', name: titleOf(schema), schema } } }
  return type === 'application/json' ? { text: { format: { type: 'json_object' } } } : {}
}

/** The first field that is present takes precedence. */
const SCHEMAS = ['responseJsonSchema', 'responseSchema'] as const

const schemaName = (config: Config) => SCHEMAS.find((name) => has(config, name))

function schemaIn(config: Config): JsonObject | null {
  const json = objectIn(config, 'responseJsonSchema')
  dropBeside(config, 'responseJsonSchema', 'responseSchema')
  if (json !== null) return json.record as JsonObject
  const own = objectIn(config, 'responseSchema')
  return own === null ? null : decodeSchema(own)
}

/** A Responses format needs a name: the title of the schema if it is valid as a name, else `response`. */
const titleOf = ({ title }: JsonObject): string =>
  typeof title === 'string' && /^[\w-]{1,64}$/.test(title) ? title : 'response'

function logprobs(config: Config): JsonObject {
  if (isOn(config, 'responseLogprobs') !== true) return {}
  const most = numberIn(config, 'logprobs', { least: 0, most: 20, whole: true })
  const include = ['message.output_text.logprobs']
  return most === null ? { include } : { include, top_logprobs: most }
}

// ---------------------------------------------------------------- reasoning

const LEVELS: Readonly<Record<string, Effort | null>> = {
  THINKING_LEVEL_UNSPECIFIED: null,
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
  XHIGH: 'xhigh',
  MAX: 'max',
}

const THINKING = fieldNames(['includeThoughts', 'thinkingBudget', 'thinkingLevel'])

interface DecodedReasoning {
  readonly fields: JsonObject
  readonly fieldPaths: FieldPaths
  readonly settings: JsonObject
}

/** Clients receive reasoning unless they set `includeThoughts` to false. */
function decodeReasoning(config: Config): DecodedReasoning {
  const thinking = onlyIn(config, 'thinkingConfig', THINKING)
  if (thinking === null) return { fields: {}, fieldPaths: {}, settings: {} }
  const shown = isOn(thinking, 'includeThoughts')
  const effort = wordIn(thinking, 'thinkingLevel', LEVELS) ?? effortIn(thinking)
  const by = has(thinking, 'thinkingLevel') ? 'thinkingLevel' : 'thinkingBudget'
  const reasoning = { ...(effort === null ? {} : { effort }), ...(shown === true ? { summary: 'auto' } : {}) }
  return {
    fields: Object.keys(reasoning).length === 0 ? {} : { reasoning },
    fieldPaths: {
      reasoning: thinking.path,
      'reasoning.effort': fieldPath(thinking, by),
      'reasoning.summary': fieldPath(thinking, 'includeThoughts'),
    },
    settings: shown === false ? { reasoning: false } : {},
  }
}

/** Maps a budget in tokens to an effort. A budget of -1 leaves the decision to the model. */
function effortIn(thinking: ReadFields<'thinkingBudget' | 'thinkingLevel'>): Effort | null {
  const budget = numberIn(thinking, 'thinkingBudget', { least: -1, whole: true })
  if (budget === null || budget === -1 || fieldOf(thinking, 'thinkingLevel') !== undefined) return null
  const { effort, exact } = effortOf(budget)
  if (!exact) {
    const path = fieldPath(thinking, 'thinkingBudget')
    mapField(thinking.notes, path, `${budget} tokens sent as the effort "${effort}"`)
  }
  return effort
}
