import { describe, expect, it } from 'vitest'
import { formatLoss } from '../../../../src/protocol/loss.ts'
import { ANTHROPIC_CACHE, type CacheSupport, OPENAI_CACHE } from '../../../../src/wires/cache-support.ts'
import { breakpointsOf } from '../../../../src/wires/shared/upstream/cache/breakpoints.ts'
import { placeBreakpoints } from '../../../../src/wires/shared/upstream/cache/place-breakpoints.ts'
import { requestOf } from '../../../request-bodies.ts'
import { assistant, call, fn, user as says, system } from '../../hub-requests.ts'
import { type Cases, listed } from '../../request-cases.ts'

/** A request, and the breakpoints that it has for an upstream. */
interface Placed {
  readonly request: object
  /** Left out: that of Anthropic. */
  readonly support?: CacheSupport | null
  /** As `path` or `path ttl`. */
  readonly places: readonly string[]
  /** Left out: none. Null: any. A number: how many. */
  readonly losses?: readonly string[] | number | null
  /** The options of the prompt that are left. */
  readonly options?: object | null
}

const placed =
  (policy: 'auto' | 'client' | 'off') =>
  ({ request: asked, support = ANTHROPIC_CACHE, places, losses = [], options }: Placed): void => {
    const { request, losses: found } = placeBreakpoints(requestOf({ ...asked }), support, policy)
    for (const { end } of request.instruction_breakpoints) expect(end).toBe(request.instructions?.length)
    const all = breakpointsOf(request)
    expect(all.map(({ path, breakpoint: { ttl } }) => (ttl === null ? path : `${path} ${ttl}`))).toEqual(places)
    if (typeof losses === 'number') expect(found).toHaveLength(losses)
    else if (losses !== null) expect(found.map(formatLoss)).toEqual(losses)
    if (options !== undefined) expect(request.prompt_cache_options).toEqual(options)
  }
const testPlaces = (subject: string, policy: 'auto' | 'client' | 'off', cases: Cases<Placed>) =>
  describe(subject, () => {
    for (const [name, found] of Object.entries(cases)) it(name, () => listed(found).forEach(placed(policy)))
  })

const end = (ttl?: string) => ({
  prompt_cache_breakpoint: { mode: 'explicit', ...(ttl === undefined ? {} : { ttl }) },
})
const text = (words: string, ttl?: string) => ({
  ...{ type: 'input_text', text: words },
  ...(ttl === undefined ? {} : end(ttl === 'own' ? undefined : ttl)),
})
const user = (...content: readonly (string | object)[]) =>
  says(content.map((one) => (typeof one === 'string' ? text(one) : one)))
const owned = (...words: readonly string[]) => user(...words.map((word) => text(word, 'own')))
const output = (call_id: string, ...parts: readonly object[]) => ({
  ...{ type: 'function_call_output', call_id },
  output: parts.length === 0 ? [text('done')] : parts,
})
const tool = fn()
const [answer, called] = [assistant('Well.'), call('c')]
const instructions = 'Be brief.'
const parts: CacheSupport = { ...ANTHROPIC_CACHE, places: new Set(['prompt', 'output part']) }
const OPENAI: CacheSupport = { ...OPENAI_CACHE, places: new Set(['rules', 'prompt', 'output part']) }
const at = (...indices: readonly number[]) => indices.map((index) => `input[0].content[${index}]`)
const turns = [user('a'), called, output('c'), call('d'), output('d')]
const ephemeral = { cache_control: { type: 'ephemeral' } }
const explicit = (more: object = {}) => ({ prompt_cache_options: { mode: 'explicit', ...more } })
const dropped = (why: string, ...places: readonly string[]) =>
  places.map((place) => `${place}.prompt_cache_breakpoint dropped: ${why}`)

// biome-ignore format: a row a case
testPlaces('automatic breakpoints', 'auto', {
  'stand on tools, instructions and the last two turns': {
    request: { tools: [tool, fn('g')], instructions, input: [user('a'), answer, user('b'), called, output('c'), answer, user('d')] },
    places: ['tools[1]', 'instruction_breakpoints[0]', 'input[4]', 'input[6].content[0]'] },
  'stand on the system messages at the beginning, which follow the instructions': {
    request: { tools: [tool], instructions,
      input: [system('A'), { role: 'developer', content: 'B' }, system(' '), user('a'), system('C')] },
    places: ['tools[0]', 'input[1].content[0]', 'input[3].content[0]'] },
  'stand at the end of a turn with several outputs and messages': {
    request: { input: [user('a'), called, call('d'), output('c'), output('d'), user('b'), user(' ')] },
    places: ['input[0].content[0]', 'input[5].content[0]'] },
  'are one step further with each request, so that the previous end is among them': [
    { request: { tools: [tool], input: turns.slice(0, 3) }, places: ['tools[0]', 'input[0].content[0]', 'input[2]'] },
    { request: { tools: [tool], input: turns }, places: ['tools[0]', 'input[2]', 'input[4]'] },
  ],
  'are not placed if the request has neither tools nor an earlier answer': { request: { input: [user('a')], instructions }, places: [] },
  'are not placed if the client turns implicit caching off': { request: { tools: [tool], ...explicit() }, places: [] },
  'are not added to those of the client': { request: { tools: [tool], input: [owned('a')] }, places: at(0) },
  'are not placed for an upstream that caches by itself': { request: { tools: [tool], input: [user('a')] }, places: [],
    support: { ...OPENAI_CACHE, places: ANTHROPIC_CACHE.places } },
  'stand on parts of outputs, and not on tools, where the upstream has no other places': {
    request: { tools: [tool], instructions, input: turns.slice(0, 3) }, support: parts, places: [...at(0), 'input[2].output[0]'] },
  'have the lifetime that the client requests for the prompt': {
    request: { tools: [tool], prompt_cache_options: { ttl: '1h' } }, places: ['tools[0] 1h', 'input[0].content[0] 1h'], losses: null },
})

