import type { Server } from 'node:http'
import { duplexPair } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AnswerMemory } from '../../src/gateway/answer/answer-memory.ts'
import { memoryStore } from '../../src/gateway/auth/rate-limit.ts'
import { createSigner } from '../../src/gateway/auth/workspaces.ts'
import { createBodyBudget } from '../../src/gateway/body/body-budget.ts'
import { checkConfigValue } from '../../src/gateway/config/parse-config.ts'
import type { Env } from '../../src/gateway/config/secrets.ts'
import { createCountMemory } from '../../src/gateway/counts/count-memory.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { toReloadableConfig } from '../../src/gateway/reloadable-config.ts'
import { createSearch } from '../../src/gateway/search/engines.ts'
import type { LogLine } from '../../src/gateway/telemetry/log.ts'
import type { Observability } from '../../src/gateway/telemetry/observability.ts'
import { toTrace } from '../../src/gateway/telemetry/trace-builder.ts'
import { createClientRepeats } from '../../src/gateway/upstream/client-repeats.ts'
import { guardReader } from '../../src/gateway/upstream/reader-guard.ts'
import { createRestrictionMemory } from '../../src/gateway/upstream/restriction-memory.ts'
import type { Transport, UpstreamRequest } from '../../src/gateway/upstream/transport.ts'
import { createUpstreamGuard } from '../../src/gateway/upstream/upstream-guard.ts'
import { createMemberTurns } from '../../src/gateway/vendors/pool-order.ts'
import { createVendorRegistry } from '../../src/gateway/vendors/vendor-registry.ts'
import { createRecordings } from '../../src/host/config/recordings-account.ts'
import { NODE_HASHES } from '../../src/host/node-hashes.ts'
import { createRandom } from '../../src/host/random.ts'
import { createDrain } from '../../src/host/server/drain.ts'
import type { HttpContext } from '../../src/host/server/http-context.ts'
import { answerMalformed } from '../../src/host/server/http-errors.ts'
import { createHttpServer } from '../../src/host/server/http-server.ts'
import { createListener } from '../../src/host/server/listener.ts'
import { SocketRegistry } from '../../src/host/server/websocket/socket-registry.ts'
import { createMetrics, nothingHeld } from '../../src/host/telemetry/metrics.ts'
import type { Destination } from '../../src/observability/destination.ts'
import { toHttpRequests } from '../../src/observability/export.ts'
import { viewTrace } from '../../src/observability/select.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import { err, ok } from '../../src/protocol/result.ts'

/** The answer of an upstream, without a connection. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: readonly Uint8Array[]
  /** If true, the connection breaks after the last chunk. */
  readonly breaks?: boolean
}

/** A delivery to a destination of traces: the head as text, and the body. */
export interface Delivery {
  readonly destination: Destination
  readonly head: string
  readonly body: Uint8Array
}

/** A server without sockets: requests are parsed, and answers written, as HTTP. */
export interface InProcess {
  readonly gateway: Gateway
  /** Returns the log lines since the previous call. */
  takeLines(): LogLine[]
  takeDeliveries(): Delivery[]
  /** Sends a request, and returns all bytes of the answer. */
  send(request: string): Promise<Buffer>
  close(): void
}

interface Options {
  readonly env?: Env
  readonly answer: (call: UpstreamRequest) => Answer
  /** Chooses the destination that receives the trace of a request. */
  readonly destinationOf?: (all: readonly Destination[]) => Destination | undefined
}

