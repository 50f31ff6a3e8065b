import { describe, expect, it } from 'vitest'
import { toWorkspaces } from '../../../src/gateway/auth/workspaces.ts'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { toDestinations } from '../../../src/gateway/telemetry/destinations.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import {
  DESTINATION_FIELDS,
  DESTINATION_TYPES,
  type DestinationField,
  type DestinationType,
} from '../../../src/observability/destination-types.ts'
import { uuid, valueFor } from '../../observability/samples.ts'
import { entryOf, ONE_OF_EACH } from '../telemetry/telemetry-server.ts'

const problemsOf = (...destinations: readonly object[]): readonly string[] => {
  const loaded = checkConfigValue({ destinations })
  return loaded.ok ? [] : loaded.problems
}

const loadedWith = (destinations: readonly object[], env: Readonly<Record<string, string>> = {}) => {
  const loaded = checkConfigValue({ destinations })
  if (!loaded.ok) throw new Error(loaded.problems.join())
  return toDestinations(loaded.config.destinations, toWorkspaces([], NODE_HASHES), env)
}

const rules = (...list: readonly object[]) => ({ filter_rules: { groups: [{ rules: list }] } })
const fields = (type: DestinationType): readonly (readonly [string, DestinationField])[] =>
  Object.entries<DestinationField>(DESTINATION_FIELDS[type])

