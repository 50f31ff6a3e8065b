import { describe, expect, it } from 'vitest'
import { authorizeGoogle } from '../../../../src/wires/shared/google/requests.ts'
import { quirksOf, testUpstreamRequests } from '../../request-cases.ts'
import { REQUESTS } from './requests.ts'

testUpstreamRequests(REQUESTS)

describe('the path and the key of a gemini-generate request', () => {
  it.each([
    ['google', { 'x-goog-api-key': 'k' }],
    ['vertex', { authorization: 'Bearer k' }],
  ])('have the key in the header of %s', (vendor, headers) => {
    expect(authorizeGoogle('k', quirksOf(vendor))).toEqual(headers)
  })
})
