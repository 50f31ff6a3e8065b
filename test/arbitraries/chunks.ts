import fc from 'fast-check'
import { hostile, TRAPS } from './strings.ts'

// biome-ignore format: one line, as they are read
const FIELDS = [
  'id', 'object', 'model', 'choices', 'usage', 'x_groq', 'error', 'citations', 'search_results', 'index', 'delta', 'message',
  'finish_reason', 'logprobs', 'text', 'role', 'content', 'refusal', 'tool_calls', 'function_call', 'reasoning_content',
  'reasoning', 'reasoning_details', 'annotations', 'executed_tools', 'images', 'audio', 'type', 'function', 'custom', 'name',
  'arguments', 'input', 'url', 'title', 'url_citation', 'start_index', 'end_index', 'prompt_tokens', 'completion_tokens',
  'total_tokens', 'code', 'param', 'metadata', 'thinking', 'data', 'signature', 'summary', 'token', 'bytes', 'image_url',
  ...TRAPS,
] as const

/** Any JSON, preferring the names that a reader asks for, with values of every type. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      1,
      -1,
      0.5,
      1e300,
      '',
      'stop',
      'url_citation',
      'reasoning.encrypted',
    ),
    hostile,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...FIELDS), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | unknown> =>
  fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: anyJson })

const fields = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(Object.entries(model).map(([name, value]) => [name, maybe(value)])), {
    requiredKeys: [],
    noNullPrototype: true,
  })

const argumentPiece = fc.constantFrom('', '{}', '{"city":', '"Bern"}', '"x"', '}', '{"a":1}')
const call = fields({
  index: fc.constantFrom(0, 0, 1, 2, '0', null),
  id: fc.constantFrom('call_1', 'call_2', '', null),
  type: fc.constantFrom('function', 'function', 'custom'),
  function: fields({ name: fc.constantFrom('look', 'up', '', null), arguments: argumentPiece }),
  custom: fields({ name: fc.constantFrom('grep', ''), input: hostile }),
})

const url = fc.constantFrom('https://a.example/1', 'https://b.example/', '')
const source = fields({ url, title: hostile, snippet: hostile, content: hostile })
const offset = fc.integer({ min: -1, max: 30 })
const cited = { url, title: hostile, content: hostile, start_index: offset, end_index: offset }
const annotation = fields({ type: fc.constant('url_citation'), url_citation: fields(cited), ...cited })

const detail = fields({
  type: fc.constantFrom('reasoning.text', 'reasoning.summary', 'reasoning.encrypted'),
  index: fc.nat({ max: 1 }),
  text: hostile,
  summary: hostile,
  signature: hostile,
  data: hostile,
})

const contentPart = fields({
  type: fc.constantFrom('text', 'thinking', 'reference'),
  text: hostile,
  thinking: fc.array(fields({ type: fc.constant('text'), text: hostile }), { maxLength: 2 }),
})

const spoken = fields({
  role: fc.constant('assistant'),
  content: fc.oneof(
    { weight: 5, arbitrary: hostile },
    { weight: 1, arbitrary: fc.array(contentPart, { maxLength: 2 }) },
  ),
  refusal: fc.option(hostile, { freq: 1 }),
  tool_calls: fc.array(call, { maxLength: 2 }),
  function_call: fields({ name: fc.constant('look'), arguments: argumentPiece }),
  reasoning_content: hostile,
  reasoning: hostile,
  reasoning_details: fc.array(detail, { maxLength: 2 }),
  annotations: fc.array(annotation, { maxLength: 2 }),
  images: fc.array(fields({ index: fc.nat(), image_url: fields({ url: fc.constant('data:image/png;base64,AA==') }) }), {
    maxLength: 1,
  }),
})

const token = { token: hostile, logprob: fc.constant(-0.5), bytes: fc.constantFrom(null, [65]) }
const choice = fields({
  index: fc.constantFrom(0, 0, 0, 1, null),
  delta: spoken,
  message: spoken,
  finish_reason: fc.constantFrom(
    null,
    null,
    null,
    'stop',
    'tool_calls',
    'length',
    'content_filter',
    'error',
    'toString',
  ),
  logprobs: fields({
    content: fc.array(fields({ ...token, top_logprobs: fc.array(fields(token)) }), { maxLength: 1 }),
  }),
  text: hostile,
})

const count = fc.nat({ max: 999 })
const usage = fields({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  completion_tokens_details: fields({ reasoning_tokens: count }),
})

/** A chunk that is nearly right: every field may be missing, and now and then one is something else altogether. */
export const chunk: fc.Arbitrary<object> = fields({
  id: fc.constant('chatcmpl-1'),
  object: fc.constant('chat.completion.chunk'),
  model: fc.constantFrom('m-1', 'm-2'),
  choices: fc.array(choice, { minLength: 1, maxLength: 2 }),
  usage: fc.option(usage),
  citations: fc.array(fc.oneof(url, source), { maxLength: 2 }),
  search_results: fc.array(source, { maxLength: 2 }),
})

