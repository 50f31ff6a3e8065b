import { describe, expect, it } from 'vitest'
import { ANTHROPIC_CACHE, type CacheSupport, OPENAI_CACHE } from '../../../../src/wires/cache-support.ts'
import { breakpointsOf } from '../../../../src/wires/shared/upstream/cache/breakpoints.ts'
import { placeBreakpoints } from '../../../../src/wires/shared/upstream/cache/place-breakpoints.ts'
import { requestOf } from '../../../request-bodies.ts'

const tool = { type: 'function', name: 'f' }
const user = (text: string) => ({ role: 'user', content: [{ type: 'input_text', text }] })
const answer = { role: 'assistant', content: 'Well.' }
const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' })
const output = (call_id: string, text = 'done') => ({
  type: 'function_call_output',
  call_id,
  output: [{ type: 'input_text', text }],
})

/** Returns the paths of the breakpoints that the policy `auto` places. */
function placed(fields: object, support: CacheSupport = ANTHROPIC_CACHE) {
  const { request, losses } = placeBreakpoints(requestOf({ ...fields }), support, 'auto')
  expect(losses).toEqual([])
  const { instructions } = request
  for (const { end } of request.instruction_breakpoints) expect(end).toBe(instructions?.length)
  return breakpointsOf(request).map(({ path }) => path)
}

describe('automatic breakpoints', () => {
  it('stand on tools, instructions and the last two turns', () => {
    const input = [user('a'), answer, user('b'), call('c'), output('c'), answer, user('d')]
    expect(placed({ tools: [tool, { ...tool, name: 'g' }], instructions: 'Be brief.', input })).toEqual([
      'tools[1]',
      'instruction_breakpoints[0]',
      'input[4]',
      'input[6].content[0]',
    ])
  })

  it('stand on the system messages at the beginning, which follow the instructions', () => {
    const rules = (role: string, text: string) => ({ role, content: text })
    const input = [rules('system', 'A'), rules('developer', 'B'), rules('system', ' '), user('a'), rules('system', 'C')]
    expect(placed({ tools: [tool], instructions: 'Be brief.', input })).toEqual([
      'tools[0]',
      'input[1].content[0]',
      'input[3].content[0]',
    ])
  })

  it('stand at the end of a turn with several outputs and messages', () => {
    const input = [user('a'), call('c'), call('d'), output('c'), output('d'), user('b'), user(' ')]
    expect(placed({ input })).toEqual(['input[0].content[0]', 'input[5].content[0]'])
  })

  it('are one step further with each request, so that the previous end is among them', () => {
    const turns = [user('a'), call('c'), output('c'), call('d'), output('d')]
    const first = placed({ tools: [tool], input: turns.slice(0, 3) })
    const second = placed({ tools: [tool], input: turns })
    expect(second).toContain(first.at(-1))
  })

  it.each([
    ['the request has neither tools nor an earlier answer', { input: [user('a')], instructions: 'Be brief.' }],
    ['the client turns implicit caching off', { tools: [tool], prompt_cache_options: { mode: 'explicit' } }],
  ])('are not placed if %s', (_, fields) => {
    expect(placed(fields)).toEqual([])
  })

  it('are not added to those of the client', () => {
    const part = { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }
    expect(placed({ tools: [tool], input: [{ role: 'user', content: [part] }] })).toEqual(['input[0].content[0]'])
  })

  it('are not placed for an upstream that caches by itself, or where the operator leaves it to clients', () => {
    const fields = { tools: [tool], input: [user('a')] }
    const openai: CacheSupport = { ...OPENAI_CACHE, places: ANTHROPIC_CACHE.places }
    expect(placed(fields, openai)).toEqual([])
    const { request } = placeBreakpoints(requestOf(fields), ANTHROPIC_CACHE, 'client')
    expect(breakpointsOf(request)).toEqual([])
  })

  it('stand on parts of outputs, and not on tools, where the upstream has no other places', () => {
    const parts: CacheSupport = { ...ANTHROPIC_CACHE, places: new Set(['prompt', 'output part']) }
    const input = [user('a'), call('c'), output('c')]
    expect(placed({ tools: [tool], instructions: 'Be brief.', input }, parts)).toEqual([
      'input[0].content[0]',
      'input[2].output[0]',
    ])
  })

  it('have the lifetime that the client requests for the prompt', () => {
    const fields = { tools: [tool], prompt_cache_options: { ttl: '1h' } }
    const { request } = placeBreakpoints(requestOf(fields), ANTHROPIC_CACHE, 'auto')
    expect(breakpointsOf(request).map(({ breakpoint }) => breakpoint.ttl)).toEqual(['1h', '1h'])
  })
})
