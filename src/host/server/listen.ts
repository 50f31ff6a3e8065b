import type { Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { isLoopback } from '../../gateway/routing/cross-site.ts'
import { lookup } from '../../text/lookup.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

const DEFAULT_PORT = 8787

/** Rejects an invalid port, and a host that is reachable from outside while only the development key is in force. */
export function checkAddress(
  { host, port = DEFAULT_PORT }: { readonly host: string; readonly port: number | string | undefined },
  development: boolean,
): ListenAddress {
  if (development && !isLoopback(host)) {
    throw new Error(
      `listen.host: ${host} is reachable from other machines, which the development key does not allow. ` +
        'Add keys to the configuration (millrace key makes one), or listen on 127.0.0.1.',
    )
  }
  const number = port === '' ? DEFAULT_PORT : Number(port)
  const fits = Number.isInteger(number) && number >= 0 && number <= 65_535
  if (!fits) throw new Error(`PORT: expected a number from 0 to 65535, got ${JSON.stringify(port)}`)
  return { host: host.replace(/^\[|\]$/g, ''), port: number }
}

/** Errors of the system by their code, with the remedy. */
const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has this port (EADDRINUSE). Choose another one, or 0 for a free one',
  EACCES: 'this user may not open the port (EACCES). Choose one above 1023',
  EADDRNOTAVAIL: 'this machine does not have the address (EADDRNOTAVAIL). Check listen.host',
  ENOTFOUND: 'the name has no address (ENOTFOUND). Check listen.host',
}

/** Resolves with the address in use, because the system may have chosen the port. */
export function listenOn(server: Server, { host, port }: ListenAddress): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          `cannot listen on ${host}:${port}: ${lookup(LISTEN_ERRORS, error.code ?? '') ?? `${error.code ?? 'unknown error'}. Check listen.host and listen.port`}`,
        ),
      ),
    )
    server.listen({ host, port }, () => resolve({ host, port: (server.address() as AddressInfo).port }))
  })
}

export const toUrl = ({ host, port }: ListenAddress): string => `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