/** A chunk as vendors send it: text and no more. */
const plain = fc
  .tuple(fc.constantFrom('content', 'content', 'reasoning_content'), hostile, fc.constantFrom(null, null, 'stop'))
  .map(([field, text, finish_reason]) => ({
    model: 'm-1',
    choices: [{ index: 0, delta: { [field]: text }, finish_reason }],
  }))

const failure = fields({ error: fields({ message: hostile, code: fc.constantFrom(429, 'overloaded'), type: hostile }) })

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: chunk },
  { weight: 5, arbitrary: plain },
  { weight: 1, arbitrary: anyJson },
  { weight: 1, arbitrary: failure },
)

/** The payload of one frame: JSON of a chunk, JSON that is cut, the end mark, or no JSON at all. */
export const payload: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: value.map((it) => JSON.stringify(it)) },
  { weight: 1, arbitrary: fc.tuple(value, fc.nat()).map(([it, at]) => cutText(JSON.stringify(it), at)) },
  { weight: 1, arbitrary: fc.constantFrom('[DONE]', ' [DONE]', '', '{', 'null') },
  { weight: 1, arbitrary: hostile },
)

const cutText = (text: string, at: number): string => text.slice(0, at % (text.length + 1))

export interface Lines {
  readonly eol: '\n' | '\r\n' | '\r'
  readonly bom: boolean
  readonly space: boolean
  readonly comments: boolean
  /** The last blank line is there. */
  readonly closed: boolean
}

/** Every way to write the same frames. */
export const lines: fc.Arbitrary<Lines> = fc.record({
  eol: fc.constantFrom('\n', '\n', '\r\n', '\r'),
  bom: fc.boolean(),
  space: fc.boolean(),
  comments: fc.boolean(),
  closed: fc.boolean(),
})

export function toSse(payloads: readonly string[], { eol, bom, space, comments, closed }: Lines): string {
  const frames = payloads.map((data) => {
    const said = data.split(/\r\n|\r|\n/).map((line) => `data:${space ? ' ' : ''}${line}`)
    return `${comments ? `: ping${eol}` : ''}${said.join(eol)}`
  })
  return `${bom ? '\ufeff' : ''}${frames.join(eol + eol)}${closed ? eol + eol : ''}`
}

/** The bytes of a stream of chunks, in any of its spellings. */
export const chatStream: fc.Arbitrary<string> = fc
  .tuple(fc.array(payload, { maxLength: 10 }), lines, fc.boolean())
  .map(([payloads, how, done]) => toSse(done ? [...payloads, '[DONE]'] : payloads, how))

/** Where to cut bytes: any number of places, in characters and line ends too, with empty pieces. */
export const cuts: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(), { maxLength: 12 })

export function cutBytes(bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end))
}

/** All pieces of one size. */
export function slices(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}
