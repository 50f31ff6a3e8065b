import type { EffortStep, ModelFacts } from '../../../models/facts.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { EFFORT_LEVELS } from '../../../protocol/request.ts'
import { isObject, toCamel } from '../../../text/json.ts'
import { valueAt } from '../../../text/json-path.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { withoutLeads } from './error-messages.ts'

/** The facts about a model, and the quirks of requests for it, that a refusal of its upstream shows. */
export interface Lesson {
  readonly facts?: ModelFacts
  readonly quirks?: Pick<Quirks, 'refusesMembers' | 'maxTokensField' | 'refusesInSchemas'>
  /** For this request only: the refusal is about a value, and others of the same member may be accepted. */
  readonly once?: Pick<Quirks, 'refusesMembers'>
}

/** A refused request, as far as a lesson depends on it. */
export interface RefusedRequest {
  /** The message of the upstream. */
  readonly text: string
  /** The path that the error names; null if it names none. */
  readonly param: string | null
  readonly body: JsonObject
}

// ---------------------------------------------------------------- members

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
  '^(?:messages\\.\\*\\.name|(?:tools\\.\\*(?:\\.function)?|toolConfig\\.tools\\.\\*\\.toolSpec|system\\.\\*|' +
    '(?:messages|input)\\.\\*(?:\\.content\\.\\*(?:\\.image_url)?)?)\\.' +
    '(?:strict|cache_control|defer_loading|input_examples|eager_input_streaming|allowed_callers|' +
    'prompt_cache_breakpoint|detail|phase|status|signature))$',
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
]

const HOLDING: ReadonlySet<string> = new Set(HOLDERS.map(toCamel))

const stepsOf = (path: string): readonly string[] => path.split(/[.[\]]+/).filter((step) => step !== '')

const memberOf = (value: unknown, step: string): string | null => {
  if (!isObject(value)) return null
  return [step, toCamel(step)].find((name) => Object.hasOwn(value, name)) ?? null
}

/** The path of a member that the body has, with `*` for an index; null if it has none. `custom` is Anthropic's name of a variant. */
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
    if (name === null && (step === 'custom' || step === 'function')) continue
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

function isEssential(path: string): boolean {
  const [first = '', ...rest] = settingOf(path)
  return (ESSENTIAL.has(first) && !HELPING.test(path)) || (WHOLE.has(first) && rest.length === 0)
}

/** The member that a refusal names: by its path, or in one of the objects that hold settings. */
function findMember(body: JsonObject, name: string): string | null {
  const steps = stepsOf(name)
  for (const holder of HOLDERS) {
    const path = pathIn(body, holder === '' ? steps : [holder, ...steps])
    if (path !== null) return path
  }
  return null
}

/** Returns the value without the members at these paths, in which `*` is each entry of a list. Nothing is changed in place. */
export function withoutMembers(body: JsonObject, paths: readonly string[]): JsonObject {
  return paths.reduce<JsonObject>((now, path) => without(now, path.split('.')) as JsonObject, body)
}

