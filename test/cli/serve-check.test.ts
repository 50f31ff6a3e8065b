import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommand } from './run-command.ts'

const KEY = { name: 'laptop', sha256: 'c018c41c1afaf2c0b66c64f97d0ee135657b699ad260f299234cd40a5d625e0e' }
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
      '  mounts: /api/v1 (beta), /openai/v1 (openai)',
      '  keys: laptop (inference)',
      '  vendors: acme (openai-chat), other (openai-chat)',
      '  models: fast to acme/small, other/small',
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

  it('prints the members of a pool, and the place of a secret that one of them lacks', async () => {
    vi.stubEnv('ACME_KEY', 'my-secret-value')
    const pool = [
      { name: 'eu', key: { env: 'ACME_KEY' } },
      { name: 'us', weight: 2, base_url: 'https://us.example' },
    ]
    const { key: _, ...acme } = ACME
    const found = await check({ vendors: { acme: { ...acme, pool } } })
    expect(found.text).toContain('  vendors: acme (openai-chat; pool eu, us)\n')
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

  it('refuses a wrong option as a start does', async () => {
    expect(await check({}, '--port', 'x')).toMatchObject({ code: 2, isOutput: false })
  })
})
