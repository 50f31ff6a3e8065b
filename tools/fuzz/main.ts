import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { WIRES } from '../../src/wires/registry.ts'
import {
  HTTP_FRAMINGS,
  type HttpFraming,
  properEnding,
  type RawAnswer,
  type RawRequest,
  startRawUpstream,
  writeAnswer,
} from '../../test/mock-upstreams/raw-http.ts'
import { type Case, cases, type UpstreamAnswer } from './cases.ts'
import { type Answered, faultIn } from './verdict.ts'

/**
 * `npm run fuzz -- --minutes N [--seed S]` sends mutated requests on every route, with mutated answers of every
 * upstream wire, through a server in its own process. The exit code is 1 if the server fails with an internal error, an
 * answer has no ending, or the process ends. Each such case is printed with the seed that reproduces it.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const minutes = Number(values.minutes ?? 1)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)

const KEY = 'key-of-the-fuzzer'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const AT_ONCE = 8
const LONGEST_MS = 30_000
const MOST_FAULTS = 20
/** Characters of one printed value of a case. The seed reproduces the full case. */
const LONGEST_SHOWN = 2000

// ---------------------------------------------------------------- the upstream

/** The current answer for each lane, by the first path segment of its vendor's requests. */
const answers = new Map<string, UpstreamAnswer>()
/** All lanes share one search engine, which answers with the most recent case. */
const ENGINE = 'engine'

function answer({ path, socket }: RawRequest): Promise<void> {
  const found = answers.get(path.split('/')[1] ?? '')
  return writeAnswer(socket, found === undefined ? NOT_FOUND : toRaw(found))
}

const NOT_FOUND: RawAnswer = {
  framing: HTTP_FRAMINGS[0] as HttpFraming,
  status: 404,
  headers: {},
  body: new Uint8Array(0),
  piece: 1,
  cut: null,
  ending: 'stays',
}

/** A broken answer lacks the mark of its end, or its last byte. */
function toRaw({ status, type, headers, bytes, piece, framing, end, isReset }: UpstreamAnswer): RawAnswer {
  return {
    framing,
    status,
    headers: type === '' ? headers : { ...headers, 'content-type': type },
    body: bytes,
    piece: Math.max(piece, Math.ceil(bytes.length / 200)),
    cut: end === 'ends' ? null : Math.max(0, bytes.length - (framing.body === 'chunked' ? 0 : 1)),
    ending: end === 'ends' ? properEnding(framing) : end === 'stalls' ? 'stays' : isReset ? 'rst' : 'fin',
  }
}

// ---------------------------------------------------------------- the server

interface Running {
  readonly child: ChildProcess
  readonly url: string
  /** Returns the log lines of bugs since the last call. */
  takeBugs(): string[]
}

/** One vendor for each wire and lane. The requests of one lane are sequential. */
const vendorsOf = (base: string): object =>
  Object.fromEntries(
    Object.keys(WIRES).flatMap((wire) =>
      Array.from({ length: AT_ONCE }, (_, lane) => [
        `${wire}-${lane}`,
        { wire, base_url: `${base}/${lane}`, key: 'key-of-an-upstream' },
      ]),
    ),
  )

async function startServer(folder: string, upstream: string): Promise<Running> {
  const file = join(folder, 'config.json')
  const keys = [{ name: 'fuzzer', sha256: sha256(KEY) }]
  writeFileSync(
    file,
    JSON.stringify({
      listen: { port: 0 },
      keys,
      retry: { attempts: 1, breaker_failures: 0 },
      // Ends the wait for a stalled upstream.
      timeouts: { first_byte_seconds: 1, idle_seconds: 0.5 },
      keep_alive_seconds: 1,
      search: { engine: 'searxng', base_url: `${upstream}/${ENGINE}`, timeout_seconds: 1 },
      vendors: vendorsOf(upstream),
    }),
  )
  const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
  const { PATH = '', HOME = '' } = process.env
  const args = ['--import', 'tsx', main, 'serve', '--config', file]
  const child = spawn(process.execPath, args, { env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'inherit'] })
  let rest = ''
  const bugs: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (bytes) => {
      const lines = (rest + bytes).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const found = /"event":"listening","url":"([^"]+)"/.exec(line)?.[1]
        if (found !== undefined) resolve(found)
        if (line.includes('"event":"bug"')) bugs.push(line)
      }
    })
    child.once('exit', (code) => reject(new Error(`the server did not start: exit code ${code}`)))
  })
  return { child, url, takeBugs: () => bugs.splice(0) }
}

