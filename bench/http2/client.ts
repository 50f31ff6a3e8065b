/**
 * The client of the comparison, in a process of its own, with one protocol: undici's dispatcher, as the server uses it.
 * Each message of the parent is a round; the answer is its measurement.
 */
import { Agent, buildConnector, type Dispatcher } from 'undici'

export interface Round {
  readonly streams: number
  readonly chunks: number
  /** The pause between two chunks of a stream; 0: as fast as possible. */
  readonly chunkMs: number
}

export interface Measurement {
  /** Processor time of this process for each chunk that the upstream wrote, in microseconds. */
  readonly cpuAChunk: number
  /** Milliseconds from a request to the head of its answer, and from the write of a chunk to its arrival. */
  readonly heads: readonly number[]
  readonly delays: readonly number[]
  readonly seconds: number
}

export type Protocol = 'HTTP/1.1' | 'HTTP/2'

const [, , origin = '', protocol = 'HTTP/1.1'] = process.argv
const isHttp2 = protocol === 'HTTP/2'
const STREAMS_A_CONNECTION = 1000

const agent = new Agent({
  allowH2: isHttp2,
  // undici sends a request that is not idempotent on a connection of its own, and by default one at a time.
  ...(isHttp2 ? { pipelining: STREAMS_A_CONNECTION, connections: 1 } : { pipelining: 1 }),
  connect: buildConnector({ allowH2: isHttp2, rejectUnauthorized: false }),
})
const body = Buffer.from(JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'Hello'.repeat(200) }] }))
const AT = Buffer.from('"at":')
const COMMA = 0x2c

const now = (): number => Number(process.hrtime.bigint() / 1000n)

class Receiver implements Dispatcher.DispatchHandler {
  private readonly begun = performance.now()
  private readonly measured: { readonly heads: number[]; readonly delays: number[] }
  private readonly done: (error: Error | null) => void

  constructor(measured: Receiver['measured'], done: Receiver['done']) {
    this.measured = measured
    this.done = done
  }

  onRequestStart(): void {}

  onResponseStart(): void {
    this.measured.heads.push(performance.now() - this.begun)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const at = chunk.indexOf(AT)
    const end = at < 0 ? -1 : chunk.indexOf(COMMA, at)
    // A read may end within the number.
    if (end < 0) return
    const written = Number(chunk.toString('latin1', at + AT.length, end))
    this.measured.delays.push((now() - written) / 1000)
  }

  onResponseEnd(): void {
    this.done(null)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.done(error)
  }
}

async function run({ streams, chunks, chunkMs }: Round): Promise<Measurement> {
  const measured = { heads: [] as number[], delays: [] as number[] }
  const path = `/${chunks}/${chunkMs}`
  const headers = { 'content-type': 'application/json', authorization: 'Bearer bench', accept: 'text/event-stream' }
  const begun = performance.now()
  const before = process.cpuUsage()
  await Promise.all(
    Array.from(
      { length: streams },
      () =>
        new Promise<void>((resolve, reject) => {
          const done = (error: Error | null): void => (error === null ? resolve() : reject(error))
          const options = { origin, path, method: 'POST', headers, body, idempotent: true } as const
          agent.dispatch(options, new Receiver(measured, done))
        }),
    ),
  )
  const { user, system } = process.cpuUsage(before)
  return {
    ...measured,
    cpuAChunk: (user + system) / (streams * chunks),
    seconds: (performance.now() - begun) / 1000,
  }
}

process.on('message', (round: Round) => {
  run(round).then(
    (measurement) => process.send?.(measurement),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
