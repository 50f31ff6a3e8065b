import { getOrCreate } from '../src/collections/get-or-create.ts'
import type { Delta } from '../src/protocol/delta.ts'
import { upstreamError } from '../src/protocol/error.ts'
import type { HostedItem, Item } from '../src/protocol/item.ts'
import type { Annotation } from '../src/protocol/part.ts'
import type { Response } from '../src/protocol/response.ts'
import { wrapEnvelope } from '../src/responses/encrypted-content.ts'
import { type CLIENT_WIRES, closing, crossTranslate, encodeAnswerAs } from './cross-translate.ts'

/**
 * The features of an answer that clients of each wire receive: encoded for the client and decoded by the wire's own
 * decoder.
 */

export type Support = 'carried' | 'mapped' | 'dropped'

interface Feature {
  readonly name: string
  readonly deltas: readonly Delta[]
  /** Returns the observable values of the feature, or an empty list if it is absent. */
  readonly see: (response: Response) => readonly unknown[]
}

const STOP: Delta = { kind: 'finish', reason: 'stop' }
const words = (
  kind: 'text' | 'refusal' | 'reasoning' | 'summary',
  text: string,
  key: string = kind,
  part = '',
): Delta => ({
  kind,
  key,
  part,
  text,
  logprobs: null,
})
const HI = words('text', 'The sun is up.')
const call = (key: string, name: string, args: string): Delta => ({
  kind: 'call',
  key,
  type: 'function_call',
  callId: `call_${key}`,
  name,
  arguments: args,
})

const items = <T extends Item['type']>({ output }: Response, type: T) =>
  output.filter((item): item is Extract<Item, { type: T }> => item.type === type)
const hosted = ({ output }: Response, type: string) =>
  output.filter((item): item is HostedItem => 'fields' in item && item.type === type)
const parts = (response: Response) => items(response, 'message').flatMap(({ content }) => content)
const messageText = (response: Response): string =>
  parts(response)
    .map((part) => (part.type === 'refusal' ? part.refusal : part.text))
    .join('')
const reasoningTexts = (response: Response): readonly string[] =>
  items(response, 'reasoning').map(({ summary, content }) => [...summary, ...content].map(({ text }) => text).join(''))
const annotations = (response: Response): readonly Annotation[] =>
  parts(response).flatMap((part) => (part.type === 'output_text' ? part.annotations : []))
const calls = (response: Response) => items(response, 'function_call')
const orNothing = (text: string): readonly string[] => (text === '' ? [] : [text])
const known = (value: number | null | undefined): readonly number[] =>
  value === null || value === undefined || value === 0 ? [] : [value]

const PAGE: Delta = {
  kind: 'citation',
  key: 'text',
  part: '',
  citation: {
    url: 'https://weather.example/today',
    title: 'Weather today',
    content: 'It is up since six.',
    span: { start: 4, end: 7, unit: 'utf16' },
    marker: null,
  },
}
const FILE: Delta = {
  kind: 'citation',
  key: 'text',
  part: '',
  citation: {
    url: '',
    title: null,
    content: null,
    span: { start: 4, end: 7, unit: 'utf16' },
    marker: null,
    file: { file_id: 'file_1', filename: 'almanac.txt' },
  },
}
const SEAL = 'mr1.Zm9yZWlnbg'

/** Gemini's clients receive an envelope in base64. */
const holds = (sealed: string | null): boolean =>
  sealed?.includes(SEAL) === true || sealed?.includes(wrapEnvelope(SEAL)) === true

const USAGE: Delta = {
  kind: 'usage',
  usage: {
    input_tokens: 100,
    output_tokens: 40,
    total_tokens: 140,
    cached_tokens: 30,
    reasoning_tokens: 25,
    cache_write_tokens: 12,
    cache_writes: { '5m': 12 },
  },
}
const SEARCH: Delta = {
  kind: 'hosted',
  key: 'search',
  done: true,
  item: {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    fields: { action: { type: 'search', query: 'sunrise' } },
  },
}
const INTERPRETER: Delta = {
  kind: 'hosted',
  key: 'code',
  done: true,
  item: {
    type: 'code_interpreter_call',
    id: 'ci_1',
    status: 'completed',
    fields: { code: '1 + 1', container_id: 'cntr_1', outputs: [{ type: 'logs', logs: '2' }] },
  },
}
const LOGPROB = { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] }

