import { describe, expect, it } from 'vitest'
import { authorize } from '../../../../src/wires/bedrock-converse/upstream/request.ts'
import { testUpstreamRequests } from '../../request-cases.ts'
import { REQUESTS } from './requests.ts'

testUpstreamRequests(REQUESTS)

describe('the path and the key of a bedrock-converse request', () => {
  it('have the key as a bearer token or in a configured header', () => {
    expect(authorize('k', {})).toEqual({ authorization: 'Bearer k' })
    expect(authorize('k', { keyHeader: 'x-key' })).toEqual({ 'x-key': 'k' })
  })
})
