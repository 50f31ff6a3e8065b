import type { Socket } from 'node:net'
import { buildConnector, type Dispatcher, errors } from 'undici/index.js'
import { PROXY_REFUSED } from '../../gateway/upstream/transport-error.ts'
import type { HttpProxy, ProxyRules } from './proxy-rules.ts'
import { UpstreamAgent, UpstreamConnection } from './upstream-agent.ts'

type Connector = buildConnector.connector

/** An agent whose connections for some upstreams go through a proxy. */
export class ProxiedAgent extends UpstreamAgent {
  private readonly proxies: ProxyRules

  /** `options.connect`: made by `proxyConnector` with the same rules. */
  constructor(proxies: ProxyRules, ...options: ConstructorParameters<typeof UpstreamAgent>) {
    super(...options)
    this.proxies = proxies
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const url = new URL(String(options.origin))
    const proxy = url.protocol === 'http:' ? proxyOf(this.proxies, url) : null
    if (proxy === null) return super.dispatch(options, handler)
    // Without a tunnel, the proxy reads the whole URL from the request line (RFC 9112, 3.2.2).
    const headers = { ...(options.headers as Readonly<Record<string, string>>), ...authorizationOf(proxy) }
    return super.dispatch({ ...options, path: `${url.origin}${options.path}`, headers }, handler)
  }
}

const authorizationOf = ({ authorization }: HttpProxy): Readonly<Record<string, string>> =>
  authorization === null ? {} : { 'proxy-authorization': authorization }

const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 }

const portOf = (protocol: string, port: string | undefined): number =>
  port === undefined || port === '' ? (PORTS[protocol] ?? 0) : Number(port)

const proxyOf = (proxies: ProxyRules, { protocol, hostname, port }: URL): HttpProxy | null =>
  proxies.proxyFor(protocol, hostname, portOf(protocol, port))

/**
 * Opens connections to upstreams, directly or through their proxy: a tunnel for https (RFC 9110, 9.3.6), else a
 * connection to the proxy itself. `timeoutMs`: for each of the connection, the tunnel and its TLS.
 */
export function proxyConnector(proxies: ProxyRules, timeoutMs: number): Connector {
  const direct = buildConnector({ timeout: timeoutMs })
  return (options, callback) => {
    const { protocol, hostname, port } = options
    const proxy = proxies.proxyFor(protocol, hostname, portOf(protocol, port))
    if (proxy === null) return direct(options, callback)
    if (protocol !== 'https:') return direct(toProxyOptions(proxy), callback)
    openTunnel(proxy, `${hostOf(options)}:${portOf(protocol, port)}`, timeoutMs).then(
      // The connector of undici sets up TLS on a socket that is open.
      (socket) => direct({ ...options, httpSocket: socket }, callback),
      (error: Error) => callback(error, null),
    )
    return undefined
  }
}

const hostOf = ({ hostname }: buildConnector.Options): string => (hostname.includes(':') ? `[${hostname}]` : hostname)

function toProxyOptions({ origin }: HttpProxy): buildConnector.Options {
  const { protocol, host, hostname, port } = new URL(origin)
  return { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port }
}

/** Asks the proxy for a connection to this host and port. Rejects if it refuses, or does not answer in time. */
async function openTunnel(proxy: HttpProxy, target: string, timeoutMs: number): Promise<Socket> {
  const options = { connect: buildConnector({ timeout: timeoutMs }) }
  // A bug fails the connection, which is reported.
  const client = new UpstreamConnection(new URL(proxy.origin), options, () => undefined)
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const headers = { host: target, ...authorizationOf(proxy) }
    const { statusCode, socket } = await client.connect({ path: target, headers, signal })
    if (statusCode >= 200 && statusCode < 300) return socket as Socket
    socket.destroy()
    throw Object.assign(new Error(`The proxy answered ${statusCode}.`), { code: PROXY_REFUSED })
  } catch (error) {
    throw signal.aborted ? new errors.ConnectTimeoutError('The proxy did not answer in time.') : error
  } finally {
    // The tunnel is no longer a connection of the client.
    void client.destroy()
  }
}
