import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkStream } from '../../../../src/dialects/check-stream.ts'
import { openai } from '../../../../src/dialects/openai.ts'
import { type Pieces, type SocketEnd, type SocketScript, socketScripts } from '../../../arbitraries/socket-messages.ts'
import { createFates } from '../../../mock-upstreams/fates.ts'
import { nextTurn } from '../../../mock-upstreams/server.ts'
import { checkAsync } from '../../../property.ts'
import { closeAll, type Loose, startTestServer, waitUntil } from '../../test-server.ts'
import {
  BINARY,
  CONTINUATION,
  connectWebSocket,
  encodeFrame,
  isEnding,
  LOST,
  PING,
  TEXT,
  type WebSocketClient,
} from '../../websocket-client.ts'

const MESSAGE_BYTES = 200_000
/** A failure waits for each script that it is reduced to. */
const LONGEST_WAIT_MS = 60_000
const LONGEST_TEST_MS = 3_600_000

const fates = createFates()

/** Sends the bytes of one message as the script cuts them. */
async function sendInPieces({ socket }: WebSocketClient, opcode: number, bytes: Buffer, pieces: Pieces): Promise<void> {
  const frames: Buffer[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += pieces.frame) {
    const isLast = at + pieces.frame >= bytes.length
    const payload = bytes.subarray(at, at + pieces.frame)
    frames.push(encodeFrame({ opcode: at === 0 ? opcode : CONTINUATION, payload, isLast }))
    if (pieces.pings && !isLast && frames.length < 20) frames.push(encodeFrame({ opcode: PING, payload: 'here?' }))
  }
  const all = Buffer.concat(frames)
  // Single bytes are written only for short messages, because each write takes a turn.
  const size = all.length > 2_000 ? 100_000 : pieces.write
  for (let at = 0; at < all.length && socket.writable; at += size) {
    socket.write(all.subarray(at, at + size))
    if (size < all.length) await nextTurn()
  }
}

interface Connection {
  readonly client: WebSocketClient
  /** The lane of each message so far that must be answered; null for the default lane. */
  readonly sent: (string | null)[]
}

const lastResponse = ({ client }: Connection): string | undefined =>
  client.events.findLast(({ type }) => type === 'response.completed')?.response.id

async function perform(connection: Connection, { actions, pieces }: SocketScript): Promise<void> {
  const { client, sent } = connection
  const send = (opcode: number, bytes: Buffer, lane: string | null = null): Promise<void> => {
    sent.push(lane)
    return sendInPieces(client, opcode, bytes, pieces)
  }
  const asJson = (value: object): Buffer => Buffer.from(JSON.stringify(value))
  for (const action of actions) {
    switch (action.does) {
      case 'create': {
        const { lane, fate, more } = action
        const continues = 'previous_response_id' in more && more.previous_response_id === null
        const body = {
          type: 'response.create',
          model: 'acme/mock-1',
          input: `fate:${fate}`,
          metadata: { n: String(sent.length) },
          ...more,
          ...(continues ? { previous_response_id: lastResponse(connection) ?? 'resp_none' } : {}),
          ...(lane === null ? {} : { stream_id: lane }),
        }
        await send(TEXT, asJson(body), lane)
        break
      }
      case 'create-any':
        await send(TEXT, asJson({ type: 'response.create', ...action.body }))
        break
      case 'send-text':
        await send(TEXT, Buffer.from(action.text))
        break
      case 'notify':
        await sendInPieces(client, TEXT, asJson({ type: action.type }), pieces)
        break
      case 'send-bytes':
        await send(BINARY, Buffer.from(action.bytes))
        break
      case 'stop-reading':
        client.socket.pause()
        break
      case 'settle':
        await settle(connection)
        break
    }
  }
}

const endingsOf = ({ client }: Connection): number => client.events.filter(isEnding).length

