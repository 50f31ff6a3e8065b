import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { WIRES } from '../../src/wires/registry.ts'
import { type Case, cases, type UpstreamAnswer } from './cases.ts'
import { type Answered, faultIn } from './verdict.ts'

/**
 * `npm run fuzz -- --minutes N [--seed S]`: mutated requests on every route, and mutated answers of every upstream wire,
 * through a server in a process of its own. Exit code 1 where the server failed with an error of its own, an answer has no
 * ending, or the process ended; each such case is printed with the seed that makes it again.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const minutes = Number(values.minutes ?? 1)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)

const KEY = 'key-of-the-fuzzer'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const AT_ONCE = 8
const LONGEST_MS = 30_000
const MOST_FAULTS = 20

// ---------------------------------------------------------------- the upstream

/** The answer to each case, by the number that its vendor's request carries in a header of its connection. */
const answers = new Map<string, UpstreamAnswer>()

function openUpstream(): Promise<Server> {
  const server = createServer((incoming, response) => {
    incoming.resume()
    incoming.on('error', () => undefined)
    response.on('error', () => undefined)
    incoming.on('end', () => {
      const answer = answers.get(incoming.url?.split('/')[1] ?? '')
      if (answer === undefined) return response.writeHead(404).end()
      response.writeHead(answer.status, answer.type === '' ? {} : { 'content-type': answer.type })
      send(answer, (bytes) => response.write(bytes))
      if (answer.breaks) response.destroy()
      else response.end()
    })
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

function send({ bytes, piece }: UpstreamAnswer, write: (bytes: Uint8Array) => void): void {
  const size = Math.max(piece, Math.ceil(bytes.length / 200))
  for (let at = 0; at < bytes.length; at += size) write(bytes.subarray(at, at + size))
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

// ---------------------------------------------------------------- the server

interface Running {
  readonly child: ChildProcess
  readonly url: string
  /** Log lines of bugs since the last time. */
  takeBugs(): string[]
}

/** A vendor for each wire and lane: requests of one lane come one after another. */
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
    JSON.stringify({ listen: { port: 0 }, keys, retry: { attempts: 1 }, vendors: vendorsOf(upstream) }),
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

/** The case in a lane of its own: its vendor's name there. */
function ask(url: string, { path, body, type, wire }: Case, lane: number): Promise<Answered> {
  const named = (text: string): string => text.replaceAll(`${wire}/m`, `${wire}-${lane}/m`)
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${KEY}`, ...(type === '' ? {} : { 'content-type': type }) }
    const call = request(url + named(path), { method: 'POST', headers, agent: false, timeout: LONGEST_MS })
    const fail = (fault: string): void => {
      call.destroy()
      resolve({ status: 0, type: '', text: '', fault })
    }
    call.on('timeout', () => fail('no answer within 30 seconds'))
    call.on('error', (error) => fail(error.message))
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', (error) => fail(`the answer broke: ${error.message}`))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString(),
          fault: null,
        }),
      )
    })
    call.end(named(body))
  })
}

// ---------------------------------------------------------------- all of them

const upstream = await openUpstream()
const folder = mkdtempSync(join(tmpdir(), 'millrace-fuzz-'))
const server = await startServer(folder, `http://127.0.0.1:${portOf(upstream)}`)
const until = Date.now() + minutes * 60_000
const statuses = new Map<number, number>()
let count = 0
let faults = 0

const report = (which: number, fault: string, one: Case): void => {
  faults += 1
  const { answer, ...asked } = one
  const bytes = Buffer.from(answer.bytes).toString('base64')
  process.stdout.write(
    `FAULT ${fault}\n  seed ${seed}, case ${which}\n  ${JSON.stringify({ ...asked, answer: { ...answer, bytes } })}\n`,
  )
}

async function runLane(lane: number): Promise<void> {
  while (Date.now() < until && faults < MOST_FAULTS && server.child.exitCode === null) {
    const which = count
    count += 1
    const [one] = fc.sample(cases, { seed: seed + which, numRuns: 1 })
    if (one === undefined) return
    answers.set(`${lane}`, one.answer)
    const answered = await ask(server.url, one, lane)
    statuses.set(answered.status, (statuses.get(answered.status) ?? 0) + 1)
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
upstream.close()
upstream.closeAllConnections()
rmSync(folder, { recursive: true })
const table = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${times} × ${status}`)
process.stdout.write(`${count} cases in ${minutes} minutes, seed ${seed}: ${table.join(', ')}; ${faults} faults\n`)
process.exit(faults > 0 || ended ? 1 : 0)
