import type { AnswerContents } from '../../conformance/protocols/answer.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isObject, parseJson } from '../../text/json.ts'

/** The requests of a check, as bodies of the Responses API. Each is sent twice: for a stream, and for a whole body. */

/** Whether an answer shows what its row is about. A model decides that, so that an answer without it is no defect. */
type Shown = (answer: AnswerContents) => boolean

/** A promise of the protocol that does not depend on the model; returns what is wrong. */
type Promised = (answer: AnswerContents) => string | null

export interface AnswerRow {
  readonly name: string
  readonly about: string
  readonly request: JsonObject
  /** The members that the protocol must carry: without one of them the row is not shown, and one that is changed promises nothing. */
  readonly needs: readonly string[]
  readonly shown: Shown
  /** The reason of a row that is not shown. */
  readonly without: string
  readonly promised: Promised
  /** Words of an answer to the whole request: codes of its messages, its characters, the color of its image. */
  readonly recalls: readonly string[]
  /** The rule that an answer without one of them breaks. */
  readonly recall: 'recall' | 'image'
  /** A text at which the answer ends, in the member of the protocol; null: none. */
  readonly stop: string | null
  /** The answer is so long that its pieces arrive while the rest is generated. */
  readonly inPieces: boolean
}

const user = (content: string | readonly JsonObject[]) => ({ type: 'message', role: 'user', content })

const assistant = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})

const TOOL = {
  type: 'function',
  name: 'get_weather',
  description: 'Returns the weather in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'The name of the city.' } },
    required: ['city'],
    additionalProperties: false,
  },
}

const CLOCK = {
  type: 'function',
  name: 'get_time',
  description: 'Returns the time.',
  parameters: { type: 'object', properties: {} },
}

const CALL = (id: string, city: string) => ({
  type: 'function_call',
  call_id: id,
  name: 'get_weather',
  arguments: JSON.stringify({ city }),
})

const OUTPUT = (id: string, output: string) => ({ type: 'function_call_output', call_id: id, output })

/** A red square. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAAA1BMVEX/AAAZ4gk3AAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC'

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, population: { type: 'integer' } },
  required: ['city', 'population'],
  additionalProperties: false,
}

const hasText: Shown = ({ text }) => text !== ''
const hasCall: Shown = ({ calls }) => calls.length > 0
const calls =
  (count: number): Shown =>
  ({ calls }) =>
    calls.length >= count

const nothing: Promised = () => null

/** Calls have names of the functions that were offered. */
const offered =
  (...names: readonly string[]): Promised =>
  ({ calls }) => {
    const other = calls.find(({ name }) => !names.includes(name))
    return other === undefined ? null : `a call of ${JSON.stringify(other.name)}, which the request does not offer`
  }

/** An argument without which the schema of the function does not permit a call. */
const withCity: Promised = (answer) => {
  const wrong = answer.calls.find(({ arguments: args }) => {
    const value = parseJson(args)
    return !isObject(value) || typeof value.city !== 'string'
  })
  if (wrong === undefined || isCutShort(answer.finish)) return offered('get_weather')(answer)
  return offered('get_weather')(answer) ?? `arguments that do not follow the schema: ${wrong.arguments}`
}

const hasObjectArguments: Promised = (answer) => {
  const wrong = answer.calls.find(({ arguments: args }) => !isObject(parseJson(args)))
  return wrong === undefined ? offered('get_time')(answer) : `arguments that are not an object: ${wrong.arguments}`
}

const followsSchema: Promised = ({ text, refusal, finish }) => {
  if (refusal !== '' || text === '' || isCutShort(finish)) return null
  const value = parseJson(text)
  if (!isObject(value)) return `a text that is not a JSON object: ${JSON.stringify(text.slice(0, 60))}`
  const isRight = typeof value.city === 'string' && Number.isInteger(value.population)
  return isRight && Object.keys(value).length === 2 ? null : 'a JSON object that does not follow the schema'
}

const LENGTH_WORDS: ReadonlySet<string | null> = new Set([
  'length',
  'max_tokens',
  'MAX_TOKENS',
  'incomplete',
  'max_output_tokens',
])

export const isCutShort = (finish: string | null): boolean => LENGTH_WORDS.has(finish)

/** The words of an answer that the model ended itself. */
const END_WORDS: ReadonlySet<string | null> = new Set(['stop', 'end_turn', 'STOP', 'completed'])

/** The limit of the row `length`, and the last number that it counts to. */
const [SHORT_LIMIT, LAST_NUMBER] = [16, 200] as const

const COUNTS = /^\D{0,40}1\D{1,5}2\D/
/** More numbers than the limit has tokens. */
const BEYOND_LIMIT = /\b100\b/

