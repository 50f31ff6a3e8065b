import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { Row, Site } from './blocked.ts'
import { KEY, sha256 } from './keys.ts'
import { countWords } from './load.ts'

/** A key with a low rate limit, beside the one of every row. */
const LIMITED = 'limited-key-of-nobody'

const CONFIG = () => ({
  keys: [
    { name: 'tester', sha256: sha256(KEY) },
    { name: 'limited', sha256: sha256(LIMITED), rate_limit: { requests: 5, seconds: 60 } },
  ],
  websocket: { connections_per_key: 64 },
})

/** The longest time of one burst. Its client leaves then, whether or not it has all answers. */
const LONGEST_MS = 60_000

/** After this time without a byte, a connection is taken for answered. */
const QUIET_MS = 5000

interface Burst {
  /** Sent first; its answer is awaited. */
  readonly handshake?: string
  readonly bytes: Uint8Array
  /** Part of each answer. */
  readonly answer: string
}

interface Opened {
  readonly socket: Socket
  /** The answer to the handshake, if there is one. */
  readonly head: string
}

/** Opens a connection, and waits for the answer to the handshake. */
const open = ({ port }: Site, handshake: string | undefined): Promise<Opened> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => resolve({ socket, head: '' }))
    if (handshake === undefined) socket.once('connect', () => resolve({ socket, head: '' }))
    else socket.once('data', (head) => resolve({ socket, head: head.toString('latin1') })).write(handshake)
  })

/** Writes all bytes at once, and returns the end of the connection: closed by the server, or open and answered. */
const flood = ({ socket, head }: Opened, { bytes, answer }: Burst): Promise<string> =>
  new Promise((resolve) => {
    let answers = 0
    let ended = 'answered'
    socket.on('data', (chunk) => (answers += chunk.toString('latin1').split(answer).length - 1))
    socket.on('end', () => (ended = 'closed'))
    socket.setTimeout(QUIET_MS, () => socket.destroy())
    const longest = setTimeout(() => socket.destroy(), LONGEST_MS)
    socket.on('close', () => {
      clearTimeout(longest)
      const status = head === '' ? '' : ` (${head.slice(9, 12)})`
      resolve(`${ended}${status} after ${answers < 100 ? `${answers}` : `about ${Number(answers.toPrecision(1))}`}`)
    })
    socket.write(bytes)
  })

/** All connections are open before the first of them sends, so that the server reads all of them in one turn. */
async function together(site: Site, sockets: number, one: Burst): Promise<string> {
  const opened = await Promise.all(Array.from({ length: sockets }, () => open(site, one.handshake)))
  return countWords(await Promise.all(opened.map((each) => flood(each, one))))
}

// ---------------------------------------------------------------- WebSockets

const handshake = (key: string): string =>
  [
    'GET /openai/v1/responses HTTP/1.1',
    'host: localhost',
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
    `authorization: Bearer ${key}`,
    '',
    '',
  ].join('\r\n')

const TEXT = 0x81
const BINARY = 0x82
const PING = 0x89
const PART = 0x01

/** A frame of a client (RFC 6455, 5.2) whose mask changes nothing. */
function frame(kind: number, text: string): Buffer {
  const head = text.length < 126 ? [kind, 0x80 | text.length] : [kind, 0xfe, text.length >> 8, text.length & 0xff]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), Buffer.from(text)])
}

const repeated = (bytes: Uint8Array, count: number): Buffer => Buffer.alloc(bytes.length * count, bytes)

const MESSAGES: readonly (readonly [name: string, bytes: Buffer, answer: string])[] = [
  ['messages of {}', frame(TEXT, '{}'), 'unknown_event_type'],
  ['messages that are no JSON', frame(TEXT, '{'), 'invalid_json'],
  ['binary messages', frame(BINARY, '{}'), 'invalid_json'],
  ['messages with an invalid stream_id', frame(TEXT, '{"stream_id":"/"}'), 'invalid_stream_id'],
  ['messages that steer', frame(TEXT, '{"type":"response.steer"}'), 'steer.failed'],
  ['requests without a model', frame(TEXT, '{"type":"response.create"}'), '"error"'],
  [
    'requests that only prepare',
    frame(TEXT, '{"type":"response.create","generate":false,"model":"acme/mock-1"}'),
    'response.completed',
  ],
  ['pings', frame(PING, ''), '\x8a\x00'],
  ['empty parts of one message', frame(PART, ''), '"error"'],
]

const socketRow = (sockets: number, key: string, [name, bytes, answer]: (typeof MESSAGES)[number]): Row => ({
  name: `8,000 ${name} on each of ${sockets} WebSockets${key === LIMITED ? ' of a limited key' : ''}`,
  config: CONFIG,
  load: (site) => together(site, sockets, { handshake: handshake(key), bytes: repeated(bytes, 8000), answer }),
})

// ---------------------------------------------------------------- HTTP

const pipelined = (method: string, path: string, key: string | null, body = ''): Buffer =>
  Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      'host: localhost',
      ...(key === null ? [] : [`authorization: Bearer ${key}`]),
      ...(body === '' ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
      '',
      body,
    ].join('\r\n'),
  )

const REQUESTS: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['without a key', pipelined('POST', '/api/v1/responses', null)],
  ['with a wrong key', pipelined('POST', '/api/v1/responses', 'wrong', '{}')],
  ['of a limited key', pipelined('POST', '/api/v1/responses', LIMITED, '{}')],
  ['without a model', pipelined('POST', '/api/v1/responses', KEY, '{}')],
  ['of an unknown path', pipelined('GET', '/x', null)],
  ['of a wrong method', pipelined('PUT', '/api/v1/responses', null)],
  ['of the models', pipelined('GET', '/api/v1/models', KEY)],
  ['of an unknown stream', pipelined('GET', '/openai/v1/responses/resp_1?stream=true', KEY)],
  ['of a count', pipelined('POST', '/openai/v1/responses/input_tokens', KEY, '{"model":"acme/mock-1","input":"a"}')],
  ['of /healthz', pipelined('GET', '/healthz', null)],
]

const requestRow = (sockets: number, [name, bytes]: (typeof REQUESTS)[number]): Row => ({
  name: `4,000 pipelined requests ${name} on each of ${sockets} connections`,
  config: CONFIG,
  load: (site) => together(site, sockets, { bytes: repeated(bytes, 4000), answer: 'HTTP/1.1 ' }),
})

/** What `/healthz` takes on this machine without a burst. */
const QUIET: Row = {
  name: 'the base line of bursts: nothing for five seconds',
  config: CONFIG,
  load: () => new Promise((resolve) => setTimeout(resolve, QUIET_MS, 'nothing')),
}

/** Many small messages and requests that are answered at once, each kind on ten connections, and one on forty. */
export const BURST_ROWS: readonly Row[] = [
  QUIET,
  ...MESSAGES.map((row) => socketRow(10, KEY, row)),
  ...MESSAGES.slice(0, 1).flatMap((row) => [10, 40].map((sockets) => socketRow(sockets, LIMITED, row))),
  ...REQUESTS.map((row) => requestRow(10, row)),
  ...REQUESTS.slice(0, 1).map((row) => requestRow(40, row)),
]
