/**
 * The client of the restart simulation. It keeps the given number of streams open, starts a new one when one ends, and
 * checks each to its last byte. It repeats no request.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { chunksIn, now } from './answer.ts'

export interface Report {
  readonly open: number
  readonly begun: number
  readonly completed: number
  /** Answers that had begun and had not the whole text, or no end. */
  readonly endedEarly: number
  /** Requests without an answer. */
  readonly refused: number
  /** The defects of the first bad streams. */
  readonly bad: readonly string[]
  /** Milliseconds from the upstream's write of a chunk to its arrival at the client, since the report before. */
  readonly delays: Spread
  /** Milliseconds from a request to the first byte of its answer, since the report before. */
  readonly firstBytes: Spread
}

export interface Spread {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

const [, , url = '', key = '', streams = '0', fewest = '0'] = process.argv
const STREAMS = Number(streams)
/** Answers have from FEWEST to twice as many chunks. */
const FEWEST = Number(fewest)
/** Streams begin one after another, as the requests of many users do. */
const INTERVAL_MS = 10
const MOST_SHOWN = 20
/** The pause of a user after a failure. */
const PAUSE_MS = 1000
const DONE = 'data: [DONE]\n\n'

const agent = new Agent({ connections: null, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 })
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

const counts = { open: 0, begun: 0, completed: 0, endedEarly: 0, refused: 0 }
const bad: string[] = []
let delays: number[] = []
let firstBytes: number[] = []
let isStopped = false

/** Reads one answer as it arrives. */
class AnswerReader {
  private rest = ''
  private last = ''
  private chunks = 0
  private completed = 0
  private fault = ''

  read(text: string): void {
    const arrived = now()
    const events = (this.rest + text).split('\n\n')
    this.rest = events.pop() as string
    for (const event of events) this.readEvent(event, arrived)
    this.last = (this.last + text).slice(-DONE.length)
  }

  private readEvent(event: string, arrived: number): void {
    if (event.includes('"type":"response.completed"')) this.completed += 1
    if (event.includes('"type":"response.failed"')) this.fault = event.slice(0, 300)
    if (!event.includes('"type":"response.output_text.delta"')) return
    for (const [, at, written] of chunksIn(event)) {
      if (Number(at) !== this.chunks) this.fault ||= `chunk ${at} after ${this.chunks} chunks`
      this.chunks += 1
      delays.push((arrived - Number(written)) / 1000)
    }
  }

  /** Returns null for a correct answer. */
  faultOf(count: number): string | null {
    if (this.fault !== '') return this.fault
    if (this.chunks !== count) return `${this.chunks} of ${count} chunks`
    if (this.completed !== 1) return `completed ${this.completed} times`
    return this.last === DONE ? null : 'no end'
  }
}

function sendRequest(count: number): Promise<string | null> {
  const { origin } = new URL(url)
  const body = JSON.stringify({ model: `restart/${count}`, input: 'Hello', stream: true })
  const began = performance.now()
  const reader = new AnswerReader()
  return new Promise((resolve) => {
    let status = 0
    const end = (fault: string | null): void => {
      if (fault === null) counts.completed += 1
      else if (status === 200) counts.endedEarly += 1
      else counts.refused += 1
      resolve(fault)
    }
    agent.dispatch(
      { origin, path: '/openai/v1/responses', method: 'POST', headers, body },
      {
        onRequestStart: () => {},
        onResponseStart(_, given) {
          status = given
          firstBytes.push(performance.now() - began)
        },
        onResponseData: (_, bytes) => reader.read((bytes as Buffer).toString('latin1')),
        onResponseEnd: () => end(status === 200 ? reader.faultOf(count) : `status ${status}`),
        onResponseError: (_, error) => end(error.message),
      },
    )
  })
}

async function run(): Promise<void> {
  while (!isStopped) {
    counts.begun += 1
    counts.open += 1
    const fault = await sendRequest(FEWEST + ((counts.begun * 7919) % (FEWEST + 1)))
    counts.open -= 1
    if (fault === null) continue
    if (bad.length < MOST_SHOWN) bad.push(fault)
    await sleep(PAUSE_MS)
  }
  if (counts.open === 0) process.send?.(report())
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) }
}

function report(): Report {
  const spreads = { delays: spreadOf(delays), firstBytes: spreadOf(firstBytes) }
  delays = []
  firstBytes = []
  return { ...counts, bad, ...spreads }
}

process.on('message', (question) => {
  if (question === 'start') for (let n = 0; n < STREAMS; n += 1) setTimeout(() => void run(), n * INTERVAL_MS)
  // The report follows the end of the last stream.
  else if (question === 'stop') isStopped = true
  else process.send?.(report())
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
