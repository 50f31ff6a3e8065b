import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { formatJson, isObject, parseJson } from '../../text/json.ts'
import type { BodyShape } from '../../wires/body-contract.ts'
import type { WireName } from '../../wires/contract.ts'
import { WIRES } from '../../wires/registry.ts'
import type { ScriptedCall, ScriptedTurn } from '../scripted/wire-upstream.ts'

/** The turn with which a mock answers a request: what its functions, its schema, its limit and its words demand. */
export function turnFor(wire: WireName, body: JsonObject): ScriptedTurn {
  const words = formatJson(body)
  const reasoning = REASONS.test(words) ? { reasoning: { text: 'A short thought.', seal: 'c2VhbA==' } } : {}
  return { ...reasoning, ...stopped(contentFor(wire, body, words), words) }
}

/** A request for reasoning, in the members of any wire. */
const REASONS = /"(?:reasoning|reasoning_effort|reasoning_config|thinking|thinking_level|thinkingConfig|think)":/

const text = (...text: readonly string[]): ScriptedTurn => ({ text, calls: [] })

const SHORT = text('Hello', ' there', ', good', ' morning ☀.')
const LENGTH: ScriptedTurn = { ...text('1 2 3', ' 4 5 6 7'), finish: 'length' }
const REFUSAL: ScriptedTurn = { ...text("I'm sorry,", ' but no.'), finish: 'refusal' }
const RESULT = text('It rains', ' in Oslo', ', at 4 °C.')

const CITED_TEXT = 'Galdhøpiggen – 2469 m – [Norgeskart]'
const CITED: ScriptedTurn = {
  ...text(CITED_TEXT.slice(0, 13), CITED_TEXT.slice(13)),
  citation: {
    url: 'https://example.org/galdhopiggen',
    title: 'Norgeskart',
    start: CITED_TEXT.indexOf('['),
    end: CITED_TEXT.length,
  },
}

/** Words of a request → the answer. */
const ANSWERS: readonly (readonly [words: RegExp, turn: ScriptedTurn])[] = [
  [/\bRefuse to answer\b/, REFUSAL],
  [/\bCite a source\b/, CITED],
  [/\bRepeat exactly: /, text('Grüße, ', '世界, ', '🙂👩‍💻!')],
  [/"(?:input_image|image_url|image|images|inlineData)"/, text('It is', ' red.')],
]

const COUNT = /\bCount from 1 to (\d{1,3})\b/

const counted = (last: number): ScriptedTurn =>
  text(...Array.from({ length: last }, (_, i) => (i === 0 ? '1' : ` ${i + 1}`)))

const STOPS = /"(?:stop|stop_sequences|stopSequences)":(\[[^\]]{0,400}\]|"[^"]{0,400}")/

/** The turn up to the first stop sequence of its request. */
function stopped(turn: ScriptedTurn, words: string): ScriptedTurn {
  const given = parseJson(STOPS.exec(words)?.[1] ?? '[]')
  const stops = (Array.isArray(given) ? given : [given]).map(String)
  const joined = turn.text.join('')
  const end = Math.min(joined.length, ...stops.map((stop) => joined.indexOf(stop)).filter((at) => at !== -1))
  let at = 0
  const pieces = turn.text.map((piece) => {
    const begin = at
    at += piece.length
    return joined.slice(begin, Math.min(at, end))
  })
  return { ...turn, text: pieces.filter((piece) => piece !== '') }
}

/** The most output tokens with which an answer is cut. */
const SHORT_LIMIT = 16

const LIMITS = /"(?:max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens|maxTokens|num_predict)":(\d+)/

function contentFor(wire: WireName, body: JsonObject, words: string): ScriptedTurn {
  const shape: BodyShape = WIRES[wire].body
  if (RESULTS.test(words) || shape.calls?.(body).some(({ kind }) => kind === 'result') === true)
    return withCodes(RESULT, words)
  const calls = callsFor(wire, body, words)
  if (calls.length > 0) return { text: [], calls }
  const limit = LIMITS.exec(words)?.[1]
  if (limit !== undefined && Number(limit) <= SHORT_LIMIT) return LENGTH
  const { tools: _, toolConfig: __, ...rest } = body
  const schema = schemaIn(rest)
  if (schema !== null) return text(...halvesOf(JSON.stringify(sampleOf(schema))))
  const last = COUNT.exec(words)?.[1]
  if (last !== undefined) return counted(Number(last))
  return ANSWERS.find(([pattern]) => pattern.test(words))?.[1] ?? withCodes(SHORT, words)
}

