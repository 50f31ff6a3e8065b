import { expect, it } from 'vitest'
import { upstreamUrl as find, LONGEST_URL, MOST_URLS } from '../../../src/wires/shared/upstream/upstream-url.ts'

/** Calls the function for paths that stay below the base URL. */
function upstreamUrl(base: string, path: string): URL {
  const url = find(base, path)
  if (url === null) throw new Error(`${path} leads out of ${base}`)
  return url
}

const BASE = 'https://up.example/v1/?api-version=2'

it('upstreamUrl joins base and path, and merges their queries', () => {
  expect(upstreamUrl(BASE, '/chat').href).toBe('https://up.example/v1/chat?api-version=2')
  expect(upstreamUrl(BASE, '/m:stream?alt=sse').href).toBe('https://up.example/v1/m:stream?api-version=2&alt=sse')
  expect(upstreamUrl('https://up.example', '/chat').href).toBe('https://up.example/chat')
})

it('upstreamUrl writes a version once that both base and path have', () => {
  expect(upstreamUrl('https://up.example/anthropic/v1', '/v1/messages').pathname).toBe('/anthropic/v1/messages')
  expect(upstreamUrl('https://up.example/v2/', '/v2/chat').pathname).toBe('/v2/chat')
  expect(upstreamUrl('https://up.example/v1', '/v2/chat').pathname).toBe('/v1/v2/chat')
  expect(upstreamUrl('https://up.example/v1', '/v1x/chat').pathname).toBe('/v1/v1x/chat')
})

it('upstreamUrl returns the same object again until its cache is full', () => {
  const first = upstreamUrl(BASE, '/first')
  expect(upstreamUrl(BASE, '/first')).toBe(first)
  expect(upstreamUrl('https://other.example', '/first')).not.toBe(first)
  for (let n = 0; n < MOST_URLS; n += 1) upstreamUrl(BASE, `/${n}`)
  const again = upstreamUrl(BASE, '/first')
  expect(again).not.toBe(first)
  expect(again.href).toBe(first.href)
})

// Other tests of the same process leave URLs in the cache: at most one of these two halves meets the moment when the
// full cache is cleared.
it('upstreamUrl keeps a quarter of its capacity, regardless of earlier entries', () => {
  const keptOf = (half: string): number => {
    const few = Array.from({ length: MOST_URLS / 4 }, (_, n) => upstreamUrl(BASE, `/${half}/${n}`))
    return few.filter((url, n) => upstreamUrl(BASE, `/${half}/${n}`) === url).length
  }
  expect(Math.max(keptOf('one'), keptOf('other'))).toBe(MOST_URLS / 4)
})

it('upstreamUrl caches no long URL, and evicts no other for it', () => {
  const long = `/${'x'.repeat(LONGEST_URL)}`
  for (let n = 0; n < MOST_URLS; n += 1) {
    const short = upstreamUrl(BASE, `/short/${n}`)
    expect(upstreamUrl(BASE, long)).not.toBe(upstreamUrl(BASE, long))
    expect(upstreamUrl(BASE, `/short/${n}`)).toBe(short)
  }
})

it.each([
  '/../other',
  '/a/../../other',
  '/..',
  '/%2e%2e/other',
  '/a/%2E./b',
  '/.\t./other',
  '/a\\..\\..\\b',
  'suffix',
  '',
])('upstreamUrl returns null for the path %j, which leads out of the base', (path) => {
  expect(find(BASE, path)).toBeNull()
  expect(find('https://up.example', path)).toBeNull()
})
