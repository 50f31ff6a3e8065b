import { describe, expect, it } from 'vitest'
import { DESTINATION_TYPES, type DestinationType } from '../../src/observability/destination-types.ts'
import { isForwarded, toHttpRequests } from '../../src/observability/export.ts'
import { clickhouseTable } from '../../src/observability/exporters/clickhouse.ts'
import { COLUMNS, toRow } from '../../src/observability/exporters/rows.ts'
import { snowflakeTable } from '../../src/observability/exporters/snowflake.ts'
import { VERSION } from '../../src/protocol/version.ts'
import { readBytes, readJson } from './otlp-schema.ts'
import { destinationOf, traceOf } from './samples.ts'

const own = (field: string): string => `${field}-of-nobody-0123456789`
const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const exported = (type: DestinationType, config: Record<string, string> = {}, traces = [traceOf()]) => {
  const destination = destinationOf(type)
  return toHttpRequests({ ...destination, config: { ...destination.config, ...config } }, traces)
}
const first = (type: DestinationType, config: Record<string, string> = {}, traces = [traceOf()]) => {
  const [outgoing] = exported(type, config, traces)
  if (outgoing === undefined) throw new Error('nothing is sent')
  return outgoing
}
const bodyOf = (type: DestinationType) => JSON.parse(String(first(type).body))

describe('an OTLP export', () => {
  it.each<[DestinationType, Record<string, string>, string, Record<string, string>]>([
    ['arize', {}, 'https://baseurl.example/v1/traces', { api_key: own('apiKey'), space_id: own('spaceKey') }],
    [
      'braintrust',
      {},
      'https://baseurl.example/otel/v1/traces',
      { authorization: `Bearer ${own('apiKey')}`, 'x-bt-parent': `project_id:${own('projectId')}` },
    ],
    [
      'grafana',
      { baseUrl: 'https://a.example/' },
      'https://a.example/otlp/v1/traces',
      { authorization: basic(own('instanceId'), own('apiKey')) },
    ],
    [
      'langfuse',
      { publicKey: 'pk-ü' },
      'https://baseurl.example/api/public/otel/v1/traces',
      { authorization: basic('pk-ü', own('secretKey')) },
    ],
    [
      'langsmith',
      {},
      'https://endpoint.example/otel/v1/traces',
      { 'x-api-key': own('apiKey'), 'langsmith-project': own('project'), 'x-tenant-id': own('workspaceId') },
    ],
    ['newrelic', {}, 'https://otlp.nr-data.net/v1/traces', { 'api-key': own('licenseKey') }],
    ['newrelic', { region: 'eu' }, 'https://otlp.eu01.nr-data.net/v1/traces', {}],
    [
      'opik',
      {},
      'https://www.comet.com/opik/api/v1/private/otel/v1/traces',
      { authorization: own('apiKey'), 'comet-workspace': own('workspace'), projectname: own('projectName') },
    ],
    ['otel-collector', { endpoint: 'http://a.example:4318' }, 'http://a.example:4318/v1/traces', {}],
    ['otel-collector', { endpoint: 'http://a.example/x/v1/traces' }, 'http://a.example/x/v1/traces', {}],
    [
      'sentry',
      {},
      'https://otlpendpoint.example/v1/traces',
      { 'x-sentry-auth': 'sentry sentry_key=publickeyofnobody' },
    ],
    ['weave', {}, 'https://baseurl.example/otel/v1/traces', { 'wandb-api-key': own('apiKey') }],
    ['webhook', { url: 'https://a.example/hook?x=1' }, 'https://a.example/hook?x=1', {}],
  ])("of type %s with %j has the vendor's URL and headers", (type, config, url, headers) => {
    const outgoing = first(type, config, [traceOf(), traceOf({ traceId: 'a'.repeat(32) })])
    expect(outgoing).toMatchObject({ method: 'POST', url, headers, traces: 2, signing: null })
    const { body } = outgoing
    const read = typeof body === 'string' ? readJson(body) : readBytes(body)
    expect(outgoing.headers['content-type']).toBe(
      typeof body === 'string' ? 'application/json' : 'application/x-protobuf',
    )
    expect(read).toMatchObject({
      resourceSpans: [
        { scopeSpans: [{ scope: { name: 'millrace', version: VERSION }, spans: [{}, { traceId: 'a'.repeat(32) }] }] },
      ],
    })
  })

  it('is binary for the vendors whose documents have no other form', () => {
    const binary = DESTINATION_TYPES.filter((type) => isForwarded(type) && typeof first(type).body !== 'string')
    expect(binary).toEqual(['langsmith', 'weave'])
  })

  it('has the counts of OpenInference for Arize', () => {
    expect(JSON.stringify(readJson(String(first('arize').body)))).toContain(
      JSON.stringify({ key: 'llm.token_count.total', value: { intValue: '18' } }),
    )
  })

  it('contains the resource by which Weave and Arize route it', () => {
    const resource = (type: DestinationType): string => {
      const { body } = first(type)
      const read = typeof body === 'string' ? readJson(body) : readBytes(body)
      return JSON.stringify((read as { resourceSpans: { resource: object }[] }).resourceSpans[0]?.resource)
    }
    expect(resource('weave')).toContain(own('entity'))
    expect(resource('weave')).toContain(own('project'))
    expect(resource('arize')).toContain(own('modelId'))
  })
})

