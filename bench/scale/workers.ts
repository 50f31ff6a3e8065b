/**
 * The throughput of a server with two workers against one with one worker, as long as the processor is the limit, and the
 * same of a relay in workers of `node:cluster`. On a machine of two cores, load and upstream take their share of both: the
 * ratio is below two for that reason alone.
 */
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { forkProgram, nextMessage } from '../children.ts'
import type { Figure } from '../figure.ts'
import { inTurns, median } from '../measure.ts'
import { freePorts, startServer } from '../restart/processes.ts'
import { modelOf } from './answer.ts'
import type { LoadOrder, LoadReport } from './load.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const KEY = 'scale-key-of-nobody'
const CONNECTIONS = 32
const ROUNDS = 3
const ROUND_MS = 2000
const WARM_MS = 2000
/** Chunks of an answer: in short ones the request is most of the work, in long ones the chunks. */
const ANSWERS = { short: 20, long: 2000 } as const
const WORKERS = [1, 2] as const

type Urls = Readonly<Record<(typeof WORKERS)[number], string>>

async function startServers(upstream: string, folder: string): Promise<Urls> {
  const ports = await freePorts(WORKERS.length)
  const urls: Record<number, string> = {}
  for (const [at, workers] of WORKERS.entries()) {
    const file = join(folder, `${workers}.json`)
    const keys = [{ name: 'scale', sha256: createHash('sha256').update(KEY).digest('hex') }]
    const vendors = { scale: { wire: 'openai-chat', base_url: `${upstream}/v1` } }
    writeFileSync(file, JSON.stringify({ listen: { workers }, page: false, keys, vendors }))
    const { port } = await startServer(file, ports[at] as number)
    urls[workers] = `http://127.0.0.1:${port}`
  }
  return urls as Urls
}

async function startRelays(upstream: string): Promise<Urls> {
  const start = (workers: number): Promise<string> =>
    nextMessage<string>(forkProgram(here('cluster-relay.js'), [upstream, String(workers)]))
  return { 1: await start(1), 2: await start(2) }
}

async function throughput(load: ChildProcess, url: string, chunks: number, milliseconds: number): Promise<number> {
  const answer = nextMessage<LoadReport>(load)
  load.send({ url, model: modelOf({ chunks, everyMs: 0 }), connections: CONNECTIONS, milliseconds } satisfies LoadOrder)
  const report = await answer
  if (report.bad > 0) throw new Error(`${report.bad} connections of the load failed: ${report.fault}`)
  return report.answers / (report.milliseconds / 1000)
}

/** The two servers take turns, and the order is reversed each round, so that neither is always the first. */
async function compare(
  load: ChildProcess,
  urls: Urls,
  server: string,
  kind: keyof typeof ANSWERS,
): Promise<readonly Figure[]> {
  const chunks = ANSWERS[kind]
  const found: Record<number, number[]> = { 1: [], 2: [] }
  for (const workers of WORKERS) await throughput(load, urls[workers], chunks, WARM_MS)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const workers of inTurns(WORKERS, round))
      found[workers]?.push(await throughput(load, urls[workers], chunks, ROUND_MS))
  const [one = [], two = []] = [found[1], found[2]]
  const ratios = two.map((value, round) => value / (one[round] as number))
  const name = `${server}, answers of ${chunks} chunks`
  return [
    { case: `${name}, one worker`, value: median(one), unit: 'a second' },
    { case: `${name}, two workers`, value: median(two), unit: 'a second' },
    { case: `${name}, two workers to one`, value: median(ratios), unit: '× one worker' },
  ]
}

/** Takes less than two minutes. Rejects if a process ends early, or an answer fails. */
export async function measureWorkers(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-scale-'))
  try {
    const upstream = await nextMessage<string>(forkProgram(here('upstream.js'), []))
    const urls = await startServers(upstream, folder)
    const load = forkProgram(here('load.js'), [KEY])
    await nextMessage(load)
    const relays = await startRelays(upstream)
    return [
      ...(await compare(load, urls, 'server', 'short')),
      ...(await compare(load, urls, 'server', 'long')),
      ...(await compare(load, relays, 'bare relay', 'short')),
      ...(await compare(load, relays, 'bare relay', 'long')),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
