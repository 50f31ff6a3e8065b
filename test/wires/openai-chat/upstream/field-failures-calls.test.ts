import { describe, expect, it } from 'vitest'
import { callsOf } from '../../client-stream.ts'
import { DONE, decodedDeltas, decodedEvents, deltasOf, piece, responseOfBody, stop } from '../decoded.ts'

/** Failures of other translators with calls in chat streams, by their numbers in the list of field failures. */

const call = (at: object, name: string | null, args: string | object | null) => piece(at, { name, arguments: args })
const types = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.map(({ type }) => type.replace('response.', ''))
const END = [stop(), DONE]
const CALLED = [stop('tool_calls'), DONE]

describe('C. calls of a chat stream', () => {
  const both = (calls: readonly object[]) => callsOf(decodedDeltas([...calls, ...CALLED]))
  const AB = [
    ['a', 'f', '{"x":1}', 'completed'],
    ['b', 'f', '{"x":2}', 'completed'],
  ]

  it.each([
    ['28: missing', {}],
    ['29: null', { index: null }],
  ])('are joined from fragments whose index is %s', (_, at) => {
    expect(both([call({ ...at, id: 'a' }, 'f', '{"x"'), call(at, null, ':1}')])).toEqual([AB[0]])
  })

  it('30: are joined without an index from fragments, a signature alone and the finish reason stop', () => {
    const signature = { extra_content: { google: { thought_signature: 'c2ln' } } }
    const frames = [call({ id: 'a' }, 'f', '{"x"'), call({}, null, ':1}'), piece(signature), ...END]
    expect(callsOf(decodedDeltas(frames))).toEqual([AB[0]])
  })

  it('31, 34, 36: stay apart and complete if they have one name and are all at index 0', () => {
    const calls = [call({ index: 0, id: 'a' }, 'f', '{"x":1}'), call({ index: 0, id: 'b' }, 'f', '{"x":2}')]
    expect(both(calls)).toEqual(AB)
    expect(decodedDeltas([...calls, ...CALLED]).status).toBe('completed')
  })

  it('32: stay apart if their index counts anew in each chunk, in fragments', () => {
    const calls = [
      call({ index: 0, id: 'a' }, 'f', '{"x"'),
      call({ index: 0 }, null, ':1}'),
      call({ index: 0, id: 'b' }, 'f', '{"x"'),
      call({ index: 0 }, null, ':2}'),
    ]
    expect(both(calls)).toEqual(AB)
  })

  it('33: stay apart without an index over several chunks', () => {
    const calls = [
      call({ id: 'a' }, 'f', '{"x"'),
      call({}, null, ':1}'),
      call({ id: 'b' }, 'f', ''),
      call({ id: 'b' }, 'f', '{"x":2}'),
    ]
    expect(both(calls)).toEqual(AB)
  })

  it('37, 38, 39: have id, type and name once if a vendor repeats them in each fragment', () => {
    const at = { index: 0, id: 'a', type: 'function' }
    expect(both([call(at, 'read', '{"x"'), call(at, 'read', ':'), call(at, 'read', '1}')])).toEqual([
      ['a', 'read', '{"x":1}', 'completed'],
    ])
    expect(both([call(at, 'read', ''), call(at, 'read', ''), call(at, 'read', '{}')])).toEqual([
      ['a', 'read', '{}', 'completed'],
    ])
  })

  it('40: are not multiplied by an id that changes in each fragment', () => {
    const calls = ['{"x"', ':', '1}'].map((json, i) => call({ index: 0, id: `a${i}` }, i === 0 ? 'f' : null, json))
    expect(both(calls)).toEqual([['a0', 'f', '{"x":1}', 'completed']])
  })

  it('41: have a name that is joined from fragments before the arguments', () => {
    const calls = [
      call({ index: 0, id: 'a' }, 'get_', ''),
      call({ index: 0 }, 'weather', ''),
      call({ index: 0 }, null, '{}'),
    ]
    expect(both(calls)).toEqual([['a', 'get_weather', '{}', 'completed']])
  })

  it('42: keep arguments that arrive before id and name', () => {
    const calls = [
      call({ index: 0 }, null, '{"x"'),
      call({ index: 0, id: 'a' }, 'f', ''),
      call({ index: 0 }, null, ':1}'),
    ]
    expect(both(calls)).toEqual([AB[0]])
  })

  it.each([
    ['none', undefined],
    ['null', null],
    ['empty', ''],
  ])('43, 44: are emitted with {} if their arguments are %s', (_, args) => {
    expect(both([piece({ index: 0, id: 'a' }, { name: 'f', arguments: args })])).toEqual([
      ['a', 'f', '{}', 'completed'],
    ])
  })

  it('45: have no text before the first fragment of their arguments', () => {
    expect(both([call({ index: 0, id: 'a' }, 'f', ''), call({ index: 0 }, null, '{"x":1}')])).toEqual([AB[0]])
  })

  it('46: have arguments that are an object encoded as JSON once, streamed or whole', () => {
    const message = { tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }] }
    expect(both([call({ index: 0, id: 'a' }, 'f', { x: 1 })])).toEqual([AB[0]])
    expect(callsOf(responseOfBody({ choices: [{ message, finish_reason: 'tool_calls' }] }))).toEqual([AB[0]])
  })

  it('49: are emitted with an id if the vendor sends neither id nor finish reason', () => {
    const response = decodedDeltas([call({ index: 0 }, 'f', '{"x":1}'), DONE])
    expect(response.status).toBe('completed')
    expect(callsOf(response)).toEqual([[expect.stringMatching(/./), 'f', '{"x":1}', 'completed']])
  })

  it('50: have their arguments emitted as they arrive', () => {
    const first = decodedEvents([call({ index: 0, id: 'a' }, 'f', '{"x"')])
    const at = types(first).indexOf('function_call_arguments.delta')
    expect(first[at]).toMatchObject({ delta: '{"x"' })
    expect(at).toBeLessThan(types(first).indexOf('function_call_arguments.done'))
    const [, second] = deltasOf([call({ index: 0, id: 'a' }, 'f', '{"x"')])
    expect(second).toMatchObject({ kind: 'call', arguments: '{"x"' })
  })
})
