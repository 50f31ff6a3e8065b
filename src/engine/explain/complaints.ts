import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import { isObject } from '../../text/json.ts'
import type { Steps } from '../../text/steps.ts'
import { pathIn } from '../../validation/messages.ts'
import type { WireName } from '../../wires/contract.ts'
import type { Quirks, RefusedSchemaFeature } from '../../wires/quirks.ts'
import { MOST_BREAKPOINTS } from '../../wires/shared/upstream/cache/place-breakpoints.ts'
import { toCallId } from '../../wires/shared/upstream/call-ids.ts'
import { CLOSED_BOUNDS } from '../../wires/shared/upstream/schemas/close-schema.ts'
import { BESIDE, hasBeside } from '../../wires/shared/upstream/schemas/separate-keywords.ts'
import type { Complaint } from './explanation.ts'
import type { SentBreakpoint } from './prompt.ts'
import {
  answerSchemaOf,
  callsIn,
  functionsIn,
  placedObjects,
  type SentFunction,
  type SentSchema,
} from './sent-tools.ts'

/** The vendor of a body, as far as its rules depend on it. */
export interface RuledUpstream {
  readonly wire: WireName
  readonly quirks: Quirks
}

interface NameRule {
  readonly pattern: RegExp
  readonly words: string
}

const SIXTY_FOUR: NameRule = { pattern: /^[\w-]{1,64}$/, words: 'at most 64 letters, digits, _ and -' }
const LONG_NAME: NameRule = { pattern: /^[\w-]{1,128}$/, words: 'at most 128 letters, digits, _ and -' }

const GOOGLE_NAME: NameRule = {
  pattern: /^[A-Za-z_][\w.:-]{0,127}$/,
  words: 'a letter or _, and at most 127 more letters, digits, _ . : and -',
}

/** The names of functions that the upstreams of a wire accept. */
const NAMES: Readonly<Partial<Record<WireName, NameRule>>> = {
  'openai-chat': SIXTY_FOUR,
  'openai-responses': LONG_NAME,
  'anthropic-messages': LONG_NAME,
  'gemini-generate': GOOGLE_NAME,
  'gemini-interactions': GOOGLE_NAME,
  'bedrock-converse': SIXTY_FOUR,
  'cohere-chat': SIXTY_FOUR,
}

/**
 * Finds what the rules of the vendor are against, as far as they are known here. The vendor may have further rules, and
 * those for parts of a body that are not JSON. Most of these values are the client's own in a body that is passed
 * through, which stays as it is.
 * `breakpoints`: those in the body.
 */
export function* complaintsAbout(
  body: JsonObject,
  breakpoints: readonly SentBreakpoint[],
  upstream: RuledUpstream,
): Steps<readonly Complaint[]> {
  const functions = functionsIn(upstream.wire, body)
  yield
  const complaints = [...nameComplaints(functions, upstream)]
  yield
  for (const schema of schemasIn(functions, body, upstream))
    for (const one of yield* schemaComplaints(schema, upstream)) complaints.push(one)
  for (const one of yield* callComplaints(body, upstream)) complaints.push(one)
  for (const one of settingComplaints(body, upstream)) complaints.push(one)
  for (const { path } of breakpoints.slice(MOST_BREAKPOINTS))
    complaints.push({ path, message: `at most ${MOST_BREAKPOINTS} cache breakpoints are accepted` })
  return complaints
}

// ---------------------------------------------------------------- tools

function nameComplaints(functions: readonly SentFunction[], { wire }: RuledUpstream): readonly Complaint[] {
  const rule = NAMES[wire]
  const seen = new Set<unknown>()
  return functions.flatMap(({ namePath, name }): readonly Complaint[] => {
    const isRepeated = seen.has(name)
    seen.add(name)
    if (isRepeated) return [{ path: namePath, message: 'another function has the same name' }]
    const isValid = rule === undefined || (typeof name === 'string' && rule.pattern.test(name))
    return isValid ? [] : [{ path: namePath, message: `the name of a function has ${rule.words}` }]
  })
}

const schemasIn = (
  functions: readonly SentFunction[],
  body: JsonObject,
  { wire }: RuledUpstream,
): readonly SentSchema[] => {
  const answer = answerSchemaOf(wire, body)
  const parameters = functions.flatMap((one) => (one.parameters === null ? [] : [one.parameters]))
  return answer === null ? parameters : [...parameters, answer]
}

