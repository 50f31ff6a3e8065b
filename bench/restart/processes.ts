/** The servers of the restart simulation. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { spawnNode } from '../children.ts'

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url))

export interface ServerProcess {
  readonly port: number
  readonly child: ChildProcess
}

/** Resolves when the server listens. */
export async function startServer(config: string, port: number): Promise<ServerProcess> {
  const words = ['serve', '--config', config, '--port', String(port)]
  const child = spawnNode([MAIN, ...words])
  child.stdout?.resume()
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