const CODES = /\b[A-Z]{2}-\d{4}\b/g

/** An answer repeats the codes of its conversation, such as `KX-4821`, so that a history that was lost shows. */
const withCodes = (turn: ScriptedTurn, words: string): ScriptedTurn => ({
  ...turn,
  text: [...turn.text, ...[...new Set(words.match(CODES))].map((code) => ` ${code}.`)],
})

const SCHEMA_MEMBERS: ReadonlySet<string> = new Set([
  'schema',
  'responseJsonSchema',
  'responseSchema',
  'json_schema',
  'format',
])

/** The schema of the answer: in a member of any wire, also as text, or at the end of an instruction. */
function schemaIn(value: unknown): JsonRecord | null {
  if (typeof value === 'string') return schemaInText(value)
  const entries = Array.isArray(value)
    ? value.map((one) => ['', one] as const)
    : Object.entries(isObject(value) ? value : {})
  for (const [name, inner] of entries) {
    const given = typeof inner === 'string' && SCHEMA_MEMBERS.has(name) ? parseJson(inner) : inner
    const found = SCHEMA_MEMBERS.has(name) && isObject(given) && isObject(given.properties) ? given : schemaIn(inner)
    if (found !== null) return found
  }
  return null
}

function schemaInText(text: string): JsonRecord | null {
  const at = text.includes('schema') ? text.indexOf('{') : -1
  const value = at === -1 ? undefined : parseJson(text.slice(at, text.lastIndexOf('}') + 1))
  return isObject(value) && isObject(value.properties) ? value : null
}

/** Results of calls without an id, which the shape of a body leaves out. */
const RESULTS = /"functionResponse":|"role":"tool"/

const halvesOf = (text: string): readonly string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)]

// ---------------------------------------------------------------- calls

/** The member that says which function is to be called. */
const choiceOf = (body: JsonObject): string => {
  const { tool_choice: flat, toolConfig, generation_config: settings } = body
  return formatJson([flat, isObject(toolConfig) ? { ...toolConfig, tools: null } : null, chosenIn(settings)])
}

const chosenIn = (settings: unknown): unknown => (isObject(settings) ? settings.tool_choice : null)

const CITIES = ['Oslo', 'Rome'] as const

function callsFor(wire: WireName, body: JsonObject, words: string): readonly ScriptedCall[] {
  const choice = choiceOf(body)
  if (/"(?:none|NONE)"/.test(choice)) return []
  const functions = WIRES[wire].body.functions(body)
  const [first] = functions.filter(({ name }) => choice.includes(JSON.stringify(name)))
  const chosen = first ?? functions[0]
  if (chosen === undefined) return []
  const sample = sampleOf(chosen.parameters?.schema ?? {})
  const args = isObject(sample) ? sample : {}
  const isTwice = first === undefined && /Oslo\b.{0,40}\bRome\b/.test(words)
  const all = isTwice ? CITIES.map((city) => ({ ...args, city })) : [args]
  return all.map((own, at) => ({ id: `call_${at + 1}`, name: String(chosen.name), args: own }))
}

/** A value that a JSON Schema permits, for the schemas that tools usually have. */
function sampleOf(schema: JsonRecord): unknown {
  const { type, enum: values, properties, const: only, anyOf } = schema
  if (only !== undefined) return only
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return sampleOf(isObject(anyOf[0]) ? anyOf[0] : {})
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return CITIES[0]
    case 'integer':
    case 'number':
      return 4
    case 'boolean':
      return true
    case 'array':
      return []
    case 'null':
      return null
    default:
      return Object.fromEntries(
        Object.entries(isObject(properties) ? properties : {}).map(([name, inner]) => [
          name,
          sampleOf(isObject(inner) ? inner : {}),
        ]),
      )
  }
}
