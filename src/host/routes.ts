import { clientError, type GatewayError } from '../protocol/error.ts'
import { lookup } from '../text/lookup.ts'
import type { Mount } from './config.ts'
import { trimSlash } from './config-checks.ts'
import { COMPACT } from './errand.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { toOpenApi } from './openapi.ts'
import { postResponses } from './post-responses.ts'
import { sendError, sendJson } from './reply.ts'

type Endpoint = (gateway: Gateway, exchange: Exchange) => Promise<void> | void

/** The endpoints of one path, by method. */
type Route = Readonly<Record<string, Endpoint>>

export type Routes = ReadonlyMap<string, Route>

const getHealth: Endpoint = (gateway, exchange) =>
  gateway.isDraining() ? sendJson(exchange, 503, { status: 'draining' }) : sendJson(exchange, 200, { status: 'ok' })

const HEALTH: Route = { GET: getHealth, HEAD: getHealth }

export const toRoutes = ({ config }: Gateway): Routes =>
  new Map<string, Route>([['/healthz', HEALTH], ...config.mounts.flatMap(toMountRoutes)])

function toMountRoutes(mount: Mount): [string, Route][] {
  const path = trimSlash(mount.path)
  const description = toOpenApi({ ...mount, path })
  const getDescription: Endpoint = (_, exchange) => sendJson(exchange, 200, description)
  return [
    [`${path}/responses`, { POST: (gateway, exchange) => postResponses(gateway, mount, exchange) }],
    [`${path}/responses/compact`, { POST: (gateway, exchange) => postResponses(gateway, mount, exchange, COMPACT) }],
    [`${path}/openapi.json`, { GET: getDescription, HEAD: getDescription }],
  ]
}

/** Who answers this request; where nobody does, the refusal that says why. */
export function findEndpoint(routes: Routes, { request, entry }: Exchange): Endpoint {
  const path = toPath(request.url ?? '')
  const route = routes.get(path)
  if (route === undefined) return refuseUnknown
  entry.path = path
  return lookup(route, request.method ?? '') ?? refuseMethod(Object.keys(route))
}

/** A target may be a whole URL (RFC 9112, 3.2.2). */
const toPath = (target: string): string => target.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] ?? ''

export const refuseWith =
  (error: GatewayError): Endpoint =>
  (_, exchange) =>
    sendError(exchange, error)

const refuseUnknown = refuseWith(clientError('not_found', 'There is nothing at this path.'))

const refuseMethod =
  (allowed: readonly string[]): Endpoint =>
  (_, exchange) => {
    const allow = allowed.join(', ')
    sendError(exchange, clientError('method_not_allowed', `Allowed here: ${allow}.`), { allow })
  }
