import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { isCompressed } from '../../../src/gateway/body/content-coding.ts'
import {
  type Behaviour,
  beginning,
  bodyOf,
  drained,
  drip,
  nextTurn,
  streamOf,
  withBody,
} from '../../mock-upstreams/server.ts'
import { connectRawClient, toBytes } from '../raw-client.ts'
import {
  eventsOf,
  json,
  post,
  REQUEST,
  startGateway,
  startTestServer,
  typesOf,
  waitUntil,
  whenDone,
  withEnoughTime,
} from '../test-server.ts'

const whole = { ...REQUEST, stream: false }
const ONE_TRY = { retry: { attempts: 1 } }

/** Opens a gateway whose upstream writes raw bytes. */
async function openBefore(answer: (socket: Socket, nth: number) => void) {
  const requests: string[] = []
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      const [head = '', body] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
      if (body === undefined || body.length < length) return
      text = ''
      requests.push(head)
      answer(socket, requests.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(async () => void server.close())
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const gateway = await startGateway({ vendors: { acme: { wire: 'openai-chat', base_url } }, ...ONE_TRY })
  return { ...gateway, requests }
}

const toAnswer = (body: string, type = 'application/json'): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

describe('an upstream that sends an unexpected 100 Continue', () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
  const cut = (text: string, size: number): string[] =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))

  it.each([
    ['before its answer', [CONTINUE, toAnswer(bodyOf('Hi'))]],
    ['together with it', [CONTINUE + toAnswer(bodyOf('Hi'))]],
    ['twice, with headers', [`HTTP/1.1 100 Continue\r\nx: y\r\n\r\n${CONTINUE}${toAnswer(bodyOf('Hi'))}`]],
    ['byte by byte', cut(CONTINUE + toAnswer(bodyOf('Hi')), 1)],
    ['after other interim answers', [`HTTP/1.1 103 Early Hints\r\n\r\n`, CONTINUE, toAnswer(bodyOf('Hi'))]],
    ['not at all, but something like it', cut(toAnswer(bodyOf('HTTP/1.1 100 Continue')), 9)],
  ] as [string, string[]][])('%s has its answer relayed, on each request of a connection', async (_, pieces) => {
    const { url, requests } = await openBefore(async (socket) => {
      for (const piece of pieces) {
        socket.write(piece)
        for (let turns = 0; turns < 3; turns += 1) await nextTurn()
      }
    })
    for (let i = 1; i <= 3; i += 1) {
      const response = await post(url, whole)
      expect([response.status, (await json(response)).status]).toEqual([200, 'completed'])
      expect(requests).toHaveLength(i)
    }
  })
})

describe('a request to an upstream', () => {
  it('forbids compression with accept-encoding: identity', async () => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hi')))
    await post(url, whole)
    expect(upstream.received[0]?.headers['accept-encoding']).toBe('identity')
  })
})

describe('the check of content-encoding', () => {
  it.each([
    [undefined, false],
    ['identity', false],
    ['Identity', false],
    [' IDENTITY ', false],
    ['', false],
    ['"identity"', false],
    ['identity, identity', false],
    ['gzip', true],
    ['"gzip"', true],
    ['identity, br', true],
    ['x', true],
  ])('classifies %s as compressed or not', (encoding, expected) => {
    expect(isCompressed(encoding)).toBe(expected)
  })

  it.each(['Identity', '', '"identity"'])('accepts "%s" in an answer', async (encoding) => {
    const { url } = await startTestServer(withBody(bodyOf('Hi'), 200, { 'content-encoding': encoding }))
    expect((await post(url, whole)).status).toBe(200)
  })

  it.each(['Identity', '', '"identity"'])('accepts "%s" in a request', async (encoding) => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    expect((await post(url, whole, { headers: { 'content-encoding': encoding } })).status).toBe(200)
  })

  const secret = JSON.stringify({ error: { message: 'Compressed words.' } })
  const compressed =
    (headers: Record<string, string>): Behaviour =>
    (response) => {
      response.writeHead(400, headers)
      response.end(gzipSync(secret))
    }

  it.each([
    ['that is declared', { 'content-encoding': 'gzip' }],
    ['that is not declared', { 'content-type': 'application/json' }],
  ])('reads a compressed error body %s only if its coding is declared', async (_, headers) => {
    const { url } = await startTestServer(compressed(headers as Record<string, string>))
    const response = await post(url, whole)
    expect(response.status).toBe(400)
    const isDeclared = 'content-encoding' in headers
    expect((await json(response)).error.message).toBe(
      isDeclared ? 'Compressed words.' : 'The upstream returned HTTP 400 without a message.',
    )
  })
})

