/** WebSocket connections to the server, beside the same streams over SSE. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Figure } from '../figure.ts'
import { inTurns, median } from '../measure.ts'
import { sendRequest } from './client.ts'
import { caseOf, type Endpoint, type Endpoints } from './endpoints.ts'
import { BURSTS, type Burst, HEADERS, microseconds } from './protocol.ts'

const BURST_STREAMS = 16
const BURST_ROUNDS = { burst: 9, torrent: 3 }
const OPEN_SOCKETS = 500
const CLOSED_SOCKETS = 10_000
const CLOSED_SOCKETS_WARM = 1_000
const BATCH = 200
const GONE_CLIENTS = 50
/** The dialect of the transport. */
const PATH = '/openai/v1/responses'

interface Connection {
  /** Requests a stream, and resolves when it has ended. */
  ask(model: string): Promise<void>
  /** Resolves when the next event arrives. */
  next(): Promise<unknown>
  terminate(): void
  close(): Promise<void>
}

const ENDINGS = ['{"type":"response.completed"', '{"type":"response.failed"', '{"type":"error"'].map((begin) =>
  Buffer.from(begin),
)

const isEnding = (message: Buffer): boolean => ENDINGS.some((begin) => begin.equals(message.subarray(0, begin.length)))

async function connect(url: string): Promise<Connection> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: HEADERS, skipUTF8Validation: true })
  await once(socket, 'open')
  let finish = (_: Buffer): void => {}
  socket.on('message', (message: Buffer) => {
    if (isEnding(message)) finish(message)
  })
  return {
    async ask(model) {
      const ended = new Promise<Buffer>((resolve) => {
        finish = resolve
      })
      socket.send(JSON.stringify({ type: 'response.create', model: `bench/${model}`, input: 'Hello', store: false }))
      const last = await ended
      if (!last.includes('"response.completed"')) throw new Error(`a stream without its end: ${last.toString()}`)
    },
    next: () => once(socket, 'message'),
    terminate: () => socket.terminate(),
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

const connectAll = (url: string, count: number): Promise<readonly Connection[]> =>
  Promise.all(Array.from({ length: count }, () => connect(url)))

// ---------------------------------------------------------------- processor time

/** Processor time of the server while these run, in ms. */
async function timeOf(server: Endpoint, runs: readonly (() => Promise<unknown>)[]): Promise<number> {
  const before = await server.report()
  await Promise.all(runs.map((run) => run()))
  return (await server.report()).cpu - before.cpu
}

async function burstsOf(server: Endpoint, url: string, kind: Burst): Promise<Figure> {
  const connections = await connectAll(url, BURST_STREAMS)
  const ways = {
    sockets: connections.map(
      ({ ask }) =>
        () =>
          ask(kind),
    ),
    sse: connections.map(() => () => sendRequest(url, kind, () => {}).done),
  }
  const ratios: number[] = []
  for (let round = -3; round < BURST_ROUNDS[kind]; round += 1) {
    const took = { sockets: 0, sse: 0 }
    const names = ['sockets', 'sse'] as const
    for (const name of inTurns(names, round)) took[name] = await timeOf(server, ways[name])
    if (round >= 0) ratios.push(took.sockets / took.sse)
  }
  await Promise.all(connections.map((one) => one.close()))
  return {
    case: `processor time a chunk over a socket, bursts of ${BURSTS[kind]} chunks`,
    value: median(ratios),
    unit: '× SSE',
  }
}

// ---------------------------------------------------------------- memory

async function memoryOf(server: Endpoint, url: string): Promise<readonly Figure[]> {
  const before = await server.report(true)
  const connections: Connection[] = []
  const ended: Promise<void>[] = []
  for (let n = 0; n < OPEN_SOCKETS; n += 1) {
    const connection = await connect(url)
    connections.push(connection)
    ended.push(connection.ask('finite'))
  }
  const streaming = await server.report(true)
  await Promise.all(ended)
  await sleep(500)
  const idle = await server.report(true)
  await Promise.all(connections.map((one) => one.close()))
  const each = (of: 'memory' | 'resident', now: typeof before): number => (now[of] - before[of]) / OPEN_SOCKETS / 1024
  const figure = (name: string, value: number): Figure => ({
    case: `${name}, ${OPEN_SOCKETS} sockets`,
    value,
    unit: 'KiB',
  })
  return [
    figure('heap and external memory a socket with a stream', each('memory', streaming)),
    figure('resident memory a socket with a stream', each('resident', streaming)),
    figure('heap and external memory an idle socket after its answer', each('memory', idle)),
    figure('resident memory an idle socket after its answer', each('resident', idle)),
  ]
}

// ---------------------------------------------------------------- opened and closed

/** Every tenth connection requests a short answer; every other one of the rest is lost without a close frame. */
async function openAndClose(url: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += BATCH) {
    const connections = await connectAll(url, Math.min(BATCH, count - done))
    await Promise.all(
      connections.map(async (one, n) => {
        if (n % 10 === 0) await one.ask('short')
        if (n % 2 === 0) await one.close()
        else one.terminate()
      }),
    )
  }
}

