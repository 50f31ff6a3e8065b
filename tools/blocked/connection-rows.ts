import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row, Site } from './blocked.ts'
import { KEY } from './keys.ts'

/** Upper bound in milliseconds for conditions that no answer signals. */
const LONGEST_MS = 20_000

const BODY = JSON.stringify({ model: 'acme/mock-1', input: 'Hello' })

const requestOf = (body = BODY, version = '1.1', length = Buffer.byteLength(body), key = KEY): string =>
  [
    `POST /api/v1/responses HTTP/${version}`,
    'host: localhost',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${length}`,
    '',
    body,
  ].join('\r\n')

const to = (model: string, stream = true): string => JSON.stringify({ model, input: 'Hello', stream })

interface Client {
  readonly socket: Socket
  readonly text: () => string
}

function dial({ port }: Site): Client {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (bytes) => (text += bytes.toString('latin1'))).on('error', () => undefined)
  return { socket, text: () => text }
}

/** Returns the milliseconds until the condition holds, or null after `LONGEST_MS`. */
async function timeUntil(isSo: () => boolean | Promise<boolean>): Promise<number | null> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < LONGEST_MS) {
    if (await isSo()) return Math.round(performance.now() - startedAt)
    await sleep(20)
  }
  return null
}

/** Consecutive equal reads, 20 ms apart, after which the buffers of all connections count as full. */
const STILL_READS = 100

/** Returns a condition that holds once `read` has returned the same value that many times in a row. */
function standsStill(read: () => Promise<number>, times: number): () => Promise<boolean> {
  let last = Number.NaN
  let equal = 0
  return async () => {
    const value = await read()
    equal = value === last ? equal + 1 : 0
    last = value
    return equal >= times
  }
}

const openStreams = async ({ url }: Site): Promise<number> =>
  Number(/^millrace_streams_open (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

/** Reads a count of the upstream process: `open` and `most` requests, or `poured` bytes. */
const upstreamCount = async ({ upstream }: Site, name: 'open' | 'most' | 'poured'): Promise<number> =>
  Number(await (await fetch(`${upstream}/${name}`)).text())

/** Sends data without end. Reports how much the server read before it closed the connection. */
async function pour(client: Client, head: string): Promise<string> {
  const piece = Buffer.alloc(65_536, 'x')
  let sent = 0
  const write = (): void => {
    while (client.socket.writable) {
      sent += piece.length
      if (!client.socket.write(piece)) return void client.socket.once('drain', write)
    }
  }
  client.socket.write(head)
  write()
  const ms = await timeUntil(() => client.socket.closed)
  client.socket.destroy()
  const status = /HTTP\/1\.1 (\d+)/.exec(client.text())?.[1] ?? 'no answer'
  return `${status}, ${Math.round(sent / 1_000_000)} MB taken, ${ms === null ? 'still open' : `closed after ${ms} ms`}`
}

const logLines = ({ output }: Site): number =>
  output().match(/"event":"request"[^\n]*"path":"\/api\/v1\/responses"/g)?.length ?? 0

const vendors = (behaviour: string) => (upstream: string) => ({
  vendors: { [behaviour]: { wire: 'openai-chat', base_url: `${upstream}/${behaviour}` } },
})

/** Unusual behaviour of clients and upstreams on their connections. */
export const CONNECTION_ROWS: readonly Row[] = [
  { name: 'a body that goes on after 413', load: (site) => pour(dial(site), requestOf('', '1.1', 1e11)) },
  { name: 'a body that goes on after 401', load: (site) => pour(dial(site), requestOf('', '1.1', 1e11, 'wrong')) },
  {
    name: '2,000 requests pipelined on one connection',
    async load(site) {
      const client = dial(site)
      const before = logLines(site)
      client.socket.write(requestOf().repeat(2000))
      const ms = await timeUntil(() => client.text().length > 2000 * 100 && logLines(site) - before >= 2000)
      return `${logLines(site) - before} answers after ${ms} ms, ${await upstreamCount(site, 'most')} at once upstream`
    },
  },
  {
    name: '50 pipelined requests, client resets',
    config: vendors('half'),
    async load(site) {
      const client = dial(site)
      const before = logLines(site)
      client.socket.write(requestOf(to('half/mock-1')).repeat(50))
      await timeUntil(() => client.text().includes('Half'))
      client.socket.resetAndDestroy()
      const ms = await timeUntil(async () => (await upstreamCount(site, 'open')) === 0 && logLines(site) - before >= 50)
      return `${await upstreamCount(site, 'open')} upstreams, ${await openStreams(site)} streams, ${logLines(site) - before} lines after ${ms} ms`
    },
  },
  ...(['resetAndDestroy', 'destroy'] as const).map((leave) => ({
    name: `an HTTP/1.0 client leaves while the upstream is silent (${leave})`,
    async load(site: Site) {
      const client = dial(site)
      client.socket.write(requestOf(to('quiet/mock-1'), '1.0'))
      await timeUntil(async () => (await upstreamCount(site, 'open')) === 1)
      client.socket[leave]()
      const ms = await timeUntil(async () => (await upstreamCount(site, 'open')) === 0)
      return ms === null ? 'the upstream goes on' : `the upstream ended after ${ms} ms`
    },
  })),
  {
    name: 'an error body that drips a byte at a time',
    config: vendors('drip'),
    async load(site) {
      const client = dial(site)
      client.socket.write(requestOf(to('drip/mock-1')))
      const ms = await timeUntil(() => client.text().includes('HTTP/1.1 4'))
      client.socket.destroy()
      return ms === null ? 'no answer' : `answered after ${ms} ms`
    },
  },
  ...([20, 2000] as const).map((size) => ({
    name: `200 clients that never read, upstream at full speed, ${size} characters an event`,
    config: vendors(`pour-${size}`),
    async load(site: Site) {
      const clients = Array.from({ length: 200 }, () => dial(site))
      for (const { socket } of clients) {
        socket.pause()
        socket.write(requestOf(to(`pour-${size}/mock-1`)))
      }
      await timeUntil(async () => (await openStreams(site)) === clients.length)
      await timeUntil(standsStill(() => upstreamCount(site, 'poured'), STILL_READS))
      const open = await openStreams(site)
      for (const { socket } of clients) socket.destroy()
      return `${open} streams`
    },
  })),
]
