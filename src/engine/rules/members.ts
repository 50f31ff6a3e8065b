import { mapSame } from '../../collections/map-same.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject, toCamel } from '../../text/json.ts'
import { valueAt } from '../../text/json-path.ts'
import type { Reading, RefusedRequest } from './refusal.ts'

/** Members without which a request would be another one. Names in snake case are compared as in camel case. */
const ESSENTIAL: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'input',
  'contents',
  'prompt',
  'system',
  'systemInstruction',
  'instructions',
  'documents',
  'cachedContent',
  'previousResponseId',
  'conversation',
  'tools',
  'toolConfig',
  'toolChoice',
  'functions',
  'functionCall',
  'guardrailConfig',
  'safetySettings',
  'stream',
  'maxTokens',
  'maxCompletionTokens',
  'maxOutputTokens',
  'numPredict',
  // Inside objects that hold settings.
  'type',
  'budgetTokens',
])

/** Members with several settings: one of them may be left out, never all. */
const WHOLE: ReadonlySet<string> = new Set([
  'generationConfig',
  'inferenceConfig',
  'additionalModelRequestFields',
  'options',
  'text',
])

/** Members of tools and messages that only help: a request without them asks for the same. */
const HELPING = new RegExp(
  '^(?:messages\\.\\*\\.(?!(?:role|content|tool_calls|tool_call_id|function_call)(?:$|\\.))\\w{1,60}|' +
    'messages\\.\\*\\.tool_calls\\.\\*\\.index|(?:tools\\.\\*(?:\\.function)?|toolConfig\\.tools\\.\\*\\.toolSpec|system\\.\\*|' +
    '(?:messages|input)\\.\\*(?:\\.content\\.\\*){0,2}(?:\\.image_url)?)\\.' +
    '(?:strict|caller|citations|cache_control(?:\\.\\w{1,40})?|defer_loading|input_examples|eager_input_streaming|allowed_callers|' +
    'prompt_cache_breakpoint|detail|phase|status|signature|reasoning|reasoning_content|reasoning_details))$',
)

/** Where the answer's format stands, after the object that holds it. */
const FORMAT = /^(?:responseFormat|responseSchema|responseJsonSchema|responseMimeType|outputFormat|format)$/

/** Objects whose names are the client's own, but for the id of the user (Anthropic). */
const OWN_KEYS = /^((?:request_?)?metadata|labels|logit_?bias)\.(?!user_id$)/i

/** Objects that hold settings. A refusal may name only the setting. */
const HOLDERS = [
  '',
  'generationConfig',
  'inferenceConfig',
  'additionalModelRequestFields',
  'reasoning',
  'text',
  'output_config',
  'options',
  'thinking',
  'generationConfig.thinkingConfig',
  'additionalModelRequestFields.thinking',
  'additionalModelRequestFields.output_config',
  'chat_template_kwargs',
  'stream_options',
]

const HOLDING: ReadonlySet<string> = new Set(HOLDERS.map((holder) => toCamel(holder.split('.')[0] ?? '')))

const stepsOf = (path: string): readonly string[] => path.split(/[.[\]/]+/).filter((step) => step !== '')

const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Some vendors name a member in camel case that their protocol has in snake case, or the reverse. */
const memberOf = (value: unknown, step: string): string | null => {
  if (!isObject(value)) return null
  return [step, toCamel(step), toSnake(step)].find((name) => Object.hasOwn(value, name)) ?? null
}

/** Validators put the name of a variant into a path: `thinking.enabled.budget_tokens`, `tools.0.custom.strict`. */
const isVariant = (value: unknown, step: string): boolean =>
  step === 'custom' || step === 'function' || (isObject(value) && (value.type === step || value.role === step))

/** The path of a member that the body has, with `*` for an index; null if it has none. */
function pathIn(body: JsonObject, steps: readonly string[]): string | null {
  let value: unknown = body
  const found: string[] = []
  for (const step of steps) {
    if (Array.isArray(value) && /^\d+$/.test(step)) {
      value = value[Number(step)]
      found.push('*')
      continue
    }
    const name = memberOf(value, step)
    if (name === null && isVariant(value, step)) continue
    if (name === null) return null
    value = (value as JsonObject)[name]
    found.push(name)
  }
  return found.length === 0 ? null : found.join('.')
}

/** The steps of a path, in camel case, without the object that holds the setting. */
function settingOf(path: string): readonly string[] {
  const steps = path.split('.')
  return (steps.length > 1 && HOLDING.has(toCamel(steps[0] ?? '')) ? steps.slice(1) : steps).map(toCamel)
}

export function isEssential(path: string): boolean {
  const [first = '', ...rest] = settingOf(path)
  return (ESSENTIAL.has(first) && !HELPING.test(path)) || (WHOLE.has(first) && rest.length === 0)
}