describe('an object store', () => {
  it('receives one object for every trace, at the path of its template', () => {
    const sent = exported(
      's3',
      { prefix: 'a b/ü', pathTemplate: '{prefix}/{year}-{month}/{day}/{apiKeyName}/{other}' },
      [traceOf(), traceOf({ spanId: '1'.repeat(16), keyName: '..' })],
    )
    const at = Date.UTC(2026, 10, 3, 4, 5, 6, 789)
    const bucket = `https://endpoint.example/${own('bucketName')}`
    expect(sent.map(({ url, method, traces }) => [method, traces, url])).toEqual([
      [
        'PUT',
        1,
        `${bucket}/a%20b/%C3%BC/2026-11/03/team_blue/%7Bother%7D/0af7651916cd43dd8448eb211c80319c-${at}595761.json`,
      ],
      ['PUT', 1, `${bucket}/a%20b/%C3%BC/2026-11/03/%7Bother%7D/0af7651916cd43dd8448eb211c80319c-${at}331153.json`],
    ])
    expect(sent[0]?.signing).toEqual({
      service: 's3',
      region: own('region'),
      accessKeyId: own('accessKeyId'),
      secretAccessKey: own('secretAccessKey'),
      sessionToken: own('sessionToken'),
    })
    expect(readJson(String(sent[0]?.body))).toMatchObject({ resourceSpans: [{}] })
  })

  it.each([
    [{ endpoint: '', region: '', bucketName: 'mine' }, 'https://mine.s3.us-east-1.amazonaws.com/'],
    [{ endpoint: '', region: 'eu-west-1', bucketName: 'my.own' }, 'https://s3.eu-west-1.amazonaws.com/my.own/'],
    [{ endpoint: 'https://store.example/', bucketName: 'mine' }, 'https://store.example/mine/'],
  ])('with %j has the URL %s', (config, start) => {
    const { url } = first('s3', config)
    expect(url.startsWith(start)).toBe(true)
    expect(new URL(url).href).toBe(url)
  })
})

describe('a database', () => {
  it('receives rows with every column, and no null in a text column', () => {
    const row = toRow(traceOf({ user: null, usage: null, content: null }))
    expect(Object.keys(row)).toEqual(Object.keys(COLUMNS))
    expect(row).toMatchObject({
      TIMESTAMP: '2026-11-03 04:05:06.789',
      USER_ID: '',
      INPUT: '',
      PROMPT_TOKENS: null,
      STATUS: 'ok',
      MODEL: 'parrot-1-2026',
    })
    for (const table of [clickhouseTable('T'), snowflakeTable('T')]) {
      for (const name of Object.keys(COLUMNS)) expect(table).toMatch(new RegExp(`^ {2}${name} `, 'm'))
    }
  })

  it.each([
    [
      'ClickHouse',
      clickhouseTable('T'),
      /^(?:String|DateTime64\(3, 'UTC'\)|Nullable\(Int64\)|Nullable\(Float64\)|UInt8)$/,
    ],
    ['Snowflake', snowflakeTable('T'), /^(?:VARCHAR|VARIANT|TIMESTAMP_NTZ\(3\)|NUMBER|FLOAT|BOOLEAN)$/],
  ])('%s: has a table with a type of its own for each column', (_, table, type) => {
    const types = new Map(
      [...table.matchAll(/^ {2}(\w+) (.+?),?$/gm)].map(([, name = '', found = '']) => [name, found] as const),
    )
    expect([...types.keys()]).toEqual(Object.keys(COLUMNS))
    for (const found of types.values()) expect(found).toMatch(type)
    const texts = [types.get('USER_ID'), types.get('METADATA')]
    const nothing = { error: null, responseId: null, user: null, sessionId: null, usage: null }
    const row = toRow(traceOf({ ...nothing, firstTokenMs: null, content: null }))
    for (const [name, value] of Object.entries(row)) if (value === null) expect(texts).not.toContain(types.get(name))
  })

  it('ClickHouse: has a table of any name', () => {
    expect(clickhouseTable('a\\b`c')).toMatch(/^CREATE TABLE `a\\\\b\\`c` \(/)
    const { url } = first('clickhouse', { table: 'a\\b`c' })
    expect(new URL(url).searchParams.get('query')).toBe('INSERT INTO `a\\\\b\\`c` FORMAT JSONEachRow')
  })

  it('ClickHouse: receives JSON lines, with user and password in headers', () => {
    const { url, headers, body } = first('clickhouse', { host: 'ch.example:8443', table: 'odd`name' }, [
      traceOf(),
      traceOf(),
    ])
    expect(url).toMatch(/^https:\/\/ch\.example:8443\/\?/)
    const query = new URL(url).searchParams
    expect(query.get('query')).toBe('INSERT INTO `odd\\`name` FORMAT JSONEachRow')
    expect(query.get('database')).toBe(own('database'))
    expect(headers).toMatchObject({ 'x-clickhouse-user': own('username'), 'x-clickhouse-key': own('password') })
    expect(url).not.toContain(own('password'))
    expect(
      String(body)
        .split('\n')
        .map((line) => JSON.parse(line).TRACE_ID),
    ).toEqual(Array(2).fill(traceOf().traceId))
  })

  it('Snowflake: receives all rows as one bound value', () => {
    const { url, headers, body } = first('snowflake', { account: 'MY_org-team_1', table: 'odd"name' })
    expect(url).toBe('https://my-org-team-1.snowflakecomputing.com/api/v2/statements')
    expect(headers).toMatchObject({
      authorization: `Bearer ${own('token')}`,
      'x-snowflake-authorization-token-type': 'PROGRAMMATIC_ACCESS_TOKEN',
    })
    const { statement, bindings, warehouse } = JSON.parse(String(body))
    const columns = /^INSERT INTO "odd""name" \(([^)]*)\) SELECT value:TIMESTAMP::/.exec(statement)?.[1]?.split(', ')
    expect(columns).toEqual(Object.keys(COLUMNS))
    expect(statement.match(/\?/g)).toHaveLength(1)
    expect(JSON.parse(bindings[1].value)).toEqual([toRow(traceOf())])
    expect(warehouse).toBe(own('warehouse'))
  })
})

