import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StartOptions } from '../../../src/host/start-options.ts'
import { clickhouseTable } from '../../../src/observability/exporters/clickhouse.ts'
import { COLUMNS } from '../../../src/observability/exporters/rows.ts'
import { inPieces, streamOf } from '../../mock-upstreams/server.ts'
import { readJson } from '../../observability/otlp-schema.ts'
import { type Loose, post, REQUEST, startTestServer, waitUntil, whenDone } from '../test-server.ts'
import { isSignedBy } from '../upstream/aws-signature.ts'
import { type Delivery, startReceiver } from './receiver.ts'
import { entryOf, KEYS } from './telemetry-server.ts'

const stream = inPieces(streamOf('Seven', ' degrees.'), 60)
const openWith = (entry: object, options: StartOptions = {}) =>
  startTestServer(
    stream,
    { keys: KEYS, destinations: [entry], forwarding: { batch_seconds: 0.02, attempts: 1 } },
    options,
  )

describe('an S3 store', () => {
  const require = createRequire(import.meta.url)
  const BUCKET = 'traces-of-nobody'

  /** Starts a real S3 server, which accepts one key and does not verify signatures. */
  async function openStore(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'millrace-s3-'))
    whenDone(() => rm(directory, { recursive: true }))
    const S3rver: Loose = require('s3rver')
    const store = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory,
      configureBuckets: [{ name: BUCKET }],
    })
    const { port } = await store.run()
    whenDone(() => store.close())
    return `http://127.0.0.1:${port}`
  }

  const config = (endpoint: string, changes: object = {}) => ({
    bucketName: BUCKET,
    endpoint,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    prefix: 'my traces/ü(1)',
    pathTemplate: '{prefix}/{year}/{apiKeyName}',
    ...changes,
  })

  it('stores one object for every trace', async () => {
    const endpoint = await openStore()
    const { url } = await openWith(entryOf('s3', 1, { config: config(endpoint) }), {
      clock: () => Date.UTC(2025, 10, 1),
    })
    await (await post(url)).text()
    await (await post(url)).text()
    const list = async (): Promise<string[]> =>
      [...(await (await fetch(`${endpoint}/${BUCKET}`)).text()).matchAll(/<Key>([^<]+)<\/Key>/g)].map(
        ([, key]) => key as string,
      )
    let keys: string[] = []
    await waitUntil(async () => {
      keys = await list()
      return keys.length >= 2
    }, 'both objects')
    expect(keys).toHaveLength(2)
    const [key = ''] = keys
    expect(key).toMatch(/^my traces\/ü\(1\)\/2025\/tester\/[0-9a-f]{32}-\d{19}\.json$/)
    const object = await fetch(`${endpoint}/${BUCKET}/${key.split('/').map(encodeURIComponent).join('/')}`)
    expect(object.headers.get('content-type')).toBe('application/json')
    expect(JSON.stringify(readJson(await object.text()))).toContain('Seven degrees.')
  })

  it('rejects an unknown key, which is logged with status_403', async () => {
    const endpoint = await openStore()
    const { url, lines } = await openWith(entryOf('s3', 1, { config: config(endpoint, { accessKeyId: 'STRANGER' }) }))
    await (await post(url)).text()
    await waitUntil(() => lines.some(({ event }) => event === 'traces_dropped'), 'a line')
    expect(lines.find(({ event }) => event === 'traces_dropped')).toMatchObject({ type: 's3', reason: 'status_403' })
  })

  it('receives valid signatures, computed anew for every attempt', async () => {
    const receiver = await startReceiver(
      (response, _, number) => void response.writeHead(number === 1 ? 503 : 200).end(),
    )
    const changes = { secretAccessKey: 'secret-of-nobody', sessionToken: 'session-of-nobody', region: 'eu-west-1' }
    const destinations = [entryOf('s3', 1, { config: config(receiver.url, changes) })]
    const { url } = await startTestServer(stream, { keys: KEYS, destinations, forwarding: { batch_seconds: 0.02 } })
    await (await post(url)).text()
    await waitUntil(() => receiver.got.length === 2, 'two attempts')
    for (const delivery of receiver.got) {
      expect(delivery.headers['x-amz-security-token']).toBe('session-of-nobody')
      expect(isSignedBy(delivery, 'secret-of-nobody')).toBe(true)
      expect(isSignedBy(delivery, 'another-secret')).toBe(false)
      expect(isSignedBy({ ...delivery, url: `${delivery.url}x` }, 'secret-of-nobody')).toBe(false)
    }
  })
})

