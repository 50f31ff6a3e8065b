import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { isObject, toArray, toCamel } from '../../../text/json.ts'
import type { HubRules } from '../../passthrough-contract.ts'
import type { Quirks } from '../../quirks.ts'
import { isPresent, memberObjects } from '../../shared/passthrough/conditions.ts'
import { lossless } from '../../shared/passthrough/edits.ts'
import { withMember } from '../../shared/passthrough/members.ts'

/** A member in either spelling. */
export const geminiMember = (body: JsonRecord, name: string, snake: string): unknown => body[name] ?? body[snake]

// ---------------------------------------------------------------- schemas in Google's form

/** Keywords of JSON Schema that `Schema` does not have: "Unknown name … Cannot find field". */
const UNKNOWN: ReadonlySet<string> = new Set([
  ...['const', 'examples', 'not', 'oneOf', 'allOf', 'if', 'then', 'else', 'definitions', 'deprecated'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'readOnly', 'writeOnly'],
  ...['contains', 'minContains', 'maxContains', 'uniqueItems', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
  ...['patternProperties', 'propertyNames', 'dependencies', 'dependentRequired', 'dependentSchemas'],
  ...['unevaluatedProperties', 'contentEncoding', 'contentMediaType', 'contentSchema'],
])

/** Only Vertex has them. */
const OF_VERTEX: ReadonlySet<string> = new Set(['additionalProperties', 'ref', 'defs'])

/** No field of Google has a name such as `$schema`. */
const isUnknownKeyword = (name: string, isVertex: boolean): boolean =>
  UNKNOWN.has(name) || /^(?:\$|x-)/.test(name) || (!isVertex && OF_VERTEX.has(name))

/** "only 'enum' and 'date-time' are supported for STRING type". */
const TEXT_FORMATS: ReadonlySet<unknown> = new Set([undefined, null, '', 'enum', 'date-time'])

const DEEPEST = 64

const typeOf = ({ type }: JsonRecord): unknown => (typeof type === 'string' ? type.toLowerCase() : type)

/** "only allowed for STRING type", "cannot be empty". */
const isRefusedEnum = (values: unknown, type: unknown): boolean =>
  isPresent(values) && (type !== 'string' || toArray(values).some((value) => typeof value !== 'string' || value === ''))

/** "should be non-empty for OBJECT type", "property is not defined". */
function isRefusedObject({ properties, required }: JsonRecord): boolean {
  const known = isObject(properties) ? properties : {}
  if (isObject(properties) && Object.keys(properties).length === 0) return true
  return toArray(required).some((name) => typeof name === 'string' && !Object.hasOwn(known, name))
}

/** Whether Google refuses a schema in its own form, which a JSON schema of the same meaning avoids. */
function isRefusedSchema(schema: unknown, isVertex: boolean, depth = 0): boolean {
  if (!isObject(schema)) return isPresent(schema)
  if (depth > DEEPEST) return false
  if (Object.keys(schema).some((name) => isUnknownKeyword(toCamel(name), isVertex))) return true
  const type = typeOf(schema)
  if (isPresent(type) && typeof type !== 'string') return true
  if (isRefusedEnum(schema.enum, type) || (type === 'string' && !TEXT_FORMATS.has(schema.format))) return true
  if (type === 'object' && isRefusedObject(schema)) return true
  // "items: missing field".
  if (type === 'array' && !isObject(schema.items)) return true
  const inner = [schema.items, ...toArray(schema.anyOf ?? schema.any_of), ...valuesOf(schema.properties)]
  return inner.some((one) => isRefusedSchema(one, isVertex, depth + 1))
}

const valuesOf = (value: unknown): readonly unknown[] => (isObject(value) ? Object.values(value) : [])

// ---------------------------------------------------------------- settings

const declarationsOf = (body: JsonRecord): readonly JsonRecord[] =>
  memberObjects(body, 'tools').flatMap((tool) => memberObjects(tool, 'functionDeclarations', 'function_declarations'))

/** Both forms of a schema at once are refused as well. */
const isRefusedFunction = (declared: JsonRecord, isVertex: boolean): boolean =>
  isPresent(declared.parameters) &&
  (isPresent(geminiMember(declared, 'parametersJsonSchema', 'parameters_json_schema')) ||
    isRefusedSchema(declared.parameters, isVertex))

/** "response_mime_type" has to be set beside a schema, of which there is one. */
function isRefusedFormat(config: JsonRecord, isVertex: boolean): boolean {
  const own = geminiMember(config, 'responseSchema', 'response_schema')
  const json = geminiMember(config, 'responseJsonSchema', 'response_json_schema')
  const hasType = isPresent(geminiMember(config, 'responseMimeType', 'response_mime_type'))
  if (!isPresent(own)) return isPresent(json) && !hasType
  return isPresent(json) || !hasType || isRefusedSchema(own, isVertex)
}

/** "only valid if response_logprobs is true". */
const hasLoneCount = (config: JsonRecord): boolean =>
  isPresent(config.logprobs) && geminiMember(config, 'responseLogprobs', 'response_logprobs') !== true

const CHOOSING: ReadonlySet<unknown> = new Set(['ANY', 'VALIDATED'])

/** "allowed_function_names should only be set when function calling mode is ANY". */
function restrictsOthers(body: JsonRecord): boolean {
  const config = geminiMember(body, 'toolConfig', 'tool_config')
  const calling = isObject(config) ? geminiMember(config, 'functionCallingConfig', 'function_calling_config') : null
  if (!isObject(calling)) return false
  const names = toArray(geminiMember(calling, 'allowedFunctionNames', 'allowed_function_names'))
  return names.length > 0 && !CHOOSING.has(calling.mode)
}

/** The SDKs accept an instruction as a text, the API does not. */
const hasTextRule = (body: JsonRecord): boolean =>
  typeof geminiMember(body, 'systemInstruction', 'system_instruction') === 'string'

const isVertexAt = ({ platform }: Quirks): boolean => platform === 'vertex'

/** Whether Google refuses the form of a setting that the hub writes in another one. */
export const refusesGeminiSettings: HubRules['settings'] = (body, quirks) => {
  const config = geminiMember(body, 'generationConfig', 'generation_config')
  const isVertex = isVertexAt(quirks)
  return (
    hasTextRule(body) ||
    restrictsOthers(body) ||
    declarationsOf(body).some((declared) => isRefusedFunction(declared, isVertex)) ||
    (isObject(config) && (isRefusedFormat(config, isVertex) || hasLoneCount(config)))
  )
}

const isEmptyTool = (tool: Json): boolean =>
  isObject(tool) &&
  Object.values(tool).every((value) => !isPresent(value) || (Array.isArray(value) && value.length === 0))

/** "tool_type: required one_of 'tool_type' must have one initialized field". */
export const emptyTools = lossless((body: JsonObject) => {
  const { tools } = body
  if (!Array.isArray(tools) || !tools.some(isEmptyTool)) return body
  const kept = (tools as readonly Json[]).filter((tool) => !isEmptyTool(tool))
  return withMember(body, 'tools', kept.length === 0 ? undefined : kept)
})
