import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/listening.ts'
import type { RequestHead } from '../exchange/http-types.ts'
import { pathOf } from '../exchange/url.ts'
import { createCorsFinder } from './cors.ts'

interface CrossSiteConfig extends Pick<Config['listen'], 'hosts' | 'origins'> {
  /** The name or address that the server listens on; null if it is unknown. */
  readonly host: string | null
  /** The mounts with the origins of their own. */
  readonly mounts: Parameters<typeof createCorsFinder>[0]
}

/** Refuses a request that a web page of another site may have sent; null for every other request. */
export type CrossSiteCheck = (request: RequestHead) => GatewayError | null

/**
 * Browsers send requests for any page, also to loopback, where firewalls do not help. Two headers that no page can set
 * identify such requests: `Origin`, the site of the page (WHATWG Fetch, 3.2), and `Host`, the name under which the page
 * reached this server (with DNS rebinding, the attacker's own name that resolves to this address). `Host` is checked
 * only on loopback, or if hosts are configured: elsewhere the valid names are unknown, and requests need keys.
 */
export function createCrossSiteCheck({ host, hosts, origins, mounts }: CrossSiteConfig): CrossSiteCheck {
  const names = new Set(hosts.map((name) => name.toLowerCase()))
  const sites = new Set(origins.map((site) => site.toLowerCase()))
  const checksHost = ((host !== null && isLoopback(host)) || names.size > 0) && !names.has('*')
  const knowsHost = (name: string): boolean => isLoopback(name) || names.has(name) || name === host?.toLowerCase()
  const knowsOrigin = (origin: string): boolean =>
    sites.has('*') || sites.has(origin) || isLoopback(hostNameOf(origin.replace(/^https?:\/\//, '')))
  const corsOf = createCorsFinder(mounts)
  return (request) => {
    const { headers } = request
    const name = hostNameOf(headers.host ?? '')
    if (checksHost && name !== '' && !knowsHost(name)) return FOREIGN_HOST
    const origin = headers.origin?.toLowerCase()
    if (origin === undefined || knowsOrigin(origin)) return null
    return corsOf(pathOf(request))?.allows(origin) === true ? null : FOREIGN_ORIGIN
  }
}

const FOREIGN_HOST = clientError(
  'host_not_allowed',
  'The header "Host" has a name that this server does not accept. If the name is correct, add it to listen.hosts in the configuration.',
)

const FOREIGN_ORIGIN = clientError(
  'origin_not_allowed',
  'The header "Origin" has a site that this server does not accept. To allow its pages, add the site to mounts[].cors.origins in the configuration, or to listen.origins.',
)

/** Removes the port. */
const hostNameOf = (host: string): string => host.toLowerCase().replace(/:\d{1,5}$/, '')