const ROOT_UNIONS = ['anyOf', 'oneOf', 'allOf'] as const
const NEEDS_OBJECT: ReadonlySet<WireName> = new Set(['anthropic-messages', 'bedrock-converse'])
const IS_STRICT: ReadonlySet<WireName> = new Set(['openai-chat', 'openai-responses', 'anthropic-messages'])

function* schemaComplaints(sent: SentSchema, { wire, quirks }: RuledUpstream): Steps<readonly Complaint[]> {
  const { path, schema, isStrict } = sent
  const refused: ReadonlySet<string> = new Set<RefusedSchemaFeature>(quirks.refusesInSchemas ?? [])
  const complaints: Complaint[] = []
  if ((NEEDS_OBJECT.has(wire) || refused.has('rootType')) && schema.type !== 'object')
    complaints.push({ path, message: 'the schema needs "type": "object" at its top level' })
  if (refused.has('rootUnion'))
    for (const name of ROOT_UNIONS.filter((union) => Object.hasOwn(schema, union)))
      complaints.push({ path: `${path}.${name}`, message: 'refused at the top level of a schema' })
  for (const [inner, own] of subschemasOf(schema, path)) {
    for (const name of Object.keys(inner).filter((keyword) => refused.has(keyword)))
      complaints.push({ path: pathIn(own, name), message: 'this keyword of JSON Schema is refused' })
    if (BESIDE.some((feature) => refused.has(feature) && hasBeside(feature, inner)))
      complaints.push({
        path: own,
        message: 'keywords are refused beside a reference, a type beside anyOf or other values of an enum',
      })
    if (isStrict && wire === 'anthropic-messages')
      for (const name of CLOSED_BOUNDS.filter((bound) => Object.hasOwn(inner, bound)))
        complaints.push({
          path: pathIn(own, name),
          message: 'this keyword is refused in a schema that binds the model',
        })
    if (isStrict && IS_STRICT.has(wire)) complaints.push(...strictComplaints(inner, own, quirks))
    yield
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

function* callComplaints(body: JsonObject, { wire, quirks }: RuledUpstream): Steps<readonly Complaint[]> {
  const all = callsIn(wire, body)
  yield
  const called = new Set(all.filter(({ kind }) => kind === 'call').map(({ id }) => id))
  const answered = new Set(all.filter(({ kind }) => kind === 'result').map(({ id }) => id))
  const { callIds } = quirks
  return all.flatMap(({ kind, path, id }): readonly Complaint[] => {
    if (kind === 'call' && !answered.has(id)) return [{ path, message: 'the call has no result' }]
    if (kind === 'result' && !called.has(id)) return [{ path, message: 'the result belongs to no call' }]
    if (callIds !== undefined && toCallId(id, callIds) !== id)
      return [{ path, message: `the id of a call has ${ID_WORDS[callIds]}` }]
    const isPlain = wire !== 'anthropic-messages' && wire !== 'bedrock-converse'
    return isPlain || /^[\w-]+$/.test(id) ? [] : [{ path, message: 'the id of a call has letters, digits, _ and -' }]
  })
}

// ---------------------------------------------------------------- settings

const LEAST_BUDGET = 1024

/** A body that is passed through stays as it is: what a translation would have changed for the model is a complaint. */
export const unfitComplaints = (
  losses: readonly Loss[],
  recorded: readonly { readonly path: string }[],
): readonly Complaint[] => {
  const known = new Set(recorded.map(({ path }) => path))
  return losses.filter(({ path }) => !known.has(path)).map(({ path, why }) => ({ path, message: why }))
}

function settingComplaints(body: JsonObject, { wire }: RuledUpstream): readonly Complaint[] {
  if (wire !== 'anthropic-messages') return []
  const { max_tokens: most, thinking, tool_choice: choice } = body
  const complaints: Complaint[] = []
  if (typeof most !== 'number') complaints.push({ path: 'max_tokens', message: 'required' })
  if (!isObject(thinking) || thinking.type === 'disabled') return complaints
  const { budget_tokens: budget } = thinking
  if (typeof budget === 'number' && (budget < LEAST_BUDGET || (typeof most === 'number' && budget >= most)))
    complaints.push({
      path: 'thinking.budget_tokens',
      message: `at least ${LEAST_BUDGET}, and less than max_tokens`,
    })
  if (thinking.type === 'enabled' && isObject(choice) && (choice.type === 'any' || choice.type === 'tool'))
    complaints.push({ path: 'tool_choice', message: 'a forced tool excludes thinking' })
  return complaints
}
