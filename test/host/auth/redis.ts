import { spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { waitUntil } from '../test-server.ts'

export interface RedisServer {
  readonly url: string
  stop(): Promise<void>
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** Starts Debian's redis-server on loopback without a file; returns null if it is not installed. */
export async function startRedis(given?: number): Promise<RedisServer | null> {
  let server: RedisServer | 'port in use' | null = null
  // Another process may have the port: a free one since it was looked up, a given one since the last server has ended.
  await waitUntil(async () => {
    server = await tryRedis(given ?? (await freePort()))
    return server !== 'port in use'
  }, 'a port for Redis')
  return server
}

async function tryRedis(port: number): Promise<RedisServer | 'port in use' | null> {
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no']
  const child = spawn(process.env.REDIS_SERVER ?? 'redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const state = await new Promise<'ready' | 'missing' | 'port in use'>((resolve) => {
    child.once('error', () => resolve('missing'))
    child.once('exit', () => resolve('port in use'))
    child.stdout.on('data', (bytes) => String(bytes).includes('Ready to accept connections') && resolve('ready'))
  })
  if (state !== 'ready') return state === 'missing' ? null : state
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: () => {
      child.kill('SIGKILL')
      return exited
    },
  }
}
