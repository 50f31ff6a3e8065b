import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beta } from '../../src/dialects/beta.ts'
import type { InputItem } from '../../src/protocol/request.ts'
import { encodedFor, readRequest } from '../engine/encoded-call.ts'
import { check } from '../property.ts'

const call = (call_id: string, name: string, namespace?: string) => ({
  type: 'function_call',
  call_id,
  name,
  ...(namespace === undefined ? {} : { namespace }),
  arguments: '{}',
})
const output = (text: string, more: object = {}) => ({ type: 'function_call_output', output: text, ...more })

function pairsOf(input: readonly object[]): readonly (readonly [text: string, call_id: string])[] {
  const read = readRequest({ input })
  if (!read.ok) return expect.unreachable(read.error.message)
  return read.value.request.input.flatMap((item) =>
    item.type === 'function_call_output' ? [[textOf(item), item.call_id] as const] : [],
  )
}

const textOf = (item: Extract<InputItem, { type: 'function_call_output' }>): string => {
  const [part] = item.output
  return part?.type === 'input_text' ? part.text : ''
}

describe('a function output without call_id', () => {
  it('belongs to the first earlier call of its name that has no output', () => {
    const input = [
      call('a', 'f'),
      call('b', 'g'),
      call('c', 'g'),
      output('1', { name: 'g' }),
      output('2', { name: 'g' }),
    ]
    expect(pairsOf(input)).toEqual([
      ['1', 'b'],
      ['2', 'c'],
    ])
  })

  it('belongs to the call of its namespace', () => {
    const input = [call('a', 'find'), call('b', 'find', 'crm'), output('1', { name: 'find', namespace: 'crm' })]
    expect(pairsOf(input)).toEqual([['1', 'b']])
  })

  it('belongs to the first earlier call without an output if it has no name either', () => {
    const input = [call('a', 'f'), call('b', 'f'), output('0', { call_id: 'a' }), output('1'), call('c', 'f')]
    expect(pairsOf(input)).toEqual([
      ['0', 'a'],
      ['1', 'b'],
    ])
  })

  it('leaves the outputs of later items their calls', () => {
    expect(
      pairsOf([call('a', 'f'), call('b', 'f'), output('1', { call_id: null }), output('2', { call_id: 'a' })]),
    ).toEqual([
      ['1', 'b'],
      ['2', 'a'],
    ])
  })

  it('reports its unknown fields and its mistakes by their paths', () => {
    const read = readRequest({ input: [call('a', 'f'), output('1', { zzz: 1 })] })
    expect(read).toMatchObject({ ok: true, value: { losses: [{ path: 'input[1].zzz', action: 'dropped' }] } })
    const wrong = readRequest({
      input: [call('a', 'f'), { type: 'function_call_output', output: [{ type: 'input_text' }] }],
    })
    expect(wrong).toMatchObject({ ok: false, error: { status: 400, param: 'input[1].output[0].text' } })
  })

  it('that no call matches reaches an upstream of the Responses API as it is, and is refused for others', () => {
    const input = [output('1', { name: 'f' })]
    expect(encodedFor('openai', 'gpt-5.5', { input }).body.input).toEqual(input)
    expect(() => encodedFor('groq', 'm', { input })).toThrow('input[0].call_id: no earlier call')
  })

  it('is refused by the dialect beta', () => {
    const read = readRequest({ input: [call('a', 'f'), output('1')] }, beta)
    const message = 'input[1].call_id: expected a string, got nothing'
    expect(read).toMatchObject({ ok: false, error: { status: 400, message, param: 'input[1].call_id' } })
  })

  it('is matched as if its id were given, for any answers to calls in their order', () => {
    const names = fc.constantFrom('f', 'g', 'h')
    check(
      fc.property(
        fc.array(fc.record({ name: names, named: fc.boolean(), given: fc.boolean() }), { maxLength: 12 }),
        (all) => {
          const calls = all.map(({ name }, at) => call(`c${at}`, name))
          const outputs = all.map(({ name, named, given }, at) =>
            output(`${at}`, { ...(named ? { name } : {}), ...(given ? { call_id: `c${at}` } : {}) }),
          )
          const isOrdered = all.every(({ given }) => !given) || all.every(({ named, given }) => named || given)
          fc.pre(isOrdered)
          const pairs = pairsOf([...calls, ...outputs])
          expect(new Set(pairs.map(([, id]) => id)).size).toBe(all.length)
          for (const [text, id] of pairs) {
            const { named, given } = all[Number(text)] ?? expect.unreachable()
            if (given) expect(id).toBe(`c${text}`)
            else if (named) expect(all[Number(id.slice(1))]?.name).toBe(all[Number(text)]?.name)
          }
        },
      ),
    )
  })
})
