import { expect, it } from 'vitest'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { startTestServer } from '../test-server.ts'

it.each([
  ['GET', '/page/icon.svg', 200, 'image/svg+xml'],
  ['HEAD', '/page/icon.svg', 200, 'image/svg+xml'],
  ['GET', '/page/unknown.js', 404, 'application/json'],
  ['GET', '/page/api/fixtures', 200, 'application/json'],
])('the page answers %s %s with status %d and %s', async (method, path, status, type) => {
  const { url } = await startTestServer(withBody(bodyOf('The answer')))
  const answer = await fetch(url + path, { method })
  expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([status, type])
})
