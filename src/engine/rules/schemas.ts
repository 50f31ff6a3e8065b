import type { ModelFacts } from '../../models/facts.ts'
import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { type Loss, mapped } from '../../protocol/loss.ts'
import type { Request, TextFormat, Tool } from '../../protocol/request.ts'
import { isObject } from '../../text/json.ts'
import { mapSteps, type Steps } from '../../text/steps.ts'
import type { RefusedSchemaFeature } from '../../wires/quirks.ts'
import { closeSchema, type SchemaSize, strictWords } from '../../wires/shared/upstream/schemas/close-schema.ts'
import { mapSchemas } from '../../wires/shared/upstream/schemas/map-schemas.ts'
import { type MendedSchema, mendSchema, mendTools, NO_LOSSES } from '../../wires/shared/upstream/schemas/mend-tools.ts'
import { hasType, isOfObjects } from '../../wires/shared/upstream/schemas/strict-schema.ts'
import { validSchema } from '../../wires/shared/upstream/schemas/valid-schema.ts'
import { NOT_STRICT, strictLosses } from '../../wires/shared/upstream/strict-tools.ts'
import { formatAsInstruction } from './formats.ts'
import { type Fitted, fitting, type RequestRule } from './rule.ts'

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

/** Schemas of functions have nothing that the upstream refuses. */
export const toolSchemas: RequestRule = {
  name: 'schemas of functions',
  subject: 'schemas',
  when: ({ quirks }) => (quirks.refusesInSchemas?.length ?? 0) > 0,
  *mend(request, { quirks: { refusesInSchemas: refused = [], openaiModels } }) {
    // "function parameters is empty".
    const absent = refused.includes('noParameters') ? NO_PARAMETERS : null
    const mended = yield* mendTools(request, (schema, path) => mendSchema(schema, path, refused), absent)
    const given = mended.request.text?.format
    if (given?.type !== 'json_schema') return mended
    const format = openaiModels === true ? withObjectRoot(given) : given
    if (format === null) {
      const { request: instructed, losses } = formatAsInstruction(mended.request, given, NO_OBJECT)
      return { ...mended, request: instructed, losses: [...mended.losses, ...losses] }
    }
    const { schema, losses: found } = mendSchema(format.schema, 'text.format.schema', refused.filter(isOfValues))
    if (schema === given.schema) return mended
    const losses = [...mended.losses, ...found]
    return { ...mended, request: withFormat(mended.request, { ...format, schema }), losses }
  },
}

/** The others are about the arguments of functions. */
const isOfValues = (feature: RefusedSchemaFeature): boolean => feature !== 'rootUnion' && feature !== 'rootType'

type SchemaFormat = Extract<TextFormat, { readonly type: 'json_schema' }>

const NO_OBJECT = 'sent as an instruction, because this upstream accepts the schema of an object only'

/** "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"array\"'". Null: the answer is no object. */
function withObjectRoot(format: SchemaFormat): SchemaFormat | null {
  const { schema } = format
  if (schema.anyOf !== undefined || schema.oneOf !== undefined || schema.allOf !== undefined) return null
  if (schema.type === undefined) return { ...format, schema: { type: 'object', ...schema } }
  return schema.type === 'object' ? format : null
}

const INVALID = 'no JSON Schema: sent with valid keywords only'

/** A validator reads JSON Schema first, also at a vendor that accepts more. */
export const validSchemas: RequestRule = {
  name: 'schemas that are none',
  subject: 'schemas',
  *mend(request) {
    const mended = yield* mendTools(request, valid)
    const format = mended.request.text?.format
    if (format?.type !== 'json_schema') return mended
    const { schema, losses } = valid(format.schema, 'text.format.schema')
    if (schema === format.schema) return mended
    return fitting(withFormat(mended.request, { ...format, schema }), ...mended.losses, ...losses)
  },
}

function valid(schema: JsonObject, path: string): MendedSchema {
  const own = validSchema(schema)
  return { schema: own, losses: own === schema ? NO_LOSSES : [mapped(path, INVALID)] }
}

const withFormat = (request: Request, format: TextFormat): Request => ({
  ...request,
  text: { format, verbosity: request.text?.verbosity ?? null },
})

/** Why one schema, without those inside it, is refused in a strict one; null if it is not. */
function opennessOf(schema: JsonRecord, isComplete: boolean): string | null {
  const { type, properties, required, additionalProperties, items } = schema
  if (isComplete && !hasType(schema)) return 'a value may be of any type'
  if (isComplete && type === 'array' && !isObject(items)) return 'an array allows any items'
  if (!isObject(properties) && !(isComplete && isOfObjects(schema))) return null
  if (additionalProperties !== false) return 'an object allows further properties'
  if (isComplete && !Object.values(properties ?? {}).every(isObject)) return 'a value may be of any type'
  const names = new Set(Array.isArray(required) ? required : [])
  const isOptional = isComplete && !Object.keys(properties ?? {}).every((name) => names.has(name))
  return isOptional ? 'a property is optional' : null
}

/** Why a schema is refused as a strict one; null if it is not. */
function openSchema(schema: JsonRecord, isComplete: boolean): string | null {
  let found: string | null = null
  mapSchemas(schema as JsonObject, '', (one) => {
    found ??= opennessOf(one, isComplete)
    return one
  })
  return found
}

/** A model that does not enforce schemas refuses the word. */
export const strictFunctions: RequestRule = {
  name: 'strict functions',
  subject: 'tools',
  when: ({ model }) => model.strictTools === false,
  mend(request) {
    const losses = request.tools.flatMap((tool, at) => strictLosses(tool, at, 'model'))
    if (losses.length === 0) return fitting(request)
    const tools = request.tools.map(
      (tool): Tool => (tool.type === 'function' && tool.strict === true ? { ...tool, strict: null } : tool),
    )
    return fitting({ ...request, tools }, ...losses)
  },
}

