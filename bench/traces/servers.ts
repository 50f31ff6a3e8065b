/** A process of the benchmark of traces: `node servers.js others`, or `node servers.js gateway <upstream> <destinations>`. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkConfigValue } from '../../src/gateway/config/parse-config.ts'
import { start } from '../../src/host/start.ts'
import { gatewayKey } from '../gateway-key.ts'
import { KEY, type Report } from './protocol.ts'

const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'bench-1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/**
 * One server plays all upstreams: the vendor under `/v1`, destinations that accept everything, and one that never
 * answers.
 */
function others(): void {
  const answer = `${chunk({ content: 'word '.repeat(20) }, null).repeat(10)}${chunk({}, 'stop')}data: [DONE]\n\n`
  const server = createServer((incoming, response) => {
    incoming.resume()
    if (incoming.url?.startsWith('/silent') === true) return
    if (incoming.url?.startsWith('/v1/chat') !== true) return void response.writeHead(200).end('{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer)
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
}

const webhook = (url: string) => ({ id: randomUUID(), type: 'webhook', config: { url } })

const five = (url: string): readonly object[] => [
  webhook('http://127.0.0.1:9/dead'),
  webhook(`${url}/silent`),
  { id: randomUUID(), type: 'otel-collector', config: { endpoint: url } },
  { id: randomUUID(), type: 'datadog', config: { apiKey: 'k', mlApp: 'm', url } },
  {
    id: randomUUID(),
    type: 'clickhouse',
    config: { host: url, database: 'd', username: 'u', password: 'p' },
  },
]

async function gateway(url: string, count: string): Promise<void> {
  const keys = [gatewayKey('bench', KEY)]
  const vendors = { bench: { wire: 'openai-chat', base_url: `${url}/v1` } }
  const destinations = count === '5' ? five(url) : []
  const loaded = checkConfigValue({ listen: { port: 0 }, keys, vendors, destinations })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const { url: own } = await start(loaded.config)
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    const report: Report = { rss: process.memoryUsage().rss, cpu: (user + system) / 1000 }
    process.send?.(report)
  })
  process.send?.(own)
}

const [, , role, upstream = '', count = '0'] = process.argv
process.on('disconnect', () => process.exit())
if (role === 'others') others()
else await gateway(upstream, count)