describe('destinations in a configuration', () => {
  it('are accepted for every type, with all fields', () => {
    expect(problemsOf(...ONE_OF_EACH)).toEqual([])
  })

  it.each(DESTINATION_TYPES)('%s requires certain fields, rejects unknown ones and has its defaults', (type) => {
    const required = fields(type).filter(([, field]) => field.required)
    const config = Object.fromEntries(required.map(([name, field]) => [name, valueFor(name, field)]))
    const [destination] = loadedWith([{ id: uuid(1), type, config }])
    const defaults = fields(type).flatMap(([name, field]) =>
      field.default === undefined ? [] : [[name, field.default]],
    )
    expect(destination?.config).toEqual({ ...config, ...Object.fromEntries(defaults) })
    for (const [name] of required) {
      const { [name]: _, ...rest } = config
      expect(problemsOf({ id: uuid(1), type, config: rest })).toEqual([
        expect.stringMatching(new RegExp(`^destinations\\[0\\]\\.config\\.${name}: `)),
      ])
    }
    expect(problemsOf({ id: uuid(1), type, config: { ...config, color: 'red' } })).toHaveLength(1)
  })

  it.each<[DestinationType, Readonly<Record<string, string>>]>([
    ['clickhouse', { table: 'SERVICE_TRACES' }],
    ['langsmith', { endpoint: 'https://api.smith.langchain.com', project: 'main' }],
    ['newrelic', { region: 'us' }],
    ['s3', { prefix: 'service-traces', pathTemplate: '{prefix}/{date}' }],
    [
      'snowflake',
      { database: 'SNOWFLAKE_LEARNING_DB', schema: 'PUBLIC', table: 'SERVICE_TRACES', warehouse: 'COMPUTE_WH' },
    ],
    ['webhook', { method: 'POST' }],
  ])('%s has the defaults that its page describes, and needs no other field that is optional', (type, defaults) => {
    const optional = { langsmith: ['workspaceId'], s3: ['endpoint', 'region', 'sessionToken'] }
    const left = new Set([
      ...Object.keys(defaults),
      ...Object.entries(optional).flatMap(([of, names]) => (of === type ? names : [])),
    ])
    const given = Object.entries(entryOf(type, 1).config).filter(([name]) => !left.has(name))
    const [destination] = loadedWith([entryOf(type, 1, { config: Object.fromEntries(given) })])
    expect(destination?.config).toEqual({ ...Object.fromEntries(given), ...defaults })
  })

  it('snowflake accepts an account of 255 characters, and rejects a longer one', () => {
    const { account: _, ...config } = entryOf('snowflake', 1).config
    const problems = (size: number) =>
      problemsOf(entryOf('snowflake', 1, { config: { ...config, account: 'a'.repeat(size) } }))
    expect(problems(255)).toEqual([])
    expect(problems(256)).toEqual([expect.stringContaining('destinations[0].config.account: ')])
  })

  it.each(
    DESTINATION_TYPES.flatMap((type) =>
      fields(type).flatMap(([name, field]) => (field.minLength === undefined ? [] : [[type, name] as const])),
    ),
  )('%s rejects an empty text in %s', (type, name) => {
    const problems = problemsOf(entryOf(type, 1, { config: { ...entryOf(type, 1).config, [name]: '' } }))
    expect(problems[0]).toContain(`destinations[0].config.${name}: `)
  })

  it.each<[object, string]>([
    [{ id: 'one' }, 'destinations[0].id: '],
    [{ type: 'carrier-pigeon' }, 'destinations[0].type: expected one of arize, '],
    [{ sampling_rate: 0 }, 'destinations[0].sampling_rate: '],
    [{ sampling_rate: 1.5 }, 'destinations[0].sampling_rate: '],
    [{ api_key_hashes: [] }, 'destinations[0].api_key_hashes: '],
    [{ api_key_hashes: ['my-secret-key'] }, 'destinations[0].api_key_hashes[0]: '],
    [{ regions: ['moon'] }, 'destinations[0].regions[0]: '],
    [{ created_at: 'yesterday' }, 'destinations[0].created_at: '],
    [{ created_at: '2026-13-01T00:00:00Z' }, 'destinations[0].created_at: '],
    [{ workspace: 'nowhere' }, 'destinations[0].workspace: '],
    [{ filter_rules: {} }, 'destinations[0].filter_rules.groups: '],
    [rules({ field: 'color', operator: 'exists' }), 'destinations[0].filter_rules.groups[0].rules[0].field: '],
    [rules({ field: 'model', operator: 'equals' }), 'destinations[0].filter_rules.groups[0].rules[0].value: '],
    [
      rules({ field: 'model', operator: 'regex', value: '(' }),
      'destinations[0].filter_rules.groups[0].rules[0].value: ',
    ],
    [
      rules({ field: 'input', operator: 'regex', value: '(?=my)key' }),
      'destinations[0].filter_rules.groups[0].rules[0].value: expected a regular expression that RE2 supports',
    ],
    [
      rules({ field: 'total_tokens', operator: 'gt', value: 'many' }),
      'destinations[0].filter_rules.groups[0].rules[0].value: ',
    ],
    [{ config: { url: 'ftp://a.example' } }, 'destinations[0].config.url: '],
    [{ config: { url: 'https://me:my-secret-key@a.example' } }, 'destinations[0].config.url: '],
    [{ config: { url: 'https://a.example', method: 'GET' } }, 'destinations[0].config.method: '],
    [{ config: { url: 'https://a.example', headers: { 'not a name': 'x' } } }, 'destinations[0].config.headers'],
    [
      { config: { url: 'https://a.example', headers: { 'x-own': 'two\nlines' } } },
      'destinations[0].config.headers.x-own: ',
    ],
    [{ colour: 'red' }, 'destinations[0]: '],
  ])('%j is rejected with the path of its mistake', (changes, place) => {
    const problems = problemsOf(entryOf('webhook', 1, changes))
    expect(problems.length).toBeGreaterThan(0)
    expect(problems[0]?.startsWith(place), problems.join('\n')).toBe(true)
    expect(problems.join()).not.toContain('my-secret-key')
  })

  it.each(
    DESTINATION_TYPES.flatMap((type) =>
      fields(type).flatMap(([name]) => (/url$|endpoint$/i.test(name) ? [[type, name] as const] : [])),
    ),
  )('%s rejects an address that is not of http in %s', (type, name) => {
    const problems = problemsOf(entryOf(type, 1, { config: { ...entryOf(type, 1).config, [name]: 'ftp://a.example' } }))
    expect(problems).toEqual([expect.stringContaining(`destinations[0].config.${name}: expected an http or https URL`)])
  })

  it.each<[DestinationType, string, readonly string[]]>([
    ['newrelic', 'region', ['us', 'eu']],
    ['webhook', 'method', ['POST', 'PUT']],
  ])('%s has the first of its words in %s unless another is given', (type, name, words) => {
    const { [name]: _, ...config } = entryOf(type, 1).config as Readonly<Record<string, unknown>>
    for (const given of [undefined, ...words]) {
      const changed = given === undefined ? config : { ...config, [name]: given }
      expect(loadedWith([entryOf(type, 1, { config: changed })])[0]?.config[name]).toBe(given ?? words[0])
    }
  })

  it.each([
    ...['stable', 'beta', 'alpha'].map((release) => ({ release })),
    ...['global', 'europe', 'us'].map((region) => ({ regions: [region] })),
    ...['model', 'provider', 'session_id', 'user_id', 'api_key_name', 'finish_reason', 'input', 'output'].map((field) =>
      rules({ field, operator: 'exists' }),
    ),
    ...['total_cost', 'total_tokens', 'prompt_tokens', 'completion_tokens'].map((field) =>
      rules({ field, operator: 'gt', value: 5 }),
    ),
  ])('accept %j', (changes) => {
    expect(problemsOf(entryOf('webhook', 1, changes))).toEqual([])
  })

  it('are rejected if two of them have the same id', () => {
    expect(problemsOf(entryOf('webhook', 1), entryOf('weave', 1))).toEqual([
      'destinations[1].id: expected a unique value, got the value of destinations[0].id',
    ])
  })

  it('read their secrets from environment variables', () => {
    const config = { dsn: { env: 'DSN' }, otlpEndpoint: 'https://a.example', headers: { 'x-own': { env: 'OWN' } } }
    const dsn = 'https://public@o1.ingest.sentry.example/7'
    const [destination] = loadedWith([entryOf('sentry', 1, { config })], { DSN: `${dsn}\n`, OWN: 'mine' })
    expect(destination?.config).toEqual({ dsn, otlpEndpoint: 'https://a.example', headers: { 'x-own': 'mine' } })
  })

  it.each<[Readonly<Record<string, string>>, RegExp]>([
    [{}, /^destinations\[0\]\.config\.dsn\.env: .*DSN is not set$/],
    [{ DSN: 'http://secret-of-nobody' }, /^destinations\[0\]\.config\.dsn: expected a string that matches/],
  ])('reject a secret variable in the environment %j', (env, problem) => {
    const config = { dsn: { env: 'DSN' }, otlpEndpoint: 'https://a.example' }
    const load = () => loadedWith([entryOf('sentry', 1, { config })], env)
    expect(load).toThrow(problem)
    expect(load).not.toThrow(/secret-of-nobody/)
  })

  it('have defaults for the fields that are left out', () => {
    const [destination] = loadedWith([
      { id: uuid(10).toUpperCase(), type: 'webhook', config: { url: 'https://a.example' }, regions: ['eu'] },
    ])
    expect(destination).toMatchObject({
      id: uuid(10),
      workspace_id: toWorkspaces([], NODE_HASHES).idOf(null),
      name: null,
      enabled: true,
      privacy_mode: false,
      sampling_rate: 1,
      api_key_hashes: null,
      filter_rules: null,
      created_at: '1970-01-01T00:00:00.000Z',
      updated_at: '1970-01-01T00:00:00.000Z',
      broadcast_generation_cost: false,
      regions: ['europe'],
      release: 'stable',
    })
  })
})
