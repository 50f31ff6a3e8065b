import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toWorkspaceId } from '../../../src/gateway/auth/workspaces.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import { DESTINATION_FIELDS, type DestinationField } from '../../../src/observability/destination-types.ts'
import { uuid } from '../../observability/samples.ts'
import { check } from '../../property.ts'
import { hasServer } from '../doors.ts'
import { connectRawClient } from '../raw-client.ts'
import { json, KEY, lineOf, post, sha256, startGateway, waitUntil } from '../test-server.ts'
import { startReceiver } from './receiver.ts'
import { entryOf, KEYS, listing, MANAGEMENT_KEY, ONE_OF_EACH, PATH } from './telemetry-server.ts'

describe('the list of destinations', () => {
  it.each([
    ['no key', '', null, 401, 'Missing Authentication header', 'invalid_api_key'],
    ['an unknown key', '', 'wrong', 401, 'Invalid API key', 'invalid_api_key'],
    ['a key of the wrong kind', '', KEY, 401, 'Only management keys can perform this operation', 'wrong_key_kind'],
    [
      'a limit too great',
      '?limit=101',
      MANAGEMENT_KEY,
      400,
      'Invalid request parameters: limit: expected an integer from 1 to 100',
      'invalid_query',
    ],
    [
      'a workspace that is no uuid',
      '?workspace_id=main',
      MANAGEMENT_KEY,
      400,
      'Invalid request parameters: workspace_id: expected a uuid',
      'invalid_query',
    ],
  ])('rejects a request with %s in its own error format', async (_, query, key, status, message, code) => {
    const { url, lines } = await startGateway({ keys: KEYS })
    const response = await listing(url, query, key)
    expect(response.status).toBe(status)
    expect(await json(response)).toEqual({ error: { code: status, message } })
    expect(await lineOf(lines)).toMatchObject({ status, error: code })
  })

  it('returns 500 if its store throws, without revealing the message', async () => {
    let calls = 0
    const destinations = {
      all: async () => {
        calls += 1
        if (calls > 1) throw new Error('database password-of-nobody is down')
        return []
      },
    }
    const { url, lines } = await startGateway({ keys: KEYS }, { destinations })
    const response = await listing(url)
    expect(response.status).toBe(500)
    expect(await json(response)).toEqual({ error: { code: 500, message: 'Internal Server Error' } })
    expect(JSON.stringify(lines)).not.toContain('password-of-nobody')
  })

  it('is sent for a request target that is no valid URL', async () => {
    const client = connectRawClient(await startGateway({ keys: KEYS }))
    const head = `host: localhost\r\nauthorization: Bearer ${MANAGEMENT_KEY}\r\nconnection: close\r\n\r\n`
    client.socket.write(`GET http://[${PATH} HTTP/1.1\r\n${head}`)
    await client.closed
    expect(client.statuses()).toEqual([200])
  })

  it.each([
    ['POST', PATH, 'GET'],
    ['DELETE', PATH, 'GET'],
    ['GET', `${PATH}/${uuid(1)}`, ''],
    ['PATCH', `${PATH}/${uuid(1)}`, ''],
    ['DELETE', `${PATH}/${uuid(1)}`, ''],
  ])('answers %s %s with status 405', async (method, path, allow) => {
    const { url } = await startGateway({ keys: KEYS })
    const response = await fetch(url + path, { method, headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
    expect(await json(response)).toMatchObject({ error: { code: 405, message: expect.any(String) } })
  })

  it("contains the destinations of the key's workspace, or of the one in the query", async () => {
    const workspaces = [{ id: 'red' }, { id: uuid(99), default: true }]
    const keys = [...KEYS, { name: 'red boss', sha256: sha256('red'), kind: 'management', workspace: 'red' }]
    const destinations = [entryOf('webhook', 1), entryOf('opik', 2, { workspace: 'red' })]
    const { url } = await startGateway({ keys, workspaces, destinations })
    const types = async (query: string, key: string) =>
      (await json(await listing(url, query, key))).data.map((one: { type: string; workspace_id: string }) => [
        one.type,
        one.workspace_id,
      ])
    const red = toWorkspaceId('red', NODE_HASHES)
    expect(await types('', MANAGEMENT_KEY)).toEqual([['webhook', uuid(99)]])
    expect(await types('', 'red')).toEqual([['opik', red]])
    expect(await types(`?workspace_id=${red}`, MANAGEMENT_KEY)).toEqual([['opik', red]])
    expect(await types(`?workspace_id=${uuid(5)}`, MANAGEMENT_KEY)).toEqual([])
  })

  it('fills in the defaults of docs/description.md, 2.1', async () => {
    const bare = { host: 'h', database: 'd', username: 'u', password: 'p' }
    const bucket = { bucketName: 'b', accessKeyId: 'a', secretAccessKey: 's' }
    const destinations = [entryOf('clickhouse', 1, { config: bare }), entryOf('s3', 2, { config: bucket })]
    const { url } = await startGateway({ keys: KEYS, destinations })
    const { data } = await json(await listing(url))
    expect(data[0].config.table).toBe('SERVICE_TRACES')
    expect(data[1].config).toMatchObject({ prefix: 'service-traces', pathTemplate: '{prefix}/{date}' })
  })

  it('is available on every mount', async () => {
    const { url } = await startGateway({ keys: KEYS, destinations: ONE_OF_EACH })
    const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` }
    const response = await fetch(`${url}/openai/v1/observability/destinations?limit=3&offset=15`, { headers })
    expect(await json(response)).toMatchObject({ data: [{ type: 'weave' }, { type: 'webhook' }], total_count: 17 })
  })
})

describe('the uuid of a workspace', () => {
  it('is its id if that is a uuid, otherwise a stable uuid derived from it', () => {
    expect(toWorkspaceId(uuid(3).toUpperCase(), NODE_HASHES)).toBe(uuid(3))
    check(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        expect(toWorkspaceId(one, NODE_HASHES)).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        )
        expect(toWorkspaceId(one, NODE_HASHES) === toWorkspaceId(other, NODE_HASHES)).toBe(one === other)
      }),
    )
  })
})

describe('the secrets of destinations', () => {
  const unit = fc.constantFrom(...'abcdefghjkmnpqrstuvwxyzABCDEFGH23456789')
  const words = fc.array(fc.string({ unit, minLength: 10, maxLength: 40 }), { minLength: 60, maxLength: 60 })
  /** The URLs of these types cannot be configured, and a test must not reach external servers. */
  const ELSEWHERE = ['newrelic', 'opik', 'snowflake', 'ramp']

  it('appear in no list, log line, error or metric, even if a destination echoes them', async () => {
    const aloud = await startReceiver((response, { headers, body }) => {
      response.writeHead(401, { 'x-said': JSON.stringify(headers) }).end(JSON.stringify(headers) + body.toString())
    })
    for (const texts of fc.sample(words, { seed: 5, numRuns: 5 })) {
      const secrets: string[] = []
      const secret = (): string => {
        secrets.push(`${texts[secrets.length % texts.length]}${secrets.length}`)
        return secrets.at(-1) as string
      }
      const destinations = ONE_OF_EACH.map((entry) => {
        const fields = Object.entries<DestinationField>(DESTINATION_FIELDS[entry.type]).flatMap(([name, field]) => {
          if (field.secret === 'whole') return [[name, secret()]]
          return field.type === 'url' || name === 'host' ? [[name, aloud.url]] : []
        })
        const headers = { 'x-own': secret(), authorization: `Bearer ${secret()}` }
        const enabled = !ELSEWHERE.includes(entry.type)
        return { ...entry, enabled, config: { ...entry.config, ...Object.fromEntries(fields), headers } }
      })
      const forwarding = { batch_seconds: 0.01, attempts: 1 }
      const { url, lines, running } = await startGateway({ keys: KEYS, destinations, forwarding })
      const answer = await (await post(url, { model: 'replay/none', input: 'x' })).text()
      const drops = (): unknown[] => lines.filter(({ event }) => event === 'traces_dropped')
      await waitUntil(() => drops().length === 17 - ELSEWHERE.length, 'every destination')
      const list = await (await listing(url)).text()
      const answers = [list, answer, await (await listing(url, '?limit=0')).text()]
      if (hasServer()) answers.push(await (await fetch(`${url}/metrics`)).text())
      await running.close()
      const all = answers.join('') + JSON.stringify(lines)
      expect(list).toContain('"total_count":17')
      expect(JSON.stringify(drops())).toContain('status_401')
      expect(secrets.length).toBeGreaterThan(50)
      expect(secrets.filter((word) => all.includes(word))).toEqual([])
    }
  })
})
