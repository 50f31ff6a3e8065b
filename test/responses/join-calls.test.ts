import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { run } from '../../src/machine/run.ts'
import type { CallDelta, Delta } from '../../src/protocol/delta.ts'
import { collect } from '../../src/responses/collect.ts'
import { joinCalls, NO_KEY } from '../../src/responses/join-calls.ts'
import { respond } from '../../src/responses/respond.ts'
import { headOf } from '../engine/run-engine.ts'

type Piece = readonly [key: string, id: string | null, name: string | null, args: string]

const toDelta = ([key, callId, name, args]: Piece): CallDelta => ({
  kind: 'call',
  key,
  type: 'function_call',
  callId,
  name,
  arguments: args,
})
const STOP: Delta = { kind: 'finish', reason: 'stop' }

const joined = (deltas: readonly Delta[]): readonly Delta[] => run(joinCalls, deltas)

function callsOf(...pieces: readonly Piece[]): readonly unknown[] {
  const deltas = joined([...pieces.map(toDelta), STOP])
  const [response] = run(collect, run(respond(headOf('x'), openai), deltas))
  return (response?.output ?? []).map((item) =>
    item.type === 'function_call' ? `${item.call_id} ${item.name} ${item.arguments}` : item.type,
  )
}

const OWN = 'call_x_1'

// biome-ignore format: a row a case
const CASES: readonly (readonly [title: string, pieces: readonly Piece[], calls: readonly string[]])[] = [
  ['a new id after a whole call', [['0', 'a', 'f', '{}'], ['0', 'b', 'f', '{"x":1}']], ['a f {}', 'b f {"x":1}']],
  ['a new id with another name, inside a call', [['0', 'a', 'f', '{"x":'], ['0', 'b', 'g', '{}']], ['a f {"x":', 'b g {}']],
  ['a new id with arguments that begin anew', [['0', 'a', 'f', '{"x":'], ['0', 'b', 'f', '{"y":2}']], ['a f {"x":', 'b f {"y":2}']],
  ['another name, without ids, with arguments inside those of a call', [['0', null, 'f', '{"x":'], ['0', null, 'g', '{"y":2}']], ['call_x_0 f {"x":', `${OWN} g {"y":2}`]],
  ['a new id for each piece, with the name', [['0', 'a', 'f', '{"x":'], ['0', 'b', 'f', '1}']], ['a f {"x":1}']],
  ['a new id for each piece, without the name', [['0', 'a', 'f', '{"x":'], ['0', 'b', null, '1}']], ['a f {"x":1}']],
  ['a new id before the arguments, without a name', [['0', 'a', 'f', ''], ['0', 'b', null, '{"x":1}'], ['0', 'b', null, '']], ['a f {"x":1}']],
  ['a new id after a call without arguments', [['0', 'a', 'f', ''], ['0', 'b', 'g', ''], ['0', null, null, '{"x":1}']], ['a f {}', 'b g {"x":1}']],
  ['ids in turns under one key', [['0', 'a', 'f', ''], ['0', 'b', 'g', ''], ['0', 'a', null, '{"x":1}'], ['0', 'b', null, '{"y":2}']], ['a f {"x":1}', 'b g {"y":2}']],
  ['an id under the key of another call', [['0', 'a', 'f', '{"x":'], ['1', 'b', 'g', '{"y":'], ['1', 'a', null, '1}'], ['0', 'b', null, '2}']], ['a f {"x":1}', 'b g {"y":2}']],
  ['one call under two keys in turns, and then another one', [['0', 'a', 'f', '{"x":'], ['1', 'a', null, ' '], ['1', null, null, '"'], ['0', null, null, '{'], ['1', null, null, '"}'], ['0', null, 'f', '{"y":2}']], ['a f {"x": "{"}', `${OWN} f {"y":2}`]],
  ['no id, under an unknown key', [['0', 'a', 'f', ''], ['1', null, null, '{"x":'], ['1', null, null, '1}']], ['a f {"x":1}']],
  ['no id, under an unknown key, beside a whole call', [['0', 'a', 'f', '{"x":1}'], ['1', 'b', 'g', ''], ['7', null, null, '{"y":2}']], ['a f {"x":1}', 'b g {"y":2}']],
  ['a name after whole arguments, without ids', [['0', null, 'f', ''], ['0', null, null, '{"x":1}'], ['0', null, 'f', ''], ['0', null, null, '{"x":2}']], ['call_x_0 f {"x":1}', `${OWN} f {"x":2}`]],
  ['the whole call once more', [['0', 'a', 'f', '{"x":'], ['0', null, null, '1}'], ['0', 'a', 'f', '{"x":1}']], ['a f {"x":1}']],
  ['the name once more at the end', [['0', 'a', 'f', '{"x":1}'], ['0', null, 'f', '']], ['a f {"x":1}']],
  ['one id for all calls, under keys of their own', [['0', 'a', 'f', '{"x":1}'], ['1', 'a', 'f', '{"x":1}']], ['a f {"x":1}', `${OWN} f {"x":1}`]],
  ['one id for all calls, before their arguments', [['0', 'a', 'f', ''], ['1', 'a', 'g', ''], ['0', null, null, '{"x":1}'], ['1', null, null, '{"y":2}']], ['a f {"x":1}', `${OWN} g {"y":2}`]],
  ['one id for two calls, the first without arguments', [['0', 'a', 'f', ''], ['1', 'a', 'g', '{"y":1}']], ['a f {}', `${OWN} g {"y":1}`]],
  ['another name with arguments after an empty object', [['0', 'a', 'f', '{}'], ['0', null, 'g', '{"x":1}']], ['a f {}', `${OWN} g {"x":1}`]],
  ['no key: a name begins a call', [[NO_KEY, null, 'f', ''], [NO_KEY, null, null, '{"x":1}'], [NO_KEY, null, 'f', '{"x":1}']], ['call_x_0 f {"x":1}', `${OWN} f {"x":1}`]],
  ['no key: an id begins a call once', [[NO_KEY, 'a', 'f', '{"x":'], [NO_KEY, 'a', 'f', '1}'], [NO_KEY, 'b', 'f', '{}']], ['a f {"x":1}', 'b f {}']],
  ['an empty object with the names of two calls', [['0', 'a', 'f', '{}'], ['1', 'b', 'g', '{}'], ['0', null, null, '{"x":1}'], ['1', null, null, '{"y":2}']], ['a f {"x":1}', 'b g {"y":2}']],
  ['an empty object twice, in pieces', [['0', 'a', 'f', '{'], ['0', null, null, '}'], ['0', null, null, '{}']], ['a f {}']],
  ['an empty object in pieces, and then another one', [['0', 'a', 'f', '{'], ['0', null, null, '}'], ['0', null, null, '{"x":1}']], ['a f {"x":1}']],
  ['marks of harmony in a later piece of the name', [['0', 'a', 'f', ''], ['0', null, '<|channel|>', ''], ['0', null, 'json', '{}']], ['a f {}']],
  ['marks of harmony in two pieces of the name', [['0', 'a', 'f<|', ''], ['0', null, 'channel|>json', '{}']], ['a f {}']],
  ['marks of harmony before the name, in pieces', [['0', 'a', '<|channel|>', ''], ['0', null, 'f<|x|>', '{}']], ['a f {}']],
  ['a mark of harmony that is cut, before the name', [['0', 'a', '<|chan', ''], ['0', null, 'nel|>f', '{}']], ['a f {}']],
  ['marks of harmony in the name', [['0', 'a', 'f<|channel|>commentary', ''], ['0', null, null, '{}']], ['a f {}']],
]

