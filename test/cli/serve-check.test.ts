import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { PUBLISHED_KEYS } from '../../src/gateway/auth/published-keys.ts'
import { start } from '../../src/host/start.ts'
import { runCommand } from './run-command.ts'

const KEY = { name: 'laptop', sha256: 'ab'.repeat(32) }
const ACME = { wire: 'openai-chat', base_url: 'https://acme.example/v1', key: { env: 'ACME_KEY' } }
const WHOLE = {
  listen: { host: '0.0.0.0', port: 80 },
  keys: [KEY],
  vendors: { acme: ACME, other: { ...ACME, key: { env: 'OTHER_KEY' } } },
  models: [{ match: 'fast', to: ['acme/small', 'other/small'] }],
  encrypted_content_secret: { env: 'SEAL' },
  rate_limit: { redis: { url: { env: 'REDIS_URL' } } },
  search: { engine: 'exa', key: { env: 'EXA' } },
  destinations: ['FIRST', 'SECOND'].map((env, index) => ({
    id: `2f9d0a34-5f0e-4a0b-9a52-2f0b6f1f6a0${index}`,
    type: 'langsmith',
    config: { apiKey: { env } },
  })),
}
const SECRETS = ['ACME_KEY', 'OTHER_KEY', 'SEAL', 'REDIS_URL', 'EXA', 'FIRST', 'SECOND']

