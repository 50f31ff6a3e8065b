import { clientError } from '../protocol/error.ts'
import { lookup } from '../text/lookup.ts'
import { trimSlash } from './config-checks.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { getMetrics } from './metrics-route.ts'
import { getDestinations, refuseOperation } from './observability-list.ts'
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
  new Map<string, Route>([
    ['/healthz', HEALTH],
    ['/metrics', METRICS],
    ...config.mounts.flatMap((mount): [string, Route][] => {
      const base = trimSlash(mount.path)
      return [
        [`${base}/responses`, { endpoints: { POST: (gateway, exchange) => postResponses(gateway, mount, exchange) } }],
        [`${base}/observability/destinations`, DESTINATIONS],
        [`${base}/observability/destinations/*`, DESTINATION],
      ]
    }),
  ])

/** Who answers this request; where nobody does, the refusal that says why. */
export function findEndpoint(routes: Routes, { request, entry }: Exchange): Endpoint {
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  const pattern = routes.has(path) ? path : path.replace(/[^/]+$/, '*')
  const route = routes.get(pattern)
  if (route === undefined) return refuseUnknown
  entry.path = pattern
  const { endpoints, refuse = refuseMethod } = route
  return lookup(endpoints, request.method ?? '') ?? refuse(Object.keys(endpoints).join(', '))
}

const refuseUnknown: Endpoint = (_, exchange) =>
  sendError(exchange, clientError('not_found', 'There is nothing at this path.', null, 404))

const refuseMethod =
  (allow: string): Endpoint =>
  (_, exchange) =>
    sendError(exchange, clientError('method_not_allowed', `Allowed here: ${allow}.`, null, 405), { allow })
