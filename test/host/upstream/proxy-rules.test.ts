import { describe, expect, it } from 'vitest'
import { readProxies } from '../../../src/host/upstream/proxy-rules.ts'

const PROXY = 'http://proxy.example:3128'

const reaches = (noProxy: string, url: string): 'proxy' | 'directly' => {
  const { protocol, hostname, port } = new URL(url)
  const rules = readProxies({ HTTPS_PROXY: PROXY, http_proxy: PROXY, NO_PROXY: noProxy })
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  return rules?.proxyFor(protocol, hostname, number) == null ? 'directly' : 'proxy'
}

describe('the proxies of an environment', () => {
  it.each([
    ['', 'https://api.example', 'proxy'],
    ['', 'http://api.example', 'proxy'],
    ['*', 'https://api.example', 'directly'],
    ['other.example, *', 'https://api.example', 'directly'],
    ['api.example', 'https://API.example', 'directly'],
    ['API.EXAMPLE', 'https://v1.api.example', 'directly'],
    ['.api.example', 'https://v1.api.example', 'directly'],
    ['*.api.example', 'https://v1.api.example', 'directly'],
    ['api.example', 'https://notapi.example', 'proxy'],
    ['one.example api.example', 'https://api.example', 'directly'],
    ['api.example:443', 'https://api.example', 'directly'],
    ['api.example:80', 'https://api.example', 'proxy'],
    ['api.example:8443', 'https://api.example:8443', 'directly'],
    ['10.0.0.0/8', 'https://10.2.3.4', 'directly'],
    ['10.0.0.0/8', 'https://11.2.3.4', 'proxy'],
    ['10.2.3.4', 'http://10.2.3.4:8000', 'directly'],
    ['10.2.3.4:8001', 'http://10.2.3.4:8000', 'proxy'],
    ['10.0.0.0/99', 'https://10.2.3.4', 'proxy'],
    ['fd00::1', 'https://[fd00::1]', 'directly'],
    ['[fd00::1]', 'https://[fd00:0:0::1]', 'directly'],
    ['[fd00::1]:8443', 'https://[fd00::1]:8443', 'directly'],
    ['[fd00::1]:8443', 'https://[fd00::1]', 'proxy'],
    ['fd00::/16', 'https://[fd00::2]', 'directly'],
    ['', 'http://localhost:11434', 'directly'],
    ['', 'http://127.1.2.3:11434', 'directly'],
    ['', 'http://[::1]:11434', 'directly'],
    ['', 'http://localhost.example', 'proxy'],
  ] as const)('NO_PROXY %j: %s is reached %s', (noProxy, url, how) => {
    expect(reaches(noProxy, url)).toBe(how)
  })

  it.each([
    [{}, null],
    [{ HTTPS_PROXY: '' }, null],
    [{ https_proxy: '', HTTPS_PROXY: PROXY }, null],
    [
      { https_proxy: PROXY, HTTPS_PROXY: 'http://other.example' },
      { https: PROXY, http: null },
    ],
    [{ HTTP_PROXY: PROXY }, { https: null, http: PROXY }],
    [{ ALL_PROXY: 'https://proxy.example' }, { https: 'https://proxy.example', http: 'https://proxy.example' }],
    [{ HTTPS_PROXY: 'proxy.example:3128' }, { https: PROXY, http: null }],
    [{ HTTPS_PROXY: 'http://[::1]:3128/' }, { https: 'http://[::1]:3128', http: null }],
  ])('are read from %j', (env, expected) => {
    const rules = readProxies(env)
    const origins = rules && { https: rules.https?.origin ?? null, http: rules.http?.origin ?? null }
    expect(origins).toEqual(expected)
  })

  it('decodes the credentials, and needs no password', () => {
    const authorizationOf = (url: string) => readProxies({ HTTPS_PROXY: url })?.https?.authorization
    expect(authorizationOf('http://user:p%40ss@proxy.example')).toBe(`Basic ${btoa('user:p@ss')}`)
    expect(authorizationOf('http://user@proxy.example')).toBe(`Basic ${btoa('user:')}`)
    expect(authorizationOf(PROXY)).toBeNull()
  })

  it.each([
    'socks5://user:secret@proxy.example',
    'http://',
    'http://user:secret@',
    'http://user:%secret@proxy.example',
  ])('refuses %s without its words', (value) => {
    const refuse = (): unknown => readProxies({ https_proxy: value })
    expect(refuse).toThrow(/^https_proxy: expected/)
    expect(refuse).not.toThrow(/secret/)
  })
})

describe('the exceptions of an environment', () => {
  const reached = (env: Readonly<Record<string, string>>): boolean =>
    readProxies({ HTTPS_PROXY: PROXY, ...env })?.proxyFor('https:', 'api.example', 443) === null

  it.each([
    ['of the lower-case name alone', { no_proxy: 'api.example' }, true],
    ['of the upper-case name alone', { NO_PROXY: 'api.example' }, true],
    ['of the lower-case name, where both are set', { no_proxy: 'api.example', NO_PROXY: 'other.example' }, true],
    ['not of the upper-case name, where both are set', { no_proxy: 'other.example', NO_PROXY: 'api.example' }, false],
    ['of an empty lower-case name, which is set', { no_proxy: '', NO_PROXY: 'api.example' }, false],
  ])('are those %s', (_, env, isDirect) => {
    expect(reached(env)).toBe(isDirect)
  })
})
