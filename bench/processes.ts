/** The processes of `host.ts`: an upstream, a relay that translates nothing, and the millrace server. */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Agent } from 'undici'
import { checkConfigValue } from '../src/gateway/config/parse-config.ts'
import { start } from '../src/host/start.ts'
import { keepHeapSmall } from '../src/host/v8-flags.ts'

export type Role = 'upstream' | 'relay' | 'server'

export interface Report {
  /** Processor time in ms. */
  readonly cpu: number
  /** Bytes of heap and external memory. */
  readonly memory: number
  /** Bytes of all memory. */
  readonly resident: number
  /** The number of open file descriptors. */
  readonly descriptors: number
  /** Upstreams only: when the last endless stream was closed, in microseconds of the clock of all processes. */
  readonly lastClosed: number
}

export interface Endpoint {
  readonly url: string
  readonly report: (collect?: boolean) => Promise<Report>
}

/** A figure with its name, and the base of its ratio or its unit. */
export interface Figure {
  readonly name: string
  readonly ratio: number
  readonly to: 'relay' | 'SSE' | 'KiB' | 'ms' | 'open'
}

/** Microseconds of a clock that all processes of a machine have in common. */
export const microseconds = (): number => Number(process.hrtime.bigint() / 1000n)

const KEY = 'bench'

export const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

// ---------------------------------------------------------------- the parent process

const children: ChildProcess[] = []

export async function startRole(role: Role, upstream = ''): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(fileURLToPath(import.meta.url), [role, upstream], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  children.push(child)
  return { child, url: (await nextMessage(child)) as string }
}

const nextMessage = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('message', resolve))

/** `collect`: collects garbage first, so that the figure covers only memory in use. */
export async function requestReport(child: ChildProcess, collect: boolean): Promise<Report> {
  const answer = nextMessage(child)
  child.send({ collect })
  return (await answer) as Report
}

export function stopAll(): void {
  for (const child of children) if (child.connected) child.disconnect()
}

// ---------------------------------------------------------------- the upstream

/**
 * `burst`: an answer of a few pages, in which the request is most of the cost. `torrent`: an answer so long that only
 * chunks matter.
 */
export const BURSTS = { burst: 2_000, torrent: 20_000 } as const

const PACE_MS = 100
const FINITE_CHUNKS = 150
const SHORT_MS = 2

const chunk = (content: string | null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_764_000_000,
    model: 'bench-1',
    choices: [
      { index: 0, delta: content === null ? {} : { content }, finish_reason: content === null ? 'stop' : null },
    ],
  })}\n\n`

const END = `${chunk(null)}data: [DONE]\n\n`
const WORDS = 'The mill grinds what the river brings, and no drop is lost on its way.'.split(/(?= )/).map(chunk)
const wordAt = (n: number): string => WORDS[n % WORDS.length] as string

/**
 * Every event is an HTTP chunk of its own; events that are written together are sent together. The code corks the
 * socket instead of the response: from Node 22 on, a corked response merges its writes into one chunk, and may never
 * emit `drain`.
 */
function burst(response: ServerResponse, chunks: number): void {
  const { socket } = response
  let left = chunks
  const write = (): void => {
    socket?.cork()
    let room = true
    for (; left > 0 && room; left -= 1) room = response.write(wordAt(left))
    if (left === 0) response.end(END)
    socket?.uncork()
    if (left > 0) response.once('drain', write)
  }
  write()
}

let lastClosed = 0

/** `chunks`: after so many, the stream ends. */
function pace(response: ServerResponse, chunks = Number.POSITIVE_INFINITY): void {
  let left = chunks
  const timer = setInterval(() => {
    left -= 1
    if (left === 0) response.end(END)
    else response.write(chunk(`@${microseconds()}`))
  }, PACE_MS)
  response.on('close', () => {
    clearInterval(timer)
    lastClosed = microseconds()
  })
}

/** The first chunk is sent alone, as a model sends it. */
function beginAndEnd(response: ServerResponse): void {
  response.write(wordAt(0))
  setTimeout(() => void response.end(END), SHORT_MS)
}

function openUpstream(): void {
  const server = createServer((incoming, response) => {
    let body = ''
    incoming.on('data', (bytes: Buffer) => {
      body += bytes.toString('latin1')
    })
    incoming.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (body.includes('burst"')) burst(response, BURSTS.burst)
      else if (body.includes('torrent"')) burst(response, BURSTS.torrent)
      else if (body.includes('paced"')) pace(response)
      else if (body.includes('finite"')) pace(response, FINITE_CHUNKS)
      else beginAndEnd(response)
    })
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => sendUrl((server.address() as AddressInfo).port))
}

// ---------------------------------------------------------------- the relay

/**
 * node:http and undici's dispatcher. The relay writes every chunk when it arrives, and a slow client pauses the
 * upstream.
 */
function openRelay(upstream: string): void {
  const origin = new URL(upstream).origin
  const own = new Agent({ pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = []
    incoming.on('data', (bytes: Buffer) => void pieces.push(bytes))
    incoming.on('end', () => {
      const headers = { 'content-type': 'application/json', authorization: incoming.headers.authorization ?? '' }
      own.dispatch(
        { origin, path: incoming.url ?? '', method: 'POST', headers, body: Buffer.concat(pieces) },
        {
          onRequestStart(controller) {
            response.on('close', () => {
              if (!response.writableFinished) controller.abort(new Error('gone'))
            })
            response.on('drain', () => controller.resume())
          },
          onResponseStart(_, status, heads) {
            response.writeHead(status, { 'content-type': String(heads['content-type']) })
          },
          onResponseData(controller, bytes) {
            if (!response.write(bytes)) controller.pause()
          },
          onResponseEnd() {
            response.end()
          },
          onResponseError() {
            response.destroy()
          },
        },
      )
    })
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => sendUrl((server.address() as AddressInfo).port))
}

// ---------------------------------------------------------------- the millrace server

async function openServer(upstream: string): Promise<void> {
  const keys = [{ name: 'bench', sha256: createHash('sha256').update(KEY).digest('hex') }]
  const vendors = { bench: { wire: 'openai-chat', base_url: `${upstream}/v1` } }
  const loaded = checkConfigValue({ listen: { port: 0 }, keys, vendors })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  // The command line does the same.
  keepHeapSmall()
  process.send?.((await start(loaded.config)).url)
}

const sendUrl = (port: number): void => void process.send?.(`http://127.0.0.1:${port}`)

const ROLES: Readonly<Record<Role, (upstream: string) => unknown>> = {
  upstream: openUpstream,
  relay: openRelay,
  server: openServer,
}

if (process.send !== undefined && process.argv[2] !== undefined && process.argv[2] in ROLES) {
  process.on('message', ({ collect }: { collect: boolean }) => {
    // The memory of a buffer is released one collection after the collection that finds it unused.
    if (collect) for (let n = 0; n < 3; n += 1) (globalThis as unknown as { gc: () => void }).gc()
    const { user, system } = process.cpuUsage()
    const { heapUsed, external, rss: resident } = process.memoryUsage()
    const descriptors = readdirSync('/proc/self/fd').length
    const cpu = (user + system) / 1000
    process.send?.({ cpu, memory: heapUsed + external, resident, descriptors, lastClosed } satisfies Report)
  })
  process.on('disconnect', () => process.exit())
  await ROLES[process.argv[2] as Role](process.argv[3] ?? '')
}
