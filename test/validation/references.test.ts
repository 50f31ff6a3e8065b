import { describe, expect, it } from 'vitest'
import { validateRequest } from '../../src/validation/request.ts'

/** `item_reference` as `@ai-sdk/openai` sends it in its second step, unless it is configured to store nothing. */

const user = { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }
const ref = (id: string) => ({ type: 'item_reference', id })
const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'find', arguments: '{}' })
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'x' })
const answer = { role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }], id: 'msg_1' }
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] }

const read = (...input: readonly object[]) => validateRequest({ model: 'm', input })

describe('a reference to a stored item', () => {
  it.each([
    ['to reasoning before a call', [user, ref('rs_1'), call('a'), output('a')], [1]],
    [
      'to reasoning and a text before calls',
      [user, ref('rs_1'), ref('msg_2'), call('a'), call('b'), output('a'), output('b')],
      [1, 2],
    ],
    ['in each of two steps', [user, ref('rs_1'), call('a'), output('a'), ref('rs_2'), call('b'), output('b')], [1, 4]],
    ['after the text of its answer', [user, answer, ref('ws_1'), user], [2]],
    ['to an item of the request', [user, answer, user, ref('msg_1'), user], [3]],
    ['to a call of the request', [user, { ...call('a'), id: 'fc_1' }, ref('fc_1'), output('a')], [2]],
    ['without a type', [user, { id: 'rs_1' }, call('a'), output('a')], [1]],
  ])('is dropped with a loss: %s', (_, input, left) => {
    const valid = read(...input)
    if (!valid.ok) return expect.unreachable(valid.error.message)
    expect(valid.losses.map(({ path, action }) => [path, action])).toEqual(
      left.map((at) => [`input[${at}]`, 'dropped']),
    )
    expect(valid.request.input).toHaveLength(input.length)
  })

  it.each([
    ['alone', [ref('msg_1')], 0],
    ['to the text of an earlier answer', [user, ref('msg_1'), user], 1],
    ['to the reasoning and the text of one answer', [user, ref('rs_1'), ref('msg_1'), user], 2],
    ['to the text after reasoning', [user, reasoning, ref('msg_1'), user], 2],
    ['to the answer that follows a step', [user, ref('rs_1'), call('a'), output('a'), ref('msg_2'), user], 4],
    ['to a call whose output was sent', [user, ref('rs_1'), ref('ctc_1'), call('a'), output('a'), output('b')], 2],
    ['behind an output of no call', [user, call('a'), output('a'), output('b'), ref('msg_1'), user], 4],
    ['to a call alone', [user, ref('fc_1'), output('a')], 1],
  ])('is rejected with a message that names store: false: %s', (_, input, at) => {
    const valid = read(...input)
    expect(valid.ok).toBe(false)
    if (valid.ok) return
    expect(valid.error).toMatchObject({ status: 400, code: 'invalid_prompt', param: `input[${at}]` })
    expect(valid.error.message).toContain('store: false')
  })
})
