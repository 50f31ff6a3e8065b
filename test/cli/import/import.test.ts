import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { someOf } from '../../property.ts'
import { runCommand } from '../run-command.ts'

/** Configurations of other gateways, in the form of their own examples. */

const FILES = [
  ['litellm', 'litellm.yaml'],
  ['claude-code-router', 'claude-code-router.jsonc'],
  ['portkey', 'portkey/fallback.json'],
  ['portkey', 'portkey/loadbalance.json'],
  ['portkey', 'portkey/conditional.json'],
  ['portkey', 'portkey/single.json'],
] as const

const VARIABLES = {
  OPENAI_API_KEY: 'k',
  ANTHROPIC_API_KEY: 'k',
  AZURE_EU_KEY: 'k',
  AZURE_US_KEY: 'k',
  AZURE_US_BASE: 'https://acme-us.openai.azure.com',
  AWS_ID: 'k',
  AWS_SECRET: 'k',
  GEMINI_API_KEY: 'k',
  VERTEX_ACCESS_TOKEN: 'k',
  OPENROUTER_API_KEY: 'k',
  LITELLM_MASTER_KEY: 'a-master-key',
}

const addressOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const textOf = (file: string): Promise<string> => readFile(addressOf(file), 'utf8')
const contentOf = async (file: string): Promise<unknown> =>
  parse((await textOf(file)).replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/,(\s*[}\]])/g, '$1'))

const importText = (gateway: string, text: string, ...options: readonly string[]) =>
  runCommand(['import', gateway, '-', ...options], new TextEncoder().encode(text))

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-import-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(() => {
  for (const [name, value] of Object.entries(VARIABLES)) vi.stubEnv(name, value)
})
afterEach(() => vi.unstubAllEnvs())

/** The report without its last lines, which every import has. */
const withoutAddresses = (report: string): string => report.replaceAll(/^Base URL of .*\n/gm, '')

type Path = readonly (string | number)[]

/** The paths of all values that are no objects or lists. */
const leavesOf = (value: unknown, at: Path = []): readonly Path[] => {
  if (typeof value !== 'object' || value === null) return [at]
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((one, index) => [index, one] as const)
    : Object.entries(value)
  return members.length === 0 ? [at] : members.flatMap(([name, inner]) => leavesOf(inner, [...at, name]))
}

const withoutLeaf = (value: unknown, [name, ...rest]: Path): unknown => {
  if (name === undefined) return undefined
  const copy: Record<string | number, unknown> = (Array.isArray(value) ? [...value] : { ...(value as object) }) as never
  if (rest.length > 0) copy[name] = withoutLeaf(copy[name], rest)
  else if (Array.isArray(copy)) copy.splice(name as number, 1)
  else delete copy[name]
  return copy
}

/** Values whose effect this server always has, so that the configuration is the same without them. */
const WITHOUT_EFFECT = [
  /^litellm_settings\.drop_params$/,
  // Clients reach every model of a vendor.
  /^Providers\[\d+\]\.models\[\d+\]$/,
  // What these do is done for every upstream, or follows from the address.
  /^Providers\[\d+\]\.transformer\b.*\.use\[\d+\]$/,
  /^Providers\[4\]\.api_key$/,
  /\bretry\.use_retry_after_headers$/,
  // The only modes of several targets are those that are carried.
  /\bstrategy\.mode$/,
  // Names of targets, and weights of targets that do not take turns.
  /^targets\[\d+\]\.(?:name|weight)$/,
  // An order that the list has anyway.
  /\.order$/,
]

const formatted = (at: Path): string =>
  at
    .map((name) => (typeof name === 'number' ? `[${name}]` : /^[\w$-]+$/.test(name) ? `.${name}` : `["${name}"]`))
    .join('')
    .replace(/^\./, '')

