import fc from 'fast-check'
import type { CallDelta, Citation, Delta, HostedDelta, OffsetUnit, Span } from '../../src/protocol/delta.ts'
import { gatewayError, upstreamError } from '../../src/protocol/error.ts'
import type { HostedItemType } from '../../src/protocol/item.ts'
import type { Json } from '../../src/protocol/json.ts'
import type { Logprob } from '../../src/protocol/part.ts'
import { PROGRESS_EVENTS, type ProgressName } from '../../src/protocol/progress.ts'
import type { Usage } from '../../src/protocol/usage.ts'
import { HOSTED_MEMBERS } from '../../src/responses/hosted-members.ts'
import { anyString, hostile, TRAPS } from './strings.ts'

/** Only a few keys and parts, so that deltas share them, also across kinds. */
const key = fc.constantFrom('a', 'b', 'c', 'a b', '__proto__')
const part = fc.constantFrom('', '', 'p', 'q')

const tokenProb = fc.record({
  token: hostile,
  logprob: fc.double({ noNaN: true, noDefaultInfinity: true, max: 0 }).map((value) => value + 0),
  bytes: fc.option(fc.array(fc.nat({ max: 255 }), { maxLength: 3 })),
})
const logprob: fc.Arbitrary<Logprob> = fc
  .tuple(tokenProb, fc.array(tokenProb, { maxLength: 2 }))
  .map(([token, top_logprobs]) => ({ ...token, top_logprobs }))
const logprobs = fc.option(fc.array(logprob, { maxLength: 2 }), { freq: 2 })

const content = fc.record({
  kind: fc.constantFrom('text', 'text', 'text', 'refusal', 'reasoning', 'summary'),
  key,
  part,
  text: hostile,
  logprobs: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: logprobs }),
})

const NAMES = [null, null, '', 'get', 'get_weather', '_weather', 'toString', '😀'] as const
const CALL_IDS = [null, null, '', 'call_1', 'call_2', 'call_x_0'] as const
const ARGUMENTS = ['', '', ' ', '{}', '{"a":', '"b"', '}', '1', '2', '[]', 'null', '{"city":"Bern"}'] as const

const DETAILS: readonly Pick<CallDelta, 'namespace' | 'origin'>[] = [
  {},
  {},
  { namespace: 'crm' },
  { origin: { caller: { type: 'program', caller_id: 'p_1' }, async: true } },
  { namespace: '__proto__', origin: { caller: { type: 'direct' } } },
]

/** Names that arrive late, in pieces or repeatedly; ids that are missing, repeated or taken. */
const call = fc
  .record({
    kind: fc.constant('call' as const),
    key,
    type: fc.constantFrom('function_call', 'function_call', 'custom_tool_call'),
    callId: fc.constantFrom(...CALL_IDS),
    name: fc.constantFrom(...NAMES),
    arguments: fc.oneof(fc.constantFrom(...ARGUMENTS), hostile),
  })
  .chain((it): fc.Arbitrary<CallDelta> => fc.constantFrom(...DETAILS).map((details) => ({ ...it, ...details })))

export const UNITS: readonly OffsetUnit[] = ['utf16', 'code-point', 'utf8']

const offset = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -2, max: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.MAX_SAFE_INTEGER, 1e300, -1e300) },
)
const span: fc.Arbitrary<Span> = fc.record({ start: offset, end: offset, unit: fc.constantFrom(...UNITS) })
const URLS = ['https://a.example/1', 'https://b.example/', 'x', '__proto__'] as const

const cited = fc.record({
  url: fc.constantFrom(...URLS),
  title: fc.option(hostile),
  content: fc.option(fc.oneof(hostile, fc.constantFrom('Water', '日'))),
})
const marker = fc.oneof(fc.constantFrom('[1]', '[2]', '', '😀', 'a'), hostile)

/** A citation with a span, with a marker, or with neither. */
export const citation: fc.Arbitrary<Citation> = fc.oneof(
  fc.tuple(cited, span).map(([it, at]) => ({ ...it, span: at, marker: null })),
  fc.tuple(cited, marker).map(([it, mark]) => ({ ...it, span: null, marker: mark })),
  cited.map((it) => ({ ...it, span: null, marker: null })),
)

/** Searches are as frequent as all other types together, because they have most events. */
const HOSTED = (Object.keys(HOSTED_MEMBERS) as HostedItemType[]).flatMap((type, _, { length }) =>
  type === 'web_search_call' ? new Array<HostedItemType>(length - 1).fill(type) : [type],
)

const MEMBERS = [
  ...new Set(Object.values(HOSTED_MEMBERS).flatMap(({ names, content }) => Object.keys({ ...names, ...content }))),
]