export const oneStrictness: RequestRule = {
  name: 'strict functions beside others',
  subject: 'tools',
  when: ({ quirks }) => quirks.oneStrictness === true,
  mend(request) {
    const functions = request.tools.flatMap((tool) => (tool.type === 'function' ? [tool] : []))
    const strict = functions.filter((tool) => tool.strict === true)
    if (strict.length === 0 || strict.length === functions.length) return fitting(request)
    const why = 'sent as false, because this upstream refuses strict functions beside others'
    const losses = request.tools.flatMap((tool, at) =>
      tool.type === 'function' && tool.strict === true ? [mapped(`tools[${at}].strict`, why)] : [],
    )
    const tools = request.tools.map((tool): Tool => (tool.type === 'function' ? { ...tool, strict: false } : tool))
    return fitting({ ...request, tools }, ...losses)
  },
}

/**
 * A strict schema is closed, and its references stand alone. One that is open is sent without `strict`: closed, it would be
 * another one.
 */
export const strictSchemas: RequestRule = {
  name: 'strict schemas',
  subject: 'schemas',
  when: ({ quirks }) => quirks.strictSchemas !== undefined,
  mend(request, { quirks: { strictSchemas: kind = 'complete' } }) {
    const losses: Loss[] = []
    /** null: the schema is open. */
    const inWords = (given: JsonObject, path: string, schemaPath: string): JsonObject | null => {
      const words = strictWords(given, schemaPath, kind)
      const why = openSchema(words.schema, kind === 'complete')
      if (why === null) losses.push(...words.losses)
      else losses.push(mapped(path, `sent as false: ${why}, which this upstream refuses in a strict schema`))
      return why === null ? words.schema : null
    }
    const tools = request.tools.map((tool, at): Tool => {
      if (tool.type !== 'function' || tool.strict !== true || tool.parameters === null) return tool
      const parameters = inWords(tool.parameters, `tools[${at}].strict`, `tools[${at}].parameters`)
      if (parameters === tool.parameters) return tool
      return parameters === null ? { ...tool, strict: false } : { ...tool, parameters }
    })
    const mended = tools.some((tool, at) => tool !== request.tools[at]) ? { ...request, tools } : request
    const format = request.text?.format
    if (format?.type !== 'json_schema' || format.strict !== true) return fitting(mended, ...losses)
    const schema = inWords(format.schema, 'text.format.strict', 'text.format.schema')
    if (schema === format.schema) return fitting(mended, ...losses)
    return fitting(
      withFormat(mended, schema === null ? { ...format, strict: false } : { ...format, schema }),
      ...losses,
    )
  },
}

/** Schemas that bind the model are of the subset that it binds itself to. */
export const closedSchemas: RequestRule = {
  name: 'schemas that bind',
  subject: 'schemas',
  when: ({ model }) => model.schemas === 'closed',
  mend: (request, { model }) => closeSchemas(request, model),
}

// ---------------------------------------------------------------- schemas that bind Claude

/** Of all strict tools of a request together with its format: "Schemas contains too many optional parameters". */
const MOST: SchemaSize = { optional: 24, unions: 16 }

const sum = (a: SchemaSize, b: SchemaSize): SchemaSize => ({
  optional: a.optional + b.optional,
  unions: a.unions + b.unions,
})

const exceeds = ({ optional, unions }: SchemaSize): boolean => optional > MOST.optional || unions > MOST.unions

/** The format is bound first, and then as many strict tools as the upstream accepts, in their order. */
function* closeSchemas(original: Request, facts: ModelFacts): Steps<Fitted> {
  const isStrict = facts.strictTools === true && original.tools.some((tool) => tool.type === 'function' && tool.strict)
  if (!isStrict && original.text?.format?.type !== 'json_schema') return fitting(original)
  const format = facts.jsonSchema === true ? closeFormat(original) : { ...fitting(original), size: NOTHING }
  const losses: Loss[] = [...format.losses]
  let size = format.size
  const close = (tool: Tool, at: number): Tool => {
    if (tool.type !== 'function' || tool.strict !== true) return tool
    const closed = closeSchema(tool.parameters ?? NO_PARAMETERS, `tools[${at}].parameters`)
    const all = closed === null ? size : sum(size, closed.size)
    if (closed === null || exceeds(all)) {
      losses.push(...strictLosses(tool, at, closed === null ? 'subset' : 'size'))
      return { ...tool, strict: null }
    }
    size = all
    losses.push(...closed.losses)
    return { ...tool, parameters: closed.schema }
  }
  const tools = isStrict ? yield* mapSteps(original.tools, close) : original.tools
  return fitting(tools === original.tools ? format.request : { ...format.request, tools }, ...losses)
}

const NOTHING: SchemaSize = { optional: 0, unions: 0 }

function closeFormat(request: Request): Fitted & { readonly size: SchemaSize } {
  const format = request.text?.format ?? null
  if (format?.type !== 'json_schema') return { ...fitting(request), size: NOTHING }
  const closed = closeSchema(format.schema, 'text.format.schema')
  if (closed === null || exceeds(closed.size)) {
    return { ...formatAsInstruction(request, format, `sent as an instruction: ${NOT_STRICT.subset}`), size: NOTHING }
  }
  const text = { format: { ...format, schema: closed.schema }, verbosity: request.text?.verbosity ?? null }
  return { ...fitting({ ...request, text }, ...closed.losses), size: closed.size }
}