// ---------------------------------------------------------------- one case

/** Runs the case in its own lane, under the name of its vendor there. */
function ask(url: string, { method, path, body, headers, wire, leavesAfter }: Case, lane: number): Promise<Answered> {
  const named = (text: string): string => text.replaceAll(`${wire}/m`, `${wire}-${lane}/m`)
  return new Promise((resolve) => {
    const call = request(url, {
      ...toTarget(url, named(path)),
      method,
      headers: toHeaders(headers),
      agent: false,
      timeout: LONGEST_MS,
    })
    const answered = (result: Partial<Answered>): void =>
      resolve({ method, status: 0, type: '', text: '', fault: null, hasLeft: false, ...result })
    const fail = (fault: string): void => {
      call.destroy()
      answered({ fault })
    }
    call.on('timeout', () => fail('no answer within 30 seconds'))
    call.on('error', (error) => fail(error.message))
    call.on('upgrade', () => fail('the connection was upgraded'))
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (leavesAfter === null || size <= leavesAfter) return
        answered({ hasLeft: true })
        call.destroy()
      })
      response.on('error', (error) => fail(`the answer broke: ${error.message}`))
      response.on('end', () =>
        answered({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    call.end(body === null ? undefined : named(body))
  })
}

/** Keeps the path unchanged, because `URL` would normalise it. */
const toTarget = (url: string, path: string) => ({ host: new URL(url).hostname, port: new URL(url).port, path })

/** An empty value removes the header. */
function toHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const all = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers }
  const named = Object.entries(all).map(([name, value]) => [name, value.replace('$', KEY)])
  return Object.fromEntries(named.filter(([, value]) => value !== ''))
}

// ---------------------------------------------------------------- all cases

const upstream = await startRawUpstream(answer)
const folder = mkdtempSync(join(tmpdir(), 'millrace-fuzz-'))
const server = await startServer(folder, upstream.url)
const until = Date.now() + minutes * 60_000
const statuses = new Map<number, number>()
let count = 0
let faults = 0

const report = (which: number, fault: string, one: Case): void => {
  faults += 1
  const inShort = (key: string, value: unknown): unknown => {
    const shown = key === 'bytes' ? Buffer.from(value as Uint8Array).toString('base64') : value
    return typeof shown === 'string' && shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown
  }
  process.stdout.write(`FAULT ${fault}\n  seed ${seed}, case ${which}\n  ${JSON.stringify(one, inShort)}\n`)
}

async function runLane(lane: number): Promise<void> {
  while (Date.now() < until && faults < MOST_FAULTS && server.child.exitCode === null) {
    const which = count
    count += 1
    const [one] = fc.sample(cases, { seed: seed + which, numRuns: 1 })
    if (one === undefined) return
    answers.set(`${lane}`, one.answer)
    answers.set(ENGINE, one.engine)
    const answered = await ask(server.url, one, lane)
    const { status } = answered
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const [bug] = server.takeBugs()
    const fault = bug ?? faultIn(answered, one.path)
    if (fault !== null) report(which, fault, one)
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => runLane(lane)))
const ended = server.child.exitCode !== null || server.child.signalCode !== null
if (ended) process.stdout.write(`FAULT the server's process has ended\n`)
else {
  const over = new Promise((resolve) => server.child.once('exit', resolve))
  server.child.kill('SIGKILL')
  await over
}
await upstream.close()
rmSync(folder, { recursive: true })
const table = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${times} × ${status}`)
process.stdout.write(`${count} cases in ${minutes} minutes, seed ${seed}: ${table.join(', ')}; ${faults} faults\n`)
process.exit(faults > 0 || ended ? 1 : 0)