/** Waits until every message that has an answer is answered, and checks the answers. */
async function settle(connection: Connection): Promise<void> {
  connection.client.socket.resume()
  await waitUntil(
    () => {
      fates.release()
      return endingsOf(connection) >= connection.sent.length
    },
    () => `${connection.sent.length} answers, received ${endingsOf(connection)}`,
  )
  expect(endingsOf(connection)).toBe(connection.sent.length)
  checkEvents(connection)
}

const OF_MESSAGES: ReadonlySet<string> = new Set(['error', 'response.steer.failed', 'response.inject.failed'])

/** In each lane, responses come one after the other in the order of their requests, and each is correct. */
function checkEvents({ client }: Connection): void {
  for (const lane of new Set(client.events.map(({ stream_id }) => stream_id))) {
    const events = client.events.filter(({ stream_id }) => stream_id === lane)
    let open: Loose[] = []
    let last = -1
    for (const { stream_id: _, ...event } of events) {
      // These belong to no response that was begun.
      if (OF_MESSAGES.has(event.type)) continue
      if (event.type === 'response.created') {
        expect(open).toEqual([])
        const n = Number(event.response.metadata?.n ?? last)
        expect(n).toBeGreaterThanOrEqual(last)
        last = n
      }
      open.push(event)
      if (!isEnding(event)) continue
      const stream = open.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join('')
      expect(checkStream(`${stream}data: [DONE]\n\n`, openai)).toEqual([])
      open = []
    }
  }
}

/** An ending of a connection, and the close code that the server answers it with. */
const ENDINGS: Readonly<Record<SocketEnd, readonly [code: number, act: (client: WebSocketClient) => void]>> = {
  close: [1000, (client) => void client.close()],
  destroy: [LOST, ({ socket }) => void socket.destroy()],
  'half-close': [LOST, ({ socket }) => void socket.end()],
  'invalid-utf8': [
    1007,
    (client) => client.sendFrame({ opcode: TEXT, payload: Uint8Array.of(0x22, 0xc3, 0x28, 0x22) }),
  ],
  unmasked: [1002, (client) => client.sendFrame({ opcode: TEXT, payload: '{}', isMasked: false })],
  'reserved-bit': [1002, (client) => client.sendFrame({ opcode: TEXT, payload: '{}', firstByte: 0xc1 })],
  'reserved-opcode': [1002, (client) => client.sendFrame({ opcode: 0x3, payload: '{}' })],
  'lonely-continuation': [1002, (client) => client.sendFrame({ opcode: CONTINUATION, payload: '{}' })],
  // The head alone announces more than the server accepts.
  oversize: [1009, ({ socket }) => void socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]))],
}

async function gauge(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(text.match(new RegExp(`^${name} (.*)$`, 'm'))?.[1])
}

const CONFIG = { limits: { request_body_bytes: MESSAGE_BYTES }, retry: { attempts: 1 } }

/** Each script has a server of its own, so that a failing one leaves nothing to those that follow. */
async function run(script: SocketScript): Promise<void> {
  const { url, upstream, lines } = await startTestServer(fates.behave, CONFIG)
  const client = await connectWebSocket(url)
  const connection: Connection = { client, sent: [] }
  await perform(connection, script)
  const [code, act] = ENDINGS[script.end]
  act(client)
  client.socket.resume()
  expect(await client.closed).toBe(code)
  expect(endingsOf(connection)).toBeLessThanOrEqual(connection.sent.length)
  // No request outlives its connection, although some answers would never end.
  await Promise.all(upstream.received.map(({ closed }) => closed))
  fates.release()
  await waitUntil(
    async () => (await gauge(url, 'millrace_websockets_open')) === 0,
    'no open connection',
    LONGEST_WAIT_MS,
  )
  await waitUntil(async () => (await gauge(url, 'millrace_streams_open')) === 0, 'no open stream', LONGEST_WAIT_MS)
  expect(lines.filter(({ event }) => event === 'bug')).toEqual([])
  await closeAll()
}

it(
  'the server answers each request of a connection exactly once, in the order of its lane, and leaves nothing open',
  async () => {
    await checkAsync(fc.asyncProperty(socketScripts, run), 600)
  },
  LONGEST_TEST_MS,
)