async function gaugeOf(url: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text()
  return Number(text.match(/^millrace_websockets_open (.*)$/m)?.[1])
}

async function closed(server: Endpoint, url: string): Promise<readonly Figure[]> {
  await openAndClose(url, CLOSED_SOCKETS_WARM)
  await sleep(500)
  const before = await server.report(true)
  await openAndClose(url, CLOSED_SOCKETS)
  await sleep(500)
  const after = await server.report(true)
  const name = `after ${CLOSED_SOCKETS} sockets opened and closed`
  return [
    { case: `sockets of the gauge ${name}`, value: await gaugeOf(url), unit: 'open' },
    { case: `file descriptors more than before ${name}`, value: after.descriptors - before.descriptors, unit: 'open' },
    {
      case: `heap and external memory a socket ${name}`,
      value: (after.memory - before.memory) / CLOSED_SOCKETS / 1024,
      unit: 'KiB',
    },
  ]
}

// ---------------------------------------------------------------- clients that are gone

/** Starts a stream, and resolves when it has begun, with the function that breaks its connection. */
type OpenStream = () => Promise<() => void>

async function openSocketStream(url: string): Promise<() => void> {
  const connection = await connect(url)
  connection.ask('paced').catch(() => {})
  for (let events = 0; events < 4; events += 1) await connection.next()
  return () => connection.terminate()
}

async function openHttpStream(url: string): Promise<() => void> {
  let begin = (): void => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const { abort, done } = sendRequest(url, 'paced', () => begin())
  done.catch(() => {})
  await begun
  return abort
}

async function gone(upstream: Endpoint, client: string, open: OpenStream): Promise<readonly Figure[]> {
  const took: number[] = []
  for (let n = 0; n < GONE_CLIENTS; n += 1) {
    const leave = await open()
    const begun = microseconds()
    leave()
    let { lastClosed } = await upstream.report()
    while (lastClosed < begun) lastClosed = (await upstream.report()).lastClosed
    took.push((lastClosed - begun) / 1000)
  }
  const name = `${client} is gone until its upstream is aborted, ${GONE_CLIENTS} times`
  return [
    { case: `${name}, median`, value: median(took), unit: 'ms' },
    { case: `${name}, longest`, value: Math.max(...took), unit: 'ms' },
  ]
}

export async function sockets({ served, upstream }: Endpoints): Promise<readonly Figure[]> {
  const server = served.get('server') as Endpoint
  const url = new URL(PATH, server.url).href
  return [
    ...(await closed(server, url)),
    ...(await memoryOf(server, url)),
    ...(await gone(upstream, 'a client', () => openSocketStream(url))),
    ...(await gone(upstream, 'a client of HTTP', () => openHttpStream(server.url))),
  ]
}

/** They leave memory and connections behind that belong to no socket, and run in another process for that reason. */
export async function socketBursts({ served }: Endpoints): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [name, server] of served) {
    if (name === 'relay') continue
    const url = new URL(PATH, server.url).href
    for (const kind of ['burst', 'torrent'] as const) {
      const figure = await burstsOf(server, url, kind)
      figures.push({ ...figure, case: caseOf(figure.case, name) })
    }
  }
  return figures
}