/** The name of a whole request before a path: `GenerateContentRequest.generation_config.seed`. */
const REQUEST = /^(?:\w{1,40}Request|body|parameters?|#)$/

/** The member that a refusal names: by its path, or in one of the objects that hold settings. */
export function findMember(body: JsonObject, name: string): string | null {
  const [first = '', ...rest] = stepsOf(name)
  const steps = REQUEST.test(first) && rest.length > 0 ? rest : [first, ...rest]
  for (const holder of HOLDERS) {
    const path = pathIn(body, [...stepsOf(holder), ...steps])
    // A refusal of an entry concerns its list: entries have no members that could be left out instead.
    if (path !== null) return withoutEntries(path)
  }
  return null
}

function withoutEntries(path: string): string {
  let end = path.length
  while (path.endsWith('.*', end)) end -= 2
  return path.slice(0, end)
}

/** The names of all settings of a body. */
export const settingNames = (body: JsonObject): readonly string[] =>
  HOLDERS.flatMap((holder) => {
    const path = holder === '' ? null : pathIn(body, stepsOf(holder))
    const value = holder === '' ? body : path === null ? undefined : valueAt(body, path)
    return isObject(value) ? Object.keys(value) : []
  })

/** Returns the value without the members at these paths, in which `*` is each entry of a list. Nothing is changed in place. */
export function withoutMembers(body: JsonObject, paths: readonly string[]): JsonObject {
  return paths.reduce<JsonObject>((now, path) => without(now, path.split('.')) as JsonObject, body)
}

function without(value: Json, [step = '', ...rest]: readonly string[]): Json {
  if (Array.isArray(value)) {
    if (step !== '*') return value
    return mapSame(value as readonly Json[], (entry) => without(entry, rest))
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return value
  const object = value as JsonObject
  const inner = rest.length === 0 ? undefined : without(object[step] as Json, rest)
  if (inner === object[step]) return value
  const isEmpty = inner === undefined || (isObject(inner) && Object.keys(inner).length === 0)
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, member]) =>
      name !== step ? [[name, member] as const] : isEmpty ? [] : [[name, inner as Json] as const],
    ),
  )
}

// ---------------------------------------------------------------- restrictions

/** `output_config` may have an effort only. A schema binds without `strict` as well. */
function isFormat(path: string, body: JsonObject): boolean {
  const [first = ''] = settingOf(path)
  if (path === 'output_config') return memberOf(body[path], 'format') !== null
  return FORMAT.test(first) && !/^(?:response_format\.json_schema|text\.format)\.strict$/.test(path)
}

function isAboutSchema(path: string, { text, body }: RefusedRequest): boolean {
  const refused = valueAt(body, path)
  const format = isObject(refused) ? (refused.format ?? refused) : null
  return /schema/i.test(text) || (isObject(format) && format.type !== 'json_object' && format.type !== 'text')
}

/** Types of tools that are functions of the client. A member of another tool may be refused there alone. */
const FUNCTIONS: ReadonlySet<unknown> = new Set([undefined, null, 'function', 'custom'])

function isOfFunction(path: string, body: JsonObject): boolean {
  const [list = '', at = ''] = stepsOf(path)
  const tool = list === 'tools' && Array.isArray(body.tools) ? (body.tools as readonly unknown[])[Number(at)] : null
  return !isObject(tool) || FUNCTIONS.has(tool.type)
}

/** Each of them depends on the others. */
const LOGPROBS = /(?:^|\.)(?:logprobs|top_logprobs|responseLogprobs)$/

/** A refusal of a member itself, whatever its value. */
export function memberRestrictions(name: string, refused: RefusedRequest): readonly Reading[] {
  const path = findMember(refused.body, name)
  if (path === null || isEssential(path)) return []
  if (isFormat(path, refused.body)) return isAboutSchema(path, refused) ? [{ facts: { jsonSchema: false } }] : []
  if (LOGPROBS.test(path)) return [{ facts: { logprobs: false } }]
  const own = OWN_KEYS.exec(path)?.[1]
  if (own !== undefined) return [{ scope: 'request', quirks: { refusesMembers: [own] } }]
  const restriction = { quirks: { refusesMembers: [path] } }
  return [isOfFunction(name, refused.body) ? restriction : { scope: 'request', ...restriction }]
}

/** The kind of a format: the model has others, whatever the request. */
const KIND_OF_FORMAT = /(?:^|\.)type$/

/** A refusal of the value of a member, others of which may be accepted. */
export const valueRestrictions = (name: string, refused: RefusedRequest): readonly Reading[] =>
  memberRestrictions(name, refused).map((restriction) =>
    restriction.facts?.jsonSchema === false && KIND_OF_FORMAT.test(name)
      ? restriction
      : { ...restriction, scope: 'request' },
  )
