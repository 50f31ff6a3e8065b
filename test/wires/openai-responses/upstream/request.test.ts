import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { responsesCounts } from '../../../../src/wires/openai-responses/count-tokens.ts'
import { openaiResponses } from '../../../../src/wires/openai-responses/index.ts'
import { authorize } from '../../../../src/wires/openai-responses/upstream/request.ts'
import { encodeFitted } from '../../../engine/encode-request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import { call, output } from '../../hub-requests.ts'
import { quirksOf, testUpstreamRequests } from '../../request-cases.ts'
import { REQUESTS } from './requests.ts'

testUpstreamRequests(REQUESTS)

describe('the input of an openai-responses request', () => {
  it('has a shorter call id, the same for call and output, if the id is too long', () => {
    const inputOf = (input: unknown) => {
      const encoded = encodeFitted(
        openaiResponses,
        requestOf({ input }),
        targetOf('openai-responses', { callIds: 'long' }),
      )
      return encoded.ok ? (encoded.body.input as readonly JsonObject[]) : expect.unreachable(encoded.error.message)
    }
    const long = 'c'.repeat(65)
    const [first, second] = inputOf([call(long), output(long)])
    expect(first?.call_id).toMatch(/^[A-Za-z0-9]{9}$/)
    expect(second?.call_id).toBe(first?.call_id)
    expect(inputOf([call('c'.repeat(64))])).toMatchObject([{ call_id: 'c'.repeat(64) }])
  })
})

describe('requests to other vendors over openai-responses', () => {
  it.each([
    ['openai', { authorization: 'Bearer k' }],
    ['azure', { 'api-key': 'k' }],
  ])('have the key in the header of %s', (vendor, headers) => {
    expect(authorize('k', quirksOf(vendor))).toEqual(headers)
  })
})

describe('a request whose tokens OpenAI counts', () => {
  it('has the members of a body that cost tokens, and no others', () => {
    const counted = { model: 'm', input: 'Hi', instructions: 'Be brief.', tools: [], tool_choice: 'auto' }
    const settings = { parallel_tool_calls: true, reasoning: { effort: 'low' }, text: {}, truncation: 'auto' }
    const body = { ...counted, ...settings, personality: 'friendly' }
    const target = { model: 'm', quirks: {} }
    expect(responsesCounts.encode({ ...body, stream: true, store: false, max_output_tokens: 9 }, target)).toEqual({
      path: '/responses/input_tokens',
      body,
    })
  })
})
