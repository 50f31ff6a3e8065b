/**
 * The client of the scale measurement: opens the given number of streams, one after another, and checks each to its last
 * byte. It reads sockets without an HTTP parser, because on two cores it takes processor time from the measured server.
 */
import { connect } from 'node:net'
import { DELAY_STEP_MS, now, readChunks, readLast } from './answer.ts'

export interface ClientReport {
  /** Streams whose first chunk has arrived, and that have not ended. */
  readonly open: number
  readonly ended: number
  readonly complete: number
  /** The number of bad streams by their defect. */
  readonly bad: Readonly<Record<string, number>>
  /** The number of chunks by their delay, since the report before: see `DELAY_STEP_MS`. */
  readonly delays: Readonly<Record<number, number>>
}

export interface ClientOrder {
  readonly streams: number
  /** A stream begins when fewer than this number wait for their first chunk. */
  readonly waiting: number
  readonly model: string
}

const [, , url = '', key = ''] = process.argv
const { hostname: host, port } = new URL(url)
const MOST_SHOWN = 10
/** RFC 9112, 7.1. */
const LAST_CHUNK = '\r\n0\r\n\r\n'

const state = { open: 0, ended: 0, complete: 0 }
const bad: Record<string, number> = {}
let delays: Record<number, number> = {}

const requestOf = (model: string): string => {
  const body = JSON.stringify({ model: `scale/${model}`, input: 'Hello', stream: true })
  return (
    `POST /openai/v1/responses HTTP/1.1\r\nhost: ${host}:${port}\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  )
}

/** Reads one answer as it arrives. */
class StreamReader {
  private rest = ''
  chunks = 0
  private announced: number | null = null
  private completed = 0
  private hasEnd = false
  private fault = ''

  /** Returns whether the answer is over. */
  read(text: string): boolean {
    const arrived = now()
    const events = (this.rest + text).split('\n\n')
    this.rest = events.pop() as string
    for (const event of events) this.readEvent(event, arrived)
    return this.isOver()
  }

  isOver(): boolean {
    return this.hasEnd && this.rest.endsWith(LAST_CHUNK)
  }

  /** Returns null for a correct answer. */
  defect(): string | null {
    if (this.fault !== '') return this.fault
    if (this.chunks === 0) return `no chunk ${this.rest.slice(0, 300)}`
    if (this.chunks !== this.announced) return this.announced === null ? 'no last chunk' : 'a chunk is missing'
    if (this.completed !== 1) return `completed ${this.completed} times`
    return this.isOver() ? null : 'no end'
  }

  private readEvent(event: string, arrived: number): void {
    if (event.includes('"type":"response.output_text.delta"')) this.readDelta(event, arrived)
    else if (event.includes('"type":"response.completed"')) this.completed += 1
    else if (event.includes('"type":"response.failed"')) this.fault ||= event.slice(0, 300)
    else if (event.endsWith('data: [DONE]')) this.hasEnd = true
  }

  private readDelta(event: string, arrived: number): void {
    this.announced ??= readLast(event)
    readChunks(event, (at, written) => {
      if (at !== this.chunks) this.fault ||= `chunk ${at} after ${this.chunks} chunks`
      this.chunks += 1
      const step = Math.round((arrived - written) / 1000 / DELAY_STEP_MS)
      delays[step] = (delays[step] ?? 0) + 1
    })
  }
}

/** The bytes of one read: the callback has used them before the next read of any socket. */
const buffer = Buffer.allocUnsafeSlow(256 * 1024)

/** `onFlowing`: called once, when the first chunk has arrived or never will. */
function openStream(model: string, onFlowing: () => void): void {
  const reader = new StreamReader()
  let error = ''
  let isFlowing = false
  const flow = (): void => {
    if (isFlowing) return
    isFlowing = true
    state.open += 1
    onFlowing()
  }
  const socket = connect({
    host,
    port: Number(port),
    noDelay: true,
    onread: {
      buffer,
      callback(size) {
        const isOver = reader.read(buffer.toString('latin1', 0, size))
        if (reader.chunks > 0) flow()
        if (isOver) socket.end()
        return true
      },
    },
  })
  socket.write(requestOf(model), 'latin1')
  socket.on('error', (reason) => {
    error = reason.message
  })
  socket.on('close', () => {
    flow()
    state.open -= 1
    state.ended += 1
    const defect = reader.defect()
    if (defect === null) state.complete += 1
    else note(error === '' ? defect : `${defect}: ${error}`)
  })
}

function note(fault: string): void {
  if (fault in bad || Object.keys(bad).length < MOST_SHOWN) bad[fault] = (bad[fault] ?? 0) + 1
}

function openAll({ streams, waiting, model }: ClientOrder): void {
  let left = streams
  const openNext = (): void => {
    if (left === 0) return
    left -= 1
    openStream(model, openNext)
  }
  for (let n = 0; n < waiting; n += 1) openNext()
}

process.on('message', (message: ClientOrder | 'report') => {
  if (message !== 'report') return openAll(message)
  process.send?.({ ...state, bad, delays } satisfies ClientReport)
  delays = {}
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