/** An answer that stops before its last number was cut, which its reason for the end has to show. */
const endsAsComplete: Promised = ({ text, finish, usage }) => {
  if (COUNTS.test(text) && BEYOND_LIMIT.test(text)) return `an answer beyond its limit of ${SHORT_LIMIT} tokens`
  if (!END_WORDS.has(finish)) return null
  return COUNTS.test(text) || usage?.output === SHORT_LIMIT
    ? `an answer that was cut at ${SHORT_LIMIT} tokens ends as a complete one, with ${JSON.stringify(finish)}`
    : null
}

/** The model has to call, unless it reached the limit of its tokens before. */
const demanded: Promised = (answer) => {
  if (answer.calls.length > 0) return withCity(answer)
  return END_WORDS.has(answer.finish) && answer.refusal === '' ? 'no call, which tool_choice demands' : null
}

export const WITHOUT_CALL = 'the model answered without a call'

const PLAIN = {
  needs: [],
  shown: hasText,
  without: 'the answer has no text',
  promised: nothing,
  recalls: [],
  recall: 'recall',
  stop: null,
  inPieces: false,
} as const
const CALLED = {
  ...PLAIN,
  needs: ['tools'],
  shown: hasCall,
  without: WITHOUT_CALL,
  promised: withCity,
} as const

const row = (
  name: string,
  about: string,
  request: JsonObject,
  rest: Omit<AnswerRow, 'name' | 'about' | 'request'> = PLAIN,
): AnswerRow => ({ name, about, request, ...rest })

/** The output tokens of a row that sets no limit of its own. */
export const ROW_TOKENS = 400

const asking = (text: string, more: JsonObject = {}): JsonObject => ({ input: [user(text)], ...more })

const NO_CALL: Promised = ({ calls }) => (calls.length === 0 ? null : 'a call, which tool_choice "none" forbids')