describe.each(FILES)('millrace import %s of %s', (gateway, file) => {
  it('writes a configuration with which a server could start', async () => {
    const to = path.join(folder, `${gateway}-${path.parse(file).name}.jsonc`)
    const { code, complaint } = await runCommand(['import', gateway, addressOf(file), '--to', to])
    expect(code).toBe(0)
    expect(complaint).toContain(`Check it: millrace serve --check --config ${to}`)
    const checked = await runCommand(['serve', '--check', '--config', to])
    expect([checked.code, checked.complaint]).toEqual([0, ''])
  })

  it('carries or names every value of the file', async () => {
    const value = await contentOf(file)
    const { output, complaint } = await importText(gateway, JSON.stringify(value))
    const named = [...complaint.matchAll(/^ {2}(\S+): /gm)].map(([, at = '']) => at)
    const isNamed = (at: string): boolean =>
      named.some((one) => at === one || at.startsWith(`${one}.`) || at.startsWith(`${one}[`))
    const silent: string[] = []
    for (const leaf of someOf(leavesOf(value), 3)) {
      const at = formatted(leaf)
      if (isNamed(at) || WITHOUT_EFFECT.some((pattern) => pattern.test(at))) continue
      const changed = await importText(gateway, JSON.stringify(withoutLeaf(value, leaf)))
      if (changed.output === output) silent.push(at)
    }
    expect(silent).toEqual([])
  })

  it('names a value that is not known, at any place', async () => {
    const value = (await contentOf(file)) as Record<string, unknown>
    const places: readonly Path[] = [[], ...leavesOf(value).map((leaf) => leaf.slice(0, -1))]
    for (const place of someOf([...new Set(places.map((one) => JSON.stringify(one)))], 3)) {
      const at = JSON.parse(place) as Path
      const copy = structuredClone(value)
      const target = at.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], copy)
      if (Array.isArray(target)) continue
      ;(target as Record<string, unknown>).never_seen = 'x'
      const before = await importText(gateway, JSON.stringify(value))
      const { output, complaint } = await importText(gateway, JSON.stringify(copy))
      const isCarried = output !== before.output
      const isInside = [...complaint.matchAll(/^ {2}(\S+): /gm)].some(([, one = '']) => {
        const full = formatted([...at, 'never_seen'])
        return full === one || full.startsWith(`${one}.`) || full.startsWith(`${one}[`)
      })
      expect([formatted([...at, 'never_seen']), isCarried || isInside]).toEqual([
        formatted([...at, 'never_seen']),
        true,
      ])
    }
  })
})

const jsonOf = async (gateway: string, file: string) => {
  const { output } = await runCommand(['import', gateway, addressOf(file)])
  return JSON.parse(output)
}

