import { describe, expect, it } from 'vitest'
import { authorize } from '../../../../src/wires/openai-chat/upstream/request.ts'
import { quirksOf, testUpstreamRequests } from '../../request-cases.ts'
import { REQUESTS } from './requests.ts'

testUpstreamRequests(REQUESTS)

describe('the key of a chat request', () => {
  it.each([
    ['openai-chat', { authorization: 'Bearer k' }],
    ['azure-chat', { 'api-key': 'k' }],
  ])('is sent in the header that %s expects', (vendor, headers) => {
    expect(authorize('k', quirksOf(vendor))).toEqual(headers)
  })
})
