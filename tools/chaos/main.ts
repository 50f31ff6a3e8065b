import { Buffer } from 'node:buffer'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { isObject, parseJson } from '../../src/text/json.ts'
import { WIRES } from '../../src/wires/registry.ts'
import type { Door } from '../../test/host/doors.ts'
import { KEY, sha256 } from '../../test/host/test-server.ts'
import { type RawRequest, type RawUpstream, startRawUpstream, writeAnswer } from '../../test/mock-upstreams/raw-http.ts'
import { encodeAnswer } from '../../test/mock-upstreams/wire-bodies.ts'
import { WIRE_UPSTREAMS } from '../../test/mock-upstreams/wires.ts'
import { type ChaosCase, chaosCases, formOf, isOpenEnded } from './cases.ts'
import { pathOf, runClient } from './client.ts'
import type { GatewayMemory } from './gateway.ts'
import { FINISHES, faultOf, lastWordOf } from './verdict.ts'

/**
 * `npm run chaos -- --minutes N [--seed S] [--door node|fetch] [--case C]` sends answers in all framings of HTTP/1, which end,
 * break and stall anywhere, through both doors of the gateway to clients that read slowly, pause and leave. The exit
 * code is 1 if the process of a gateway ends, logs a bug, keeps memory or connections, or if an exchange does not end
 * by its protocol.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    door: { type: 'string' },
    case: { type: 'string' },
  },
})
const minutes = Number(values.minutes ?? 3)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const DOORS = (['node', 'fetch'] as const).filter((door) => values.door === undefined || values.door === door)

const AT_ONCE = 8
/** Cases before the first measurement of memory. */
const WARM_UP = 100
const BEAT_MS = 300
const MOST_FAULTS_SHOWN = 5
const MOST_GROWTH_MIB = 48
const LONGEST_QUIET_MS = 60_000

/** The faults of one form of exchanges. */
interface Row {
  cases: number
  left: number
  readonly faults: Map<string, number>
}

const write = (text: string): void => void process.stdout.write(text)

// ---------------------------------------------------------------- the upstream

const open = new Map<number, ChaosCase>()
/** The open cases in which the reason of the finish has been sent, after which an answer may end with success. */
const finished = new Set<number>()
/** The case of each connection that is open. */
const cases = new WeakMap<Socket, string>()
const describe = (number: number, { wire, protocol, framing, ending, cutAt, manner }: ChaosCase): string =>
  `case ${number}: ${wire} to ${protocol.name}, ${framing.name}, ${ending}, cut ${cutAt}, client ${manner}`
const numberIn = (text: string): number => Number(/case-(\d+)/.exec(text)?.[1] ?? Number.NaN)

async function answer({ path, body, socket }: RawRequest): Promise<void> {
  const number = numberIn(path + body)
  const one = open.get(number)
  if (one === undefined) return void socket.destroy()
  const { words, length, framing, ending, piece, paceMs, cutAt, wire } = one
  const text = [...Array.from({ length: words }, (_, at) => `${at} `.padEnd(length, 'word ')), lastWordOf(number)]
  const parsed = parseJson(body)
  const { type, bytes } = encodeAnswer(
    WIRE_UPSTREAMS[wire],
    { text, calls: [] },
    { url: path, body: isObject(parsed) ? parsed : {} },
  )
  const raw = {
    framing,
    status: 200,
    headers: { 'content-type': type },
    body: bytes,
    piece: Math.max(piece, Math.ceil(bytes.length / 200)),
    cut: cutAt === null ? null : Math.floor(bytes.length * cutAt),
    ending,
  }
  cases.set(socket, describe(number, one))
  if (Buffer.from(bytes.slice(0, raw.cut ?? bytes.length)).includes(FINISHES[wire])) finished.add(number)
  await writeAnswer(socket, raw, () => (paceMs === 0 ? Promise.resolve() : sleep(paceMs)))
  // Many vendors keep their connection alive in this way, also after the last event of the answer.
  const beats = isOpenEnded(one) && type.includes('event-stream')
  for (; beats && !socket.destroyed; await sleep(BEAT_MS)) socket.write(': keep-alive\n\n')
}

// ---------------------------------------------------------------- the gateway

interface Running {
  readonly child: ChildProcess
  readonly url: string
  readonly bugs: string[]
  readonly hasEnded: () => boolean
}

async function startGatewayOf(door: Door, folder: string, upstream: string): Promise<Running> {
  const file = join(folder, `${door}.json`)
  const vendors = Object.fromEntries(
    Object.keys(WIRES).map((wire) => [wire, { wire, base_url: upstream, key: 'key-of-an-upstream' }]),
  )
  writeFileSync(
    file,
    JSON.stringify({
      listen: { port: 0 },
      keys: [{ name: 'tester', sha256: sha256(KEY) }],
      // A request on a kept connection that its upstream ends at the same time is lost before it is read.
      retry: { attempts: 2, first_delay_ms: 10, budget_share: 10, breaker_failures: 0 },
      timeouts: { first_byte_seconds: 100, idle_seconds: 10 },
      vendors,
    }),
  )
  const program = fileURLToPath(new URL('gateway.ts', import.meta.url))
  const child = fork(program, [door, file], { execArgv: ['--expose-gc', '--import', 'tsx'] })
  const bugs: string[] = []
  let hasEnded = false
  child.once('exit', () => {
    hasEnded = true
  })
  child.on('message', (message) => {
    if (isObject(message) && typeof message.bug === 'string') bugs.push(message.bug)
  })
  const [{ url }] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the gateway did not start'))),
  ])) as [{ readonly url: string }]
  return { child, url, bugs, hasEnded: () => hasEnded }
}