const two = [call('1', 'get_weather', '{"city":"Bern"}'), call('2', 'get_time', '{"zone":"CET"}')]

export const FEATURES: readonly Feature[] = [
  { name: 'text', deltas: [HI, STOP], see: (it) => orNothing(messageText(it)) },
  {
    name: 'reasoning',
    deltas: [words('summary', 'It is morning.'), HI, STOP],
    see: (it) => orNothing(reasoningTexts(it).join('')),
  },
  {
    name: 'reasoning in several items',
    deltas: [words('summary', 'One.'), HI, words('summary', 'Two.', 'again'), STOP],
    see: reasoningTexts,
  },
  {
    name: 'reasoning in several parts',
    deltas: [words('summary', 'One.'), words('summary', 'Two.', 'summary', '2'), HI, STOP],
    see: reasoningTexts,
  },
  {
    name: 'encrypted reasoning of another vendor',
    deltas: [words('summary', 'It is morning.'), { kind: 'opaque', key: 'summary', payload: SEAL }, HI, STOP],
    see: (it) => items(it, 'reasoning').flatMap((item) => (holds(item.encrypted_content) ? [SEAL] : [])),
  },
  {
    name: 'calls: names and arguments',
    deltas: [...two, STOP],
    see: (it) => calls(it).map(({ name, arguments: args }) => [name, JSON.parse(args)]),
  },
  {
    name: 'calls: truncated arguments',
    deltas: [call('1', 'get_weather', '{"city":"Be'), { kind: 'finish', reason: 'max_output_tokens' }],
    see: (it) => calls(it).map((item) => item.arguments),
  },
  { name: 'calls: ids', deltas: [...two, STOP], see: (it) => calls(it).map((item) => item.call_id) },
  {
    name: 'text and calls, in order',
    deltas: [HI, ...two, STOP],
    see: (it) => it.output.map(({ type }) => type),
  },
  {
    name: 'texts in several messages',
    deltas: [HI, words('text', 'It is warm.', 'again'), STOP],
    see: (it) => items(it, 'message').map(({ content }) => content.length),
  },
  {
    name: 'custom tool calls',
    deltas: [{ ...call('1', 'shell', 'ls -l'), type: 'custom_tool_call' } as Delta, STOP],
    see: (it) => [
      ...items(it, 'custom_tool_call').map(({ input }) => input),
      ...calls(it).map((item) => item.arguments),
    ],
  },
  {
    name: 'cited pages',
    deltas: [HI, PAGE, STOP],
    see: (it) => annotations(it).flatMap((one) => (one.type === 'url_citation' ? [one.url] : [])),
  },
  {
    name: 'cited pages: titles',
    deltas: [HI, PAGE, STOP],
    see: (it) => annotations(it).flatMap((one) => (one.type === 'url_citation' && one.title ? [one.title] : [])),
  },
  {
    name: 'cited pages: offsets',
    deltas: [HI, PAGE, STOP],
    see: (it) =>
      annotations(it).flatMap((one) =>
        one.type === 'url_citation' && one.end_index > 0 ? [[one.start_index, one.end_index]] : [],
      ),
  },
  {
    name: 'cited pages: excerpts',
    deltas: [HI, PAGE, STOP],
    see: (it) => annotations(it).flatMap((one) => (one.type === 'url_citation' && one.content ? [one.content] : [])),
  },
  {
    name: 'cited files',
    deltas: [HI, FILE, STOP],
    see: (it) => annotations(it).map((one) => (one.type === 'file_citation' ? one.filename : one.title)),
  },
  {
    name: 'refusals',
    deltas: [words('refusal', 'No.'), STOP],
    see: (it) => parts(it).map((part) => [part.type, part.type === 'refusal' ? part.refusal : part.text]),
  },
  { name: 'refusals: finish', deltas: [words('refusal', 'No.'), STOP], see: (it) => [it.status] },
  {
    name: 'log probabilities',
    deltas: [{ kind: 'text', key: 'text', part: '', text: 'Hi', logprobs: [LOGPROB] }, STOP],
    see: (it) => parts(it).flatMap((part) => (part.type === 'output_text' ? part.logprobs : [])),
  },
  {
    name: 'web searches of the upstream',
    deltas: [SEARCH, HI, STOP],
    see: (it) => hosted(it, 'web_search_call').map(({ fields }) => fields.action),
  },
  {
    name: 'code that the upstream ran',
    deltas: [INTERPRETER, HI, STOP],
    see: (it) => hosted(it, 'code_interpreter_call').map(({ fields }) => fields.code),
  },
  {
    name: 'usage: input and output',
    deltas: [HI, USAGE, STOP],
    see: (it) => [...known(it.usage?.input_tokens), ...known(it.usage?.output_tokens)],
  },
  {
    name: 'usage: unknown',
    deltas: [HI, STOP],
    see: (it) => (it.usage === null ? ['unknown'] : []),
  },
  { name: 'usage: cached', deltas: [HI, USAGE, STOP], see: (it) => known(it.usage?.cached_tokens) },
  {
    name: 'usage: written to a cache',
    deltas: [HI, USAGE, STOP],
    see: (it) => known(it.usage?.cache_write_tokens),
  },
  {
    name: 'usage: written to a cache, by lifetime',
    deltas: [HI, USAGE, STOP],
    see: (it) => known(it.usage?.cache_writes?.['5m']),
  },
  { name: 'usage: reasoning', deltas: [HI, USAGE, STOP], see: (it) => known(it.usage?.reasoning_tokens) },
  { name: 'finish: stop', deltas: [HI, STOP], see: (it) => [it.status] },
  {
    name: 'finish: token limit',
    deltas: [HI, { kind: 'finish', reason: 'max_output_tokens' }],
    see: (it) => [it.status, it.incomplete_details?.reason],
  },
  {
    name: 'finish: filter',
    deltas: [HI, { kind: 'finish', reason: 'content_filter' }],
    see: (it) => [it.status, it.incomplete_details?.reason],
  },
  {
    name: 'failures: message',
    deltas: [HI, { kind: 'error', error: upstreamError('server_is_overloaded', 'Too many at once.') }],
    see: (it) => [it.status, it.error?.message],
  },
  {
    name: 'failures: code',
    deltas: [HI, { kind: 'error', error: upstreamError('server_is_overloaded', 'Too many at once.') }],
    see: (it) => [it.status, it.error?.code],
  },
  ...['rate_limit_exceeded', 'insufficient_quota', 'invalid_prompt', 'context_length_exceeded', 'content_filter'].map(
    (code): Feature => ({
      name: `failures: code ${code}`,
      deltas: [HI, { kind: 'error', error: upstreamError(code, 'It cannot be.') }],
      see: (it) => [it.status, it.error?.code],
    }),
  ),
  {
    name: 'failures: that the upstream was cut off',
    deltas: [HI],
    see: (it) => [it.status, it.error?.code],
  },
  {
    name: 'failures: usage',
    deltas: [HI, USAGE, { kind: 'error', error: upstreamError('server_is_overloaded', 'Too many at once.') }],
    see: (it) => known(it.usage?.input_tokens),
  },
]

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

export function supportOf(wire: (typeof CLIENT_WIRES)[number], { deltas, see }: Feature): Support {
  const meant = see(closing(encodeAnswerAs(deltas)))
  const received = see(crossTranslate(wire, deltas))
  if (same(meant, received)) return 'carried'
  return received.length === 0 ? 'dropped' : 'mapped'
}

const CARRIED = new WeakMap<(typeof CLIENT_WIRES)[number], ReadonlySet<string>>()

/** Returns whether the wire carries this feature unchanged. */
export function carries(wire: (typeof CLIENT_WIRES)[number], name: string): boolean {
  if (!FEATURES.some((one) => one.name === name)) throw new Error(`there is no feature "${name}"`)
  const carried = getOrCreate(
    CARRIED,
    wire,
    () => new Set(FEATURES.flatMap((one) => (supportOf(wire, one) === 'carried' ? [one.name] : []))),
  )
  return carried.has(name)
}
