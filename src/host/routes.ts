import { clientError, type GatewayError } from '../protocol/error.ts'
import { lookup } from '../text/lookup.ts'
import type { Mount } from './config.ts'
import { trimSlash } from './config-checks.ts'
import { COMPACT, type Errand } from './errand.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { getMetrics } from './metrics-route.ts'
import { getDestinations, refuseOperation } from './observability-list.ts'
import { toOpenApi } from './openapi.ts'
import { postResponses } from './post-responses.ts'
import { sendError, sendJson } from './reply.ts'

type Endpoint = (gateway: Gateway, exchange: Exchange) => Promise<void> | void

/** The endpoints of one path, by method. */
interface Route {
  readonly endpoints: Readonly<Record<string, Endpoint>>
  /** Who answers any other method. */
  readonly refuse?: (allow: string) => Endpoint
}

export type Routes = ReadonlyMap<string, Route>

const getHealth: Endpoint = (gateway, exchange) =>
  gateway.isDraining() ? sendJson(exchange, 503, { status: 'draining' }) : sendJson(exchange, 200, { status: 'ok' })

const HEALTH: Route = { endpoints: { GET: getHealth, HEAD: getHealth } }
const METRICS: Route = { endpoints: { GET: getMetrics, HEAD: getMetrics } }
const DESTINATIONS: Route = { endpoints: { GET: getDestinations }, refuse: refuseOperation }
const DESTINATION: Route = { endpoints: {}, refuse: refuseOperation }

export const toRoutes = ({ config }: Gateway): Routes =>
  new Map<string, Route>([['/healthz', HEALTH], ['/metrics', METRICS], ...config.mounts.flatMap(toMountRoutes)])

function toMountRoutes(mount: Mount): [string, Route][] {
  const base = trimSlash(mount.path)
  const description = toOpenApi({ ...mount, path: base })
  const getDescription: Endpoint = (_, exchange) => sendJson(exchange, 200, description)
  const post = (errand?: Errand): Route => ({
    endpoints: { POST: (gateway, exchange) => postResponses(gateway, mount, exchange, errand) },
  })
  return [
    [`${base}/responses`, post()],
    [`${base}/responses/compact`, post(COMPACT)],
    [`${base}/openapi.json`, { endpoints: { GET: getDescription, HEAD: getDescription } }],
    [`${base}/observability/destinations`, DESTINATIONS],
    [`${base}/observability/destinations/*`, DESTINATION],
  ]
}

/** Who answers this request; where nobody does, the refusal that says why. */
export function findEndpoint(routes: Routes, { request, entry }: Exchange): Endpoint {
  const path = toPath(request.url ?? '')
  const pattern = routes.has(path) ? path : path.replace(/[^/]+$/, '*')
  const route = routes.get(pattern)
  if (route === undefined) return refuseUnknown
  entry.path = pattern
  const { endpoints, refuse = refuseMethod } = route
  return lookup(endpoints, request.method ?? '') ?? refuse(Object.keys(endpoints).join(', '))
}

/** A target may be a whole URL (RFC 9112, 3.2.2). */
const toPath = (target: string): string => target.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] ?? ''

export const refuseWith =
  (error: GatewayError): Endpoint =>
  (_, exchange) =>
    sendError(exchange, error)

const refuseUnknown = refuseWith(clientError('not_found', 'There is nothing at this path.'))

const refuseMethod =
  (allow: string): Endpoint =>
  (_, exchange) =>
    sendError(exchange, clientError('method_not_allowed', `Allowed here: ${allow}.`), { allow })