/** `config` has the format of a configuration file. */
export function createInProcessGateway(
  config: object,
  { env = {}, answer, destinationOf = () => undefined }: Options,
): InProcess {
  const loaded = checkConfigValue(config)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const settings = toReloadableConfig(loaded.config, env, 'development-key-of-nobody', NODE_HASHES)
  const open: HttpContext[] = []
  const sockets = new SocketRegistry(loaded.config.websocket.kept_memory_bytes)
  let lines: LogLine[] = []
  let deliveries: Delivery[] = []
  const log = (line: LogLine): void => void lines.push(line)
  const source = sourceOf(answer)
  const random = createRandom()
  const guard = createUpstreamGuard(loaded.config.retry, () => 0)
  const metrics = createMetrics({
    breakers: guard.openBreakers,
    held: nothingHeld,
    queues: () => [],
  })
  const sign = createSigner('secret-of-the-envelopes', NODE_HASHES)
  const observability: Observability = {
    begin: () => ({
      scope: { workspaceId: '', keyHash: '' },
      wantsContent: true,
      startedAt: 0,
      request: null,
      answer: null,
    }),
    finish(kept, exchange) {
      const destination = destinationOf(settings.destinations)
      if (destination === undefined) return
      const trace = viewTrace(destination, toTrace(kept, exchange, random(), 1e6))
      if (trace === null) return
      for (const { url, headers, body } of toHttpRequests(destination, [trace])) {
        deliveries.push({ destination, head: `${url}\n${JSON.stringify(headers)}`, body: Buffer.from(body) })
      }
    },
    destinations: async () => settings.destinations,
    workspaceOf: (key) => settings.workspaces.idOf(key.workspace),
    refresh: async () => undefined,
    waiting: () => [],
    flush: async () => undefined,
    close: async () => undefined,
  }
  const gateway: Gateway = {
    config: loaded.config,
    keys: settings.keys,
    accounts: createVendorRegistry(loaded.config, env, source, {
      hashes: NODE_HASHES,
      recordings: createRecordings(),
    }),
    rates: memoryStore(() => 0),
    bodies: createBodyBudget(loaded.config.limits.request_bodies_memory_bytes),
    answers: new AnswerMemory(loaded.config.limits.answers_memory_bytes),
    observability,
    metrics,
    guard,
    repeats: createClientRepeats(NODE_HASHES, () => 0),
    counts: createCountMemory(() => 0),
    turns: createMemberTurns(),
    restrictions: createRestrictionMemory(() => 0),
    hooks: null,
    resumable: null,
    search: createSearch(loaded.config.search, env, source),
    history: null,
    hashes: NODE_HASHES,
    guardReader,
    clock: () => 0,
    startedAt: () => 0,
    random,
    jitter: () => 0,
    signFor: (key) => sign(settings.workspaces.idOf(key.workspace)),
    isDraining: () => false,
  }
  const { server, connections } = createHttpServer(loaded.config.connections, {
    onRefused: () => undefined,
    acceptsUpgrade: () => false,
  })
  const { onRequest, onExpectation } = createListener(
    gateway,
    { paths: [], sockets, metrics },
    open,
    createDrain(server, connections, open, sockets),
    log,
  )
  server.on('request', onRequest)
  server.on('checkExpectation', onExpectation)
  answerMalformed(server, open, random, log)
  return {
    gateway,
    takeLines: () => {
      const taken = lines
      lines = []
      return taken
    },
    takeDeliveries: () => {
      const taken = deliveries
      deliveries = []
      return taken
    },
    async send(request) {
      const answer = await sendTo(server, request)
      // The log line and the trace are written when the connection ends.
      while (open.length > 0) await nextTurn()
      return answer
    },
    close: () => void server.close(),
  }
}

/** Uses one connection for each request, whose header `connection: close` ends it. */
function sendTo(server: Server, request: string): Promise<Buffer> {
  const [client, socket] = duplexPair()
  // These members exist only on sockets, not on other duplex streams.
  Object.assign(socket, {
    setTimeout: () => socket,
    setNoDelay: () => socket,
    setKeepAlive: () => socket,
    destroySoon: () => socket.end(() => socket.destroy()),
    remoteAddress: '127.0.0.1',
  })
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    client.on('data', (chunk: Buffer) => chunks.push(chunk))
    client.on('error', reject)
    const finish = (): void => {
      client.destroy()
      resolve(Buffer.concat(chunks))
    }
    client.on('end', finish)
    socket.on('close', finish)
    server.emit('connection', socket)
    client.write(request)
  })
}

const LOST = upstreamError('upstream_disconnected', 'The connection to the upstream broke.')

const sourceOf =
  (answer: (call: UpstreamRequest) => Answer): Transport =>
  async (call, signal) => {
    if (signal.reason !== null) return err(signal.reason)
    const { status, headers, chunks, breaks = false } = answer(call)
    let isOver = false
    return ok({
      status,
      headers,
      read(reader) {
        let current = reader
        for (const chunk of chunks) {
          if (isOver) return
          current.bytes(chunk)
          current = current.instead ?? current
        }
        if (isOver) return
        isOver = true
        if (breaks) current.fail(LOST)
        else current.end()
      },
      pause: () => undefined,
      resume: () => undefined,
      abort: () => {
        isOver = true
      },
    })
  }

/** Writes a request as it is sent over a connection. The path must be valid in a request line. */
export function toHttp(method: string, path: string, headers: Readonly<Record<string, string>>, body?: string): string {
  const length: Record<string, string> = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
  const all = { host: 'localhost', connection: 'close', ...headers, ...length }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}
