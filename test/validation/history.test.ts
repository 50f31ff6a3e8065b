import { describe, expect, it } from 'vitest'
import { type Validated, validateRequest } from '../../src/validation/request.ts'

const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }
const named = { ...message, id: 'msg_1', status: 'completed' }
const body = (...items: object[]) => ({ model: 'm', input: [{ role: 'user', content: 'Hi' }, ...items] })
const placeOf = (result: Validated): string | null => (result.ok ? null : result.error.param)

describe('assistant messages in the history', () => {
  it.each([
    ['no id', { ...message, status: 'completed' }, 'input[1].id'],
    ['an empty id', { ...named, id: '' }, 'input[1].id'],
    ['id null', { ...named, id: null }, 'input[1].id'],
    ['no status', { ...message, id: 'msg_1' }, 'input[1].status'],
    ['an unknown status', { ...named, status: 'fine' }, 'input[1].status'],
    ['neither, and no type', { role: 'assistant', content: 'Hello' }, 'input[1].id'],
  ])('are accepted in lenient mode and rejected in strict mode with %s', (_, item, place) => {
    expect(placeOf(validateRequest(body(item)))).toBeNull()
    expect(placeOf(validateRequest(body(item), 'lenient'))).toBeNull()
    expect(placeOf(validateRequest(body(item), 'strict'))).toBe(place)
  })

  it.each(['completed', 'in_progress', 'incomplete'])('are accepted in both modes with the status %s', (status) => {
    for (const history of ['lenient', 'strict'] as const) {
      expect(validateRequest(body({ ...named, status }), history).ok).toBe(true)
    }
  })

  it('need an id and a status only if they are messages of the assistant', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
    const output = { type: 'function_call_output', call_id: 'c', output: 'x' }
    expect(validateRequest(body(call, output, { role: 'user', content: 'x' }), 'strict').ok).toBe(true)
  })

  it.each([
    { ...named, id: 4 },
    { ...named, status: [] },
  ])('are rejected even in lenient mode if an id or status has a wrong type: %j', (item) => {
    expect(validateRequest(body(item)).ok).toBe(false)
  })
})
