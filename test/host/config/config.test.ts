import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkConfigValue, parseConfig, toFileSchema } from '../../../src/gateway/config/parse-config.ts'
import { loadConfig } from '../../../src/host/config/load-config.ts'
import { start } from '../../../src/host/start.ts'
import type { StartOptions } from '../../../src/host/start-options.ts'
import { bodyOf, startMockUpstream, withBody } from '../../mock-upstreams/server.ts'
import { KEY, post, sha256, startGateway, UPSTREAM_KEY, whenDone } from '../test-server.ts'

const problemsOf = (value: unknown): readonly string[] => {
  const loaded = checkConfigValue(value)
  return loaded.ok ? [] : loaded.problems
}

interface SchemaPart {
  readonly description?: string
  readonly $ref?: string
}

/** Every property of a JSON Schema, also of its definitions and alternatives. */
function* propertiesOf(schema: unknown, path: string): Iterable<readonly [path: string, SchemaPart]> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [name, inner] of Object.entries(schema)) {
    if (name === 'properties')
      for (const [property, part] of Object.entries<SchemaPart>(inner)) yield [`${path}.${property}`, part]
    yield* propertiesOf(inner, `${path}.${name}`)
  }
}

async function startWith(config: object, options: StartOptions = {}) {
  const loaded = checkConfigValue(config)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const running = await start(loaded.config, options)
  whenDone(running.close)
  return running
}

