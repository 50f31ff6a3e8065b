import type { Complaint } from '../../engine/explain/explanation.ts'
import { nameStyle } from '../../engine/passes/tool-names.ts'
import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { pathIn } from '../../validation/messages.ts'
import { NAME_STYLES, toToolName } from '../../validation/namespaces.ts'
import type { BodyShape, SentFunction, SentSchema } from '../../wires/body-contract.ts'
import type { Quirks, RefusedSchemaFeature } from '../../wires/quirks.ts'
import { toCallId } from '../../wires/shared/upstream/call-ids.ts'
import { COMBINED, hasCombination } from '../../wires/shared/upstream/schemas/separate-keywords.ts'
import { placedObjects } from '../../wires/shared/upstream/sent-tools.ts'

/** The upstream of a body, as far as its rules depend on it. */
interface RuledUpstream {
  readonly shape: BodyShape
  readonly quirks: Quirks
}

/**
 * Finds the rules of its vendor that a body breaks, as far as they are known. It reads the body alone, as the vendor
 * does: `engine/rules/` changes requests so that none is found.
 */
export const brokenBy = (body: JsonObject, upstream: RuledUpstream): readonly Complaint[] => {
  const functions = upstream.shape.functions(body)
  return [
    ...nameComplaints(functions, upstream),
    ...schemasIn(functions, body, upstream).flatMap((schema) => schemaComplaints(schema, upstream)),
    ...callComplaints(body, upstream),
    ...(upstream.shape.brokenRules?.(body) ?? []),
  ]
}

// ---------------------------------------------------------------- tools

function nameComplaints(functions: readonly SentFunction[], { shape, quirks }: RuledUpstream): readonly Complaint[] {
  const style = nameStyle(quirks, shape)
  const seen = new Set<unknown>()
  return functions.flatMap(({ namePath, name }): readonly Complaint[] => {
    const isRepeated = seen.has(name)
    seen.add(name)
    if (isRepeated) return [{ path: namePath, message: 'another function has the same name' }]
    const isValid = style === null || (typeof name === 'string' && toToolName(name, style) === name)
    return isValid ? [] : [{ path: namePath, message: `the name of a function has ${NAME_STYLES[style].words}` }]
  })
}

const schemasIn = (
  functions: readonly SentFunction[],
  body: JsonObject,
  { shape }: RuledUpstream,
): readonly SentSchema[] => {
  const answer = shape.answerSchema?.(body) ?? null
  const parameters = functions.flatMap((one) => (one.parameters === null ? [] : [one.parameters]))
  return answer === null ? parameters : [...parameters, answer]
}

const ROOT_UNIONS = ['anyOf', 'oneOf', 'allOf'] as const

function schemaComplaints(sent: SentSchema, { shape, quirks }: RuledUpstream): readonly Complaint[] {
  const { path, schema, isStrict } = sent
  const refused: ReadonlySet<string> = new Set<RefusedSchemaFeature>(quirks.refusesInSchemas ?? [])
  const complaints: Complaint[] = []
  if ((shape.objectSchemas === true || refused.has('rootType')) && schema.type !== 'object')
    complaints.push({ path, message: 'the schema needs "type": "object" at its top level' })
  if (refused.has('rootUnion'))
    for (const name of ROOT_UNIONS.filter((union) => Object.hasOwn(schema, union)))
      complaints.push({ path: `${path}.${name}`, message: 'refused at the top level of a schema' })
  for (const [inner, own] of subschemasOf(schema, path)) {
    for (const name of Object.keys(inner).filter((keyword) => refused.has(keyword)))
      complaints.push({ path: pathIn(own, name), message: 'this keyword of JSON Schema is refused' })
    if (COMBINED.some((feature) => refused.has(feature) && hasCombination(feature, inner)))
      complaints.push({
        path: own,
        message: 'keywords are refused beside a reference, a type beside anyOf or other values of an enum',
      })
    if (isStrict)
      for (const name of (shape.strictBounds ?? []).filter((bound) => Object.hasOwn(inner, bound)))
        complaints.push({
          path: pathIn(own, name),
          message: 'this keyword is refused in a schema that binds the model',
        })
    if (isStrict && shape.closedSchemas === true) complaints.push(...strictComplaints(inner, own, quirks))
  }
  return complaints
}

/** A strict schema describes every member of an object; OpenAI requires each of them as well. */
function strictComplaints(schema: JsonRecord, path: string, { openaiModels }: Quirks): readonly Complaint[] {
  const { properties, required, additionalProperties } = schema
  if (!isObject(properties)) return []
  const names = new Set(Array.isArray(required) ? required : [])
  const missing = Object.keys(properties).filter((name) => !names.has(name))
  return [
    ...(additionalProperties === false
      ? []
      : [{ path, message: 'a strict schema needs "additionalProperties": false in each object' }]),
    ...(openaiModels === true && missing.length > 0
      ? [{ path, message: `a strict schema requires each property; missing: ${missing.join(', ')}` }]
      : []),
  ]
}

const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const SINGLES = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const

/** The schema and those inside it, each with its path. */
function* subschemasOf(schema: JsonRecord, path: string): Iterable<readonly [schema: JsonRecord, path: string]> {
  yield [schema, path]
  for (const name of MAPS) {
    const map = schema[name]
    if (!isObject(map)) continue
    for (const [member, inner] of Object.entries(map))
      if (isObject(inner)) yield* subschemasOf(inner, pathIn(`${path}.${name}`, member))
  }
  for (const name of LISTS)
    for (const [inner, own] of placedObjects(schema[name], `${path}.${name}`)) yield* subschemasOf(inner, own)
  for (const name of SINGLES) {
    const inner = schema[name]
    if (isObject(inner)) yield* subschemasOf(inner, `${path}.${name}`)
  }
}

// ---------------------------------------------------------------- conversation

const ID_WORDS = {
  short: 'at most 40 characters',
  long: 'at most 64 characters',
  nine: 'exactly nine letters and digits',
} as const

function callComplaints(body: JsonObject, { shape, quirks }: RuledUpstream): readonly Complaint[] {
  const all = shape.calls?.(body) ?? []
  const called = new Set(all.filter(({ kind }) => kind === 'call').map(({ id }) => id))
  const answered = new Set(all.filter(({ kind }) => kind === 'result').map(({ id }) => id))
  const { callIds } = quirks
  return all.flatMap(({ kind, path, id }): readonly Complaint[] => {
    if (kind === 'call' && !answered.has(id)) return [{ path, message: 'the call has no result' }]
    if (kind === 'result' && !called.has(id)) return [{ path, message: 'the result belongs to no call' }]
    if (callIds !== undefined && toCallId(id, callIds) !== id)
      return [{ path, message: `the id of a call has ${ID_WORDS[callIds]}` }]
    return shape.plainIds !== true || /^[\w-]+$/.test(id)
      ? []
      : [{ path, message: 'the id of a call has letters, digits, _ and -' }]
  })
}