const NOT_HERE = 'this upstream accepts no cache breakpoint here'
const lost = (why: string): Omit<Placed, 'support'> => ({
  request: { tools: [{ ...tool, ...end() }], input: [user(text('a', '5m'))], ...explicit() },
  places: [],
  losses: [...dropped(why, 'tools[0]', 'input[0].content[0]'), `prompt_cache_options dropped: ${why}`],
  options: null,
})
// biome-ignore format: a row a case
testPlaces('breakpoints of a client', 'client', {
  'stay where the upstream accepts them': { options: null, places: ['tools[0] 1h', ...at(1)],
    request: { tools: [{ ...tool, ...end('1h') }], input: [user('a', text('b', 'own'))] } },
  'are the only ones where the operator leaves caching to clients': { request: { tools: [tool], input: [user('a')] }, places: [] },
  'are at most four: the first one and the last three': { request: { input: [owned('a', 'b', 'c', 'd', 'e', 'f')] }, places: at(0, 3, 4, 5),
    losses: dropped('this upstream accepts at most 4 cache breakpoints', ...at(1, 2)) },
  'of parts of an output stand on the output, or on its last part': [
    { request: { input: [called, output('c', text('a', 'own'), text('b'))] }, places: ['input[1]'], losses: null },
    ...([[OPENAI, 'input[1].output[1]'], [ANTHROPIC_CACHE, 'input[1]']] as const).map(([support, place]) =>
      ({ request: { input: [called, { ...output('c', text('a'), text('b')), ...end() }] }, support, places: [place], losses: null })),
  ],
  'are losses in a place that the upstream does not have': { support: OPENAI, places: [], options: null,
    request: { tools: [{ ...tool, ...end() }], input: [{ ...called, ...end() }] }, losses: dropped(NOT_HERE, 'tools[0]', 'input[0]') },
  'are all losses without support': { ...lost('this upstream has no cache breakpoints'), support: null },
})
testPlaces('breakpoints of a client', 'off', {
  'are all losses if they are turned off': lost('cache breakpoints are turned off for this upstream'),
})

it('placing breakpoints returns the same request if there are none', () => {
  const request = requestOf()
  expect(placeBreakpoints(request, ANTHROPIC_CACHE, 'client').request).toBe(request)
  expect(placeBreakpoints(request, null, 'client').request).toBe(request)
})

const nearest = (path: string, ttl: string) =>
  `${path}.ttl mapped: sent as ${ttl}, the nearest lifetime that this upstream accepts`
const sentAs = (ttl: string, own: string, support = ANTHROPIC_CACHE): Placed => ({
  request: { input: [user(text('a', ttl))] },
  support,
  places: [`input[0].content[0] ${own}`],
  losses: [nearest('input[0].content[0].prompt_cache_breakpoint', own)],
})
const inherited = { input: [owned('a')], ...explicit({ ttl: '12h' }) }
// biome-ignore format: a row a case
testPlaces('lifetimes of breakpoints', 'client', {
  'are sent as the nearest one': [sentAs('30m', '1h'), sentAs('12h', '1h'), sentAs('5m', '30m', OPENAI), sentAs('1h', '12h', OPENAI)],
  'are raised before a longer one, where the upstream requires it': [
    { request: { input: [user(text('a', '5m'), text('b', 'own'), text('c', '1h'), text('d', '5m'))] }, losses: 2,
      places: [...at(0, 1, 2).map((place) => `${place} 1h`), 'input[0].content[3] 5m'] },
    { request: { input: [user(text('a', '30m'), text('b', '12h'))] }, support: OPENAI, places: ['input[0].content[0] 30m', 'input[0].content[1] 12h'] },
  ],
  'are inherited from the options of the prompt, unless the upstream has these options': [
    { request: inherited, places: ['input[0].content[0] 1h'], losses: [nearest('prompt_cache_options', '1h')], options: null },
    { request: inherited, support: OPENAI, places: at(0), options: { mode: 'explicit', ttl: '12h' } },
  ],
})
// biome-ignore format: a row a case
testPlaces('the implicit breakpoint that a client requests', 'client', {
  'stands at the end of the prompt': [
    { request: { input: [owned('a'), assistant('b'), user('c', ' ')], cache_control: { type: 'ephemeral', ttl: '5m' } },
      places: ['input[0].content[0] 5m', 'input[2].content[0] 5m'] },
    { request: ephemeral, places: at(0), losses: null },
  ],
  'counts as one of the four': { request: { input: [user(...['a', 'b', 'c', 'd'].map((word) => text(word, 'own')), 'e')], ...ephemeral },
    places: at(0, 2, 3, 4), losses: null },
})
