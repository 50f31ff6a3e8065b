import { chmodSync } from 'node:fs'
import type { Server } from 'node:http'
import { type AddressInfo, isIPv6, type ListenOptions } from 'node:net'
import type { Config } from '../../gateway/config/config.ts'
import { isLoopback } from '../../gateway/routing/cross-site.ts'
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

/**
 * Returns the address of the configuration. `port`: where the configuration has none. Throws an Error for an invalid
 * port, and for a host that is reachable from outside while only the development key is in force.
 */
export function checkAddress(listen: Config['listen'], port: string | undefined, development: boolean): ListenAddress {
  const { host, path = null, mode } = listen
  if (development && path === null && !isLoopback(host)) {
    throw new Error(
      `listen.host: ${host} is reachable from other machines, which the development key does not allow. ` +
        'Add keys to the configuration (millrace key makes one), or listen on 127.0.0.1.',
    )
  }
  const chosen = listen.port ?? port ?? ''
  const number = chosen === '' ? DEFAULT_PORT : Number(chosen)
  const fits = Number.isInteger(number) && number >= 0 && number <= 65_535
  if (!fits) throw new Error(`PORT: expected a number from 0 to 65535, got ${JSON.stringify(chosen)}`)
  return { path, mode, host: host.replace(/^\[|\]$/g, ''), port: number, isSecure: listen.tls !== undefined }
}

/** Errors of the system by their code, with the remedy. */
const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has this port (EADDRINUSE). Choose another one, or 0 for a free one',
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