describe('ClickHouse', () => {
  const ask = ({ url, headers }: Delivery) => ({ query: new URL(url, 'http://x').searchParams, headers })

  it('receives rows that match its table', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(200).end())
    const config = { host: receiver.url, database: 'db', username: 'mill', password: 'password-of-nobody', table: 'T' }
    const { url } = await openWith(entryOf('clickhouse', 1, { config }))
    await (await post(url)).text()
    await waitUntil(() => receiver.got.length === 1, 'a delivery')
    const [delivery] = receiver.got as [Delivery]
    const { query, headers } = ask(delivery)
    expect(query.get('query')).toBe('INSERT INTO `T` FORMAT JSONEachRow')
    expect(headers).toMatchObject({ 'x-clickhouse-user': 'mill', 'x-clickhouse-key': 'password-of-nobody' })
    const row = JSON.parse(delivery.body.toString())
    expect(Object.keys(row)).toEqual(Object.keys(COLUMNS))
    expect(row).toMatchObject({ MODEL: 'mock-1', COMPLETION_TOKENS: 5, STATUS: 'ok', STREAMED: true })
  })

  it('has its exception header counted as a failure although the status is 200', async () => {
    const receiver = await startReceiver((response) => {
      response.writeHead(200, { 'x-clickhouse-exception-code': '60' }).end('Code: 60. no such table')
    })
    const config = { host: receiver.url, database: 'db', username: 'mill', password: 'p', table: 'T' }
    const { url, lines } = await openWith(entryOf('clickhouse', 1, { config }))
    await (await post(url)).text()
    await waitUntil(() => lines.some(({ event }) => event === 'traces_dropped'), 'a line')
    expect(lines.find(({ event }) => event === 'traces_dropped')).toMatchObject({ reason: 'exception_60' })
  })

  // CLICKHOUSE_URL=http://user:password@host:8123 runs this test against a real server.
  it.skipIf(process.env.CLICKHOUSE_URL === undefined)('stores the rows and returns them unchanged', async () => {
    const { origin, username, password } = new URL(process.env.CLICKHOUSE_URL ?? 'http://x')
    const table = `T_${randomUUID().replaceAll('-', '_')}`
    const run = async (query: string): Promise<string> => {
      const headers = { 'x-clickhouse-user': username, 'x-clickhouse-key': password }
      const response = await fetch(`${origin}/`, { method: 'POST', headers, body: query })
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      return text
    }
    // Debian's version is of 2018, before DateTime64 existed.
    const isOld = Number((await run('SELECT version()')).split('.')[0]) < 20
    const create = clickhouseTable(table).replace(';', '')
    await run(isOld ? create.replace("DateTime64(3, 'UTC')", 'String') : create)
    whenDone(async () => void (await run(`DROP TABLE ${table}`)))
    const config = { host: origin, database: 'default', username, password, table }
    const begin = Date.UTC(2026, 10, 1)
    let now = begin
    const { url } = await openWith(entryOf('clickhouse', 1, { config }), { clock: () => now++ })
    const awkward = 'tab\t, quote " \\ and \u2028 🦜'
    await (await post(url, { ...REQUEST, input: awkward, user: "O'Hara", session_id: 's' })).text()
    await (await post(url, { ...REQUEST, model: 'groq/x' })).text()
    const read = async (): Promise<Loose[]> =>
      (await run(`SELECT * FROM ${table} ORDER BY TIMESTAMP FORMAT JSONEachRow`))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    let rows: Loose[] = []
    await waitUntil(async () => {
      rows = await read()
      return rows.length >= 2
    }, 'both rows')
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({ USER_ID: "O'Hara", MODEL: 'mock-1', STATUS: 'ok', TOTAL_COST: null })
    expect(Number(rows[0].TOTAL_TOKENS)).toBe(8)
    expect(JSON.parse(rows[0].INPUT)).toEqual([{ role: 'user', parts: [{ type: 'text', content: awkward }] }])
    expect(JSON.parse(rows[0].ATTRIBUTES)).toMatchObject({ 'gen_ai.usage.output_tokens': 5 })
    expect(rows[1]).toMatchObject({ STATUS: 'error', ERROR_CODE: 'model_not_found', PROMPT_TOKENS: null })
    expect(new Date(`${rows[0].TIMESTAMP}Z`).getTime() - begin).toBeOneOf([0, 1, 2, 3])
  })
})