describe('pieces of calls', () => {
  it.each(CASES)('belong to the calls that they name: %s', (_, pieces, calls) => {
    expect(callsOf(...pieces)).toEqual(calls)
  })

  it('are one delta each, and the same object where they only continue the active call', () => {
    const pieces = [toDelta(['0', 'a', 'f', '{"x":"']), toDelta(['0', null, null, 'one two'])]
    expect(joined(pieces)[1]).toBe(pieces[1])
  })

  it('are followed by their whole call under the key and without the marks of the pieces', () => {
    const whole = toDelta(['9', 'b', 'g<|call|>', '{"y":2}'])
    const deltas = joined([
      toDelta(['0', 'a', 'f', '{}']),
      toDelta(['0', 'b', 'g', '{"y":2}']),
      { kind: 'final', whole },
    ])
    expect(deltas).toContainEqual({ kind: 'final', whole: { ...whole, key: 'again 1 0', name: 'g' } })
  })

  it('have the type of the first one with a name or arguments', () => {
    const bare = toDelta(['0', 'a', null, ''])
    const named: CallDelta = { ...toDelta(['0', null, 'f', 'one']), type: 'custom_tool_call' }
    const pieces = [bare, named, toDelta(['0', null, null, ' two'])]
    expect(joined(pieces).map((delta) => delta.kind === 'call' && [delta.type, delta.arguments])).toEqual([
      ['function_call', ''],
      ['custom_tool_call', 'one'],
      ['custom_tool_call', ' two'],
    ])
  })

  it('hold back the end of an empty object only until anything else arrives, if the name came before', () => {
    const machine = joinCalls
    const begun = machine.step(machine.initial, toDelta(['0', 'a', 'f', '']))
    const empty = machine.step(begun.state, toDelta(['0', null, null, '{}']))
    expect(empty.events).toEqual([])
    const next = machine.step(empty.state, toDelta(['1', 'b', 'g', '{"y":1}']))
    expect(next.events).toMatchObject([
      { key: '0', arguments: '{}' },
      { key: '1', name: 'g' },
    ])
  })
})
