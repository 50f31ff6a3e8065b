/** Ten thousand open streams in one process: memory, delays, and whether each answer is complete. */
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { forkProgram, nextMessage, usageOf } from '../children.ts'
import type { Figure, Unit } from '../figure.ts'
import { type AnswerPlan, DELAY_STEP_MS, modelOf } from './answer.ts'
import type { ClientOrder, ClientReport } from './client.ts'
import type { ServerQuestion, ServerReport } from './server.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export interface StreamsOptions {
  readonly streams: number
  readonly windowSeconds: number
  /** The path of a file for a snapshot of the server's heap with all streams open. */
  readonly snapshot?: string
  readonly note: (line: string) => void
}

export const STREAMS_DEFAULTS = { streams: 10_000, windowSeconds: 30 } as const

const KEY = 'scale-key-of-nobody'
const EVERY_MS = 500
const CLIENTS = 2
/** Streams of a client that wait for their first chunk at the same time. */
const WAITING = 8
/** Streams that compile the code before the measurement. */
const WARM: AnswerPlan & { readonly streams: number } = { streams: 400, chunks: 6, everyMs: 100 }
const SETTLE_SECONDS = 5
/**
 * Files of a server beside its streams: its port, its libraries, the pipes to its parent, and unused connections to the
 * upstream. With too few, the system closes connections of clients without an answer.
 */
const OTHER_FILES = 200
const LONGEST_OPENING_SECONDS = 120
const LONGEST_ENDING_SECONDS = 60

/** Each stream has two files in the server: the connection of its client and the one to its upstream. */
function streamsThatFit(wanted: number, note: StreamsOptions['note']): number {
  const [, most = '0'] = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  const fitting = Math.min(wanted, Math.floor((Number(most) - OTHER_FILES) / 2))
  if (fitting < wanted)
    note(
      `The limit of open files is ${most}, which is too low for ${wanted} streams: each has two files in the server. ` +
        `Measuring ${fitting} streams; for all of them, raise the limit (ulimit -n ${wanted * 2 + OTHER_FILES}).`,
    )
  return fitting
}

interface Processes {
  readonly upstream: ChildProcess
  readonly server: ChildProcess
  readonly clients: readonly ChildProcess[]
}

async function startProcesses(streams: number): Promise<Processes> {
  const upstream = forkProgram(here('upstream.js'), [])
  const server = forkProgram(here('server.js'), [await nextMessage<string>(upstream), KEY, String(streams * 2)])
  const url = await nextMessage<string>(server)
  const clients = Array.from({ length: CLIENTS }, () => forkProgram(here('client.js'), [url, KEY]))
  await Promise.all(clients.map((client) => nextMessage(client)))
  return { upstream, server, clients }
}

function ask<Answer>(child: ChildProcess, question: ServerQuestion | 'report'): Promise<Answer> {
  const answer = nextMessage<Answer>(child)
  child.send(question)
  return answer
}

function sumOf(counts: readonly ClientReport['delays'][]): Record<number, number> {
  const sum: Record<number, number> = {}
  for (const [step, count] of counts.flatMap((one) => Object.entries(one)))
    sum[Number(step)] = (sum[Number(step)] ?? 0) + count
  return sum
}

/** The sum of the reports of all clients. */
async function reportOf({ clients }: Processes): Promise<ClientReport> {
  const all = await Promise.all(clients.map((client) => ask<ClientReport>(client, 'report')))
  const sum = (of: 'open' | 'ended' | 'complete'): number => all.reduce((total, report) => total + report[of], 0)
  return {
    open: sum('open'),
    ended: sum('ended'),
    complete: sum('complete'),
    bad: Object.assign({}, ...all.map(({ bad }) => bad)),
    delays: sumOf(all.map(({ delays }) => delays)),
  }
}

function openStreams({ clients }: Processes, streams: number, plan: AnswerPlan): void {
  for (const [n, client] of clients.entries()) {
    const own = Math.floor(streams / CLIENTS) + (n < streams % CLIENTS ? 1 : 0)
    client.send({ streams: own, waiting: WAITING, model: modelOf(plan) } satisfies ClientOrder)
  }
}

/** Resolves with the seconds until so many streams were open or had ended. */
async function until(processes: Processes, of: 'open' | 'ended', count: number, longest: number): Promise<number> {
  const startedAt = performance.now()
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1000)
  while ((await reportOf(processes))[of] < count && seconds() < longest) await sleep(500)
  return seconds()
}