describe('a configuration', () => {
  it('is accepted when it is empty and when it has every section', () => {
    expect(problemsOf({})).toEqual([])
    const whole = {
      listen: {
        host: '0.0.0.0',
        port: 80,
        hosts: ['*', 'A.example', '10.0.0.1', '[::1]', 'my_host'],
        origins: ['*', 'null', 'https://A.example', 'http://localhost:3000', 'vscode-webview://x', 'http://[::1]:81'],
      },
      mounts: [
        { path: '/api/v1', dialect: 'beta' },
        { path: '/openai/v1', dialect: 'openai', reasoning: 'text' },
      ],
      keys: [{ name: 'a', sha256: sha256('a'), kind: 'inference', workspace: 'main' }],
      workspaces: [{ id: 'main', default: true }],
      vendors: {
        acme: { wire: 'openai-chat', base_url: 'https://acme.example/v1', key: { env: 'ACME_KEY' } },
        groq: { key: 'gsk', quirks: { thinkTags: true }, headers: { 'x-team': 'mill' } },
        ours: {
          vendor: 'openai',
          base_url: 'https://proxy.example/v1',
          body: { provider: { order: ['a', null] }, seed: 7 },
          pass: ['top_k'],
          wires: { 'anthropic-messages': 'https://proxy.example/anthropic', 'openai-chat': false },
        },
      },
      destinations: [],
      timeouts: { connect_seconds: 1, first_byte_seconds: 2, idle_seconds: 3 },
      keep_alive_seconds: 0,
    }
    expect(problemsOf(whole)).toEqual([])
  })

  it.each([
    [{ listen: { port: 'x' } }, 'listen.port: '],
    [{ liste: {} }, 'configuration: '],
    [{ mounts: [{ path: '/a', dialect: 'gamma' }] }, 'mounts[0].dialect: '],
    [{ mounts: [{ path: 'a', dialect: 'beta' }] }, 'mounts[0].path: '],
    [
      {
        mounts: [
          { path: '/a', dialect: 'beta' },
          { path: '/a/', dialect: 'beta' },
        ],
      },
      'mounts[1].path: ',
    ],
    [{ keys: [{ name: 'a', sha256: 'my-secret-key' }] }, 'keys[0].sha256: '],
    [{ keys: [{ name: 'a', sha256: sha256('a'), workspace: 'x' }] }, 'keys[0].workspace: '],
    [
      {
        keys: [
          { name: 'a', sha256: sha256('a') },
          { name: 'a', sha256: sha256('b') },
        ],
      },
      'keys[1].name: ',
    ],
    [
      {
        workspaces: [
          { id: 'a', default: true },
          { id: 'b', default: true },
        ],
      },
      'workspaces: ',
    ],
    [{ vendors: { acme: { base_url: 'https://a.example' } } }, 'vendors.acme.wire: '],
    [{ vendors: { acme: { wire: 'openai-chat' } } }, 'vendors.acme.base_url: '],
    [{ vendors: { acme: { wire: 'telegraph', base_url: 'https://a.example' } } }, 'vendors.acme.wire: '],
    [{ vendors: { acme: { wire: 'openai-chat', base_url: 'ftp://a.example' } } }, 'vendors.acme.base_url: '],
    [{ vendors: { acme: { wire: 'openai-chat', base_url: 'https://a:b@a.example' } } }, 'vendors.acme.base_url: '],
    [{ search: { engine: 'searxng', base_url: 'https://a@a.example' } }, 'search.base_url: '],
    [{ vendors: { acme: { vendor: 'nobody', base_url: 'https://a.example' } } }, 'vendors.acme.vendor: '],
    [{ vendors: { acme: { vendor: 'openai', key: { variable: 'X' } } } }, 'vendors.acme.key: '],
    [{ vendors: { acme: { vendor: 'openai', quirks: { thinkTag: true } } } }, 'vendors.acme.quirks: '],
    [{ vendors: { openai: { wires: { 'openai-responses': 'https://a.example' } } } }, 'vendors.openai.wires.openai-'],
    [{ vendors: { openai: { wires: { 'openai-chat': 'my-secret-key' } } } }, 'vendors.openai.wires.openai-chat: '],
    [{ vendors: { openai: { wires: { 'openai-chat': 'https://a:b@a.example' } } } }, 'vendors.openai.wires.openai-'],
    [{ vendors: { openai: { body: ['my-secret-key'] } } }, 'vendors.openai.body: '],
    [{ vendors: { openai: { pass: ['top_k', ''] } } }, 'vendors.openai.pass[1]: '],
    [{ vendors: { replay: { vendor: 'openai' } } }, 'vendors.replay: '],
    [{ timeouts: { idle_seconds: 0 } }, 'timeouts.idle_seconds: '],
  ])('%j is rejected with the path of its mistake', (config, place) => {
    const problems = problemsOf(config)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems[0]?.startsWith(place)).toBe(true)
    expect(problems.join()).not.toContain('my-secret-key')
  })

  it.each(['cooldown', 'cooldown_seconds', 'cooldown_time', 'allowed_fails'])(
    'has a hint for the option %s of other programs',
    (name) => {
      expect(problemsOf({ retry: { [name]: 3 } })).toEqual([
        expect.stringContaining(`retry: the option "${name}" does not exist. An upstream is paused`),
      ])
    },
  )

  it.each([
    [{ liste: {} }, 'configuration: the option "liste" does not exist. Did you mean "listen"?'],
    [{ metrics: { xyzzy: 1 } }, 'metrics: the option "xyzzy" does not exist. Options: management_key.'],
    [{ listen: { port: 'my-secret-key' } }, 'listen.port: expected a number, got a string'],
    [{ listen: { port: 1.5 } }, 'listen.port: expected a whole number, got 1.5'],
    [{ listen: { port: 99_999 } }, 'listen.port: expected at most 65535, got 99999'],
    [{ listen: { host: '' } }, 'listen.host: expected a string that is not empty, got an empty string'],
    [{ timeouts: { idle_seconds: 0 } }, 'timeouts.idle_seconds: expected more than 0, got 0'],
    [{ retry: { attempts: 11 } }, 'retry.attempts: expected at most 10, got 11'],
    [{ mounts: [] }, 'mounts: expected a list that is not empty, got an empty list'],
    [
      { mounts: [{ path: '/a', dialect: 'beto' }] },
      'mounts[0].dialect: expected one of beta, openai. Did you mean "beta"?',
    ],
    [{ mounts: [{ path: '/a' }] }, 'mounts[0].dialect: expected one of beta, openai, got nothing'],
    [
      { mounts: [{ path: '/a', dialect: 'beta', reasoning: 'texts' }] },
      'mounts[0].reasoning: expected one of summary, text. Did you mean "text"?',
    ],
    [{ keys: [{ name: 12_345_678, sha256: sha256('a') }] }, 'keys[0].name: expected a string, got a number'],
    [{ vendors: { groq: { pool: [] } } }, 'vendors.groq.pool: expected a list that is not empty, got an empty list'],
    [
      { vendors: { groq: { pool: [{ name: 'a' }, { name: 'a' }] } } },
      'vendors.groq.pool[1].name: expected a unique value, got the value of vendors.groq.pool[0].name',
    ],
    [
      { vendors: { groq: { pool: [{ name: '1' }, {}] } } },
      'vendors.groq.pool[1].name: expected a unique value, got the value of vendors.groq.pool[0].name',
    ],
    [{ vendors: { groq: { pool: [{ weight: 0 }] } } }, 'vendors.groq.pool[0].weight: expected at least 0.001, got 0'],
    [
      { vendors: { groq: { pool: [{ wieght: 2 }] } } },
      'vendors.groq.pool[0]: the option "wieght" does not exist. Did you mean "weight"?',
    ],
    [
      { vendors: { acme: { wire: 'openai-chat', pool: [{ base_url: 'https://acme.example' }, {}] } } },
      'vendors.acme.pool[1].base_url: expected the base URL of the upstream, here or for the vendor',
    ],
    [
      { vendors: { groq: { pool: [{ aws: { region: 'eu-west-1' } }] } } },
      'vendors.groq.pool[0].aws: expected only for a vendor in AWS. Remove it, or set vendor',
    ],
    [
      { vendors: { bedrock: { pool: [{ aws: { access_key_id: 'a' } }] } } },
      'vendors.bedrock.pool[0].aws: expected access_key_id and secret_access_key together',
    ],
    [
      { keys: [{ name: 'a', sha256: sha256('a'), label: 'a"b' }] },
      'keys[0].label: expected at most 64 letters, digits, spaces and . : / _ -',
    ],
    [{ vendors: { 'A B': {} } }, 'vendors["A B"]: expected a name of lower-case letters, digits and . _ -'],
    [
      { vendors: { openai: { headers: { 'a b': 'c' } } } },
      'vendors.openai.headers["a b"]: expected the name of a header',
    ],
    [
      { vendors: { openai: { headers: { 'x-a': 'my-secret\nkey' } } } },
      /^vendors\.openai\.headers\.x-a: expected the value of a header/,
    ],
    [{ vendors: { openai: { headers: { 'x-a': '€' } } } }, /^vendors\.openai\.headers\.x-a: expected the value of/],
    [
      { vendors: { openai: { headers: { 'X-A': 'b', 'x-a': 'c' } } } },
      'vendors.openai.headers.x-a: expected once, because X-A is the same header',
    ],
    [
      { vendors: { openai: { headers: { 'Content-Length': '5' } } } },
      'vendors.openai.headers.Content-Length: expected another header, because the gateway sets this one',
    ],
    [
      { vendors: { openai: { quirks: { likeModels: { '': 'x' } } } } },
      /^vendors\.openai\.quirks\.likeModels\[""\]: expected a string that is not empty/,
    ],
    [{ vendors: { openai: { body: 'my-secret-key' } } }, 'vendors.openai.body: expected an object, got a string'],
    [
      { vendors: { openai: { wires: { 'bedrock-converse': 'https://a.example' } } } },
      'vendors.openai.wires: the option "bedrock-converse" does not exist. Options: openai-chat, openai-responses, anthropic-messages, gemini-generate, gemini-interactions, ollama-chat.',
    ],
    [
      { vendors: { openai: { wires: { 'openai-chat': true } } } },
      'vendors.openai.wires.openai-chat: expected an http or https URL without a user name and a password, or false',
    ],
    [{ vendors: { openai: { pass: 'my-secret-key' } } }, 'vendors.openai.pass: expected a list, got a string'],
    [{ vendors: { openai: { base_url: 'my-secret-key' } } }, 'vendors.openai.base_url: expected an http or https URL'],
    [
      { destinations: [{ type: 'datdog' }] },
      /^destinations\[0\]\.type: expected one of arize, .* Did you mean "datadog"\?$/,
    ],
    [{ destinations: [7] }, 'destinations[0]: expected an object, got a number'],
  ])('%j is rejected with one problem, which names what is expected', (config, problem) => {
    const problems = problemsOf(config)
    expect(problems).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)])
    expect(problems.join()).not.toContain('my-secret-key')
  })

  it('is rejected with one problem for each unknown option', () => {
    expect(problemsOf({ listen: { prot: 1, hst: 2 } })).toEqual([
      'listen: the option "prot" does not exist. Did you mean "port"?',
      'listen: the option "hst" does not exist. Did you mean "host"?',
    ])
  })

  it('is rejected if its file has an empty list of keys', () => {
    expect(parseConfig('{"keys":[]}')).toEqual({
      ok: false,
      problems: [
        'keys (line 1, column 2): expected at least one key, got an empty list. Add a key, or remove "keys" to use a development key',
      ],
    })
  })

  it('is rejected with the path of each name that an object contains twice', () => {
    const text = String.raw`{"vendors":{"groq":{"key":"\"a","key":"b"}},"keys":[{"name":"a"},{"name":"b","n\u0061me":"c"}],"keys":[]}`
    expect(parseConfig(text)).toEqual({
      ok: false,
      problems: [
        ['vendors.groq.key', 33],
        ['keys[1].name', 78],
        ['keys', 96],
      ].map(([path, column]) => `${path} (line 1, column ${column}): expected once, got a second one`),
    })
    expect(
      parseConfig('{"vendors":{"groq":{"headers":{"x":"a: {\\"x\\":1}, x"}},"openai":{"headers":{"x":"{[,"}}}}').ok,
    ).toBe(true)
  })

  it('is rejected without quoting its text if it is not JSON', () => {
    const loaded = parseConfig('{\n  "keys": [\n    "my-secret-key" oops\n  ]\n}')
    expect(loaded).toMatchObject({ ok: false, problems: ['the file is not JSON (line 3, column 21)'] })
    expect(JSON.stringify(loaded)).not.toContain('secret')
  })

  it('is loaded from a file, or reports why the file cannot be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'good.json'), '{"listen":{"port":1}}')
    expect(await loadConfig(join(folder, 'good.json'))).toMatchObject({ ok: true, config: { listen: { port: 1 } } })
    expect(await loadConfig(join(folder, 'none.json'))).toMatchObject({
      ok: false,
      problems: [/ENOENT\): it does not exist/],
    })
    expect(await loadConfig(folder)).toMatchObject({ ok: false, problems: [/EISDIR\): it is a folder/] })
  })

  it.each(['http://a.example', 'a.example:8080', 'a.example/b', '::1', ''])(
    'rejects the host %j, which no header Host can have',
    (host) => {
      expect(problemsOf({ listen: { hosts: ['a.example', host] } })).toEqual([
        'listen.hosts[1]: expected a host name without scheme, port and path, or *',
      ])
    },
  )

  it.each(['a.example', 'https://a.example/', 'https://a.example:443', 'https://a.example/b', 'https://', ''])(
    'rejects the origin %j, which no header Origin can have',
    (origin) => {
      expect(problemsOf({ listen: { origins: [origin] } })).toEqual([
        'listen.origins[0]: expected an origin such as https://app.example, without a path, or *',
      ])
    },
  )

  it('has a description of every option in its schema', () => {
    const missing = [...propertiesOf(toFileSchema(), '')].filter(([, { description, $ref }]) => !description && !$ref)
    expect(missing.map(([path]) => path)).toEqual([])
  })

  it('has a published schema that equals the generated one', async () => {
    // Short, because the file is a part of the package: one space, and one line for a list or object without others.
    const text = `${JSON.stringify(toFileSchema(), null, 1)}\n`.replace(
      /([{[])\n\s+([^{}[\]]*?)\n\s+([}\]])/g,
      (_, open, members, end) => open + members.replace(/,\n\s+/g, ', ') + end,
    )
    expect(JSON.parse(text)).toEqual(toFileSchema())
    await expect(text).toMatchFileSnapshot('../../../schema/config.schema.json')
  })
})

