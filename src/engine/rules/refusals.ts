import type { EffortStep } from '../../models/facts.ts'
import { EFFORT_LEVELS } from '../../protocol/request.ts'
import { lookup } from '../../text/lookup.ts'
import { memberLessons, valueLessons } from './members.ts'
import type { Lesson, RefusalRow, RefusedRequest, Taught } from './refusal.ts'

// ---------------------------------------------------------------- what sentences contain

/** A quoted name: `'reasoning_effort'`, "`temperature`". */
const Q = '[\'"`]?'
const NAME = `${Q}([\\w.[\\]-]{1,80})${Q}`
/** A path before the sentence: `messages.1.content.0: …`, `tools.0.custom.strict: …`. */
const AT = '(?:[\\w.[\\]-]{1,120}: ?)?'

const sentence = (text: string): RegExp => new RegExp(`^${AT}${text}`, 'i')

/** Limits beyond these are no limits of a model. */
const mostOutput = (most: number): readonly Taught[] => (most >= 256 ? [{ facts: { mostOutput: most } }] : [])
const leastOutput = (least: number): readonly Taught[] => (least <= 1024 ? [{ facts: { leastOutput: least } }] : [])

const LEVELS: readonly string[] = EFFORT_LEVELS
const isStep = (word: string): word is EffortStep => word !== 'none' && LEVELS.includes(word)

const stepsIn = (text: string): readonly string[] =>
  (text.slice(0, 300).match(/[a-z]+/g) ?? []).filter((word) => LEVELS.includes(word))

/** The steps of effort that a refusal lists. Without `none`, reasoning cannot be turned off. */
function effortsIn(list: string): readonly Taught[] {
  const found = stepsIn(list)
  if (found.length === 0) return []
  const efforts = found.filter(isStep)
  return [{ facts: { reasons: found.includes('none') ? 'optional' : 'always', reasoningBy: 'effort', efforts } }]
}

function withoutLevel(level: string): readonly Taught[] {
  if (!isStep(level)) return []
  const others = (['low', 'medium', 'high'] as const).filter((step) => step !== level)
  return [{ facts: { reasoningBy: 'effort', efforts: others } }]
}

const EFFORT = /effort/i

/** Any other value is refused as well. */
const ONLY = /\bonly (?:the default|\S{1,20} is allowed)/i

/** A value of a setting is refused: the list has those of an effort; another setting is left out. */
function unsupportedValue(name: string, list: string, refused: RefusedRequest): readonly (Taught & Partial<Lesson>)[] {
  const efforts = EFFORT.test(name) ? effortsIn(list) : []
  return efforts.length > 0 ? efforts : (ONLY.test(refused.text) ? memberLessons : valueLessons)(name, refused)
}

const LENGTHS = {
  user: 'longestUser',
  safety_identifier: 'longestSafetyId',
  prompt_cache_key: 'longestCacheKey',
} as const

/** Shorter identifiers than this are no limit of a vendor. */
const SHORTEST_LIMIT = 16

/** The limit of an identifier is the vendor's; the one that is too long is left out of this request. */
function tooLong(name: string, limit: string | undefined, refused: RefusedRequest): readonly Lesson[] {
  const lessons = valueLessons(name, refused)
  const fact = lookup(LENGTHS, name)
  const isLimit = lessons.length > 0 && fact !== undefined && Number(limit) >= SHORTEST_LIMIT
  return isLimit ? [{ scope: 'model', facts: { [fact]: Number(limit) } }, ...lessons] : lessons
}

/** xAI names a parameter in camel case. */
const SPELT: ReadonlyMap<string, string> = new Map([
  ['reasoningEffort', 'reasoning_effort'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
])

const EFFORT_STEPS: Taught = { facts: { reasons: 'always', reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] } }

// ---------------------------------------------------------------- the table

/**
 * Sentences in which upstreams refuse requests, by the rules that they teach. The first sentence that matches and
 * teaches something decides.
 */
