import { spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'

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
  const port = given ?? (await freePort())
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no']
  const child = spawn(process.env.REDIS_SERVER ?? 'redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ready = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', () => resolve(false))
    child.stdout.on('data', (bytes) => String(bytes).includes('Ready to accept connections') && resolve(true))
  })
  if (!ready) return null
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: () => {
      child.kill('SIGKILL')
      return exited
    },
  }
}