describe('millrace serve --check', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'millrace-check-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  afterEach(() => vi.unstubAllEnvs())

  const check = async (config: object | string, ...options: readonly string[]) => {
    const file = path.join(folder, 'config.json')
    await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config, null, 1))
    const { code, output, complaint } = await runCommand(['serve', '--check', '--config', file, ...options])
    return { code, text: (output + complaint).replace(file, 'FILE'), isOutput: complaint === '' }
  }

  it('prints a summary of a server that could start, without a secret', async () => {
    for (const name of SECRETS) vi.stubEnv(name, name === 'REDIS_URL' ? 'redis://my-secret-value' : 'my-secret-value')
    const { code, text, isOutput } = await check(WHOLE, '--port', '9000')
    expect([code, isOutput]).toEqual([0, true])
    expect(text.split('\n')).toEqual([
      'FILE: correct',
      '  address: http://0.0.0.0:9000',
      '  mounts: /v1 (openai), /api/v1 (beta), /openai/v1 (openai)',
      '  keys: laptop (inference)',
      '  vendors: acme (openai-chat), other (openai-chat)',
      '  models: fast to acme/small, other/small',
      '  limits: no rate limit by default; 10000 connections; 1000 WebSockets of a key; 32 MiB for a body, 256 MiB for all; 3 attempts; 600 s to the first byte',
      '  resume: off',
      '  search engines: exa',
      '  destinations: langsmith, langsmith',
      '',
    ])
  })

  it('prints the number of workers, and refuses one that other fields do not allow', async () => {
    const config = { listen: { port: 0 }, connections: { most: 3 } }
    expect((await check(config, '--workers', '3')).text).toContain('\n  workers: 3\n')
    const refused = await check({ ...config, listen: { port: 0, workers: 4 } })
    expect([refused.code, refused.isOutput]).toEqual([1, false])
    expect(refused.text).toMatch(/^ {2}connections\.most \(line \d+, column \d+\): expected at least 4/m)
    expect((await check({ ...config, page: true }, '--workers', '2')).text).toMatch(
      /^ {2}page.*: expected false with listen\.workers above 1/m,
    )
  })

  it('prints every secret that is not set, with its line, and exits with 1', async () => {
    const { code, text, isOutput } = await check(WHOLE)
    expect([code, isOutput]).toEqual([1, false])
    const found = text.matchAll(/^ {2}(\S+) \(line \d+, column \d+\): the environment variable (\w+) is not set$/gm)
    expect(Object.fromEntries([...found].map(([, place, name]) => [name, place]))).toEqual({
      ACME_KEY: 'vendors.acme.key.env',
      OTHER_KEY: 'vendors.other.key.env',
      SEAL: 'encrypted_content_secret.env',
      REDIS_URL: 'rate_limit.redis.url.env',
      EXA: 'search.key.env',
      FIRST: 'destinations[0].config.apiKey.env',
      SECOND: 'destinations[1].config.apiKey.env',
    })
    expect(text.split('\n')).toHaveLength(SECRETS.length + 2)
  })

  it('prints what decides between accounts: affinity, continuation, resuming, limits and models of keys', async () => {
    vi.stubEnv('ACME_KEY', 'my-secret-value')
    const { key: _, ...acme } = ACME
    const off = { name: 'off', key: { env: 'GONE' }, enabled: false }
    const pool = [{ name: 'eu', key: 'key-of-eu' }, { name: 'us', key: 'key-of-us' }, off]
    const key = { name: 'team', sha256: '0'.repeat(64), models: ['acme/*'], rate_limit: { requests: 60 } }
    const found = await check({
      vendors: { acme: { ...acme, pool, affinity: false } },
      models: [{ match: 'writer', to: ['acme/small'], continue: true }],
      keys: [key],
      rate_limit: { default: { requests: 100, seconds: 10, burst: 5 } },
      resume: { stream_bytes: 1000 },
    })
    expect(found.text.split('\n').filter((line) => /vendors|models|keys|limits|resume|note/.test(line))).toEqual([
      '  keys: team (inference; models acme/*; 60 requests in 60 s)',
      '  vendors: acme (openai-chat; pool eu, us, members in turn)',
      '  models: writer to acme/small (continued)',
      expect.stringMatching(/^ {2}limits: 100 requests in 10 s, 5 at once by default; /),
      '  resume: 60 s after the end, 1000 streams of 1000 bytes, 64 MiB for all',
    ])
  })

  it('notes members with one key, and continuation without a further route', async () => {
    const { key: _, ...acme } = ACME
    const pool = [{ name: 'eu' }, { name: 'us' }, { name: 'far', base_url: 'https://far.example' }]
    const found = await check({
      vendors: { acme: { ...acme, key: 'one-key-of-both', pool }, other: { ...acme, key: 'key-of-other' } },
      models: [
        { match: 'a', to: ['acme/small'], continue: true },
        { match: 'b', to: ['other/small'], continue: true },
      ],
    })
    expect(found.code).toBe(0)
    expect(found.text.match(/^ {2}note: .*$/gm)).toEqual([
      expect.stringMatching(/^ {2}note: vendors\.acme\.pool: the members eu and us have the same address and key/),
      expect.stringMatching(/^ {2}note: models\[1\]\.continue: no effect/),
    ])
  })

  it('notes a pattern of a key that no name of a model fits', async () => {
    const { key: _, ...acme } = ACME
    const two = { acme: { ...acme, key: 'key-of-acme' }, other: { ...acme, key: 'key-of-other' } }
    const keys = [
      { name: 'team', sha256: '0'.repeat(64), models: ['claude-*', 'acme/*', '*', '*-mini', 'fast', 'fas*', 'fast-1'] },
    ]
    const models = [{ match: 'fast*', to: ['acme/small'] }]
    const notesOf = async (config: object): Promise<readonly string[]> =>
      (await check({ vendors: two, keys, models, ...config })).text.match(/^ {2}note: .*$/gm) ?? []
    expect(await notesOf({})).toEqual([
      '  note: keys[0].models[0]: no model has the name "claude-*", because names are <provider>/<model>. Write "*/claude-*", or add a rule for it.',
    ])
    expect(await notesOf({ default_vendor: 'acme' })).toEqual([])
    expect(await notesOf({ vendors: { acme: two.acme } })).toEqual([])
  })

  it('has a hint for options of other programs', async () => {
    const { key: _, ...acme } = ACME
    const resumed = await check({ resume: { enabled: true } })
    expect(resumed.text).toContain('The section is on where it is there, also as {}.')
    expect((await check({ resume: true })).text).toContain('expected an object, got true. Write {} for its defaults')
    const vendor = await check({ vendors: { acme: { ...acme, enabled: false, cooldown: 60 } } })
    expect(vendor.text).toContain('Remove the vendor, or set it for a member of a pool.')
    expect(vendor.text).toContain('retry.breaker_seconds')
    const none = await check({ vendors: { acme: { ...acme, pool: [{ key: 'a-key-of-acme', enabled: false }] } } })
    expect(none.text).toMatch(/vendors\.acme\.pool.*: expected a member that is enabled/)
  })

  it('prints the members of a pool, and the place of a secret that one of them lacks', async () => {
    vi.stubEnv('ACME_KEY', 'my-secret-value')
    const pool = [
      { name: 'eu', key: { env: 'ACME_KEY' } },
      { name: 'us', weight: 2, base_url: 'https://us.example' },
    ]
    const { key: _, ...acme } = ACME
    const found = await check({ vendors: { acme: { ...acme, pool } } })
    expect(found.text).toContain('  vendors: acme (openai-chat; pool eu, us, one member for a conversation)\n')
    expect(found.text).not.toContain('my-secret-value')
    const missing = await check({ vendors: { acme: { ...acme, pool: [...pool, { key: { env: 'EU_KEY' } }] } } })
    expect(missing.text).toMatch(
      /^ {2}vendors\.acme\.pool\[2\]\.key\.env \(line \d+, column \d+\): the environment variable EU_KEY is not set$/m,
    )
  })

  it('prints the problem of a Redis URL for which a start fails, without the URL', async () => {
    const { code, text } = await check({ rate_limit: { redis: { url: 'http://ada:hunter2@redis.example:6379' } } })
    expect([code, text.includes('hunter2')]).toEqual([1, false])
    expect(text).toMatch(/^ {2}rate_limit\.redis\.url.*: expected a URL such as redis:/m)
    expect((await check({ rate_limit: { redis: { url: 'rediss://ada:hunter2@redis.example' } } })).code).toBe(0)
  })

  it.each([
    ['{\n "listen": {"port": "x"} }', '  listen.port (line 2, column 13): expected a number, got a string\n'],
    ['{\n "listen" }', '  the file is not JSON (line 2, column 11)\n'],
    [
      '{\n "listen": {"host": "0.0.0.0"} }',
      /^ {2}listen\.host \(line 2, column 13\): 0\.0\.0\.0 is reachable from other machines/,
    ],
    [
      '{\n "vendors": {"groq": {}},\n "models": [{"match": "a", "to": ["openai/a"]}] }',
      /^ {2}models\[0\]\.to\[0\] \(line 3, column 35\): .*OPENAI_API_KEY/,
    ],
  ])('prints the problem of %j', async (text, problem) => {
    const result = await check(text)
    expect([result.code, result.isOutput]).toEqual([1, false])
    expect(result.text.replace('FILE:\n', '')).toEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    )
  })

  it('prints one line for each vendor without a key, with its first place and the number of further ones', async () => {
    for (const name of ['OPENAI_API_KEY', 'GROQ_API_KEY', 'XAI_API_KEY']) vi.stubEnv(name, '')
    const rules = Array.from({ length: 9 }, (_, at) => ({ match: `m${at}`, to: [`openai/m${at}`] }))
    const models = [...rules, { match: 'a', to: ['groq/a', 'xai/a'] }, { match: 'b', to: ['xai/b'] }]
    const { code, text } = await check({ vendors: { acme: { ...ACME, key: 'k' } }, models, default_vendor: 'groq' })
    expect(code).toBe(1)
    expect(text.replaceAll(/ \(line \d+, column \d+\)/g, '').split('\n')).toEqual([
      'FILE:',
      '  models[0].to[0]: The vendor "openai" has no key. Set the environment variable OPENAI_API_KEY. The vendor is also named in 8 further places.',
      '  models[9].to[0]: The vendor "groq" has no key. Set the environment variable GROQ_API_KEY. The vendor is also named in 1 further place.',
      '  models[9].to[1]: The vendor "xai" has no key. Set the environment variable XAI_API_KEY. The vendor is also named in 1 further place.',
      '',
    ])
  })

  const BROKEN = [
    '{',
    '  "listen": { "host": "0.0.0.0", "port": 70000, "hst": "a" },',
    `  "keys": [{ "name": "a", "sha256": "x" }, { "name": "a", "sha256": "\${UNSET}" }],`,
    '  "vendors": {',
    '    "groq": { "key": { "env": "NO_KEY" } },',
    '    "openai": { "key": "sk-1", "key": "sk-2" },',
    '    "acme": { "base_url": "http://localhost:1" },',
    '    "bedrock": { "aws": { "access_key_id": { "env": "NO_ID" }, "secret_access_key": { "env": "NO_SECRET" } } }',
    '  },',
    '  "models": [{ "match": "a", "to": ["nobody/a", "cohere/a"] }],',
    '  "rate_limit": { "redis": { "url": "http://localhost" } },',
    '  "search": { "engine": "exa", "key": { "env": "NO_EXA" } }',
    '}',
  ].join('\n')

  /** Line and column of each problem, with the path before them. */
  const placesIn = (text: string): readonly string[] =>
    [...text.matchAll(/^ {2}(\S+)(?: \(line (\d+), column (\d+)\))?:/gm)].map(([, path, line, column]) =>
      line === undefined ? `${path}` : `${line}:${column} ${path}`,
    )

  const FAULTS = [
    '2:34 listen.port',
    '2:49 listen',
    '3:27 keys[0].sha256',
    '3:69 keys[1].sha256',
    '6:32 vendors.openai.key',
    '7:13 vendors.acme.wire',
    '10:37 models[0].to[0]',
    'MILLRACE_DEV_KEY',
    '5:24 vendors.groq.key.env',
    '8:46 vendors.bedrock.aws.access_key_id.env',
    '8:87 vendors.bedrock.aws.secret_access_key.env',
    '11:30 rate_limit.redis.url',
    '12:41 search.key.env',
    '10:49 models[0].to[1]',
  ]

  it('prints all problems at once: of the text, its values, their rules, the environment and the vendors', async () => {
    vi.stubEnv('MILLRACE_DEV_KEY', 'short')
    vi.stubEnv('COHERE_API_KEY', '')
    const { code, text } = await check(BROKEN)
    expect([code, placesIn(text).toSorted()]).toEqual([1, FAULTS.toSorted()])
  })

  it('is what a start prints, too', async () => {
    vi.stubEnv('MILLRACE_DEV_KEY', 'short')
    const file = path.join(folder, 'broken.json')
    await writeFile(file, BROKEN)
    const { code, complaint } = await runCommand(['serve', '--config', file])
    expect([code, placesIn(complaint).toSorted()]).toEqual([2, FAULTS.toSorted()])
  })

  it('prints no problem that only follows from another one', async () => {
    const { text } = await check(
      JSON.stringify({
        listen: { host: '0.0.0.0' },
        keys: [{ name: 'a', sha256: 'x', workspace: 'main' }],
        workspaces: [{ id: 5 }],
        vendors: { Acme: {}, acme: { wire: 'openai-chatt', base_url: 'http://localhost:1' } },
        models: [{ match: 'a', to: ['acme/a', 'Acme/a'] }],
        default_vendor: 'acme',
      }),
    )
    expect(placesIn(text).map((one) => one.split(' ')[1])).toEqual([
      'keys[0].sha256',
      'workspaces[0].id',
      'vendors.Acme',
      'vendors.acme.wire',
    ])
  })

  it.each(Object.keys(PUBLISHED_KEYS))(
    'refuses a published key beyond loopback, as a start does: %s',
    async (sha256) => {
      const config = {
        listen: { host: '0.0.0.0', port: 0 },
        keys: [KEY, { name: 'own', sha256: sha256.toUpperCase() }],
      }
      const { code, text } = await check(config)
      expect(code).toBe(1)
      expect(text).toMatch(
        /^ {2}keys\[1\]\.sha256 \(line \d+, column \d+\): the key is published .*millrace key.* listen on 127/m,
      )
      await expect(start(config)).rejects.toThrow(/^keys\[1\]\.sha256: the key is published/)
      expect((await check({ ...config, listen: { host: '127.0.0.1' } })).code).toBe(0)
    },
  )

  it('refuses a wrong option as a start does', async () => {
    expect(await check({}, '--port', 'x')).toMatchObject({ code: 2, isOutput: false })
  })
})
