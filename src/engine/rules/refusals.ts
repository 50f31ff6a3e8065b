import { isObject, toArray } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { memberRestrictions, valueRestrictions } from './members.ts'
import type { Reading, RefusalRow, RefusedRequest, Taught } from './refusal.ts'
import { effortsAlone, effortsIn, withoutLevel } from './refused-values.ts'

// ---------------------------------------------------------------- what sentences contain

/** A quoted name: `'reasoning_effort'`, "`temperature`". */
const Q = '[\'"`]?'
const NAME = `${Q}([\\w.[\\]-]{1,80})${Q}`
/** A path before the sentence: `messages.1.content.0: …`, `tools.0.custom.strict: …`. */
const AT = '(?:[\\w.[\\]-]{1,120}: ?)?'

const sentence = (text: string): RegExp => new RegExp(`^${AT}${text}`, 'i')

const LENGTHS = {
  user: 'longestUser',
  safety_identifier: 'longestSafetyId',
  prompt_cache_key: 'longestCacheKey',
} as const

/** Shorter identifiers than this are no limit of a vendor. */
const SHORTEST_LIMIT = 16

/** The limit of an identifier is the vendor's; the one that is too long is left out of this request. */
function tooLong(name: string, limit: string | undefined, refused: RefusedRequest): readonly Reading[] {
  const restrictions = valueRestrictions(name, refused)
  const fact = lookup(LENGTHS, name)
  const isLimit = restrictions.length > 0 && fact !== undefined && Number(limit) >= SHORTEST_LIMIT
  return isLimit ? [{ scope: 'model', facts: { [fact]: Number(limit) } }, ...restrictions] : restrictions
}

/** The refused words of `anthropic-beta`, as far as they were sent. */
function betasIn(names: string, { betas = [] }: RefusedRequest): readonly Taught[] {
  const refused = (names.match(/[\w.-]+/g) ?? []).filter((name) => betas.includes(name))
  return refused.length === 0 ? [] : [{ quirks: { refusesBetas: refused } }]
}

/** The types of the server tools that were sent, or this one of them. */
function serverToolsIn({ body }: RefusedRequest, name?: string): readonly Taught[] {
  const types = toArray(body.tools).flatMap((tool) =>
    isObject(tool) && typeof tool.type === 'string' ? [tool.type] : [],
  )
  const refused = types.filter((type) => type !== 'function' && type !== 'custom' && (name ?? type) === type)
  return refused.length === 0 ? [] : [{ quirks: { refusesTools: refused } }]
}

/** The keywords of schemas among these words, as far as they may be left out. */
function keywordsIn(words: string): readonly Taught[] {
  const named = new Set(words.match(/\w+/g))
  const refused = NARROWING.filter((feature) => named.has(feature))
  return refused.length === 0 ? [] : [{ quirks: { refusesInSchemas: refused } }]
}

/** Keywords that only narrow what a schema accepts. */
const NARROWING = [
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'uniqueItems',
  'default',
] as const

const LEAST_TOOLS = 16

const LEAST_DESCRIPTION = 128

/** The name of the one who writes a message, which is no tool. */
const PARTICIPANT = /(messages[.[]\d{1,4}\]?\.name)\b/

/** The nearest style of names that a vendor describes. */
const namesLike = (text: string): readonly Taught[] => [
  { quirks: { toolNames: /start with a letter/i.test(text) ? 'letter' : 'short' } },
]

const EFFORT_STEPS: Taught = { facts: { reasons: 'always', reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] } }

// ---------------------------------------------------------------- the table

/**
 * Sentences in which upstreams refuse requests, by the rules that they teach. The first sentence that matches and
 * teaches something decides.
 */
