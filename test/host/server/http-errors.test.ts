import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  beginning,
  bodyOf,
  doneFrame,
  inPieces,
  roleChunk,
  stopChunk,
  streamOf,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import {
  KEY,
  type Loose,
  lineOf,
  REQUEST,
  startTestServer,
  type TestServer,
  waitUntil,
  whenDone,
} from '../test-server.ts'

const answering = inPieces(streamOf('Hello', ' there'), 200)
const AUTHORIZED = `POST /api/v1/responses HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\n`

const withLength = (body: object): string => {
  const text = JSON.stringify(body)
  return `${AUTHORIZED}content-length: ${text.length}\r\n\r\n${text}`
}

function dial({ url }: TestServer): { readonly socket: Socket; readonly received: () => string } {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  whenDone(async () => void socket.destroy())
  let text = ''
  socket.on('data', (bytes) => (text += String(bytes))).on('error', () => undefined)
  return { socket, received: () => text }
}

/** Sends a text, and returns everything that the server sends until it closes the connection. */
async function send(text: string, behave = answering) {
  const server = await startTestServer(behave)
  const { socket, received } = dial(server)
  socket.write(text)
  await once(socket, 'end')
  socket.end()
  return { answer: received(), lines: server.lines }
}

/** Splits the answers on one connection: each status, its headers as text, and its body. */
function answersIn(text: string): { status: number; head: string; body: string }[] {
  return text
    .split(/(?=HTTP\/1\.1 )/)
    .filter((one) => one !== '')
    .map((one) => {
      const [head = '', ...body] = one.split('\r\n\r\n')
      return { status: Number(head.slice(9, 12)), head, body: body.join('\r\n\r\n') }
    })
}

const bodyOfAnswer = (text: string): Loose => JSON.parse(answersIn(text).at(-1)?.body ?? '')

describe('requests at the edge of HTTP', () => {
  it('an error answer to HEAD has no body', async () => {
    const { answer, lines } = await send(`HEAD / HTTP/1.1\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`)
    expect(answersIn(answer)).toMatchObject([{ status: 431, body: '' }])
    expect(await lineOf(lines)).toMatchObject({ status: 431, error: 'headers_too_large' })
  })

  it.each([
    ['bytes that are not a request', 'HELLO\r\n\r\n', 400, 'malformed_request'],
    ['headers that are too large', `GET / HTTP/1.1\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'malformed_request'],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nconnection: close\r\nhost: a\r\nhost: b\r\n\r\n', 400, 'malformed_request'],
    ['an unknown expectation', `${AUTHORIZED}connection: close\r\nexpect: foo\r\n\r\n`, 417, 'expectation_failed'],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', 405, 'method_not_allowed'],
    ['a chunk without a size', `${AUTHORIZED}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`, 400, 'malformed_request'],
  ])('%s is rejected with a request id, an error body and a log line', async (_, text, status, code) => {
    const { answer, lines } = await send(text)
    const [first, ...more] = answersIn(answer)
    expect(more).toEqual([])
    expect(first?.status).toBe(status)
    expect(first?.head).toMatch(/^connection: close$/im)
    expect(first?.head).toMatch(/^x-request-id: req_[0-9a-f]{24}$/im)
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      error: { code, message: expect.any(String) },
      metadata: null,
    })
    expect(await lineOf(lines)).toMatchObject({ status, error: code })
  })

  it('invalid bytes after a complete request leave its answer intact and close the connection', async () => {
    const whole = await send(`${withLength({ ...REQUEST, stream: false })}HELLO\r\n\r\n`, withBody(bodyOf('Hi')))
    expect(answersIn(whole.answer).map(({ status }) => status)).toEqual([200])
    expect(bodyOfAnswer(whole.answer)).toMatchObject({ status: 'completed' })
    const server = await startTestServer(beginning(roleChunk, textChunk('Half')))
    const { socket, received } = dial(server)
    socket.write(withLength(REQUEST))
    const { response } = await server.upstream.next()
    await waitUntil(() => received().includes('Half'), 'the first half')
    await new Promise((resolve) => socket.write('HELLO\r\n\r\n', resolve))
    await (await fetch(`${server.url}/healthz`)).text()
    response.end(textChunk(' and half') + stopChunk + doneFrame)
    await once(socket, 'end')
    expect(received()).toContain('[DONE]')
    expect(received()).not.toContain('malformed')
  })

  it('an HTTP/1.0 request needs no Host, and a request through a proxy may have an absolute URL', async () => {
    const old = await send('GET /healthz HTTP/1.0\r\n\r\n')
    expect(answersIn(old.answer)[0]?.status).toBe(200)
    const proxied = await send(
      'GET http://x.example/healthz?y HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    )
    expect(answersIn(proxied.answer)[0]?.status).toBe(200)
  })

  it('"expect: 100-continue" is answered with 100 Continue', async () => {
    const text = JSON.stringify({ ...REQUEST, stream: false })
    const server = await startTestServer(withBody(bodyOf('Hi')))
    const { socket, received } = dial(server)
    socket.write(`${AUTHORIZED}connection: close\r\nexpect: 100-continue\r\ncontent-length: ${text.length}\r\n\r\n`)
    await waitUntil(() => received().includes('100 Continue'), 'the word to go on')
    socket.write(text)
    await once(socket, 'end')
    expect(answersIn(received()).at(-1)?.status).toBe(200)
  })
})

describe('a client that ends its sending side', () => {
  it.each([
    ['a body', { ...REQUEST, stream: false }],
    ['a stream', REQUEST],
  ])('after its request receives interim answers, then %s', async (_, body) => {
    const server = await startTestServer(() => {})
    const { socket, received } = dial(server)
    socket.end(withLength(body))
    const asked = await server.upstream.next()
    await waitUntil(() => received().includes(' 102 '), 'an interim answer')
    await (body.stream ? answering : withBody(bodyOf('Hello there')))(asked.response, asked)
    await once(socket, 'end')
    const answers = answersIn(received())
    expect(answers.at(-1)?.status).toBe(200)
    expect(answers.slice(0, -1).every(({ status }) => status === 102)).toBe(true)
    expect(answers.at(-1)?.body).toContain('there')
    expect(await lineOf(server.lines)).toMatchObject({ status: 200, outcome: 'completed' })
  })

  it('in the middle of a stream receives comments, then the rest', async () => {
    const server = await startTestServer(beginning(roleChunk, textChunk('Half')))
    const { socket, received } = dial(server)
    socket.write(withLength(REQUEST))
    const { response } = await server.upstream.next()
    await waitUntil(() => received().includes('Half'), 'the first half')
    socket.end()
    await waitUntil(() => received().includes(': probe'), 'a comment')
    response.end(textChunk(' and half') + stopChunk + doneFrame)
    await once(socket, 'end')
    expect(received()).toContain('[DONE]')
    expect(await lineOf(server.lines)).toMatchObject({ status: 200, outcome: 'completed' })
  })

  it('in the middle of its request receives 400 incomplete_body', async () => {
    const server = await startTestServer(answering)
    const { socket, received } = dial(server)
    socket.end(`${AUTHORIZED}content-length: 99\r\n\r\n{`)
    await once(socket, 'end')
    expect(answersIn(received())[0]?.status).toBe(400)
    expect(bodyOfAnswer(received())).toMatchObject({ error: { code: 'incomplete_body' } })
  })
})
