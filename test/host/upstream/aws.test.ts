import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { encodeEventStream } from '../../../src/framing/encode-event-stream.ts'
import { Cancellation } from '../../../src/gateway/cancellation.ts'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import type { Env } from '../../../src/gateway/config/secrets.ts'
import { signRequest } from '../../../src/gateway/upstream/aws.ts'
import type { Transport, UpstreamRequest } from '../../../src/gateway/upstream/transport.ts'
import { createVendorRegistry } from '../../../src/gateway/vendors/vendor-registry.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import { gatewayError } from '../../../src/protocol/error.ts'
import { err } from '../../../src/protocol/result.ts'
import { keepConnections } from '../../mock-upstreams/server.ts'
import { eventsOf, json, post, startGateway, whenDone } from '../test-server.ts'
import { type Scope, type Signable, signatureOf, signingKey } from './sigv4.ts'

/** The account of AWS's own published examples. */
const ID = 'AKIDEXAMPLE'
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const NOW = Date.UTC(2026, 6, 14, 9, 30, 5)

describe('the signature that the tests compute', () => {
  const scope: Scope = { time: '20150830T123600Z', region: 'us-east-1', service: 'service', secret: SECRET }
  const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' }
  const bare: Signable = { method: 'GET', path: '/', query: '', headers, body: '' }

  it('uses the signing key that AWS derives in its documentation', () => {
    expect(signingKey({ ...scope, service: 'iam' }).toString('hex')).toBe(
      'c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9',
    )
  })

  it.each([
    ['get-vanilla', bare, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', { ...bare, method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('equals the signature of the case %s of AWS’s test suite', (_, request, signature) => {
    expect(signatureOf(request, ['host', 'x-amz-date'], scope)).toBe(signature)
  })

  it('equals the signature of the ListUsers request in AWS’s documentation', () => {
    const request: Signable = {
      method: 'GET',
      path: '/',
      query: 'Action=ListUsers&Version=2010-05-08',
      headers: {
        host: 'iam.amazonaws.com',
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'x-amz-date': '20150830T123600Z',
      },
      body: '',
    }
    expect(signatureOf(request, ['content-type', 'host', 'x-amz-date'], { ...scope, service: 'iam' })).toBe(
      '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    )
  })
})

interface SignedRequest extends Signable {
  readonly authorization: string
}

/** Opens a mock of Bedrock that records each request byte by byte and answers with a short stream. */
async function openBedrock() {
  const received: SignedRequest[] = []
  const frames = [
    ['messageStart', { role: 'assistant' }],
    ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Grüezi' } }],
    ['contentBlockStop', { contentBlockIndex: 0 }],
    ['messageStop', { stopReason: 'end_turn' }],
    ['metadata', { usage: { inputTokens: 3, outputTokens: 5, totalTokens: 8 } }],
  ] as const
  const stream = Buffer.concat(
    frames.map(([event, payload]) => encodeEventStream({ event, data: JSON.stringify(payload) })),
  )
  const server = createServer(async (request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const [path = '', query = ''] = (request.url ?? '').split('?', 2)
    const { method = '' } = request
    received.push({
      method,
      path,
      query,
      headers,
      body: await text(request),
      authorization: headers.authorization ?? '',
    })
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
    response.end(stream)
  })
  keepConnections(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/

function verify(request: SignedRequest, secret: string, service = 'bedrock') {
  const [, id, day, region = '', named, signed = '', signature] = AUTHORIZATION.exec(request.authorization) ?? []
  expect(named).toBe(service)
  const time = request.headers['x-amz-date'] ?? ''
  expect(time.slice(0, 8)).toBe(day)
  expect(signature).toBe(signatureOf(request, signed.split(';'), { time, region, service, secret }))
  return { id, region, time, signed: signed.split(';') }
}

const asked = (model = 'bedrock/anthropic.claude-3-haiku-20240307-v1:0') => ({ model, input: 'Sali', stream: true })

describe('a request for Bedrock', () => {
  const aws = {
    region: 'eu-central-2',
    access_key_id: ID,
    secret_access_key: { env: 'SECRET' },
    session_token: 'tok+/=',
  }

  it('is signed, and its signature matches the bytes that arrive', async () => {
    const mock = await openBedrock()
    const { url } = await startGateway(
      { vendors: { bedrock: { base_url: `${mock.url}/through/a%20proxy?stage=b%2Fc&stage=a`, aws } } },
      { env: { SECRET }, clock: () => NOW },
    )
    const answer = await post(url, asked())
    expect(eventsOf(await answer.text()).at(-3)?.response).toMatchObject({ status: 'completed' })
    const [request] = mock.received
    expect(request?.path).toBe('/through/a%20proxy/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse-stream')
    const { id, region, time, signed } = verify(request as SignedRequest, SECRET)
    expect([id, region, time]).toEqual([ID, 'eu-central-2', '20260714T093005Z'])
    expect(signed).toEqual(['content-type', 'host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'])
    expect(request?.headers).toMatchObject({
      'x-amz-security-token': 'tok+/=',
      accept: 'application/vnd.amazon.eventstream',
    })
  })

  it('is signed with the current time for every request', async () => {
    const mock = await openBedrock()
    const times = [NOW, NOW, NOW + 60_000, NOW + 60_000]
    const { url } = await startGateway(
      { vendors: { bedrock: { base_url: mock.url, aws } } },
      { env: { SECRET }, clock: () => times.shift() ?? NOW + 120_000 },
    )
    for (const input of ['one', 'two']) await (await post(url, { ...asked(), input })).text()
    const dates = mock.received.map((request) => verify(request, SECRET).time)
    expect(new Set(dates).size).toBe(2)
  })

  it('fails verification with another body, path or secret', async () => {
    const mock = await openBedrock()
    const { url } = await startGateway({ vendors: { bedrock: { base_url: mock.url, aws } } }, { env: { SECRET } })
    await (await post(url, asked())).text()
    const request = mock.received[0] as SignedRequest
    for (const changed of [
      { ...request, body: `${request.body} ` },
      { ...request, path: '/model/x/converse' },
    ]) {
      expect(() => verify(changed, SECRET)).toThrow()
    }
    expect(() => verify(request, 'another')).toThrow()
  })

  it('has the configured bearer key instead of a signature', async () => {
    const mock = await openBedrock()
    const { url } = await startGateway(
      { vendors: { bedrock: { base_url: mock.url, aws, key: 'bedrock-api-key' } } },
      { env: { SECRET } },
    )
    await (await post(url, asked())).text()
    expect(mock.received[0]?.authorization).toBe('Bearer bedrock-api-key')
    expect(mock.received[0]?.headers['x-amz-date']).toBeUndefined()
  })

  it('has no signature from environment credentials if the base URL is custom', async () => {
    const mock = await openBedrock()
    const env = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: ID, AWS_SECRET_ACCESS_KEY: SECRET }
    const { url } = await startGateway({ vendors: { bedrock: { base_url: mock.url } } }, { env })
    await (await post(url, asked())).text()
    expect(mock.received[0]?.authorization).toBe('')
  })
})

describe('the environment of a server', () => {
  const pair = { AWS_ACCESS_KEY_ID: ID, AWS_SECRET_ACCESS_KEY: SECRET }

  it.each([
    [{ AWS_REGION: 'us-east-1', ...pair }, true],
    [{ AWS_DEFAULT_REGION: 'us-east-1', ...pair }, true],
    [{ AWS_REGION: 'us-east-1', AWS_BEARER_TOKEN_BEDROCK: 'k' }, true],
    [{ AWS_REGION: 'us-east-1' }, false],
    [{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: ID }, false],
    [pair, false],
    [{ AWS_BEARER_TOKEN_BEDROCK: 'k' }, false],
    [{ AWS_REGION: 'evil.example/', ...pair }, false],
  ] as [Env, boolean][])('with %j makes Bedrock available: %s', async (env, answers) => {
    const { running, url } = await startGateway({}, { env })
    expect(running.vendors.includes('bedrock')).toBe(answers)
    if (answers) return
    const body = await json(await post(url, asked()))
    expect(body.error).toMatchObject({ code: 'model_not_found', message: expect.stringContaining('AWS_REGION') })
  })

  it('supplies the region of the endpoint unless the configuration names one', async () => {
    const loaded = checkConfigValue({ vendors: { europe: { vendor: 'bedrock', aws: { region: 'eu-west-1' } } } })
    if (!loaded.ok) throw new Error(loaded.problems.join())
    const sent: UpstreamRequest[] = []
    const source: Transport = async (call) => {
      sent.push(call)
      return err(gatewayError('server_error', 'Not here.'))
    }
    const accounts = createVendorRegistry(loaded.config, { AWS_REGION: 'us-east-1', ...pair }, source, {
      hashes: NODE_HASHES,
      clock: () => NOW,
    })
    for (const [vendor, region] of [
      ['bedrock', 'us-east-1'],
      ['europe', 'eu-west-1'],
    ]) {
      const found = await accounts.find(`${vendor}/m`)
      if (!found.ok) throw new Error(found.error.message)
      const { baseUrl, source: own } = found.value.account
      expect(baseUrl).toBe(`https://bedrock-runtime.${region}.amazonaws.com`)
      const url = new URL(`${baseUrl}/model/m/converse`)
      await own({ url, headers: {}, body: '', model: 'm', stream: false }, new Cancellation())
      expect(sent.at(-1)?.headers.authorization).toContain(`${ID}/20260714/${region}/bedrock/aws4_request`)
    }
  })
})

it('signRequest signs for the region and with the credentials of its arguments', async () => {
  const call = await signRequest(
    {
      url: new URL('https://bedrock-runtime.us-west-2.amazonaws.com/model/m/converse'),
      headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'millrace' },
      body: '{"messages":[]}',
      model: 'm',
      stream: false,
    },
    {
      region: 'us-west-2',
      service: 'bedrock',
      credentials: { accessKeyId: ID, secretAccessKey: SECRET, sessionToken: null },
    },
    new Date(NOW),
    NODE_HASHES,
  )
  const { authorization = '', ...headers } = call.headers
  expect(headers).toEqual({
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'millrace',
    'x-amz-date': '20260714T093005Z',
    'x-amz-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const sent = { ...headers, host: call.url.host }
  const request = { method: 'POST', path: call.url.pathname, query: '', headers: sent, body: call.body, authorization }
  expect(verify(request as SignedRequest, SECRET).region).toBe('us-west-2')
})

describe('the configuration of an AWS vendor', () => {
  const problemsOf = (entry: object, name = 'bedrock'): readonly string[] => {
    const loaded = checkConfigValue({ vendors: { [name]: entry } })
    return loaded.ok ? [] : loaded.problems
  }

  it.each([
    [{ aws: { region: 'us-east-1' } }, 'bedrock', null],
    [{ aws: { region: 'us-east-1', access_key_id: 'a', secret_access_key: { env: 'B' } } }, 'bedrock', null],
    [{ vendor: 'bedrock', aws: { region: 'eu-west-1' } }, 'europe', null],
    [{ aws: { region: 'x.example/' } }, 'bedrock', /^vendors\.bedrock\.aws\.region: /],
    [{ aws: { access_key_id: 'a' } }, 'bedrock', /^vendors\.bedrock\.aws: /],
    [{ aws: { session_token: 'a' } }, 'bedrock', /^vendors\.bedrock\.aws: /],
    [{ aws: { region: 'us-east-1' } }, 'groq', /^vendors\.groq\.aws: /],
  ] as [object, string, RegExp | null][])('accepts or rejects %j for the vendor %s', (entry, name, problem) => {
    const problems = problemsOf(entry, name)
    if (problem === null) expect(problems).toEqual([])
    else expect(problems[0]).toMatch(problem)
  })

  it('requires a region, from the configuration or the environment', async () => {
    const vendors = { bedrock: { aws: { access_key_id: 'a', secret_access_key: 'b' } } }
    await expect(startGateway({ vendors }, { env: {} })).rejects.toThrow(/vendors\.bedrock\.aws\.region.*AWS_REGION/)
    const { running } = await startGateway({ vendors }, { env: { AWS_REGION: 'us-east-1' } })
    expect(running.vendors).toContain('bedrock')
  })

  it('is not required for other vendors when AWS credentials are in the environment', async () => {
    const env = { AWS_ACCESS_KEY_ID: ID, AWS_SECRET_ACCESS_KEY: SECRET }
    const { running } = await startGateway({ vendors: { groq: { key: 'k' } } }, { env })
    expect(running.vendors).toContain('groq')
  })
})