/** Values that upstreams send for a member: of its kind, of another kind, or incomplete. */
const memberValue: fc.Arbitrary<Json> = fc.oneof(
  hostile,
  fc.constantFrom<Json>(
    null,
    [],
    {},
    'call_1',
    ['ls'],
    { type: 'search', query: 'q' },
    { type: 'open_page', url: null },
  ),
  fc.constantFrom<Json>(
    { type: 'delete_file', path: 'a' },
    { type: 'find_in_page' },
    { commands: ['ls'] },
    { type: '' },
  ),
)

const hosted: fc.Arbitrary<HostedDelta> = fc.record({
  kind: fc.constant('hosted' as const),
  key,
  item: fc.record({
    type: fc.constantFrom(...HOSTED),
    id: fc.constantFrom('', 'ws_1'),
    status: fc.constantFrom('in_progress', 'completed', 'failed', 'incomplete', 'cancelled'),
    fields: fc.dictionary(fc.constantFrom(...MEMBERS, 'id', 'type', 'status', ...TRAPS.slice(1)), memberValue, {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  }),
  done: fc.boolean(),
})

const progress = fc
  .record({
    kind: fc.constant('progress' as const),
    key,
    name: fc.constantFrom(...(Object.keys(PROGRESS_EVENTS) as ProgressName[])),
    fields: fc.record(
      {
        delta: fc.constantFrom('a', 'b"', ''),
        arguments: fc.constantFrom('', 'a', 'ab"', '{}'),
        partial_image_b64: fc.constant('aGk='),
        __proto__x: hostile,
      },
      { requiredKeys: [] },
    ),
  })
  .map((it) => ({ ...it, fields: it.name.startsWith('shell_call') ? { ...it.fields, command_index: 0 } : it.fields }))

const count = fc.option(fc.nat({ max: 9999 }))
const lifetimes = fc.dictionary(fc.constantFrom('5m', '30m', '1h', '12h'), fc.integer({ min: 1, max: 99 }), {
  minKeys: 1,
  noNullPrototype: true,
})

/** Counts by lifetime add up to all tokens that were written. */
const withLifetimes = (usage: Usage): fc.Arbitrary<Usage> =>
  fc.option(lifetimes, { nil: null, freq: 2 }).map((written) => {
    const sum = Object.values(written ?? {}).reduce((all, tokens) => all + tokens, 0)
    return written === null ? usage : { ...usage, cache_write_tokens: sum, cache_writes: written }
  })

const usage = fc.record({
  kind: fc.constant('usage' as const),
  usage: fc
    .record(
      {
        input_tokens: count,
        output_tokens: count,
        total_tokens: count,
        cached_tokens: count,
        reasoning_tokens: count,
        cache_write_tokens: fc.integer({ min: 1, max: 9999 }),
      },
      { requiredKeys: ['input_tokens', 'output_tokens', 'total_tokens', 'cached_tokens', 'reasoning_tokens'] },
    )
    .chain(withLifetimes),
})

/** A message of white space alone is none: upstreams' errors with one have the general message. */
const message = anyString.map((text) => (/\S/.test(text) ? text : `${text}m`))

const failure = fc
  .tuple(fc.boolean(), fc.constantFrom('server_error', 'upstream_timeout', 'constructor'), message)
  .map(([ours, code, message]) => (ours ? gatewayError(code, message) : upstreamError(code, message)))

/** Any delta of an upstream, in any state. */
export const delta: fc.Arbitrary<Delta> = fc.oneof(
  { weight: 10, arbitrary: content },
  { weight: 8, arbitrary: call },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('citation' as const), key, part, citation, block: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('opaque' as const), key, payload: hostile }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('opaque' as const),
      key,
      of: fc.constantFrom(...HOSTED),
      payload: hostile,
    }),
  },
  { weight: 2, arbitrary: hosted },
  { weight: 3, arbitrary: progress },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('stop', 'stop', 'hold'), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('final' as const), whole: fc.oneof(content, call) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mark' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('phase' as const),
      key,
      phase: fc.constantFrom('commentary', 'final_answer', '__proto__'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('start' as const), model: anyString }) },
  { weight: 1, arbitrary: usage },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      reason: fc.constantFrom('stop', 'stop', 'max_output_tokens', 'content_filter'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('error', 'cut'), error: failure }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('loss' as const), feature: hostile }) },
)

/** Any deltas in any order, all of which `respond` must accept. Many of them finish, as most answers do. */
export const deltas: fc.Arbitrary<readonly Delta[]> = fc
  .tuple(fc.array(delta, { maxLength: 24 }), fc.boolean())
  .map(([list, ends]) => (ends ? [...list.filter(({ kind }) => kind !== 'error'), FINISH] : list))

const FINISH: Delta = { kind: 'finish', reason: 'stop' }
