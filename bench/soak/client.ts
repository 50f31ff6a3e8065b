/**
 * The client of the soak. It keeps the given number of streams open, starts a new one when one ends, and checks each
 * answer.
 */
import { Agent } from 'undici'
import { chunksOf, textOf } from './text.ts'

export interface Tally {
  readonly finished: number
  /** The defects of the first bad answers. */
  readonly bad: readonly string[]
  /**
   * Milliseconds from a request to the first byte of its answer: `start` for the requests that began together, `steady`
   * for all others.
   */
  readonly start: Waits
  readonly steady: Waits
}

interface Waits {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

const [, , url = '', key = '', streams = '0'] = process.argv
const STREAMS = Number(streams)
const MOST_REPORTED = 20

const agent = new Agent({ connections: null, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 })
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

let finished = 0
let begun = 0
let stopped = false
const bad: string[] = []
const atStart: number[] = []
const later: number[] = []

/** Returns null for a correct stream. */
function faultOf(number: number, stream: string): string | null {
  if (!stream.endsWith('data: [DONE]\n\n')) return 'no end'
  let text = ''
  let deltas = 0
  let completed = 0
  for (const line of stream.split('\n\n')) {
    if (!line.startsWith('data: {')) continue
    const event = JSON.parse(line.slice(6)) as { readonly type: string; readonly delta?: string }
    if (event.type === 'response.completed') completed += 1
    if (event.type !== 'response.content_part.delta') continue
    text += event.delta
    deltas += 1
  }
  if (completed !== 1) return `completed ${completed} times`
  return text === textOf(number) ? null : `another text, in ${deltas} deltas of ${chunksOf(number)}`
}

function sendRequest(number: number, waits: number[]): Promise<string> {
  const { origin } = new URL(url)
  const body = JSON.stringify({ model: `soak/${number}`, input: 'Hello', stream: true })
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    agent.dispatch(
      { origin, path: '/api/v1/responses', method: 'POST', headers, body },
      {
        onRequestStart: () => {},
        onResponseStart(_, status) {
          if (status !== 200) reject(new Error(`status ${status}`))
        },
        onResponseData(_, bytes) {
          if (pieces.length === 0) waits.push(performance.now() - began)
          pieces.push(bytes as Buffer)
        },
        onResponseEnd: () => resolve(Buffer.concat(pieces).toString()),
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}

async function run(): Promise<void> {
  for (let waits = atStart; !stopped; waits = later) {
    const number = begun
    begun += 1
    const fault = await sendRequest(number, waits).then(
      (stream) => faultOf(number, stream),
      (error: Error) => error.message,
    )
    if (stopped) return
    finished += 1
    if (fault !== null && bad.length < MOST_REPORTED) bad.push(`${number}: ${fault}`)
  }
}

function waitsOf(values: readonly number[]): Waits {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) }
}

const tally = (): Tally => ({ finished, bad, start: waitsOf(atStart), steady: waitsOf(later) })

process.on('message', (question) => {
  if (question === 'start') for (let n = 0; n < STREAMS; n += 1) void run()
  else process.send?.(tally())
  if (question === 'stop') stopped = true
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