describe('a secret in a configuration', () => {
  it('prevents the start, with its path, if its variable is not set', async () => {
    const vendors = { acme: { wire: 'openai-chat', base_url: 'https://a.example', key: { env: 'ACME_KEY' } } }
    await expect(startWith({ listen: { port: 0 }, vendors })).rejects.toThrow(/vendors\.acme\.key\.env.*ACME_KEY/)
  })

  it('prevents the start, and is not quoted, if a header cannot contain it', async () => {
    const acme = { wire: 'openai-chat', base_url: 'https://a.example', key: { env: 'ACME_KEY' } }
    for (const [config, env, path] of [
      [{ vendors: { acme } }, { ACME_KEY: 'secret\nkey' }, 'vendors.acme.key'],
      [{ vendors: { acme: { ...acme, key: 'secret\u20ackey' } } }, {}, 'vendors.acme.key'],
      [{}, { GROQ_API_KEY: 'secret\rkey' }, 'GROQ_API_KEY'],
      [{ vendors: { groq: {} } }, { GROQ_API_KEY: 'secret\u0000key' }, 'GROQ_API_KEY'],
    ] as const) {
      const started = startWith({ listen: { port: 0 }, ...config }, { env })
      await expect(started).rejects.toThrow(new RegExp(`^${path}: expected a key without line ends`))
      await expect(started).rejects.not.toThrow(/secret/)
    }
  })

  it('is not sent to a base URL that its table row does not name', async () => {
    const upstream = await startMockUpstream(withBody(bodyOf('Hi')))
    whenDone(upstream.close)
    const openai = { vendor: 'openai-chat', base_url: upstream.url, headers: { 'x-team': 'mill' } }
    const { url } = await startGateway({ vendors: { openai } }, { env: { OPENAI_API_KEY: UPSTREAM_KEY } })
    expect((await post(url, { model: 'openai/gpt', input: 'Hi' })).status).toBe(200)
    expect(upstream.received[0]?.headers.authorization).toBeUndefined()
    expect(upstream.received[0]?.headers['x-team']).toBe('mill')
  })

  it('enables its vendor if it is set in the environment', async () => {
    const { running } = await startGateway({}, { env: { GROQ_API_KEY: 'x', DEEPSEEK_API_KEY: '' } })
    expect(running.vendors).toEqual(['groq', 'replay'])
  })
})

