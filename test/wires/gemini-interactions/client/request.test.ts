import { describe, expect, it } from 'vitest'
import { testClientRequests } from '../../request-cases.ts'
import { decoded, HOME, itemsOf, passedOn } from '../clients.ts'
import { REQUESTS } from './requests.ts'

testClientRequests(REQUESTS)

const CALL = { type: 'function_call', id: 'c1', name: 'f', arguments: { a: 1 } }
const result = (value: unknown) => ({ type: 'function_result', call_id: 'c1', name: 'f', result: value })

describe('the input of a client of gemini-interactions', () => {
  it('drops a call of one of Google’s tools that has no result, and a thought without content', () => {
    const search = { type: 'function_call', id: 's', name: 'google_search', arguments: { queries: ['q'] } }
    expect(decoded({ input: ['Hi', search, { type: 'thought' }] }).losses).toEqual([
      'input[1] dropped',
      'input[2] dropped',
    ])
    const own = [{ ...search, id: 'c1' }, result('found')]
    expect(itemsOf(['Hi', ...own]).map(({ type }) => type)).toEqual([
      'message',
      'function_call',
      'function_call_output',
    ])
  })

  it('sends signed steps back to Google in their order, and unsigned ones to nobody', () => {
    const steps = [
      { type: 'thought', signature: 'dA==', summary: [{ type: 'text', text: 'Hm.' }] },
      { type: 'google_search_call', id: 's', arguments: { queries: ['q'] }, signature: 'c2ln' },
      { type: 'google_search_result', call_id: 's', result: [], signature: 'ZA==' },
      { type: 'model_output', content: [{ type: 'text', text: 'Well.' }] },
      { ...CALL, signature: 'Yw==' },
      result('done'),
    ]
    expect(passedOn(['Hi', ...steps]).slice(1)).toEqual(steps)
    expect(decoded({ input: ['Hi', ...steps] }).losses).toEqual([
      'input[1].signature dropped',
      'input[2] dropped',
      'input[5].signature dropped',
    ])
    const made = [
      { type: 'google_search_call', id: 'tool_0', arguments: {} },
      { type: 'google_search_result', call_id: 'tool_0', result: [] },
    ]
    expect(decoded({ input: ['Hi', ...made] }, HOME).losses).toEqual(['input[1] dropped'])
  })
})
