/** The processes of the restart simulation: servers, balancer, Redis, upstream and client. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const children: ChildProcess[] = []

export function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** Rejects with an Error if the process ends first. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error(`${child.spawnargs[1]} has ended`))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as Message)
    })
  })
}

/** Starts a program of this folder. */
export function forkProgram(name: string, words: readonly string[]): ChildProcess {
  const child = fork(here(name), words)
  children.push(child)
  return child
}

/** Starts an installed program. Rejects with an Error that names its package if there is none. */
export async function spawnInstalled(
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const paths = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`
  const child = spawn(program, words, { env: { ...env, PATH: paths }, stdio: ['ignore', 'ignore', 'inherit'] })
  children.push(child)
  await once(child, 'spawn').catch(() => {
    throw new Error(`There is no ${program} on this machine. Install the package of this name.`)
  })
  return child
}

export interface ServerProcess {
  readonly port: number
  readonly child: ChildProcess
}

/** Resolves when the server listens. */
export async function startServer(config: string, port: number): Promise<ServerProcess> {
  const words = ['serve', '--config', config, '--port', String(port)]
  const child = spawn(process.execPath, [here('../../src/cli/main.js'), ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  await until(`the server on port ${port}`, async () => (await get(port, '/healthz')) !== null)
  return { port, child }
}

/** Sends SIGTERM. Resolves with the exit code, and the seconds until the process ended. */
export async function terminate({
  child,
}: ServerProcess): Promise<{ readonly code: unknown; readonly seconds: number }> {
  const began = performance.now()
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  return { code, seconds: Math.round((performance.now() - began) / 1000) }
}

/** Resident MiB and seconds of processor time of a server, from Linux's /proc. */
export function usageOf({ child: { pid } }: ServerProcess): { readonly rss: number; readonly cpu: number } {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { rss: Number(kilobytes) / 1024, cpu: (Number(fields[11]) + Number(fields[12])) / 100 }
}

/** The open streams of a server, by its own metrics. */
export async function openStreams({ port }: ServerProcess): Promise<number> {
  const [, count = '0'] = /^millrace_streams_open (\d+)/m.exec((await get(port, '/metrics')) ?? '') ?? []
  return Number(count)
}

/** Returns null if nothing answers. */
const get = (port: number, path: string): Promise<string | null> =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    (response) => response.text(),
    () => null,
  )

const POLL_MS = 200
const POLLS = 300

export async function until(what: string, isReached: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < POLLS; n += 1) {
    if (await isReached()) return
    await sleep(POLL_MS)
  }
  throw new Error(`${what} was not reached in ${(POLLS * POLL_MS) / 1000} s`)
}

/** Ports that were free a moment ago. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
