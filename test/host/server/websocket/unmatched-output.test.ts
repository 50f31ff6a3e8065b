import { describe, expect, it } from 'vitest'
import { unmatchedOutput } from '../../../../src/host/server/websocket/continued-request.ts'

const call = (call_id: unknown, type = 'function_call') => ({ type, call_id, name: 'f' })
const output = (call_id: unknown, type = 'function_call_output') => ({ type, call_id, output: '' })

describe('the outputs of a continuation', () => {
  it.each([
    ['answer a call of an earlier turn', [call('a')], [output('a')]],
    ['answer a call of the same message', [], [call('a', 'custom_tool_call'), output('a', 'custom_tool_call_output')]],
    ['have no id', [], [output(undefined)]],
    ['belong to a tool of the vendor', [], [output('a', 'shell_call_output')]],
  ])('are accepted if they %s', (_, earlier, items) => {
    expect(unmatchedOutput(earlier, items)).toBeNull()
  })

  it.each([
    ['no call has their id', [call('b'), output('a')], [null, output('a')]],
    ['their call comes later', [], ['x', output('a'), call('a')]],
  ])('are an error with its path if %s', (_, earlier, items) => {
    expect(unmatchedOutput(earlier, items)).toMatchObject({ code: 'invalid_prompt', param: 'input[1].call_id' })
  })
})
