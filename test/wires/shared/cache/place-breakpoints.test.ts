import { describe, expect, it } from 'vitest'
import { formatLoss } from '../../../../src/protocol/loss.ts'
import { ANTHROPIC_CACHE, type CacheSupport, OPENAI_CACHE } from '../../../../src/wires/cache-support.ts'
import { breakpointsOf } from '../../../../src/wires/shared/upstream/cache/breakpoints.ts'
import { placeBreakpoints } from '../../../../src/wires/shared/upstream/cache/place-breakpoints.ts'
import { requestOf } from '../../../request-bodies.ts'

type Lifetime = '5m' | '30m' | '1h' | '12h'

const end = (ttl?: Lifetime) => ({
  prompt_cache_breakpoint: { mode: 'explicit', ...(ttl === undefined ? {} : { ttl }) },
})
const text = (words: string, ttl?: Lifetime | 'own') => ({
  type: 'input_text',
  text: words,
  ...(ttl === undefined ? {} : end(ttl === 'own' ? undefined : ttl)),
})
const user = (...content: readonly object[]) => ({ role: 'user', content })
const tool = { type: 'function', name: 'f' }

const OPENAI: CacheSupport = { ...OPENAI_CACHE, places: new Set(['rules', 'prompt', 'output part']) }

/** Returns the breakpoints as `path` or `path ttl`, and the losses. */
function place(fields: object, support: CacheSupport | null = ANTHROPIC_CACHE, policy: 'client' | 'off' = 'client') {
  const { request, losses } = placeBreakpoints(requestOf({ ...fields }), support, policy)
  return {
    places: breakpointsOf(request).map(({ path, breakpoint: { ttl } }) => (ttl === null ? path : `${path} ${ttl}`)),
    losses: losses.map(formatLoss),
    options: request.prompt_cache_options,
  }
}

const FOUR = 'this upstream accepts at most 4 cache breakpoints'

describe('breakpoints of a client', () => {
  it('stay where the upstream accepts them', () => {
    const fields = { tools: [{ ...tool, ...end('1h') }], input: [user(text('a'), text('b', 'own'))] }
    expect(place(fields)).toEqual({ places: ['tools[0] 1h', 'input[0].content[1]'], losses: [], options: null })
  })

  it('return the same request if there are none', () => {
    const request = requestOf()
    expect(placeBreakpoints(request, ANTHROPIC_CACHE, 'client').request).toBe(request)
    expect(placeBreakpoints(request, null, 'client').request).toBe(request)
  })

  it('are at most four: the first one and the last three', () => {
    const input = [user(...['a', 'b', 'c', 'd', 'e', 'f'].map((words) => text(words, 'own')))]
    const { places, losses } = place({ input })
    expect(places).toEqual([0, 3, 4, 5].map((at) => `input[0].content[${at}]`))
    expect(losses).toEqual([1, 2].map((at) => `input[0].content[${at}].prompt_cache_breakpoint dropped: ${FOUR}`))
  })

  it('of parts of an output stand on the output, or on its last part', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
    const output = { type: 'function_call_output', call_id: 'c', output: [text('a', 'own'), text('b')] }
    expect(place({ input: [call, output] }).places).toEqual(['input[1]'])
    const whole = { type: 'function_call_output', call_id: 'c', output: [text('a'), text('b')], ...end() }
    expect(place({ input: [call, whole] }, OPENAI).places).toEqual(['input[1].output[1]'])
    expect(place({ input: [call, whole] }).places).toEqual(['input[1]'])
  })

  it('are losses in a place that the upstream does not have', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', ...end() }
    expect(place({ tools: [{ ...tool, ...end() }], input: [call] }, OPENAI)).toEqual({
      places: [],
      losses: [
        'tools[0].prompt_cache_breakpoint dropped: this upstream accepts no cache breakpoint here',
        'input[0].prompt_cache_breakpoint dropped: this upstream accepts no cache breakpoint here',
      ],
      options: null,
    })
  })

  it.each([
    [null, 'client', 'this upstream has no cache breakpoints'],
    [ANTHROPIC_CACHE, 'off', 'cache breakpoints are turned off for this upstream'],
  ] as const)('are all losses without support, or if they are turned off', (support, policy, why) => {
    const fields = {
      tools: [{ ...tool, ...end() }],
      input: [user(text('a', '5m'))],
      prompt_cache_options: { mode: 'explicit' },
    }
    expect(place(fields, support, policy)).toEqual({
      places: [],
      losses: [
        `tools[0].prompt_cache_breakpoint dropped: ${why}`,
        `input[0].content[0].prompt_cache_breakpoint dropped: ${why}`,
        `prompt_cache_options dropped: ${why}`,
      ],
      options: null,
    })
  })
})

describe('lifetimes of breakpoints', () => {
  it.each([
    ['30m', '1h', ANTHROPIC_CACHE],
    ['12h', '1h', ANTHROPIC_CACHE],
    ['5m', '30m', OPENAI],
    ['1h', '12h', OPENAI],
  ] as const)('%s is sent as %s', (ttl, own, support) => {
    expect(place({ input: [user(text('a', ttl))] }, support)).toMatchObject({
      places: [`input[0].content[0] ${own}`],
      losses: [
        `input[0].content[0].prompt_cache_breakpoint.ttl mapped: sent as ${own}, the nearest lifetime that this upstream accepts`,
      ],
    })
  })

  it('are raised before a longer one, where the upstream requires it', () => {
    const input = [user(text('a', '5m'), text('b', 'own'), text('c', '1h'), text('d', '5m'))]
    const raised = place({ input })
    expect(raised.places).toEqual([
      'input[0].content[0] 1h',
      'input[0].content[1] 1h',
      'input[0].content[2] 1h',
      'input[0].content[3] 5m',
    ])
    expect(raised.losses).toHaveLength(2)
    const inOrder = [user(text('a', '30m'), text('b', '12h'))]
    expect(place({ input: inOrder }, OPENAI).losses).toEqual([])
  })

  it('are inherited from the options of the prompt, unless the upstream has these options', () => {
    const fields = { input: [user(text('a', 'own'))], prompt_cache_options: { mode: 'explicit', ttl: '12h' } }
    expect(place(fields)).toEqual({
      places: ['input[0].content[0] 1h'],
      losses: ['prompt_cache_options.ttl mapped: sent as 1h, the nearest lifetime that this upstream accepts'],
      options: null,
    })
    expect(place(fields, OPENAI)).toEqual({
      places: ['input[0].content[0]'],
      losses: [],
      options: { mode: 'explicit', ttl: '12h' },
    })
  })
})

describe('the implicit breakpoint that a client requests', () => {
  it('stands at the end of the prompt', () => {
    const input = [user(text('a', 'own')), { role: 'assistant', content: 'b' }, user(text('c'), text(' '))]
    const fields = { input, cache_control: { type: 'ephemeral', ttl: '5m' } }
    expect(place(fields)).toMatchObject({ places: ['input[0].content[0] 5m', 'input[2].content[0] 5m'], losses: [] })
    expect(place({ cache_control: { type: 'ephemeral' } }).places).toEqual(['input[0].content[0]'])
  })

  it('counts as one of the four', () => {
    const input = [user(...['a', 'b', 'c', 'd'].map((words) => text(words, 'own')), text('e'))]
    expect(place({ input, cache_control: { type: 'ephemeral' } }).places).toEqual(
      [0, 2, 3, 4].map((at) => `input[0].content[${at}]`),
    )
  })
})
