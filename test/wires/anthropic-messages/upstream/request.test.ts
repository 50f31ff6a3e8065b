import { describe, expect, it } from 'vitest'
import { authorize } from '../../../../src/wires/anthropic-messages/upstream/request.ts'
import { quirksOf, testUpstreamRequests } from '../../request-cases.ts'
import { encode } from '../bodies.ts'
import { REQUESTS } from './requests.ts'

testUpstreamRequests(REQUESTS)

describe('the reasoning of an anthropic-messages request', () => {
  it('has a budget that is always smaller than the limit', () => {
    for (const effort of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']) {
      for (const max_output_tokens of [1, 1023, 1024, 1025, 2000, 64_000]) {
        const { thinking, max_tokens } = encode({ reasoning: { effort }, max_output_tokens }).body
        expect((thinking as { budget_tokens: number }).budget_tokens).toBeGreaterThanOrEqual(1024)
        expect(max_tokens as number).toBeGreaterThan((thinking as { budget_tokens: number }).budget_tokens)
      }
    }
  })
})

describe('the path and the headers of an anthropic-messages request', () => {
  it('have the key in another header if the vendor is configured so', () => {
    expect(authorize('k', quirksOf('anthropic'))).toEqual({ 'x-api-key': 'k' })
    expect(authorize('k', quirksOf('vertex-anthropic'))).toEqual({ authorization: 'Bearer k' })
    expect(authorize('k', { keyHeader: 'x-proxy-key' })).toEqual({ 'x-proxy-key': 'k' })
    expect(authorize('k', { keyHeader: 'authorization' })).toEqual({ authorization: 'Bearer k' })
  })
})
