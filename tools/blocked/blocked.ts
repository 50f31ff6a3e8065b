import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isObject } from '../../src/text/json.ts'
import { KEY, sha256 } from './keys.ts'

/** One load, and the configuration of the server that it runs against. */
export interface Row {
  readonly name: string
  /**
   * Added to the key and to two vendors of the wire openai-chat: `acme` answers with a short text, `quiet` never.
   * `upstream` is the base URL of the upstream process. The next path segment names a behaviour of `upstream.ts`.
   */
  readonly config?: (upstream: string) => Readonly<Record<string, unknown>>
  /** Flags of the server's Node process. */
  readonly flags?: readonly string[]
  /** Resolves with a short summary of the result: statuses and counts. */
  load(site: Site): Promise<string>
}

/** The server under load. */
export interface Site {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly upstream: string
  /** Sets the answer that `{upstream}/answer/NAME` returns from now on. */
  answerWith(name: string, type: string, body: string | Uint8Array): Promise<void>
  /** Returns everything that the server has written so far. */
  output(): string
}

export interface Measured {
  readonly name: string
  /** The longest time without an answer of `/healthz` while the load ran. */
  readonly blockedMs: number
  /** The longest processor time between two turns of the server's event loop: see `watch-loop.ts`. */
  readonly workMs: number
  /** The peak memory of the server's process in MiB, or null where /proc does not exist. */
  readonly rssMiB: number | null
  /** Whether the process answers `/healthz` after the load. */
  readonly alive: boolean
  readonly outcome: string
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const MAIN = here('../../src/cli/main.ts')

/**
 * Starts upstream, server and poll, runs the load of each row against the same server, and ends all of them. The server
 * has the configurations and the flags of all rows.
 */
export async function measure(rows: readonly Row[]): Promise<Measured[]> {
  const flags = rows.flatMap((row) => row.flags ?? [])
  const [upstream, port] = await startUpstream()
  const base = `http://127.0.0.1:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
  const server = await startServer(join(folder, 'config.json'), toConfig(base, rows), flags)
  const poll = fork(here('poll.ts'), { execArgv: ['--import', 'tsx'] })
  try {
    poll.send({ url: `${server.url}/healthz` })
    const measured: Measured[] = []
    for (const row of rows) measured.push(await measureRow(row, toSite(server, base), server.child, poll))
    return measured
  } finally {
    await Promise.all([poll, server.child, upstream].map(end))
    rmSync(folder, { recursive: true })
  }
}

/** Measures each row with its own server. */
export async function measureApart(rows: readonly Row[]): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const row of rows) measured.push(...(await measure([row])))
  return measured
}

async function measureRow(row: Row, site: Site, server: ChildProcess, poll: ChildProcess): Promise<Measured> {
  forgetPeak(site.pid)
  await longestWait(poll)
  for (const child of [poll, server]) child.send('reset')
  let rssMiB = peakOf(site.pid)
  // The memory of a process that has ended cannot be read any more.
  const watch = setInterval(() => (rssMiB = peakOf(site.pid) ?? rssMiB), 100)
  const outcome = await row.load(site).catch((error: unknown) => String(error))
  clearInterval(watch)
  const blockedMs = await longestWait(poll)
  rssMiB = peakOf(site.pid) ?? rssMiB
  const workMs = await longestWork(server)
  const alive = await fetch(`${site.url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )
  return { name: row.name, blockedMs: Math.round(blockedMs), workMs: Math.round(workMs), rssMiB, alive, outcome }
}

/**
 * Requests the longest wait from the poll process. It answers at once, so that a pending request counts with its time.
 */
const longestWait = async (poll: ChildProcess): Promise<number> => {
  poll.send('report')
  const { blockedMs } = await next<{ readonly blockedMs: number }>(poll)
  return blockedMs
}

/** Returns NaN if the server has ended. */
async function longestWork(server: ChildProcess): Promise<number> {
  if (!server.connected) return Number.NaN
  server.send('report')
  return next<{ readonly workMs: number }>(server).then(
    ({ workMs }) => workMs,
    () => Number.NaN,
  )
}

const next = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('the process has ended'))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as T)
    })
  })

async function startUpstream(): Promise<readonly [child: ChildProcess, port: number]> {
  const child = fork(here('upstream.ts'), { execArgv: ['--import', 'tsx'] })
  const { port } = await next<{ readonly port: number }>(child)
  return [child, port]
}

interface Server {
  readonly child: ChildProcess
  readonly url: string
  readonly output: () => string
}

async function startServer(file: string, config: object, flags: readonly string[]): Promise<Server> {
  writeFileSync(file, JSON.stringify(config))
  const { PATH = '', HOME = '' } = process.env
  const preloads = ['--import', 'tsx', '--import', here('watch-loop.ts')]
  const child = spawn(process.execPath, [...flags, ...preloads, MAIN, 'serve', '--config', file], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH, HOME, ACME_KEY: 'upstream-key-of-nobody' },
  })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (bytes: unknown): void => {
      output += String(bytes)
      const found = /"event":"listening","url":"([^"]+)"/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    }
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', read)
    child.once('exit', () => reject(new Error(`the server did not start:\n${output}`)))
  })
  return { child, url, output: () => output }
}

const toConfig = (upstream: string, rows: readonly Row[]): object => {
  const configs = rows.map(({ config }) => config?.(upstream) ?? {})
  const vendor = (behaviour: string): object => ({
    wire: 'openai-chat',
    base_url: `${upstream}/${behaviour}`,
    key: { env: 'ACME_KEY' },
  })
  return {
    listen: { port: 0 },
    keys: [{ name: 'tester', sha256: sha256(KEY) }],
    retry: { attempts: 1 },
    ...Object.assign({}, ...configs),
    vendors: Object.assign(
      { acme: vendor('text'), quiet: vendor('silent') },
      ...configs.map(({ vendors }) => (isObject(vendors) ? vendors : {})),
    ),
  }
}

const toSite = ({ child, url, output }: Server, upstream: string): Site => ({
  url,
  port: Number(new URL(url).port),
  pid: child.pid ?? 0,
  upstream,
  output,
  async answerWith(name, type, body) {
    await fetch(`${upstream}/keep/${name}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: Buffer.from(body),
    })
  },
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

// ---------------------------------------------------------------- memory of a process on Linux

function peakOf(pid: number): number | null {
  try {
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024)
  } catch {
    return null
  }
}

/** Resets the peak of the memory (proc(5), clear_refs). */
function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Without write access, the peak counts from the start of the process.
  }
}
