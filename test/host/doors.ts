import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openFetchGateway } from '../../src/fetch/create-gateway.ts'
import type { Config } from '../../src/gateway/config/config.ts'
import { createRecordings } from '../../src/host/config/recordings-account.ts'
import { type RunningServer, start } from '../../src/host/start.ts'
import type { StartOptions } from '../../src/host/start-options.ts'
import { keepConnections } from '../mock-upstreams/server.ts'

/**
 * The two ways into the gateway: the server of Node, and the fetch gateway behind a small adapter. The project `doors`
 * runs the tests about behaviour by the second one; every other project uses the first.
 */
export type Door = 'node' | 'fetch'

let door: Door = 'node'

/** A setup file chooses the door for all tests of a test file. */
export function useDoor(chosen: Door): void {
  door = chosen
}

/** Whether tests of what only the server of Node has can run: sockets, its metrics, its page, its recordings. */
export const hasServer = (): boolean => door === 'node'

export const startAt = (config: Config, options: StartOptions): Promise<RunningServer> =>
  door === 'node' ? start(config, options) : startFetchServer(config, options)

async function startFetchServer(
  config: Config,
  { env, log, clock, fixtures, machines, requests }: StartOptions,
): Promise<RunningServer> {
  const options = {
    ...(env === undefined ? {} : { env }),
    ...(log === undefined ? {} : { log }),
    ...(clock === undefined ? {} : { clock }),
    machines,
    requests,
  }
  const gateway = openFetchGateway(config, options, createRecordings(fixtures))
  const open = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const waiting: Promise<unknown>[] = []
    const answered = answer(gateway.fetch, request, response, (work) => void waiting.push(work))
      .then(() => Promise.all(waiting))
      .then(() => undefined)
    open.add(answered)
    void answered.finally(() => open.delete(answered))
  })
  keepConnections(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await Promise.all(open)
    await gateway.close()
  }
  const missing = (): never => {
    throw new Error('only the server of Node has this: use hasServer()')
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get vendors() {
      return gateway.vendors
    },
    developmentKey: null,
    page: null,
    reload: gateway.reload,
    close,
    drain: missing,
  }
}

/** Reads nothing before it is pulled, so that Node discards the body of a request that is refused without reading it. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= incoming[Symbol.asyncIterator]()
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void incoming.resume(),
    },
    { highWaterMark: 0 },
  )
}

type Handler = (request: Request, platform: { waitUntil(work: Promise<unknown>): void }) => Promise<Response>

/** Converts as the adapters of frameworks do: the body of the answer is pulled as its client reads. */
async function answer(
  handle: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<void> {
  const left = new AbortController()
  outgoing.on('close', () => outgoing.writableFinished || left.abort())
  outgoing.on('error', () => left.abort())
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD'
  const init = {
    method: incoming.method ?? 'GET',
    headers,
    body: hasBody ? bodyOf(incoming) : null,
    duplex: 'half',
    signal: left.signal,
  }
  const base = `http://${incoming.headers.host ?? 'localhost'}`
  if (!URL.canParse(incoming.url ?? '/', base)) return void outgoing.writeHead(400).end()
  const request = new Request(new URL(incoming.url ?? '/', base), init)
  const response = await handle(request, { waitUntil })
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  const reader = response.body?.getReader()
  const gone = new Promise<void>((resolve) => left.signal.addEventListener('abort', () => resolve()))
  try {
    while (reader !== undefined && !left.signal.aborted) {
      const { done, value } = await reader.read()
      if (done) break
      if (!outgoing.write(value)) await Promise.race([new Promise((resolve) => outgoing.once('drain', resolve)), gone])
    }
    if (left.signal.aborted) await reader?.cancel()
    else outgoing.end()
  } catch {
    outgoing.destroy()
  }
}