describe('millrace import litellm', () => {
  it('turns names into rules, equal deployments into a pool, and fallbacks into routes', async () => {
    const { keys, vendors, models, retry } = await jsonOf('litellm', 'litellm.yaml')
    expect(keys).toEqual([{ name: 'master', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    expect(vendors['azure-gpt']).toEqual({
      vendor: 'azure',
      pool: [
        { key: { env: 'AZURE_EU_KEY' }, base_url: 'https://acme-eu.openai.azure.com/openai/v1', weight: 3 },
        { key: { env: 'AZURE_US_KEY' }, base_url: '$'.concat('{AZURE_US_BASE}/openai/v1'), weight: 1 },
      ],
    })
    const rules = Object.fromEntries(models.map(({ match, to }: { match: string; to: string[] }) => [match, to]))
    expect(rules['gpt-fast']).toEqual([
      'openai/gpt-5-mini',
      'anthropic/claude-sonnet-4-5',
      'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ])
    expect(rules.local.slice(0, 2)).toEqual(['ollama_chat/qwen3', 'hosted_vllm/qwen3'])
    expect(rules['gpt-4']).toEqual(rules['gpt-fast'])
    expect(models.at(-1)).toEqual({ match: '*', to: ['openrouter/*', 'openai-upstream/house-model'] })
    expect(retry.attempts).toBe(3)
  })

  it('has no key of clients without the variable of the master key, and names it', async () => {
    vi.stubEnv('LITELLM_MASTER_KEY', '')
    const { output, complaint } = await runCommand(['import', 'litellm', addressOf('litellm.yaml')])
    expect(JSON.parse(output).keys).toBeUndefined()
    expect(complaint).toContain('general_settings.master_key: the configuration has the hash of a key: set LITELLM')
  })

  it('names values of one object by their own reasons, and an object without any as a whole', async () => {
    const { complaint } = await importText('litellm', '{"litellm_settings":{"cache":true,"odd":{"a":1,"b":[2]}}}')
    expect(withoutAddresses(complaint).split('\n').slice(1, -1)).toEqual([
      '  litellm_settings.cache: millrace caches no answers',
      '  litellm_settings.odd: no equivalent',
    ])
  })

  const listOf = (...names: readonly string[]) =>
    names.map((name) => ({ model_name: name, litellm_params: { model: `groq/${name.replace('openai/', '')}` } }))
  const routesOf = async (config: object) => {
    const { output, complaint } = await importText('litellm', JSON.stringify(config))
    const rules: readonly { match: string; to: readonly string[] }[] = JSON.parse(output).models
    return { routes: Object.fromEntries(rules.map(({ match, to }) => [match, to.join(' ')])), complaint }
  }

  it('uses the default fallbacks only for groups without fallbacks of their own', async () => {
    const { routes, complaint } = await routesOf({
      model_list: listOf('a', 'b', 'none', 'openai/c', 'last'),
      router_settings: { fallbacks: [{ a: ['b'] }, { c: ['b'] }, { none: [] }, { gone: ['a'] }] },
      litellm_settings: { default_fallbacks: ['last'] },
    })
    expect(routes).toEqual({
      a: 'groq/a groq/b',
      b: 'groq/b groq/last',
      none: 'groq/none',
      'openai/c': 'groq/c groq/b',
      last: 'groq/last',
    })
    expect(withoutAddresses(complaint).split('\n').slice(1, -1)).toEqual([
      '  router_settings.fallbacks[3].gone: expected a name of model_list',
    ])
  })

  it('keeps what looks like a variable a text, and writes a password of an address as a header', async () => {
    const litellm_params = {
      model: 'openai/a',
      api_base: `https://ann:se%40cret@proxy.example/\${v1}`,
      api_key: 'x',
      extra_body: { user: `\${HOME}`, list: [`\${PATH}`] },
    }
    const { output } = await importText(
      'litellm',
      JSON.stringify({ model_list: [{ model_name: 'a', litellm_params }] }),
    )
    expect(Object.values(JSON.parse(output).vendors)[0]).toMatchObject({
      base_url: `https://proxy.example/$\${v1}`,
      headers: { authorization: `Basic ${Buffer.from('ann:se@cret').toString('base64')}` },
      body: { user: `$\${HOME}`, list: [`$\${PATH}`] },
    })
  })

  it('writes no rule for all names, which would take those with a vendor', async () => {
    const any = { model_name: '*', litellm_params: { model: '*', api_key: 'os.environ/OPENAI_API_KEY' } }
    const { routes, complaint } = await routesOf({ model_list: [any, ...listOf('a')] })
    expect(routes).toEqual({ a: 'groq/a' })
    expect(complaint).toContain('model_list[0].litellm_params: no rule')
    expect(complaint).not.toContain('Without an equivalent')
  })

  it('names default fallbacks that no group uses', async () => {
    const { complaint } = await routesOf({
      model_list: listOf('a'),
      router_settings: { fallbacks: [{ a: [] }] },
      litellm_settings: { default_fallbacks: ['a'] },
    })
    expect(complaint).toContain('  litellm_settings.default_fallbacks: no group of model_list uses them\n')
  })

  it('takes "*" for the default, and of several lists the one that LiteLLM uses', async () => {
    const model_list = listOf('a', 'b', 'c')
    const all = await routesOf({ model_list, router_settings: { fallbacks: [{ '*': ['c'] }, { a: ['b'] }] } })
    expect(all.routes).toEqual({ a: 'groq/a groq/b', b: 'groq/b groq/c', c: 'groq/c' })
    const pattern = await routesOf({
      model_list: listOf('a', 'openai/*'),
      router_settings: { fallbacks: [{ '*': ['openai/*'] }], default_fallbacks: ['a'] },
    })
    expect(pattern.routes['openai/*']).toBe('groq/* groq/a')
    const several = await routesOf({
      model_list,
      router_settings: { fallbacks: [{ '*': ['c'] }, { a: ['b'] }, { a: ['c'] }], default_fallbacks: ['a'] },
      litellm_settings: { fallbacks: [{ b: ['c'] }] },
    })
    expect(several.routes).toEqual({ a: 'groq/a groq/b', b: 'groq/b groq/a', c: 'groq/c groq/a' })
    expect(withoutAddresses(several.complaint).split('\n').slice(1, -1)).toEqual([
      '  litellm_settings.fallbacks: router_settings.fallbacks applies',
      '  router_settings.fallbacks[2].a: router_settings.fallbacks[1].a applies',
      '  router_settings.fallbacks[0]["*"]: router_settings.default_fallbacks applies',
    ])
  })

  it('maps the time-out of the library as that of the router, which takes precedence', async () => {
    const importOf = async (config: object) => {
      const { output, complaint } = await importText('litellm', JSON.stringify(config))
      return { timeouts: JSON.parse(output).timeouts, complaint }
    }
    const alone = await importOf({ litellm_settings: { request_timeout: 90 } })
    expect(alone.timeouts).toEqual({ first_byte_seconds: 90 })
    const both = await importOf({ litellm_settings: { request_timeout: 90 }, router_settings: { timeout: 30 } })
    expect(both.timeouts).toEqual({ first_byte_seconds: 30 })
    expect(both.complaint).toContain('  litellm_settings.request_timeout: router_settings.timeout applies\n')
    expect(both.complaint).not.toContain('Without an equivalent')
  })

  it('names breakpoints of prompt caching as such, and parameters that are always dropped not at all', async () => {
    const litellm_params = {
      model: 'anthropic/claude-sonnet-4-5',
      drop_params: true,
      additional_drop_params: ['user'],
      cache_control_injection_points: [{ location: 'message', role: 'system' }],
      prompt_cache_key: 'x',
      request_timeout: 5,
    }
    const { complaint } = await importText(
      'litellm',
      JSON.stringify({ model_list: [{ model_name: 'a', litellm_params }] }),
    )
    const at = '  model_list[0].litellm_params'
    expect(withoutAddresses(complaint).split('\n').slice(1, -1)).toEqual([
      `${at}.additional_drop_params: parameters are dropped only where a model refuses them: docs/losses.md`,
      `${at}.cache_control_injection_points: breakpoints are set by vendors.NAME.cache: docs/prompt-caching.md`,
      `${at}.prompt_cache_key: a default of a request: vendors.NAME.body would override the client’s`,
      `${at}.request_timeout: time-outs apply to all upstreams: timeouts`,
    ])
  })

  it('names the routes beyond the bound of a rule', async () => {
    const model_list = Array.from({ length: 20 }, (_, at) => ({
      model_name: 'one',
      litellm_params: { model: `groq/m-${at}` },
    }))
    const { output, complaint } = await importText('litellm', JSON.stringify({ model_list }))
    expect(JSON.parse(output).models[0].to).toHaveLength(16)
    expect(complaint).toContain('the rule for one has its first 16 routes, without groq/m-16, groq/m-17')
  })
})

describe('millrace import claude-code-router', () => {
  it('finds the vendors of addresses, and sends the models of Claude Code to those of the router', async () => {
    const { listen, keys, vendors, models } = await jsonOf('claude-code-router', 'claude-code-router.jsonc')
    expect(listen).toEqual({ host: '0.0.0.0', port: 3456 })
    expect(keys).toHaveLength(1)
    // OpenRouter, Google and Anthropic have their own key variables, and need no entry.
    expect(Object.keys(vendors)).toEqual(['deepseek', 'ollama-upstream', 'model-scope'])
    expect(models).toEqual([
      { match: 'claude*haiku*', to: ['ollama-upstream/qwen3-coder'] },
      { match: 'claude*', to: ['deepseek/deepseek-chat'] },
    ])
  })

  it('names transformers of one model as such, if the gateway has them and all models do not', async () => {
    const provider = {
      name: 'acme',
      api_base_url: 'https://acme.example/v1/chat/completions',
      models: ['a'],
      transformer: { use: ['groq'], a: { use: ['openrouter', ['maxtoken', { max_tokens: 9 }], 'tooluse', 'groq'] } },
    }
    const { complaint } = await importText('claude-code-router', JSON.stringify({ Providers: [provider] }))
    const at = '  Providers[0].transformer.a.use'
    const ofOne = 'it is set for one model only, and an entry of vendors applies to all its models'
    expect(complaint.split('\n').filter((line) => line.startsWith(at))).toEqual([
      `${at}[0]: ${ofOne}`,
      `${at}[1]: ${ofOne}`,
      `${at}[2]: of one model; the gateway has no transformer tooluse; see vendors.NAME.quirks`,
    ])
  })

  it('listens on loopback without a key', async () => {
    const { output, complaint } = await importText('claude-code-router', '{"HOST":"0.0.0.0","Providers":[]}')
    expect(JSON.parse(output).listen).toBeUndefined()
    expect(complaint).toContain('HOST: without a key the server listens on loopback only')
  })
})

describe('millrace import portkey', () => {
  it('turns balanced targets of one vendor into a pool, and others into routes', async () => {
    const { vendors, models, retry } = await jsonOf('portkey', 'portkey/fallback.json')
    expect(vendors['openai-upstream'].pool).toEqual([
      { key: 'sk-first', weight: 0.7 },
      { key: 'sk-second', weight: 0.3 },
    ])
    expect(models[0].to).toEqual([
      'openai-upstream/gpt-5-mini',
      'anthropic/claude-sonnet-4-5',
      'azure-openai/gpt',
      'openai-2/*',
      'bedrock/us.anthropic.claude',
    ])
    expect(retry).toEqual({ attempts: 5 })
    const balanced = await jsonOf('portkey', 'portkey/loadbalance.json')
    expect(balanced.models).toEqual([{ match: '*', to: ['anthropic/claude-haiku-4-5', 'groq/llama-3.3-70b'] }])
  })

  const importTarget = async (target: object) => {
    const { output, complaint } = await importText('portkey', JSON.stringify({ targets: [target] }))
    return { ...JSON.parse(output), lines: complaint.split('\n').filter((line) => line.startsWith('  ')) }
  }

  it.each([
    [{ virtual_key: 'x' }, 'the vendor of virtual_key is in the vault of Portkey: set provider, and import again'],
    [{ virtualKey: 'x' }, 'the vendor of virtualKey is in the vault of Portkey: set provider, and import again'],
    [{ provider: '@own' }, 'the vendor of @own is in the vault of Portkey: set provider, and import again'],
    [{ provider: 'odd' }, 'millrace has no vendor for the provider odd, and the target has no custom_host'],
    [{ api_key: 'sk-x' }, 'expected provider'],
    [{ provider: 'azure-openai' }, 'expected azure_resource_name, or custom_host'],
    [{ provider: 'databricks' }, 'expected custom_host, the address of databricks'],
    [
      { provider: 'vertex-ai', virtual_key: 'x' },
      'expected vertex_project_id and vertex_region; the key is an access token: VERTEX_ACCESS_TOKEN, or vendors.NAME.key',
    ],
  ])('names in one sentence what the target %j lacks', async (target, reason) => {
    expect((await importTarget(target)).lines).toEqual([`  targets[0]: ${reason}`])
  })

  it('takes the deployment of Azure for the model, and names its version as the import of LiteLLM does', async () => {
    const azure = { provider: 'azure-openai', api_key: 'k', azure_resource_name: 'acme' }
    const own = await importTarget({ ...azure, azure_deployment_id: 'our-gpt', azure_api_version: '2025-01-01' })
    expect(own.models[0].to).toEqual(['azure-openai/our-gpt'])
    expect(own.lines).toEqual(['  targets[0].azure_api_version: the address /openai/v1 of Azure has no version'])
    const both = await importTarget({ ...azure, deploymentId: 'our-gpt', override_params: { model: 'gpt-5' } })
    expect(both.models[0].to).toEqual(['azure-openai/our-gpt'])
    expect(both.lines).toEqual([
      '  targets[0].override_params.model: targets[0].deploymentId is the model of the route',
    ])
  })

  it.each([
    [{ provider: 'vertex-ai', vertex_project_id: 'p', vertex_region: 'global' }, 'VERTEX_ACCESS_TOKEN, or '],
    [{ provider: 'azure-openai', azure_resource_name: 'acme' }, 'AZURE_OPENAI_API_KEY, or '],
    [{ provider: 'groq', custom_host: 'https://groq.example/v1' }, ''],
  ])('names the credentials to set for %j', async (target, variable) => {
    expect((await importTarget(target)).lines).toEqual([`  targets[0]: without a key: set ${variable}vendors.NAME.key`])
    expect((await importTarget({ ...target, api_key: 'k' })).lines).toEqual([])
  })

  it('names the service account of Vertex as a whole', async () => {
    const { lines } = await importTarget({
      provider: 'vertex-ai',
      vertex_project_id: 'p',
      vertex_region: 'global',
      vertex_service_account_json: { type: 'service_account', private_key: 'sk-x' },
    })
    expect(lines.at(-1)).toBe(
      '  targets[0].vertex_service_account_json: the key is an access token: VERTEX_ACCESS_TOKEN, or vendors.NAME.key',
    )
  })

  it('turns conditions on the model into rules', async () => {
    const { models } = await jsonOf('portkey', 'portkey/conditional.json')
    expect(models.map(({ match, to: [first] }: { match: string; to: string[] }) => [match, first])).toEqual([
      ['fast', 'small/llama-3.3-70b'],
      ['deep', 'large/claude-sonnet-4-5'],
      ['slow', 'large/claude-sonnet-4-5'],
      ['*', 'small/llama-3.3-70b'],
    ])
  })
})

describe('millrace import', () => {
  it('prints no secret on the standard error', async () => {
    for (const [gateway, file] of FILES) {
      const { complaint } = await runCommand(['import', gateway, addressOf(file)])
      expect(complaint).not.toMatch(/sk-(?:plain|first|azure|own|ant|one)|gsk-|a-secret-of|a-master-key/)
    }
  })

  it('ends with exit code 1 with --strict only if anything is missing', async () => {
    const single = await runCommand(['import', 'portkey', addressOf('portkey/single.json'), '--strict'])
    expect([single.code, withoutAddresses(single.complaint)]).toEqual([0, ''])
    expect((await runCommand(['import', 'litellm', addressOf('litellm.yaml'), '--strict'])).code).toBe(1)
  })

  it('overwrites no file', async () => {
    const to = path.join(folder, 'exists.jsonc')
    await writeFile(to, 'mine')
    const { code, complaint } = await runCommand(['import', 'portkey', addressOf('portkey/single.json'), '--to', to])
    expect([code, complaint]).toEqual([2, expect.stringContaining('it already exists')])
    expect(await readFile(to, 'utf8')).toBe('mine')
  })

  it('writes the characters of a variable in a key as they are', async () => {
    const entry = { model_name: 'a', litellm_params: { model: 'openai/gpt-4o', api_key: `sk-\${HOME}` } }
    const { output } = await importText('litellm', JSON.stringify({ model_list: [entry] }))
    expect(output).toContain(JSON.stringify(`sk-$\${HOME}`))
  })

  it.each([
    ['an unknown gateway', ['litelm', '-'], '{}', 'import: "litelm" is not known. Did you mean "litellm"?'],
    ['no file', ['litellm'], '', 'import: expected one file, as in millrace import litellm config.yaml.'],
    [
      'no object',
      ['portkey', '-'],
      '[1]',
      'the standard input is not a configuration of Portkey: expected a JSON or YAML object.',
    ],
    ['a mistake in YAML', ['litellm', '-'], 'a: [sk-x', 'cannot be read: the file is not YAML (line 1, column'],
    ['a list in itself', ['litellm', '-'], 'model_list: &m [*m]', 'cannot be read: the file is not YAML'],
    ['a mistake in JSON', ['portkey', '-'], '{"a": sk-x}', 'cannot be read: the file is not JSON (line 1, column'],
  ])('refuses %s with exit code 2', async (_, args, text, message) => {
    const { code, complaint } = await runCommand(['import', ...args], new TextEncoder().encode(text))
    expect([code, complaint]).toEqual([2, expect.stringContaining(message)])
    expect(complaint).not.toContain('sk-x')
  })
})

describe('a file that is not one of the gateway', () => {
  const LITELLM = { model_list: [] }
  const ROUTER = { Providers: [], Router: {} }
  const PORTKEY = { strategy: { mode: 'single' }, targets: [] }
  const OWN = { vendors: {}, listen: { port: 1 } }

  it.each([
    ['litellm', PORTKEY, 'It looks like one of Portkey: millrace import portkey FILE.'],
    ['portkey', LITELLM, 'It looks like one of LiteLLM: millrace import litellm FILE.'],
    ['portkey', ROUTER, 'It looks like one of claude-code-router: millrace import claude-code-router FILE.'],
    ['claude-code-router', LITELLM, 'It looks like one of LiteLLM: millrace import litellm FILE.'],
    ['portkey', OWN, 'It looks like one of millrace: millrace serve --config FILE.'],
  ])('is refused by import %s with the gateway that it looks like: %j', async (gateway, value, hint) => {
    const { code, output, complaint } = await importText(gateway, JSON.stringify(value))
    expect([code, output]).toEqual([2, ''])
    expect(complaint).toContain('is not a configuration of ')
    expect(complaint).toContain(hint)
  })

  it.each(['litellm', 'claude-code-router', 'portkey'])(
    'is refused by import %s if it looks like none',
    async (gateway) => {
      for (const value of [{}, { name: 'a package', version: '1.0.0' }]) {
        const { code, complaint } = await importText(gateway, JSON.stringify(value))
        expect([code, complaint]).toEqual([
          2,
          expect.stringMatching(/ is not a configuration of \S+: expected [\w, ]+ or \w+\.\n$/),
        ])
      }
    },
  )
})

describe('the report of an import', () => {
  it.each([
    [
      'litellm',
      { model_list: [] },
      [
        'OpenAI clients: http://HOST:4000 or http://HOST:4000/v1 becomes http://HOST:8787/v1',
        'Anthropic clients: http://HOST:4000 becomes http://HOST:8787',
      ],
    ],
    [
      'claude-code-router',
      { Providers: [], PORT: 4000 },
      ['Anthropic clients: http://HOST:4000 becomes http://HOST:4000'],
    ],
    ['claude-code-router', { Providers: [] }, ['Anthropic clients: http://HOST:3456 becomes http://HOST:8787']],
    ['portkey', { targets: [] }, ['OpenAI clients: https://api.portkey.ai/v1 becomes http://HOST:8787/v1']],
  ])('of %s names the base URL that clients had and need: %j', async (gateway, value, lines) => {
    const { complaint } = await importText(gateway, JSON.stringify(value))
    for (const line of lines) expect(complaint).toContain(`Base URL of ${line}\n`)
  })

  it('is in the file that --to writes as well', async () => {
    const to = path.join(folder, 'addresses.jsonc')
    await importText('litellm', JSON.stringify({ model_list: [] }), '--to', to)
    expect(await readFile(to, 'utf8')).toContain(
      '// Base URL of OpenAI clients: http://HOST:4000 or http://HOST:4000/v1 becomes http://HOST:8787/v1\n',
    )
  })
})
