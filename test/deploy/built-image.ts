/** What both builders of the Dockerfile return, and the checks of the server in it. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { VARIABLES } from './files.ts'

/** A program of an image, as a program of this machine. */
export interface HostCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly options: { readonly cwd?: string; readonly uid?: number; readonly gid?: number }
}

export interface BuiltImage {
  /** The folder that is the root of its file system. */
  readonly root: string
  /** ENTRYPOINT and CMD. */
  readonly start: readonly string[]
  readonly healthCheck: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stopSignal: NodeJS.Signals
  /** The user that its programs run as; null: the user of this process, who may not become another one. */
  readonly user: number | null
  /** The path of a file of the image, for a program of the image. */
  pathOf(file: string): string
  command(words: readonly string[]): HostCommand
}

/** Where the image reads its configuration: a volume of compose.yaml. */
export const CONFIG_PATH = '/etc/millrace/config.json'
export const KEY = 'key-of-a-client-of-nobody'
const START_SECONDS = 90
const HEALTH_SECONDS = 20
/** More than `drain.notice_seconds` of the configuration; no stream is open. */
const STOP_SECONDS = 20

/** Rejects if the work takes longer. */
export async function within<T>(seconds: number, name: string, work: Promise<T>): Promise<T> {
  const end = new AbortController()
  const late = sleep(seconds * 1000, undefined, { signal: end.signal }).then(() => {
    throw new Error(`${name} took more than ${seconds} s`)
  })
  late.catch(() => undefined)
  return Promise.race([work, late]).finally(() => end.abort())
}

/** A port that was free a moment ago. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  await once(server.close(), 'close')
  return String(port)
}

/** The exit status of HEALTHCHECK, which writes nothing. */
async function healthOf(image: BuiltImage, env: NodeJS.ProcessEnv): Promise<number> {
  const { file, args, options } = image.command(image.healthCheck)
  const child = execFile(file, args, { ...options, env, timeout: HEALTH_SECONDS * 1000 })
  let words = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (words += text))
  const [status, signal] = await once(child, 'close')
  assert.equal(signal, null, `HEALTHCHECK took more than ${HEALTH_SECONDS} s`)
  assert.equal(words, '', 'HEALTHCHECK is a program that fails')
  return status
}

/** The users of a process: real, effective, saved and of files. */
function usersOf(pid: number | undefined): readonly number[] {
  const [, ids = ''] = /^Uid:\s+(.+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return ids.split('\t').map(Number)
}

async function untilHealthy(image: BuiltImage, env: NodeJS.ProcessEnv, server: ChildProcess): Promise<void> {
  while ((await healthOf(image, env)) !== 0) {
    assert.equal(server.exitCode, null, 'the server has stopped')
    await sleep(100)
  }
}

/** Asks a recording that the image contains, with the key of the example. */
async function ask(url: string): Promise<string> {
  const answer = await fetch(`${url}/openai/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'replay/hello', input: 'Hello!', stream: true }),
    signal: AbortSignal.timeout(HEALTH_SECONDS * 1000),
  })
  return answer.text()
}

async function checkServer(image: BuiltImage, env: NodeJS.ProcessEnv, server: ChildProcess): Promise<void> {
  const url = `http://127.0.0.1:${env.PORT}`
  await within(START_SECONDS, 'the start', untilHealthy(image, env, server))
  process.stdout.write('HEALTHCHECK succeeds\n')
  const health = await fetch(`${url}/healthz`)
  assert.deepEqual([health.status, await health.text()], [200, '{"status":"ok"}'])
  if (image.user !== null) {
    assert.deepEqual(new Set(usersOf(server.pid)), new Set([image.user]))
    process.stdout.write(`the server runs as user ${image.user}\n`)
  }
  assert.match(await ask(url), /"type":"response\.completed"/)
  const exited = once(server, 'exit')
  const begun = performance.now()
  server.kill(image.stopSignal)
  const [code, signal] = await within(STOP_SECONDS, 'the stop', exited)
  assert.deepEqual([code, signal], [0, null])
  process.stdout.write(`stopped after ${((performance.now() - begun) / 1000).toFixed(1)} s with status 0\n`)
}

/** Starts the server of an image, and stops it. */
export async function checkImage(image: BuiltImage): Promise<void> {
  const env = {
    ...image.env,
    ...VARIABLES,
    // Nothing listens there: the server starts all the same, and logs that its store is down.
    REDIS_URL: 'redis://127.0.0.1:1',
    OTLP_URL: 'http://127.0.0.1:1',
    PORT: await freePort(),
    MILLRACE_CONFIG: image.pathOf(CONFIG_PATH),
  }
  assert.equal(await healthOf(image, env), 1, 'a server that does not listen is healthy')
  const { file, args, options } = image.command(image.start)
  const server = spawn(file, args, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (bytes) => (log += String(bytes)))
  try {
    await checkServer(image, env, server)
    assert.match(log, /"event":"stopped"/)
    assert.match(log, /"event":"rate_limit_store","state":"down"/, 'the client of Redis is missing')
  } catch (error) {
    process.stderr.write(`${log}\n`)
    throw error
  } finally {
    server.kill('SIGKILL')
  }
}