export const REFUSAL_ROWS = {
  effort: [
    {
      sentence: sentence(`${Q}thinking\\.type\\.disabled${Q} is not supported`),
      teaches: EFFORT_STEPS,
    },
    {
      sentence: sentence(
        `(?:${Q}thinking\\.type\\.enabled${Q} is not supported|[^\\n]{0,40}invalid thinking\\.type: "enabled")`,
      ),
      teaches: { facts: { reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] } },
    },
    {
      sentence: sentence('adaptive thinking is not supported'),
      teaches: { facts: { reasoningBy: 'budget' } },
    },
    {
      sentence: sentence(
        '(?:this model )?does not support effort level [^\\n]{1,40}?\\. supported levels:? ([^\\n]{1,200})',
      ),
      teaches: ([, list = '']) => effortsAlone(list),
    },
    {
      sentence: /^"?[^\s"]{1,120}"? does not support thinking/i,
      teaches: (_, refused) => memberRestrictions('think', refused),
    },
    {
      sentence: sentence('this model does not support the effort parameter'),
      teaches: (_, refused) => memberRestrictions('output_config.effort', refused),
    },
    {
      sentence: sentence('(?:budget 0 is invalid\\. )?this model only works in thinking mode'),
      teaches: { facts: { reasons: 'always' } },
    },
    { sentence: sentence('budget 0 is invalid'), teaches: { facts: { reasons: 'always' } } },
    { sentence: sentence('reasoning is mandatory'), teaches: EFFORT_STEPS },
    {
      sentence: sentence('this model always engages in thinking[^\\n]{0,80}please use ([^\\n]{1,80})'),
      teaches: ([, list = '']) => effortsIn(list),
    },
    {
      sentence: sentence('thinking level (\\w{1,12}) is not supported'),
      teaches: ([, level = '']) => withoutLevel(level.toLowerCase()),
    },
  ],
  'reasoning of calls': [
    {
      sentence: sentence(
        '(?:thinking is enabled but reasoning_content is missing|[^\\n]{0,60}in the thinking mode must be passed back)',
      ),
      teaches: { facts: { needsReasoning: true } },
    },
  ],
  functions: [
    {
      sentence: sentence(
        "(?:[^\\n]{0,120}\\b(?:does not|doesn['’]t|do not) support (?:tools|tool (?:use|calls|calling)|function calling)|function calling is not enabled)(?=[.\\n]|$| for (?:(?:this|the) )?models?\\b)",
      ),
      teaches: { facts: { tools: false } },
    },
  ],
  'server tools beside functions': [
    {
      sentence: sentence('built-in tools [^\\n]{0,80}cannot be combined'),
      teaches: { facts: { mixesTools: false } },
    },
  ],
  'system messages': [
    {
      sentence: sentence('developer instruction is not enabled'),
      teaches: { facts: { systemInstruction: false } },
    },
  ],
  'functions in Chat Completions': [
    {
      sentence: sentence(
        `function tools with reasoning_effort are not supported(?:[^\\n]{0,160}set reasoning_effort to ${Q}(none))?`,
      ),
      // The model may reason by default, so that it needs the word.
      teaches: ([, none]) => [{ facts: { chatTools: none === undefined ? 'without-effort' : 'with-none' } }],
    },
  ],
  'forced tools': [
    {
      sentence: sentence('tool_choice: type [^.]{1,60} (?:are|is) not supported'),
      teaches: { facts: { forcedTools: 'none', forcedWhileReasoning: 'none' } },
    },
    {
      sentence: sentence(`type ${Q}(?:tool|an[y])${Q}[^.]{0,40} (?:are|is) not supported for this model`),
      teaches: { facts: { forcedTools: 'none', forcedWhileReasoning: 'none' } },
    },
    {
      sentence: sentence(
        'thinking (?:may not be enabled when tool_choice forces|mode does not support this tool_choice)',
      ),
      teaches: { facts: { forcedWhileReasoning: 'none' } },
    },
    {
      sentence: sentence(`tool_choice ${NAME}(?: \\(or ${NAME}\\))? is incompatible with thinking`),
      teaches: { facts: { forcedWhileReasoning: 'none' } },
    },
    {
      sentence: sentence(`no endpoints found that support the provided ${Q}tool_choice`),
      teaches: { facts: { forcedTools: 'none', forcedWhileReasoning: 'none' } },
    },
  ],
  'JSON beside functions': [
    {
      sentence: sentence('(?:function calling with a response mime type|json mode cannot be combined)'),
      teaches: { facts: { jsonWithTools: 'none' } },
    },
  ],
  'JSON beside reasoning': [
    {
      sentence: sentence('json mode response is not supported when enable_thinking is true'),
      // A client's own switch is no effort, and stays off in this request.
      teaches: (_, refused) => [
        { facts: { jsonWhileReasoning: false } },
        ...memberRestrictions('enable_thinking', refused).map((restriction) => ({
          ...restriction,
          scope: 'request' as const,
        })),
      ],
    },
  ],
  'the word JSON': [
    {
      sentence: sentence(`[^\\n]{0,120}must contain the word ${Q}json`),
      teaches: { facts: { jsonWord: true } },
    },
  ],
  'JSON schemas': [
    {
      sentence: sentence('this response_format type is unavailable'),
      teaches: { facts: { jsonSchema: false } },
    },
    {
      sentence: sentence('json mode is not enabled'),
      teaches: { facts: { jsonSchema: false }, quirks: { refusesMembers: ['generationConfig.responseMimeType'] } },
    },
    {
      sentence:
        /^(?:output_config\.format|outputConfig[\w.]{0,60}|output_format)(?:[\w.]{0,80})?: extra inputs are not permitted/i,
      teaches: { facts: { jsonSchema: false } },
    },
  ],
  'strict functions': [
    {
      sentence: /^tools[.[]\d{1,4}\]?\.(?:(?:custom|function)\.)?strict: extra inputs are not permitted/i,
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
      sentence: sentence(
        "(?:invalid schema for [^\\n]{1,400}object schema missing properties|[^\\n]{0,200}'required' present but 'properties' is missing)",
      ),
      teaches: { quirks: { refusesInSchemas: ['noProperties'] } },
    },
    {
      sentence: sentence('invalid schema for [^\\n]{1,400}array schema missing items'),
      teaches: { quirks: { refusesInSchemas: ['noItems'] } },
    },
    {
      sentence: sentence(
        `invalid schema for [^\\n]{1,400}schema must (?:be a JSON Schema of ${Q}type: "object"|have type ${Q}object)`,
      ),
      teaches: { quirks: { refusesInSchemas: ['rootType', 'rootUnion'] } },
    },
    {
      sentence: sentence('[^.]{0,60}does not support oneOf, allOf, or anyOf at the top level'),
      teaches: { quirks: { refusesInSchemas: ['rootUnion'] } },
    },
    {
      sentence: sentence('[^\\n]{0,200}(?:could not understand the instance|type is not defined)'),
      teaches: { quirks: { refusesInSchemas: ['noType', 'noValue'] } },
    },
    {
      sentence: sentence(`invalid schema for [^\\n]{1,400}${Q}not${Q}\\), schema must have a ${Q}type`),
      teaches: { quirks: { refusesInSchemas: ['noValue', 'not'] } },
    },
    {
      sentence: sentence(
        '(?:invalid fields for schema with types \\[[^\\]]{0,60}\\]|unsupported JSON schema fields): ([^\\n]{1,200})',
      ),
      teaches: ([, words = '']) => keywordsIn(words),
    },
    {
      sentence: sentence('[^\\n]{0,60}function parameters is empty'),
      teaches: { quirks: { refusesInSchemas: ['noParameters'] } },
    },
    // A list of the faults that zod found, over several lines (LM Studio).
    {
      sentence: /^\[[\s\S]{0,300}"received": "undefined",[\s\S]{0,200}"parameters",\s{1,40}"properties"/,
      teaches: { quirks: { refusesInSchemas: ['noParameters', 'noProperties'] } },
    },
    // Servers of llama.cpp make a grammar of the schema.
    {
      sentence:
        /^[^\n]{0,200}(?:\n[^\n]{0,80})?(?:pattern must start with ['"`]?\^|regex lookaround is not supported|failed to parse grammar)/i,
      teaches: { quirks: { refusesInSchemas: NARROWING } },
    },
  ],
  'number of tools': [
    {
      sentence: sentence(
        `[^\\n]{0,40}${Q}tools${Q}: array too long\\. expected an array with maximum length (\\d{1,4})`,
      ),
      // Fewer tools are no limit of a vendor.
      teaches: ([, most]) => (Number(most) < LEAST_TOOLS ? [] : [{ quirks: { mostTools: Number(most) } }]),
    },
  ],
  'descriptions of tools': [
    {
      sentence: sentence(
        `invalid ${Q}tools[.[]\\d{1,4}\\]?\\.(?:function\\.)?description${Q}: string too long\\. [^\\d\\n]{0,60}maximum length (\\d{1,6})`,
      ),
      // A shorter description says nothing: the sentence is no limit of a vendor.
      teaches: ([, most]) =>
        Number(most) < LEAST_DESCRIPTION ? [] : [{ quirks: { longestDescription: Number(most) } }],
    },
  ],
  'addresses of images': [
    {
      sentence: sentence(
        `(?:[^\\n]{0,80}\\bunsupported image url\\b|${Q}url${Q} field must be a base64 encoded image|[^\\n]{0,80}\\b(?:does not|doesn['’]t|do not) support image urls\\b|image urls? (?:is|are) not supported)`,
      ),
      teaches: { facts: { imageUrls: false } },
    },
  ],
  'names of tools': [
    {
      sentence:
        /^(?:invalid ['"`]?|\* |value [^\n]{1,140} at ['"`]?)?(?:GenerateContentRequest\.)?(?:tools|toolConfig|messages|input|contents)[.[][\w.[\]-]{1,120}name['"`]?:? [^\n]{0,80}(?:pattern|regular expression|too long|at most|invalid function name)[^\n]{0,200}/i,
      teaches: ([text], refused) => {
        const [, participant] = PARTICIPANT.exec(text) ?? []
        return participant === undefined ? namesLike(text) : valueRestrictions(participant, refused)
      },
    },
    {
      sentence: sentence('(?:invalid function name|function name is invalid)[^\\n]{0,200}'),
      teaches: ([text]) => namesLike(text),
    },
  ],
  'names of parameters': [
    {
      sentence: sentence(`[^\\n]{0,60}property keys should match pattern`),
      teaches: { facts: { parameterNames: 'plain' } },
    },
  ],
  'last message': [
    {
      sentence: sentence('(?:this model )?does not support assistant message prefill'),
      teaches: { facts: { lastRole: 'user' } },
    },
    {
      sentence: sentence(`(?:expected last role|last message must have role) ${Q}user`),
      teaches: { facts: { lastRole: 'user' } },
    },
  ],
  'late system messages': [
    {
      sentence: sentence(`(?:role 'system' is not supported|unknown variant ${Q}system${Q}, expected ${Q}user)`),
      teaches: { facts: { lateSystem: false } },
    },
    {
      sentence: sentence('[^\\n]{0,80}invalid message role: system'),
      teaches: { facts: { oneSystem: true, lateSystem: false } },
    },
  ],
  'turns of roles': [
    {
      sentence: sentence('[^\\n]{0,120}(?:\\broles (?:must|should be) alternat|should alternate with assistant)'),
      teaches: { quirks: { strictTurns: true } },
    },
  ],
  images: [
    {
      sentence:
        /^[^\n]{0,120}(?:unknown variant [`'"]?(?:image|input_image|image_url)[`'"]?, expected|(?:does not|doesn['’]t|do not|cannot) (?:support|accept|read|process) (?:the )?(?:images?|image[ _](?:inputs?|content|block|url))\b(?! (?:of|with|in|larger|format|type|url))|image inputs? (?:is|are) not supported|support image inputs?\b|is not a multimodal model|messages\.content\.type 参数非法，取值范围 \['text'\]|image_url is only supported by certain models)/i,
      teaches: { facts: { images: false } },
    },
  ],
  'ids of calls': [
    // "… must be a-z, A-Z, 0-9, with a length of 9" (Mistral, also behind routers).
    {
      sentence: sentence('[^\\n]{0,60}tool call id was [^\\n]{1,200} with a length of 9'),
      teaches: { quirks: { callIds: 'nine' } },
    },
  ],
  'messages after results': [
    {
      sentence: sentence(`[^\\n]{0,60}unexpected role ${Q}user${Q} after role ${Q}tool`),
      teaches: { quirks: { noUserAfterTool: true } },
    },
  ],
  'roles of rules': [
    {
      sentence: sentence(
        `[^\\n]{0,120}(?:unknown variant ${Q}developer|(?:unexpected|invalid|unsupported|unknown) (?:message )?role:? ${Q}developer|${Q}developer${Q} is not one of)`,
      ),
      teaches: { quirks: { developerRole: false } },
    },
  ],
  'server tools': [
    {
      sentence: sentence(
        `[^\\n]{0,40}\\btools? (?:type:? )?${Q}(\\w{1,60})${Q} (?:is|are) not (?:supported|available|enabled)`,
      ),
      teaches: ([, name = ''], refused) => serverToolsIn(refused, name),
    },
    {
      sentence: sentence(`(?:unsupported|unknown|invalid) (?:tool(?: type)?|value):? ${Q}(\\w{1,60})${Q}`),
      teaches: ([, name = ''], refused) => serverToolsIn(refused, name),
    },
    {
      sentence: sentence(
        `(?:only [^\\n]{0,20}\\bfunction['"\`]{0,2} tools are supported|${Q}type${Q} of tool must be ${Q}function)`,
      ),
      teaches: (_, refused) => serverToolsIn(refused),
    },
  ],
  'one system message': [
    {
      sentence: sentence('system message must be at the beginning'),
      teaches: { facts: { oneSystem: true } },
    },
  ],
  'message of the user': [
    {
      sentence: sentence(
        '[^\\n]{0,120}(?:no user query found in messages|do not contain elements with the role of user)',
      ),
      teaches: { facts: { needsUser: true } },
    },
  ],
  streams: [
    // Only a limit as large as this one needs a stream (Fireworks).
    {
      sentence: sentence(`[^\\n]{0,60}max_tokens > \\d{1,6} must have ${Q}stream`),
      scope: 'request',
      teaches: { facts: { streamsOnly: true } },
    },
    {
      sentence: sentence(`(?:stream must be set to true|[^\\n]{0,80}(?:non-streaming calls|when ${Q}stream=false))`),
      teaches: { facts: { streamsOnly: true } },
    },
  ],
  'cache breakpoints': [
    {
      sentence: sentence(
        '(?:no endpoints found that support cache control|[^\\n]{0,80}\\bdid not allow prompt caching)',
      ),
      teaches: { facts: { caches: 'none' } },
    },
  ],
  'stop words': [
    {
      sentence: sentence('[^\\n]{0,60}stop sequences? must contain non-whitespace'),
      teaches: { facts: { blankStops: false } },
    },
  ],
  'output limit': [
    // Bedrock names the limit in words.
    {
      sentence: sentence('the maximum tokens you requested exceeds the model limit of (\\d{3,9})'),
      teaches: ([, most]) => [{ facts: { mostOutput: Number(most) } }],
    },
    {
      sentence: sentence(
        `unsupported parameter: ${NAME}[^\\n]{0,160}?\\. use ${Q}(max_completion_tokens|max_tokens)${Q}`,
      ),
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
      teaches: { facts: { sampling: 'one' } },
    },
    // Google names the setting in words.
    {
      sentence: sentence('penalt(?:y is|ies are) not (?:enabled|supported)'),
      teaches: { facts: { penalties: false } },
    },
  ],
  'log probabilities': [
    {
      sentence: sentence(
        '(?:log ?prob(?:s|abilities)? (?:is|are) not (?:enabled|supported)|you are not allowed to request log ?prob|[^\\n]{0,100}does not support log ?prob)',
      ),
      teaches: { facts: { logprobs: false } },
    },
  ],
  'texts of messages': [
    {
      sentence:
        /^(?:invalid type for )?['"`]?messages[.[]\d{1,4}\]?[\w.[\]]{0,60}\.content(?:\.str)?['"`]?[^\n]{0,40}(?:expected a string|should be a valid string|must be a string)/i,
      teaches: { quirks: { plainContent: true } },
    },
    {
      sentence: sentence(
        `(?:[^\\n]{0,160}expected one of: \\['str'\\], got list|the model expects a single ${Q}text|[^\\n]{0,20}cannot unmarshal array into go struct field [\\w.]{1,60}content of type string|invalid message format$)`,
      ),
      teaches: { quirks: { plainContent: true } },
    },
  ],
  members: [
    {
      sentence: sentence(`invalid json payload received\\. unknown name "(\\w{1,60})"(?: at '([\\w.[\\]]{1,80})')?`),
      teaches: ([, name = '', holder = ''], refused) =>
        memberRestrictions(holder === '' ? name : `${holder}.${name}`, refused),
    },
    {
      sentence: sentence('unrecognized request arguments supplied: ([\\w., -]{1,200})'),
      teaches: ([, names = ''], refused) => names.split(/[, ]+/).flatMap((name) => memberRestrictions(name, refused)),
    },
    {
      sentence: sentence('multiple candidates (?:is|are) not (?:enabled|supported)'),
      teaches: (_, refused) => memberRestrictions('candidateCount', refused),
    },
    {
      sentence: /^([\w.[\]-]{1,120}): extra inputs are not permitted/i,
      teaches: ([, name = ''], refused) => memberRestrictions(name, refused),
    },
    {
      sentence: sentence(
        `(?:unsupported|unknown|unrecognized) (?:parameter|request argument supplied|field|argument)s?:? ${NAME}`,
      ),
      teaches: ([, name = ''], refused) => memberRestrictions(name, refused),
    },
  ],
  'reasoning summaries': [
    {
      sentence: sentence('your organi[sz]ation must be verified to (?:generate|use) reasoning summar'),
      scope: 'key',
      teaches: (_, refused) => memberRestrictions('reasoning.summary', refused),
    },
  ],
  betas: [
    {
      sentence: sentence(`unexpected value\\(s\\) ([^\\n]{1,600}) for the ${Q}anthropic-beta`),
      teaches: ([, names = ''], refused) => betasIn(names, refused),
    },
    // Bedrock does not name the word.
    {
      sentence: sentence('invalid beta flag'),
      scope: 'request',
      teaches: (_, { betas = [] }) => (betas.length === 0 ? [] : [{ quirks: { refusesBetas: betas } }]),
    },
  ],
} as const satisfies Readonly<Record<string, readonly RefusalRow[]>>