interface Moment {
  readonly server: ServerReport
  /** Seconds of processor time. */
  readonly upstream: number
  readonly clients: number
  readonly at: number
}

async function look({ upstream, server, clients }: Processes): Promise<Moment> {
  return {
    server: await ask<ServerReport>(server, { collect: false }),
    upstream: usageOf(upstream).cpu,
    clients: clients.reduce((sum, child) => sum + usageOf(child).cpu, 0),
    at: performance.now() / 1000,
  }
}

/** The share of a core that each part used, in per cent. */
function sharesOf(before: Moment, after: Moment): readonly number[] {
  const seconds = after.at - before.at
  const used = [
    (after.server.cpu - before.server.cpu) / 1000,
    after.upstream - before.upstream,
    after.clients - before.clients,
  ]
  return used.map((cpu) => (cpu / seconds) * 100)
}

const chunksIn = (delays: ClientReport['delays']): number =>
  Object.values(delays).reduce((sum, count) => sum + count, 0)

/** The delay that this share of the chunks does not exceed, in milliseconds. */
function delayAt(delays: ClientReport['delays'], share: number): number {
  let left = chunksIn(delays) * share
  // Integer keys of an object are in their order.
  for (const [step, count] of Object.entries(delays)) {
    left -= count
    if (left <= 0) return Number(step) * DELAY_STEP_MS
  }
  return Number.NaN
}

/** Takes two to three minutes. Rejects if a process ends early. */
export async function measureStreams(options: StreamsOptions): Promise<readonly Figure[]> {
  const { windowSeconds, note, snapshot } = options
  const streams = streamsThatFit(options.streams, note)
  const processes = await startProcesses(streams)
  openStreams(processes, WARM.streams, WARM)
  await until(processes, 'ended', WARM.streams, LONGEST_ENDING_SECONDS)
  const idle = await ask<ServerReport>(processes.server, { collect: true })

  openStreams(processes, streams, { chunks: 0, everyMs: EVERY_MS })
  const opening = await until(processes, 'open', streams, LONGEST_OPENING_SECONDS)
  if (opening >= LONGEST_OPENING_SECONDS) note(`Not all streams were open after ${opening} s: the machine is too busy.`)
  await sleep(SETTLE_SECONDS * 1000)
  await reportOf(processes)
  const before = await look(processes)
  await sleep(windowSeconds * 1000)
  const after = await look(processes)
  const { open, delays } = await reportOf(processes)
  // A full collection delays all streams: the chunks after it are not part of the delays.
  const question = { collect: true, ...(snapshot === undefined ? {} : { snapshot }) }
  const full = await ask<ServerReport>(processes.server, question)
  processes.upstream.send('end')
  await until(processes, 'ended', WARM.streams + streams, LONGEST_ENDING_SECONDS)
  const { complete, bad } = await reportOf(processes)
  for (const [defect, count] of Object.entries(bad)) note(`bad streams: ${count} × ${defect}`)

  const chunks = chunksIn(delays)
  const name = `${streams} streams at ${1000 / EVERY_MS} chunks/s`
  const figure = (what: string, unit: Unit, value: number): Figure => ({ case: `${name}: ${what}`, value, unit })
  const [server = 0, upstream = 0, clients = 0] = sharesOf(before, after)
  return [
    figure('open at the same time', 'streams', open),
    figure('complete at the end', 'streams', complete - WARM.streams),
    figure('lost', 'lost', streams + WARM.streams - complete),
    figure('heap and external memory a stream', 'KiB', (full.memory - idle.memory) / open / 1024),
    figure('resident memory a stream', 'KiB', (after.server.resident - idle.resident) / open / 1024),
    figure('delay of a chunk, p50', 'ms', delayAt(delays, 0.5)),
    figure('delay of a chunk, p99', 'ms', delayAt(delays, 0.99)),
    figure('delay of a chunk, longest', 'ms', delayAt(delays, 1)),
    figure(
      'processor time of the server a chunk',
      'µs a chunk',
      ((after.server.cpu - before.server.cpu) * 1000) / chunks,
    ),
    figure('use of a core by the server', '% of a core', server),
    figure('use of a core by the upstream', '% of a core', upstream),
    figure('use of a core by the clients', '% of a core', clients),
    figure('until all were open', 's', opening),
    figure('open files of the server', 'files', full.descriptors),
  ]
}
