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
  /** Connections that were closed, and answers that failed. */
  readonly bad: number
}

const [, , key = ''] = process.argv
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
  return new Promise((resolve) => {
    const open = (): void => {
      const socket = connect(Number(port), hostname)
      let tail = Buffer.alloc(0)
      const end = (isBad: boolean): void => {
        socket.destroy()
        count.bad += isBad ? 1 : 0
        count.open -= 1
        if (count.open === 0) resolve({ answers: count.answers, milliseconds: elapsed(), bad: count.bad })
      }
      let isOver = false
      socket.setNoDelay(true)
      socket.on('data', (bytes: Buffer) => {
        tail = Buffer.concat([tail, bytes]).subarray(-END.length)
        if (!tail.equals(END)) return
        tail = Buffer.alloc(0)
        count.answers += 1
        isOver = elapsed() >= order.milliseconds
        if (isOver) end(false)
        else socket.write(request)
      })
      socket.on('error', () => undefined)
      socket.on('close', () => isOver || end(true))
      socket.write(request)
    }
    for (let n = 0; n < order.connections; n += 1) open()
  })
}

process.on('message', async (order: LoadOrder) => void process.send?.(await run(order)))
process.on('disconnect', () => process.exit())
process.send?.('ready')
