/**
 * Measures how much the delivery of traces delays answers. Requests at a steady pace go in turns to a server without
 * destinations and to a server with five, one of which is dead and one of which never answers. Both servers meet the
 * same noise.
 *
 *     npm run bench:traces -- --requests 10000 --per-second 120
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Agent, request } from 'undici'
import { ask, forkProgram, nextMessage } from '../children.ts'
import { openReport } from '../figure.ts'
import { inTurns, quantile } from '../measure.ts'
import { KEY, type Report } from './protocol.ts'

const { values } = parseArgs({
  options: {
    /** To each server. */
    requests: { type: 'string', default: '3000' },
    'per-second': { type: 'string', default: '120' },
    json: { type: 'boolean' },
  },
})
const REQUESTS = Number(values.requests)
const PER_SECOND = Number(values['per-second'])
const WARM = 1_000
const DESTINATIONS = 'five destinations, one dead, one silent'

const SERVERS = fileURLToPath(new URL('servers.js', import.meta.url))

const agent = new Agent({ connections: null, headersTimeout: 0, bodyTimeout: 0 })

/** Returns the milliseconds of one request. */
async function once(url: string): Promise<number> {
  const startedAt = performance.now()
  const { statusCode, body } = await request(`${url}/api/v1/responses`, {
    dispatcher: agent,
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: '{"model":"bench/bench-1","input":"Hello, how are you today?","stream":true,"session_id":"s"}',
  })
  const text = await body.text()
  if (statusCode !== 200 || !text.endsWith('data: [DONE]\n\n')) throw new Error(`status ${statusCode}`)
  return performance.now() - startedAt
}

/** Sends each request at its scheduled time, regardless of earlier ones. Returns the duration of each, by server. */
async function paced(urls: readonly string[], count: number, onSecond: () => void): Promise<readonly number[][]> {
  const took: number[][] = urls.map(() => [])
  const begun = performance.now()
  const requests: Promise<void>[] = []
  for (let n = 0; n < count; n += 1) {
    const wait = begun + (n * 1000) / PER_SECOND - performance.now()
    if (wait > 0) await sleep(wait)
    for (const side of inTurns([0, 1], n)) {
      requests.push(once(urls[side] ?? '').then((ms) => void took[side]?.push(ms)))
    }
    if (n % PER_SECOND === 0) onSecond()
  }
  await Promise.all(requests)
  return took
}

async function main(): Promise<void> {
  const upstream = await nextMessage<string>(forkProgram(SERVERS, ['others']))
  const servers = ['0', '5'].map((count) => forkProgram(SERVERS, ['gateway', upstream, count]))
  const urls = await Promise.all(servers.map((server) => nextMessage<string>(server)))
  const reports = (): Promise<Report[]> => Promise.all(servers.map((server) => ask<Report>(server, 'report')))
  await paced(urls, WARM, () => {})

  const before = await reports()
  let highest = 0
  const onSecond = (): void => {
    void reports().then(([, five]) => {
      highest = Math.max(highest, five?.rss ?? 0)
    })
  }
  const [none = [], five = []] = await paced(urls, REQUESTS, onSecond)
  const after = await reports()
  const cpu = (side: number): number => (after[side]?.cpu ?? 0) - (before[side]?.cpu ?? 0)

  const report = openReport(`${REQUESTS} requests to each server, ${PER_SECOND} a second; lower is better`)
  const unit = '× without destinations'
  for (const [name, share] of [
    ['median', 0.5],
    ['95th percentile', 0.95],
    ['99th percentile', 0.99],
  ] as const) {
    const value = quantile(five, share) / quantile(none, share)
    report({ case: `time of a request with ${DESTINATIONS}, ${name}`, value, unit })
  }
  report({ case: `processor time of a request with ${DESTINATIONS}`, value: cpu(1) / cpu(0), unit })
  report({ case: `resident memory with ${DESTINATIONS}, highest`, value: highest / 1e6, unit: 'MB' })
}

await main()
await agent.close()
process.exit()