export const ANSWER_ROWS: readonly AnswerRow[] = [
  row('text', 'a short text', asking('Answer with one short greeting.')),
  row(
    'instructions',
    'instructions with the input',
    asking('Greet me.', { instructions: 'Answer in one sentence, and end it with the code ZL-3307.' }),
    { ...PLAIN, recalls: ['ZL-3307'] },
  ),
  row(
    'conversation',
    'details from earlier messages',
    {
      input: [
        user(['My booking is QF-2093.', 'My seat is SB-1174.'].map((text) => ({ type: 'input_text', text }))),
        assistant('Noted. Your ticket is RM-5518.'),
        user('Name my booking, my seat and my ticket.'),
      ],
    },
    { ...PLAIN, recalls: ['QF-2093', 'SB-1174', 'RM-5518'] },
  ),
  row('unicode', 'multibyte characters and emoji', asking('Repeat exactly: Grüße, 世界, 🙂👩‍💻!'), {
    ...PLAIN,
    recalls: ['Grüße', '世界', '🙂👩‍💻'],
  }),
  row('long', 'a long text, streamed piece by piece', asking('Count from 1 to 60, separated by spaces.'), {
    ...PLAIN,
    inPieces: true,
  }),
  row(
    'length',
    'a response cut off at its token limit',
    asking(`Count from 1 to ${LAST_NUMBER}, separated by spaces.`, { max_output_tokens: SHORT_LIMIT }),
    {
      ...PLAIN,
      needs: ['max_output_tokens'],
      shown: ({ finish }) => isCutShort(finish),
      without: `the answer was not cut at ${SHORT_LIMIT} tokens`,
      promised: endsAsComplete,
    },
  ),
  row('stop', 'a stop sequence', asking('Count from 1 to 60, separated by spaces.'), {
    ...PLAIN,
    stop: '31',
  }),
  row('sampling', 'sampling settings', asking('Answer with one short greeting.', { temperature: 0.5 })),
  row(
    'reasoning',
    'reasoning before the answer',
    asking('Is 91 a prime number?', { reasoning: { effort: 'low', summary: 'auto' } }),
    {
      ...PLAIN,
      needs: ['reasoning', 'reasoning.effort'],
      shown: ({ reasoning }) => reasoning !== '',
      without: 'the answer has no reasoning',
    },
  ),
  row('tool', 'a tool call', asking('What is the weather in Oslo? Call the tool.', { tools: [TOOL] }), CALLED),
  row(
    'tool-without-parameters',
    'a call to a function without parameters',
    asking('What time is it? Call the tool.', { tools: [CLOCK] }),
    { ...CALLED, promised: hasObjectArguments },
  ),
  row(
    'parallel-tools',
    'two tool calls in one response',
    asking('What is the weather in Oslo and in Rome? Call the tool for both at once.', {
      tools: [TOOL],
      parallel_tool_calls: true,
    }),
    { ...CALLED, shown: calls(2), without: 'the model did not call twice' },
  ),
  row(
    'forced-tool',
    'a call forced by function name',
    asking('Greet me.', { tools: [CLOCK, TOOL], tool_choice: { type: 'function', name: 'get_weather' } }),
    { ...CALLED, needs: ['tools', 'tool_choice'], promised: demanded },
  ),
  row(
    'required-tool',
    'a call forced by tool_choice',
    asking('Greet me.', { tools: [TOOL], tool_choice: 'required' }),
    { ...CALLED, needs: ['tools', 'tool_choice'], promised: demanded },
  ),
  row(
    'forbidden-tool',
    'text when tool_choice forbids calls',
    asking('Say that you cannot know the weather in Oslo.', { tools: [TOOL], tool_choice: 'none' }),
    { ...PLAIN, needs: ['tools', 'tool_choice'], promised: NO_CALL },
  ),
  row(
    'tool-result',
    'a detail from a tool result',
    {
      input: [
        user('What is the weather in Oslo? Name the numbers of the report and of your search.'),
        assistant('I begin the search DK-7718.'),
        CALL('call_1', 'Oslo'),
        OUTPUT('call_1', 'Rain, 4 degrees, report KX-4821'),
      ],
      tools: [TOOL],
    },
    { ...PLAIN, recalls: ['KX-4821', 'DK-7718'] },
  ),
  row(
    'parallel-results',
    'details from two tool results',
    {
      input: [
        user('What is the weather in Oslo and in Rome? Name the numbers of both reports.'),
        CALL('call_1', 'Oslo'),
        CALL('call_2', 'Rome'),
        OUTPUT('call_1', 'Rain, 4 degrees, report KX-4821'),
        OUTPUT('call_2', 'Sun, 21 degrees, report KX-5930'),
      ],
      tools: [TOOL],
    },
    { ...PLAIN, recalls: ['KX-4821', 'KX-5930'] },
  ),
  row(
    'structured-output',
    'JSON that follows a schema',
    asking('Name a city and its population.', {
      text: { format: { type: 'json_schema', name: 'city', schema: SCHEMA, strict: true } },
    }),
    { ...PLAIN, needs: ['text.format', 'text.format.schema'], promised: followsSchema },
  ),
  row('refusal', 'a refusal', asking('Refuse to answer this request.'), {
    ...PLAIN,
    shown: ({ refusal, finish }) => refusal !== '' || /refusal|filter|SAFETY|PROHIBITED/.test(finish ?? ''),
    without: 'the model did not refuse in a form of the protocol',
  }),
  row('citations', 'citations', asking('Cite a source for the height of Galdhøpiggen.'), {
    ...PLAIN,
    shown: ({ citations }) => citations.length > 0,
    without: 'the answer has no citation',
  }),
  row(
    'image',
    'an image in the input',
    {
      input: [
        user([
          { type: 'input_text', text: 'Which color is this? Answer with its English name.' },
          { type: 'input_image', image_url: PICTURE },
        ]),
      ],
    },
    { ...PLAIN, needs: ['input[0].content[1]'], recalls: ['red'], recall: 'image' },
  ),
]

/** A request that a server refuses. */
export interface RefusedRow {
  readonly name: string
  readonly about: string
  /** The fault of a request for a short text. */
  readonly wrong: 'json' | 'no-input' | 'input-type' | 'limit' | 'model' | 'key' | 'method'
  readonly stream: boolean
  /** A status outside of them is a defect; one of `accepts` shows that the server does not refuse this. */
  readonly statuses: readonly number[]
}

const INVALID = [400, 422] as const

export const REFUSED_ROWS: readonly RefusedRow[] = [
  { name: 'error-json', about: 'a body that is not JSON', wrong: 'json', stream: false, statuses: INVALID },
  { name: 'error-input', about: 'a body without input', wrong: 'no-input', stream: false, statuses: INVALID },
  {
    name: 'error-before-stream',
    about: 'a streamed request without input',
    wrong: 'no-input',
    stream: true,
    statuses: INVALID,
  },
  { name: 'error-type', about: 'input with the wrong type', wrong: 'input-type', stream: false, statuses: INVALID },
  { name: 'error-limit', about: 'a negative token limit', wrong: 'limit', stream: false, statuses: INVALID },
  { name: 'error-model', about: 'an unknown model', wrong: 'model', stream: false, statuses: [400, 403, 404, 422] },
  { name: 'error-key', about: 'an invalid key', wrong: 'key', stream: false, statuses: [400, 401, 403] },
  { name: 'error-method', about: 'GET instead of POST', wrong: 'method', stream: false, statuses: [400, 404, 405] },
]
