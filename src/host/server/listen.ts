import { chmodSync } from 'node:fs'
import type { Server } from 'node:http'
import { type AddressInfo, isIPv6, type ListenOptions } from 'node:net'
import { publishedKeyProblems } from '../../gateway/auth/published-keys.ts'
import type { Config } from '../../gateway/config/config.ts'
import { isLoopback } from '../../gateway/config/listening.ts'
import type { Env } from '../../gateway/config/secrets.ts'
import { lookup } from '../../text/lookup.ts'
import { removeStaleSocket } from './unix-socket.ts'

export interface ListenAddress {
  /** The socket of the file system, with its permissions; null: the server listens on host and port. */
  readonly path: string | null
  readonly mode: string
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
}

const DEFAULT_PORT = 8787

/**
 * Connections that wait until they are accepted. Node accepts one in each turn of its loop, and a turn is long while
 * thousands of streams are open. Of a full queue, the system drops connections that their clients count as open, and
 * resets them a minute later. The system's own limit (`net.core.somaxconn`) may be lower.
 */
const BACKLOG = 4096

/** Returns the address of the configuration. Throws an Error with all its problems, one in each line. */
export function toAddress(config: Pick<Config, 'listen' | 'keys'>, env: Env): ListenAddress {
  const problems = [...addressProblems(config, env)]
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const { host, path = null, mode, tls } = config.listen
  return {
    path,
    mode,
    host: host.replace(/^\[|\]$/g, ''),
    port: portOf(config.listen, env),
    isSecure: tls !== undefined,
  }
}

/**
 * An invalid port, and a host that is reachable from outside while keys are in force that everyone has: the development
 * key, or keys of the documentation. `env`: its PORT applies where the configuration has none.
 */
function* addressProblems({ listen, keys }: Pick<Config, 'listen' | 'keys'>, env: Env): Iterable<string> {
  const { host, path } = listen
  if (path === undefined && !isLoopback(host)) {
    const reachable = `${host} is reachable from other machines`
    if (keys.length === 0)
      yield `listen.host: ${reachable}, which the development key does not allow. Add keys to the configuration (millrace key makes one), or listen on 127.0.0.1.`
    for (const problem of publishedKeyProblems({ keys })) yield `${problem}, or listen on 127.0.0.1: ${reachable}.`
  }
  const number = portOf(listen, env)
  if (!(Number.isInteger(number) && number >= 0 && number <= 65_535))
    yield `PORT: expected a number from 0 to 65535, got ${JSON.stringify(env.PORT)}`
}

/** The schema has checked the port of the configuration. */
function portOf({ port }: Config['listen'], env: Env): number {
  const given = env.PORT ?? ''
  return port ?? (given === '' ? DEFAULT_PORT : Number(given))
}

/** Errors of the system by their code, with the remedy. */
const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program has this port (EADDRINUSE). Choose another one with --port or listen.port; 0 picks a free port',
  EACCES: 'this user may not open the port (EACCES). Choose one above 1023',
  EADDRNOTAVAIL: 'this machine does not have the address (EADDRNOTAVAIL). Check listen.host',
  ENOTFOUND: 'the name has no address (ENOTFOUND). Check listen.host',
}

const SOCKET_ERRORS: Readonly<Record<string, string>> = {
  // libuv reports a missing folder by this code, too.
  EACCES: 'the folder does not exist, or this user may not create a socket in it (EACCES). Check it',
  EINVAL: 'the path is too long for a socket (EINVAL). Choose a shorter one',
}

/**
 * Resolves with the address in use, because the system may have chosen the port. `isShared`: the socket belongs to the
 * primary process, which has removed an old one of the file system.
 */
export async function listenOn(server: Server, address: ListenAddress, isShared: boolean): Promise<ListenAddress> {
  const { path, mode, host, port } = address
  if (path === null) {
    await opened(server, { host, port, backlog: BACKLOG }, `${host}:${port}`)
    return { ...address, port: (server.address() as AddressInfo).port }
  }
  if (!isShared) await removeStaleSocket(path)
  await opened(server, { path, backlog: BACKLOG }, path)
  chmodSync(path, Number.parseInt(mode, 8))
  return address
}

const opened = (server: Server, options: ListenOptions, shown: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const remedies = options.path === undefined ? LISTEN_ERRORS : SOCKET_ERRORS
      const remedy = lookup(remedies, error.code ?? '') ?? `${error.code ?? 'unknown error'}. Check listen`
      reject(new Error(`cannot listen on ${shown}: ${remedy}`))
    })
    server.listen(options, resolve)
  })

/** A URL, or `unix:` with a path. */
export function toUrl({ path, host, port, isSecure }: ListenAddress): string {
  if (path !== null) return `unix:${path}`
  return `${isSecure ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${port}`
}