export const REFUSALS = {
  effort: [
    {
      sentence: sentence(`${Q}thinking\\.type\\.disabled${Q} is not supported`),
      scope: 'model',
      teaches: EFFORT_STEPS,
    },
    {
      sentence: sentence(`${Q}thinking\\.type\\.enabled${Q} is not supported`),
      scope: 'model',
      teaches: { facts: { reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] } },
    },
    {
      sentence: sentence('adaptive thinking is not supported'),
      scope: 'model',
      teaches: { facts: { reasoningBy: 'budget' } },
    },
    {
      sentence: sentence(
        '(?:this model )?does not support effort level [^.]{1,40}\\. supported levels:? ([^\\n]{1,200})',
      ),
      scope: 'model',
      teaches: ([, list = '']) => effortsIn(list),
    },
    {
      sentence: sentence('this model does not support the effort parameter'),
      scope: 'model',
      teaches: (_, refused) => memberLessons('output_config.effort', refused),
    },
    {
      sentence: sentence('(?:budget 0 is invalid\\. )?this model only works in thinking mode'),
      scope: 'model',
      teaches: { facts: { reasons: 'always' } },
    },
    { sentence: sentence('budget 0 is invalid'), scope: 'model', teaches: { facts: { reasons: 'always' } } },
    { sentence: sentence('reasoning is mandatory'), scope: 'model', teaches: EFFORT_STEPS },
    {
      sentence: sentence('thinking level (\\w{1,12}) is not supported'),
      scope: 'model',
      teaches: ([, level = '']) => withoutLevel(level.toLowerCase()),
    },
  ],
  'reasoning of calls': [
    {
      sentence: sentence('thinking is enabled but reasoning_content is missing'),
      scope: 'model',
      teaches: { facts: { needsReasoning: true } },
    },
  ],
  'functions in Chat Completions': [
    {
      sentence: sentence('function tools with reasoning_effort are not supported'),
      scope: 'model',
      teaches: { facts: { chatTools: 'without-effort' } },
    },
  ],
  'forced tools': [
    {
      sentence: sentence('tool_choice: type [^.]{1,60} (?:are|is) not supported'),
      scope: 'model',
      teaches: { facts: { forcedTools: 'none', forcedWhileReasoning: 'none' } },
    },
    {
      sentence: sentence(`type ${Q}(?:tool|an[y])${Q}[^.]{0,40} (?:are|is) not supported for this model`),
      scope: 'model',
      teaches: { facts: { forcedTools: 'none', forcedWhileReasoning: 'none' } },
    },
    {
      sentence: sentence(
        'thinking (?:may not be enabled when tool_choice forces|mode does not support this tool_choice)',
      ),
      scope: 'model',
      teaches: { facts: { forcedWhileReasoning: 'none' } },
    },
    {
      sentence: sentence(`tool_choice ${NAME}(?: \\(or ${NAME}\\))? is incompatible with thinking`),
      scope: 'model',
      teaches: { facts: { forcedWhileReasoning: 'none' } },
    },
  ],
  'JSON beside functions': [
    {
      sentence: sentence('(?:function calling with a response mime type|json mode cannot be combined)'),
      scope: 'model',
      teaches: { facts: { jsonWithTools: 'none' } },
    },
  ],
  'JSON schemas': [
    {
      sentence: sentence('this response_format type is unavailable'),
      scope: 'model',
      teaches: { facts: { jsonSchema: false } },
    },
    {
      sentence:
        /^(?:output_config\.format|outputConfig[\w.]{0,60}|output_format)(?:[\w.]{0,80})?: extra inputs are not permitted/i,
      scope: 'model',
      teaches: { facts: { jsonSchema: false } },
    },
  ],
  'strict functions': [
    {
      sentence: /^tools[.[]\d{1,4}\]?\.(?:(?:custom|function)\.)?strict: extra inputs are not permitted/i,
      scope: 'model',
      teaches: { facts: { strictTools: false } },
    },
    // The schemas of this request together, which others do not have.
    {
      sentence: sentence(
        'schemas contains too many|the compiled grammar is too large|[^.]{0,40}too complex for grammar',
      ),
      scope: 'request',
      teaches: { facts: { strictTools: false } },
    },
  ],
  'schemas of functions': [
    {
      sentence: sentence('[^.]{0,60}does not support oneOf, allOf, or anyOf at the top level'),
      scope: 'model',
      teaches: { quirks: { refusesInSchemas: ['rootUnion'] } },
    },
  ],
  'last message': [
    {
      sentence: sentence('(?:this model )?does not support assistant message prefill'),
      scope: 'model',
      teaches: { facts: { lastRole: 'user' } },
    },
    { sentence: sentence('expected last role user'), scope: 'model', teaches: { facts: { lastRole: 'user' } } },
  ],
  'late system messages': [
    { sentence: sentence("role 'system' is not supported"), scope: 'model', teaches: { facts: { lateSystem: false } } },
  ],
  'one system message': [
    {
      sentence: sentence('system message must be at the beginning'),
      scope: 'model',
      teaches: { facts: { oneSystem: true } },
    },
  ],
  'output limit': [
    {
      sentence: sentence(
        `${Q}(?:max_tokens|max_completion_tokens)${Q}(?: is)? too large: \\d{1,9}\\. this model supports at most (\\d{1,7})`,
      ),
      scope: 'model',
      teaches: ([, most]) => mostOutput(Number(most)),
    },
    {
      sentence: sentence('[^.]{0,120}(?:valid range|range of max_tokens)[^[]{0,60}\\[1, ?(\\d{1,7})\\]'),
      scope: 'model',
      teaches: ([, most]) => mostOutput(Number(most)),
    },
    {
      sentence: sentence(`invalid ${NAME}: integer below minimum value\\. [^\\d]{0,40}(\\d{1,6})`),
      scope: 'model',
      teaches: ([, name = '', least]) => (/^max_\w{0,20}tokens$/.test(name) ? leastOutput(Number(least)) : []),
    },
    {
      sentence: sentence(`unsupported parameter: ${NAME}[^.]{0,80}\\. use ${Q}(max_completion_tokens|max_tokens)${Q}`),
      scope: 'model',
      teaches: ([, , name]) => [{ quirks: { maxTokensField: name === 'max_tokens' ? name : 'max_completion_tokens' } }],
    },
  ],
  identifiers: [
    {
      sentence: sentence(`invalid ${NAME}: string too long(?:\\. [^\\d\\n]{0,60}maximum length (\\d{1,6}))?`),
      scope: 'request',
      teaches: ([, name = '', limit], refused) => tooLong(name, limit, refused),
    },
  ],
  sampling: [
    {
      sentence: sentence(`${NAME} and ${NAME} cannot both be specified`),
      scope: 'model',
      teaches: { facts: { sampling: 'one' } },
    },
  ],
  'values of members': [
    {
      sentence: sentence(
        `unsupported value: ${NAME} does not support ${NAME}[^.]{0,80}\\.(?: supported values are:? ([^\\n]{1,200}))?`,
      ),
      scope: 'model',
      teaches: ([, name = '', , list = ''], refused) => unsupportedValue(name, list, refused),
    },
    {
      sentence: sentence(
        `unsupported value: ${NAME} is not supported[^.]{0,80}\\. supported values are:? ([^\\n]{1,200})`,
      ),
      scope: 'model',
      teaches: ([, , list = ''], refused) => unsupportedValue(refused.param ?? 'reasoning_effort', list, refused),
    },
    {
      sentence: sentence(
        `${NAME} does not support ${NAME} with this model[^\\n]{0,80}?(?:supported values are:? ([^\\n]{1,200}))?$`,
      ),
      scope: 'model',
      teaches: ([, name = '', , list = ''], refused) => unsupportedValue(name, list, refused),
    },
    {
      sentence: sentence('unsupported (service_tier): '),
      scope: 'request',
      teaches: ([, name = ''], refused) => valueLessons(name, refused),
    },
  ],
  members: [
    {
      sentence: sentence(
        `(?:unsupported|unknown|unrecognized) (?:parameter|request argument supplied|field|argument)s?:? ${NAME}`,
      ),
      scope: 'model',
      teaches: ([, name = ''], refused) => memberLessons(name, refused),
    },
    {
      sentence: sentence(`this model doesn't support the ${NAME} field`),
      scope: 'model',
      teaches: ([, name = ''], refused) => memberLessons(name, refused),
    },
    {
      sentence: sentence(`model \\S{1,120} does not support parameter ${NAME}`),
      scope: 'model',
      teaches: ([, name = ''], refused) => memberLessons(SPELT.get(name) ?? name, refused),
    },
    {
      sentence: sentence(`${NAME} is deprecated for this model`),
      scope: 'model',
      teaches: ([, name = ''], refused) => memberLessons(name, refused),
    },
    {
      sentence: sentence(`${NAME} is not supported (?:with|by|for|on) (?:this|the) model`),
      scope: 'model',
      teaches: ([, name = ''], refused) => memberLessons(name, refused),
    },
    {
      sentence: sentence(`invalid ${NAME}: only \\S{1,20} is allowed`),
      scope: 'model',
      teaches: ([, name = ''], refused) => memberLessons(name, refused),
    },
    {
      sentence: sentence(`invalid json payload received\\. unknown name "(\\w{1,60})"(?: at '([\\w.[\\]]{1,80})')?`),
      scope: 'model',
      teaches: ([, name = '', holder = ''], refused) =>
        memberLessons(holder === '' ? name : `${holder}.${name}`, refused),
    },
    {
      sentence: /^([\w.[\]-]{1,120}): extra inputs are not permitted/i,
      scope: 'model',
      teaches: ([, name = ''], refused) => memberLessons(name, refused),
    },
  ],
} as const satisfies Readonly<Record<string, readonly RefusalRow[]>>
