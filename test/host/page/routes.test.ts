import { expect, it } from 'vitest'
import { createAssets } from '../../../src/host/page/assets.ts'
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

it.each([
  [undefined, null],
  ['identity', null],
  ['gzip, br', 'br'],
  ['gzip;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', null],
])('the files of the page for a client that accepts %s have the coding %s', async (accepted, coding) => {
  const assets = createAssets(async () => new Map([['a.js', Buffer.from('let a = 1')]]))
  expect((await assets.find('a.js', accepted))?.coding).toBe(coding)
})
