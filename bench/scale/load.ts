/**
 * The load of the workers measurement: connections that send one request after another for a time. It counts whole
 * answers by their ends alone, because it takes processor time from the measured workers.
 */
import { connect } from 'node:net'

export interface LoadOrder {
  readonly url: string
  readonly model: string
  readonly connections: number
  readonly milliseconds: number
}

export interface LoadReport {
  readonly answers: number
  readonly milliseconds: number
  /** Connections that were closed or had no bytes for ten seconds, and answers that failed. */
  readonly bad: number
  /** The first of them: the status line of an answer, or what the connection did. */
  readonly fault: string | null
}

const [, , key = ''] = process.argv
const SILENCE_MS = 10_000
const OK = 'HTTP/1.1 200'
const END = Buffer.from('data: [DONE]\n\n\r\n0\r\n\r\n')

const requestOf = ({ url, model }: LoadOrder): Buffer => {
  const { host } = new URL(url)
  const body = JSON.stringify({ model: `scale/${model}`, input: 'Hello', stream: true })
  return Buffer.from(
    `POST /openai/v1/responses HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
}

function run(order: LoadOrder): Promise<LoadReport> {
  const { hostname, port } = new URL(order.url)
  const request = requestOf(order)
  const startedAt = performance.now()
  const elapsed = (): number => performance.now() - startedAt
  const count = { answers: 0, bad: 0, open: order.connections }
  let fault: string | null = null
  return new Promise((resolve) => {
    const open = (): void => {
      const socket = connect(Number(port), hostname)
      let tail = Buffer.alloc(0)
      let isBegun = false
      let isClosed = false
      const end = (reason: string | null): void => {
        if (isClosed) return
        isClosed = true
        socket.destroy()
        if (reason !== null) {
          count.bad += 1
          fault ??= reason
        }
        count.open -= 1
        if (count.open === 0) resolve({ answers: count.answers, milliseconds: elapsed(), bad: count.bad, fault })
      }
      socket.setNoDelay(true)
      socket.setTimeout(SILENCE_MS, () =>
        end(`no bytes for ${SILENCE_MS / 1000} s, behind ${JSON.stringify(tail.toString('latin1'))}`),
      )
      socket.on('data', (bytes: Buffer) => {
        if (!isBegun && bytes.toString('latin1', 0, OK.length) !== OK)
          return end(bytes.toString('latin1', 0, 80).split('\r\n')[0] ?? '')
        isBegun = true
        tail = Buffer.concat([tail, bytes]).subarray(-END.length)
        if (!tail.equals(END)) return
        tail = Buffer.alloc(0)
        isBegun = false
        count.answers += 1
        if (elapsed() >= order.milliseconds) end(null)
        else socket.write(request)
      })
      socket.on('error', ({ message }) => end(message))
      socket.on('close', () => end('closed'))
      socket.write(request)
    }
    for (let n = 0; n < order.connections; n += 1) open()
  })
}

process.on('message', async (order: LoadOrder) => void process.send?.(await run(order)))
process.on('disconnect', () => process.exit())
process.send?.('ready')
