import { expect, it } from 'vitest'
import { authorize } from '../../../../src/wires/cohere-chat/upstream/request.ts'
import { testUpstreamRequests } from '../../request-cases.ts'
import { REQUESTS } from './requests.ts'

testUpstreamRequests(REQUESTS)

it('sends the key of Cohere as a bearer token', () => {
  expect(authorize('k')).toEqual({ authorization: 'Bearer k' })
})
