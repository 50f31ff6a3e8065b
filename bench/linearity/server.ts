/**
 * Measures one case of the server: `server.js server-images openai gemini-generate`. The server is a process of its own;
 * this process is its client and its upstream, on loopback. Prints a `Series` as JSON.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { WireName } from '../../src/wires/contract.ts'
import { answerOf } from './answers.ts'
import type { ClientName } from './histories.ts'
import { answerText, requestText } from './inputs.ts'
import { measureSizes, type PartName, type Series, SIZES } from './series.ts'
import { KEY, type ServerReport } from './server-process.ts'

const [part, client, wire] = process.argv.slice(2) as [PartName, ClientName, WireName]
const sizes = SIZES[part]
const SHORT = { size: 100, calls: 1, citations: 1 }

/** The upstream response to the next request. */
let answer = JSON.stringify(answerOf(wire, SHORT))

const upstream = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(answer)
  })
})
upstream.listen(0, '127.0.0.1')
await once(upstream, 'listening')
const { port } = upstream.address() as AddressInfo

const child: ChildProcess = fork(
  fileURLToPath(new URL('./server-process.js', import.meta.url)),
  [`http://127.0.0.1:${port}`],
  {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  },
)
process.on('exit', () => child.kill())
child.once('exit', () => process.exit(1))

const nextMessage = async (): Promise<unknown> => (await once(child, 'message'))[0]

async function report(): Promise<ServerReport> {
  const answered = nextMessage()
  child.send('report')
  return (await answered) as ServerReport
}

const url = (await nextMessage()) as string

async function post(body: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const reply = await fetch(`${url}/openai/v1/responses`, { method: 'POST', headers, body })
  const text = await reply.text()
  if (!reply.ok || !text.includes('"completed"')) throw new Error(`${reply.status} ${text.slice(0, 500)}`)
}

const named = (text: string): string => text.replace('"model":"m"', `"model":"${wire}/m"`)
const short = JSON.stringify({ model: `${wire}/m`, input: 'Hello' })
const isAnswer = part === 'server-answers'
const inputs = new Map(
  sizes.map((size) => [size, isAnswer ? answerText(wire, size) : named(requestText(part, client, size))]),
)

async function cost(size: number): Promise<number> {
  const input = inputs.get(size) as string
  if (isAnswer) answer = input
  const { cpu } = await report()
  await post(isAnswer ? short : input)
  return (await report()).cpu - cpu
}

const idle = await report()
const ms = await measureSizes(sizes, cost)
const { peak } = await report()
const peakMiB = peak === null || idle.peak === null ? null : peak - idle.peak
process.stdout.write(JSON.stringify({ part, client, wire, sizes, ms, peakMiB } satisfies Series))
child.removeAllListeners('exit')
child.disconnect()
upstream.closeAllConnections()
upstream.close()