describe('an error body of an upstream', () => {
  const dripping: Behaviour = async (response) => {
    response.writeHead(400, { 'content-type': 'text/plain' })
    response.write('Wrong words')
    await drip(response, '.')
  }

  it('that drips is read for at most the idle timeout, and its beginning is passed on', async () => {
    const { status, message } = await withEnoughTime(
      async (idle_seconds) => {
        const { url, upstream } = await startTestServer(dripping, { timeouts: { idle_seconds } })
        const response = await post(url, whole)
        await (await upstream.next()).closed
        return { status: response.status, message: (await json(response)).error.message }
      },
      (answer) => answer.message === 'Wrong words',
    )
    expect(status).toBe(400)
    expect(message).toMatch(/^Wrong words\.+$/)
  })

  it('that is long is read up to 64 KiB, and its connection is closed', async () => {
    let sent = 0
    const { url, upstream } = await startTestServer(async (response) => {
      response.writeHead(400, { 'content-type': 'text/plain' })
      const piece = 'Wrong words. '.repeat(1000)
      while (!response.destroyed) {
        sent += piece.length
        if (!response.write(piece)) await drained(response)
      }
    })
    const response = await post(url, whole)
    expect((await json(response)).error.message).toMatch(/^Wrong words\./)
    await (await upstream.next()).closed
    expect(sent).toBeLessThan(32 * 1024 * 1024)
  })

  it('that breaks off is passed on as far as it arrived', async () => {
    const { url } = await startTestServer((response) => {
      response.writeHead(400, { 'content-type': 'text/plain', 'content-length': '100' })
      response.write('Half a', () => response.destroy())
    })
    expect((await json(await post(url, whole))).error.message).toBe('Half a')
  })
})

describe('a delay that an upstream requests', () => {
  const digits = `1${'0'.repeat(300)}`
  it.each([
    ['retry-after', { 'retry-after': digits }, '{}'],
    ['retry-after-ms', { 'retry-after-ms': digits }, '{}'],
    ['retryDelay', {}, JSON.stringify({ error: { message: 'x', details: [{ retryDelay: '1e300s' }] } })],
  ])('in %s is limited to one day', async (_, headers, body) => {
    const { url } = await startTestServer(withBody(body, 429, headers as Record<string, string>))
    const response = await post(url, whole)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '86400'])
  })
})

describe('an upstream body and its content-type', () => {
  const types = ['application/json', 'text/event-stream', 'text/event-stream; charset=utf-8', 'text/plain', '']
  const bodies = [
    ['a whole body', bodyOf('Hi there')],
    ['a whole body on many lines', JSON.stringify(JSON.parse(bodyOf('Hi there')), null, 2)],
    ['a stream', streamOf('Hi', ' there')],
    ['a stream that begins with a comment', `: hello\n\n${streamOf('Hi', ' there')}`],
    ['a stream that begins with blank lines', `\n\n${streamOf('Hi', ' there')}`],
  ] as const
  it.each(types.flatMap((type) => bodies.map(([name, body]) => [name, type, body] as const)))(
    '%s labelled "%s" is read by its content, for streaming and other clients',
    async (_, type, body) => {
      const { url } = await startTestServer(withBody(body, 200, type === '' ? {} : { 'content-type': type }), ONE_TRY)
      const streamed = eventsOf(await (await post(url)).text())
      const text = streamed.map(({ delta }) => (typeof delta === 'string' ? delta : '')).join('')
      expect(text).toBe('Hi there')
      expect((await json(await post(url, whole))).output[0].content[0].text).toBe('Hi there')
    },
  )

  it('an error body labelled as a stream is reported as an error', async () => {
    const body = '{"error":{"message":"Not today.","type":"invalid_request_error"}}'
    const { url } = await startTestServer(withBody(body, 200, { 'content-type': 'text/event-stream' }), ONE_TRY)
    expect((await post(url)).status).toBeGreaterThanOrEqual(400)
    expect((await json(await post(url, whole))).error.message).toBe('Not today.')
  })

  it('a late whole body labelled as a stream completes the stream that was begun', async () => {
    const { url, upstream } = await startTestServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
    })
    // The head of the answer is sent before the body arrives.
    const answer = await post(url)
    expect(answer.status).toBe(200)
    ;(await upstream.next()).response.end(bodyOf('Hi there'))
    expect(typesOf(await answer.text())).toContain('response.completed')
  })

  it('a stream that is silent at first has its head sent to the client', async () => {
    const { url, upstream } = await startTestServer(beginning(''))
    const client = connectRawClient({ url })
    client.socket.write(toBytes())
    await waitUntil(() => client.text().includes('200 OK'), 'the head')
    ;(await upstream.next()).response.end(streamOf('Hi'))
  })
})

describe('a request with contradictory headers', () => {
  it.each([
    ['two keys', ['authorization: Bearer other'], 400],
    ['the same key twice', ['Authorization: Bearer test-key-of-nobody'], 400],
    ['two types', ['content-type: application/json'], 400],
    ['two keys of another family', ['x-api-key: a', 'x-api-key: b'], 400],
    ['two keys of a third', ['x-goog-api-key: a', 'X-Goog-Api-Key: a'], 400],
    ['two lengths', ['content-length: 3'], 400],
  ])('with %s is rejected as malformed_request', async (_, headers, status) => {
    const server = await startTestServer(withBody(bodyOf('Hi')))
    const client = connectRawClient(server)
    client.socket.write(toBytes({ body: whole, headers: [...headers, 'connection: close'] }))
    await client.closed
    expect(client.statuses()).toEqual([status])
    expect(client.text()).toContain('malformed_request')
    expect(server.upstream.received).toHaveLength(0)
  })

  const inChunks = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
  it.each([
    ['gzip, chunked', 501],
    ['chunked, chunked', 400],
    ['identity, chunked', 501],
    ['chunked', 200],
    ['Chunked', 200],
  ])('with transfer-encoding %s is answered with status %s', async (coding, status) => {
    const server = await startTestServer(withBody(bodyOf('Hi')))
    const client = connectRawClient(server)
    const body = inChunks(JSON.stringify(whole))
    client.socket.write(toBytes({ body, length: null, headers: [`transfer-encoding: ${coding}`, 'connection: close'] }))
    await client.closed
    expect(client.statuses()).toEqual([status])
  })
})