describe('a destination with its own protocol', () => {
  it('Datadog: receives spans in the format of LLM observability', () => {
    expect(first('datadog')).toMatchObject({
      url: 'https://url.example/api/intake/llm-obs/v1/trace/spans',
      headers: { 'dd-api-key': own('apiKey') },
    })
    expect(bodyOf('datadog')).toMatchObject({
      data: {
        type: 'span',
        attributes: {
          ml_app: own('mlApp'),
          spans: [
            {
              trace_id: traceOf().traceId,
              parent_id: '00f067aa0ba902b7',
              start_ns: traceOf().startedAt * 1e6,
              duration: 1_234_500_000,
              status: 'ok',
              session_id: 'session-1',
              meta: {
                kind: 'llm',
                input: { messages: [{ role: 'user', content: 'How warm is it in Oslo?' }] },
                output: { messages: [{ role: 'assistant' }] },
              },
              metrics: { input_tokens: 11, output_tokens: 7, total_tokens: 18, time_to_first_token: 0.3205 },
            },
          ],
        },
      },
    })
  })

  it('PostHog: receives batches of generation events', () => {
    expect(first('posthog').url).toBe('https://endpoint.example/batch/')
    expect(bodyOf('posthog')).toMatchObject({
      api_key: own('apiKey'),
      batch: [
        {
          event: '$ai_generation',
          distinct_id: 'ada',
          timestamp: '2026-11-03T04:05:08.023Z',
          properties: {
            $ai_model: 'parrot-1-2026',
            $ai_input_tokens: 11,
            $ai_latency: 1.2345,
            $ai_input: [{ role: 'user', content: [{ type: 'text', text: 'How warm is it in Oslo?' }] }],
          },
        },
      ],
    })
  })

  it('a webhook is sent with PUT if it is configured so', () => {
    expect(first('webhook', { method: 'PUT' }).method).toBe('PUT')
  })
})

describe('every destination', () => {
  it('is supported, except ramp, whose documents were not available', () => {
    expect(DESTINATION_TYPES.filter((type) => !isForwarded(type))).toEqual(['ramp'])
    expect(exported('ramp')).toEqual([])
  })

  it.each(DESTINATION_TYPES.filter(isForwarded))('of type %s overrides the default headers', (type) => {
    const config = { ...destinationOf(type).config, headers: { 'X-Team': 'mill', 'Content-Type': 'text/odd' } }
    const [outgoing] = toHttpRequests({ ...destinationOf(type), config }, [traceOf()])
    expect(outgoing?.headers).toMatchObject({ 'x-team': 'mill', 'content-type': 'text/odd' })
  })

  it.each(DESTINATION_TYPES.filter(isForwarded))('of type %s sends no content if the trace has none', (type) => {
    const text = exported(type, {}, [traceOf({ content: null })])
      .map(({ body }) => Buffer.from(body).toString())
      .join()
    expect(text).not.toMatch(/Oslo|Be brief|Let me see|get_weather/)
    const all = exported(type)
      .map(({ body }) => Buffer.from(body).toString())
      .join()
    expect(all).toMatch(/How warm is it in Oslo/)
  })
})
