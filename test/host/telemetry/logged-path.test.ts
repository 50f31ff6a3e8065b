import { describe, expect, it } from 'vitest'
import { toKeys } from '../../../src/gateway/auth/auth.ts'
import { loggedPath } from '../../../src/gateway/telemetry/logged-path.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import { lineOf, sha256, startGateway } from '../test-server.ts'

const OWN_KEY = 'correct horse battery'
const RING = {
  keys: toKeys(
    { keys: [{ name: 'own', sha256: sha256(OWN_KEY), kind: 'inference' }], rate_limit: {} },
    '',
    NODE_HASHES,
  ),
  hashes: NODE_HASHES,
}
const shown = (url: string): string => loggedPath({ url, httpVersion: '1.1', headers: {} }, RING)

describe('the log of a request to an unknown path', () => {
  it.each(['/v2/chat/completions', '/api/v1/v1/responses', '/openai/deployments/gpt-5-mini/chat/completions'])(
    'has the path: %s',
    async (path) => {
      const { url, lines } = await startGateway({})
      expect((await fetch(`${url}${path}?key=a-secret-of-its-client`, { method: 'POST', body: '{}' })).status).toBe(404)
      const line = await lineOf(lines)
      expect(line).toMatchObject({ status: 404, path })
      expect(JSON.stringify(line)).not.toContain('a-secret')
    },
  )
})

describe('the logged path', () => {
  it.each([
    ['has no query and no fragment', '/v1/x?key=a#b', '/v1/x'],
    ['has no user and host of a whole URL', 'http://user:password@host:1/v1/x?a', '/v1/x'],
    [
      'keeps model names',
      '/v1/models/gpt-4o-mini-realtime-preview-2024-12-17',
      '/v1/models/gpt-4o-mini-realtime-preview-2024-12-17',
    ],
    ['masks a key of a vendor', '/sk-proj-abcdefgh12345678/v1/x', '/sk-p...5678/v1/x'],
    ['masks an escaped key of a vendor', '/v1/%22Bearer%20sk-proj-abcdefgh12345678%22', '/v1/"Bearer%20sk-p...5678"'],
    ['masks a key that is escaped twice', '/v1/%2522sk-proj-abcdefgh12345678', '/v1/"sk-p...5678'],
    ['masks a key of this server', '/v1/correct%20horse%20battery/x', '/v1/corr...tery/x'],
    ['masks a token of any form', '/v1/0123456789abcdef0123456789abcdef', '/v1/0123...cdef'],
    ['escapes line ends and all that is not ASCII', '/v1/%0a%0D\u00e9\u001b[31m', '/v1/%0a%0D%E9%1B[31m'],
  ])('%s', (_, url, path) => {
    expect(shown(url)).toBe(path)
  })

  it('has at most 200 characters, and a mark if there are more', () => {
    expect(shown(`/${'a'.repeat(199)}`)).toBe(`/${'a'.repeat(199)}`)
    expect(shown(`/${'a'.repeat(200)}`)).toBe(`/${'a'.repeat(199)}…`)
    expect(shown(`/${'/%20'.repeat(2000)}`)).toHaveLength(201)
    expect(shown(`/${'a/'.repeat(95)}sk-proj-${'1'.repeat(4000)}`)).not.toContain('11111')
  })
})