/** Waits until all connections of the upstream are closed; returns how many are not. */
async function quiet(upstream: RawUpstream): Promise<number> {
  for (let waited = 0; waited < LONGEST_QUIET_MS && upstream.sockets.size > 0; waited += 100) await sleep(100)
  return upstream.sockets.size
}

async function memoryOf({ child, hasEnded }: Running): Promise<GatewayMemory | null> {
  if (hasEnded()) return null
  child.send('memory')
  const [memory] = (await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [null])])) as [
    GatewayMemory | null,
  ]
  return memory
}

// ---------------------------------------------------------------- all cases

/** The number of the next case. */
let next = Number(values.case ?? 0)

async function runDoor(door: Door, upstream: RawUpstream, folder: string): Promise<number> {
  const gateway = await startGatewayOf(door, folder, upstream.url)
  const rows = new Map<string, Row>()
  const arbitrary = chaosCases(door === 'node')
  let faults = 0
  let shown = 0

  const note = (form: string, kind: string, detail: string): void => {
    faults += 1
    const row = rowOf(form)
    row.faults.set(kind, (row.faults.get(kind) ?? 0) + 1)
    if (shown >= MOST_FAULTS_SHOWN) return
    shown += 1
    write(`FAULT ${door}, ${form}: ${detail.slice(0, 500)}\n`)
  }
  const rowOf = (form: string): Row => {
    const row = rows.get(form) ?? { cases: 0, left: 0, faults: new Map<string, number>() }
    rows.set(form, row)
    return row
  }

  const runCase = async (): Promise<void> => {
    const number = next
    next += 1
    const [one] = fc.sample(arbitrary, { seed: seed + number, numRuns: 1 })
    if (one === undefined) return
    open.set(number, one)
    const model = `${one.wire}/case-${number}`
    const answered = await runClient(one, gateway.url, model).catch((error: Error) => ({
      method: 'POST',
      status: 0,
      type: '',
      text: '',
      fault: error.message,
      hasLeft: false,
    }))
    open.delete(number)
    const isFinished = finished.delete(number)
    // The end of the process is one fault, not one of each exchange.
    if (gateway.hasEnded()) return
    const form = formOf(one)
    const row = rowOf(form)
    row.cases += 1
    if (answered.hasLeft) row.left += 1
    const fault = faultOf(one, number, answered, pathOf(one, model), isFinished)
    if (fault === null) return
    const [kind = ''] = fault.split(/[:…]/, 1)
    const how = one.ending === 'stays' ? 'connection stays' : one.ending
    note(form, `${kind} (${how})`, `${fault}\n  ${describe(number, one)}`)
  }
  const runAll = async (goesOn: () => boolean): Promise<void> => {
    const lane = async (): Promise<void> => {
      while (goesOn() && !gateway.hasEnded()) await runCase()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
  }

  const first = next
  if (values.case !== undefined) await runCase()
  else await runAll(() => next < first + WARM_UP)
  await quiet(upstream)
  const before = await memoryOf(gateway)
  const until = values.case === undefined ? Date.now() + (minutes * 60_000) / DOORS.length : 0
  await runAll(() => Date.now() < until)
  const openConnections = gateway.hasEnded() ? 0 : await quiet(upstream)
  const after = await memoryOf(gateway)
  for (const bug of gateway.bugs) note('any', 'a bug in the log', bug)
  if (gateway.hasEnded()) note('any', 'the process has ended', `after ${next - first} exchanges`)
  if (openConnections > 0)
    note(
      'any',
      'connections that stay open',
      [...upstream.sockets].map((socket) => cases.get(socket) ?? 'no request').join('\n  '),
    )
  if (before !== null && after !== null && after.heapMiB - before.heapMiB > MOST_GROWTH_MIB)
    note('any', 'memory that does not return', `${before.heapMiB} MiB, then ${after.heapMiB} MiB`)
  if (!gateway.hasEnded()) {
    gateway.child.disconnect()
    await once(gateway.child, 'exit')
  }

  write(`\n| ${door} | exchanges | client left | faults |\n|---|---|---|---|\n`)
  for (const [form, { cases, left, faults: own }] of [...rows].sort()) {
    const named = [...own].map(([kind, times]) => `${times} × ${kind}`).join('; ')
    write(`| ${form} | ${cases} | ${left} | ${named} |\n`)
  }
  const memory = `heap ${before?.heapMiB} MiB after ${WARM_UP} exchanges, ${after?.heapMiB} MiB at the end (resident ${after?.rssMiB} MiB)`
  write(`${door}: ${next - first} exchanges, ${faults} faults, ${memory}\n`)
  return faults
}

write(`seed ${seed}, ${minutes} minutes, Node ${process.version}\n`)
const folder = mkdtempSync(join(tmpdir(), 'millrace-chaos-'))
const upstream = await startRawUpstream(answer)
let faults = 0
for (const door of DOORS) faults += await runDoor(door, upstream, folder)
await upstream.close()
rmSync(folder, { recursive: true })
process.exit(faults > 0 ? 1 : 0)