describe('a server without configured keys', () => {
  it('accepts the development key on loopback', async () => {
    const running = await startWith({ listen: { port: 0 } })
    const headers = { authorization: `Bearer ${running.developmentKey}` }
    const response = await post(running.url, { model: 'replay/none', input: 'x' }, { headers })
    expect(response.status).toBe(404)
  })

  it('creates a new development key at each start unless MILLRACE_DEV_KEY sets one', async () => {
    const keys = await Promise.all([1, 2].map(async () => (await startWith({ listen: { port: 0 } })).developmentKey))
    expect(keys[0]).toMatch(/^mr-dev-[0-9a-f]{32}$/)
    expect(keys[0]).not.toBe(keys[1])
    const env = { MILLRACE_DEV_KEY: 'a key of my own choice' }
    expect((await startWith({ listen: { port: 0 } }, { env })).developmentKey).toBe(env.MILLRACE_DEV_KEY)
    await expect(startWith({ listen: { port: 0 } }, { env: { MILLRACE_DEV_KEY: 'short' } })).rejects.toThrow(
      /16 characters/,
    )
  })

  it.each(['0.0.0.0', '::', '192.168.0.7', 'example.com'])('refuses to listen on %s', async (host) => {
    await expect(startWith({ listen: { host, port: 0 } })).rejects.toThrow(/listen\.host/)
  })

  it('has no development key and listens anywhere once keys are configured', async () => {
    const running = await startWith({
      listen: { host: '0.0.0.0', port: 0 },
      keys: [{ name: 'a', sha256: sha256(KEY) }],
    })
    expect(running.developmentKey).toBeNull()
  })
})

describe('the port of the server', () => {
  it('is the configured one, otherwise that of PORT', async () => {
    const first = await startWith({ listen: { port: 0 } }, { env: { PORT: '1' } })
    const { port } = new URL(first.url)
    await first.close()
    const second = await startWith({}, { env: { PORT: port } })
    expect(second.url).toBe(`http://127.0.0.1:${port}`)
    await expect(startWith({}, { env: { PORT: port } })).rejects.toThrow(/another program has this port \(EADDRINUSE\)/)
    for (const wrong of ['eighty', '70000', '80.5', '-1'])
      await expect(startWith({}, { env: { PORT: wrong } })).rejects.toThrow(/PORT: expected a number from 0 to 65535/)
  })
})