function without(value: Json, [step = '', ...rest]: readonly string[]): Json {
  if (Array.isArray(value)) {
    if (step !== '*') return value
    const list = value as readonly Json[]
    const edited = list.map((entry) => without(entry, rest))
    return edited.every((entry, at) => entry === list[at]) ? value : edited
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

// ---------------------------------------------------------------- refusals

const member = (name: string, refusal: RefusedRequest): Lesson | null => {
  const path = findMember(refusal.body, name)
  if (path === null || isEssential(path)) return null
  if (isFormat(path, refusal.body)) return isAboutSchema(path, refusal) ? { facts: { jsonSchema: false } } : null
  const own = OWN_KEYS.exec(path)
  return own?.[1] === undefined ? { quirks: { refusesMembers: [path] } } : { once: { refusesMembers: [own[1]] } }
}

/** A value of the member is refused, so that the lesson is not kept. */
function value(name: string, refusal: RefusedRequest): Lesson | null {
  const lesson = member(name, refusal)
  return lesson?.quirks === undefined ? lesson : { once: lesson.quirks }
}

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

const LENGTHS = {
  user: 'longestUser',
  safety_identifier: 'longestSafetyId',
  prompt_cache_key: 'longestCacheKey',
} as const

/** Shorter identifiers than this are no limit of a vendor. */
const SHORTEST_LIMIT = 16

function tooLong(name: string, limit: string | undefined, refusal: RefusedRequest): Lesson | null {
  const lesson = value(name, refusal)
  const fact = lookup(LENGTHS, name)
  const isLimit = fact !== undefined && Number(limit) >= SHORTEST_LIMIT
  return lesson !== null && isLimit ? { ...lesson, facts: { [fact]: Number(limit) } } : lesson
}

/** Limits beyond these are no limits of a model. */
const mostOutput = (most: number): Lesson | null => (most >= 256 ? { facts: { mostOutput: most } } : null)
const leastOutput = (least: number): Lesson | null => (least <= 1024 ? { facts: { leastOutput: least } } : null)

const facts = (found: ModelFacts) => (): Lesson => ({ facts: found })

const LEVELS: readonly string[] = EFFORT_LEVELS
const isStep = (word: string): word is EffortStep => word !== 'none' && LEVELS.includes(word)

const stepsIn = (text: string): readonly string[] =>
  (text.slice(0, 300).match(/[a-z]+/g) ?? []).filter((word) => LEVELS.includes(word))

/** The steps of effort that a refusal lists. Without `none`, reasoning cannot be turned off. */
function effortsIn(list: string): Lesson | null {
  const found = stepsIn(list)
  if (found.length === 0) return null
  const efforts = found.filter(isStep)
  return { facts: { reasons: found.includes('none') ? 'optional' : 'always', reasoningBy: 'effort', efforts } }
}

const EFFORT = /effort/i

/** Any other value is refused as well. */
const ONLY = /\bonly (?:the default|\S{1,20} is allowed)/i

/** A value of a setting is refused: the list has those of an effort; another setting is left out. */
function unsupportedValue(name: string, list: string, refusal: RefusedRequest): Lesson | null {
  const efforts = EFFORT.test(name) ? effortsIn(list) : null
  return efforts ?? (ONLY.test(refusal.text) ? member : value)(name, refusal)
}

type Read = (match: RegExpExecArray, refusal: RefusedRequest) => Lesson | null

/** A quoted name: `'reasoning_effort'`, "`temperature`". */
const Q = '[\'"`]?'
const NAME = `${Q}([\\w.[\\]-]{1,80})${Q}`
/** A path before the sentence: `messages.1.content.0: …`, `tools.0.custom.strict: …`. */
const AT = '(?:[\\w.[\\]-]{1,120}: ?)?'

const pattern = (text: string): RegExp => new RegExp(`^${AT}${text}`, 'i')

/** Sentences of vendors, and their lessons. The first row that matches decides. */
const ROWS: readonly (readonly [RegExp, Read])[] = [
  // Reasoning.
  [
    pattern(`${Q}thinking\\.type\\.disabled${Q} is not supported`),
    facts({ reasons: 'always', reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] }),
  ],
  [
    pattern(`${Q}thinking\\.type\\.enabled${Q} is not supported`),
    facts({ reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] }),
  ],
  [pattern('adaptive thinking is not supported'), facts({ reasoningBy: 'budget' })],
  [
    pattern('(?:this model )?does not support effort level [^.]{1,40}\\. supported levels:? ([^\\n]{1,200})'),
    ([, list = '']) => effortsIn(list),
  ],
  [
    pattern('this model does not support the effort parameter'),
    (_, refusal) => member('output_config.effort', refusal),
  ],
  [pattern('(?:budget 0 is invalid\\. )?this model only works in thinking mode'), facts({ reasons: 'always' })],
  [pattern('budget 0 is invalid'), facts({ reasons: 'always' })],
  [
    pattern('reasoning is mandatory'),
    facts({ reasons: 'always', reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] }),
  ],
  [pattern('thinking level (\\w{1,12}) is not supported'), ([, level = '']) => withoutLevel(level.toLowerCase())],
  [pattern('thinking is enabled but reasoning_content is missing'), facts({ needsReasoning: true })],
  [pattern('function tools with reasoning_effort are not supported'), facts({ chatTools: 'without-effort' })],
  // Choices of tools.
  [
    pattern(`tool_choice: type [^.]{1,60} (?:are|is) not supported`),
    facts({ forcedTools: 'none', forcedWhileReasoning: 'none' }),
  ],
  [
    pattern(`type ${Q}(?:tool|an[y])${Q}[^.]{0,40} (?:are|is) not supported for this model`),
    facts({ forcedTools: 'none', forcedWhileReasoning: 'none' }),
  ],
  [
    pattern('thinking (?:may not be enabled when tool_choice forces|mode does not support this tool_choice)'),
    facts({ forcedWhileReasoning: 'none' }),
  ],
  [
    pattern(`tool_choice ${NAME}(?: \\(or ${NAME}\\))? is incompatible with thinking`),
    facts({ forcedWhileReasoning: 'none' }),
  ],
  // Formats and schemas.
  [
    pattern('(?:function calling with a response mime type|json mode cannot be combined)'),
    facts({ jsonWithTools: 'none' }),
  ],
  [pattern('this response_format type is unavailable'), facts({ jsonSchema: false })],
  [
    /^(?:output_config\.format|outputConfig[\w.]{0,60}|output_format)(?:[\w.]{0,80})?: extra inputs are not permitted/i,
    facts({ jsonSchema: false }),
  ],
  [
    /^tools[.[]\d{1,4}\]?\.(?:(?:custom|function)\.)?strict: extra inputs are not permitted/i,
    facts({ strictTools: false }),
  ],
  [
    pattern('schemas contains too many|the compiled grammar is too large|[^.]{0,40}too complex for grammar'),
    facts({ strictTools: false }),
  ],
  [
    pattern('[^.]{0,60}does not support oneOf, allOf, or anyOf at the top level'),
    () => ({ quirks: { refusesInSchemas: ['rootUnion'] } }),
  ],
  // Conversations.
  [pattern('(?:this model )?does not support assistant message prefill'), facts({ lastRole: 'user' })],
  [pattern('expected last role user'), facts({ lastRole: 'user' })],
  [pattern("role 'system' is not supported"), facts({ lateSystem: false })],
  [pattern('system message must be at the beginning'), facts({ oneSystem: true })],
  // Limits.
  [
    pattern(
      `${Q}(?:max_tokens|max_completion_tokens)${Q}(?: is)? too large: \\d{1,9}\\. this model supports at most (\\d{1,7})`,
    ),
    ([, most]) => mostOutput(Number(most)),
  ],
  [
    pattern('[^.]{0,120}(?:valid range|range of max_tokens)[^[]{0,60}\\[1, ?(\\d{1,7})\\]'),
    ([, most]) => mostOutput(Number(most)),
  ],
  [
    pattern(`invalid ${NAME}: integer below minimum value\\. [^\\d]{0,40}(\\d{1,6})`),
    ([, name = '', least]) => (/^max_\w{0,20}tokens$/.test(name) ? leastOutput(Number(least)) : null),
  ],
  [
    pattern(`invalid ${NAME}: string too long(?:\\. [^\\d\\n]{0,60}maximum length (\\d{1,6}))?`),
    ([, name = '', limit], refusal) => tooLong(name, limit, refusal),
  ],
  // Settings.
  [pattern(`${NAME} and ${NAME} cannot both be specified`), facts({ sampling: 'one' })],
  [
    pattern(`unsupported parameter: ${NAME}[^.]{0,80}\\. use ${Q}(max_completion_tokens|max_tokens)${Q}`),
    ([, , name]) => ({ quirks: { maxTokensField: name === 'max_tokens' ? name : 'max_completion_tokens' } }),
  ],
  [
    pattern(
      `unsupported value: ${NAME} does not support ${NAME}[^.]{0,80}\\.(?: supported values are:? ([^\\n]{1,200}))?`,
    ),
    ([, name = '', , list = ''], refusal) => unsupportedValue(name, list, refusal),
  ],
  [
    pattern(`unsupported value: ${NAME} is not supported[^.]{0,80}\\. supported values are:? ([^\\n]{1,200})`),
    ([, , list = ''], refusal) => unsupportedValue(refusal.param ?? 'reasoning_effort', list, refusal),
  ],
  [
    pattern(
      `${NAME} does not support ${NAME} with this model[^\\n]{0,80}?(?:supported values are:? ([^\\n]{1,200}))?$`,
    ),
    ([, name = '', , list = ''], refusal) => unsupportedValue(name, list, refusal),
  ],
  [
    pattern(`(?:unsupported|unknown|unrecognized) (?:parameter|request argument supplied|field|argument)s?:? ${NAME}`),
    ([, name = ''], refusal) => member(name, refusal),
  ],
  [pattern('unsupported (service_tier): '), ([, name = ''], refusal) => value(name, refusal)],
  [pattern(`this model doesn't support the ${NAME} field`), ([, name = ''], refusal) => member(name, refusal)],
  [
    pattern(`model \\S{1,120} does not support parameter ${NAME}`),
    ([, name = ''], refusal) => member(SPELT.get(name) ?? name, refusal),
  ],
  [pattern(`${NAME} is deprecated for this model`), ([, name = ''], refusal) => member(name, refusal)],
  [
    pattern(`${NAME} is not supported (?:with|by|for|on) (?:this|the) model`),
    ([, name = ''], refusal) => member(name, refusal),
  ],
  [pattern(`invalid ${NAME}: only \\S{1,20} is allowed`), ([, name = ''], refusal) => member(name, refusal)],
  [
    pattern(`invalid json payload received\\. unknown name "(\\w{1,60})"(?: at '([\\w.[\\]]{1,80})')?`),
    ([, name = '', holder = ''], refusal) => member(holder === '' ? name : `${holder}.${name}`, refusal),
  ],
  [/^([\w.[\]-]{1,120}): extra inputs are not permitted/i, ([, name = ''], refusal) => member(name, refusal)],
]

/** xAI names a parameter in camel case. */
const SPELT: ReadonlyMap<string, string> = new Map([
  ['reasoningEffort', 'reasoning_effort'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
])

function withoutLevel(level: string): Lesson | null {
  if (!isStep(level)) return null
  const others = (['low', 'medium', 'high'] as const).filter((step) => step !== level)
  return { facts: { reasoningBy: 'effort', efforts: others } }
}

/** Words that some servers put before the vendor's own sentence. */
const PREAMBLE =
  /^(?:the model returned the following errors?: |HTTP \d{3}: |litellm\.\w{1,40}: |\w{1,40}Error: |\w{1,40}Exception(?: - |: )|provider returned error: ){0,4}/i

/** Reads a refusal of an upstream; null if it shows nothing that a request could be fitted to. */
export function readRefusal(refusal: RefusedRequest): Lesson | null {
  const text = refusal.text.slice(0, 1000).replace(PREAMBLE, '').trim()
  for (const one of new Set([text, withoutLeads(text)])) {
    for (const [matches, read] of ROWS) {
      const match = matches.exec(one)
      const lesson = match === null ? null : read(match, refusal)
      if (lesson !== null) return lesson
    }
  }
  return null
}
