/**
 * The upstream of the scale measurement. Thousands of answers are written from one timer and without `node:http`, because
 * on two cores the upstream takes processor time from the measured server.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type AnswerPlan, chunkText, lastText, now, planOf } from './answer.ts'

const TICK_MS = 5

const frame = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-scale',
    object: 'chat.completion.chunk',
    created: 1_764_000_000,
    model: 'scale',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`

const [BEFORE = '', AFTER = ''] = frame({ content: '|' }).split('|')

const asHttpChunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const END = `${asHttpChunk(`${frame({}, 'stop')}data: [DONE]\n\n`)}0\r\n\r\n`

const textOf = (text: string): string => asHttpChunk(`${BEFORE}${text}${AFTER}`)
const chunkOf = (at: number): string => textOf(chunkText(at, now()))
const endOf = (count: number): string => `${textOf(lastText(count))}${END}`

interface Answer extends AnswerPlan {
  readonly socket: Socket
  at: number
}

/** Slots of a timer wheel: the answers that are due in each tick. */
const WHEEL = 1024
const slots: Answer[][] = Array.from({ length: WHEEL }, () => [])
const startedAt = performance.now()
let tick = 0

/** Endless answers end after the order, one after another in this time. */
const ENDING_MS = 20_000
let endsFrom = Number.POSITIVE_INFINITY

const isLast = ({ chunks, at }: Answer): boolean =>
  chunks === 0 ? performance.now() > endsFrom + Math.random() * ENDING_MS : at === chunks

function schedule(answer: Answer): void {
  slots[(tick + Math.round(answer.everyMs / TICK_MS)) % WHEEL]?.push(answer)
}

function writeNext(answer: Answer): void {
  const { socket } = answer
  if (socket.destroyed) return
  if (isLast(answer)) {
    socket.write(endOf(answer.at), 'latin1')
    return
  }
  socket.write(chunkOf(answer.at), 'latin1')
  answer.at += 1
  schedule(answer)
}

setInterval(() => {
  while (startedAt + (tick + 1) * TICK_MS <= performance.now()) {
    tick += 1
    for (const answer of slots[tick % WHEEL]?.splice(0) ?? []) writeNext(answer)
  }
}, TICK_MS)

function begin(socket: Socket, { chunks, everyMs }: AnswerPlan): void {
  if (everyMs === 0) {
    const text = Array.from({ length: chunks }, (_, at) => chunkOf(at)).join('')
    socket.write(`${HEAD}${text}${endOf(chunks)}`, 'latin1')
    return
  }
  socket.write(HEAD, 'latin1')
  writeNext({ socket, chunks, everyMs, at: 0 })
}

process.on('message', () => {
  endsFrom = performance.now()
})

const server = createServer({ noDelay: true }, (socket) => {
  let received = ''
  socket.setEncoding('latin1')
  socket.on('error', () => undefined)
  socket.on('data', (text: string) => {
    received += text
    // The server sends the next request on a connection only after the answer to the one before.
    const plan = received.endsWith('}') ? planOf(received) : null
    if (plan === null) return
    received = ''
    begin(socket, plan)
  })
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('disconnect', () => process.exit())
