import { clientError, type GatewayError, gatewayError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { LONGEST } from '../../protocol/limits.ts'
import { lookup } from '../../text/lookup.ts'
import { trimSlashes } from '../../text/trim-slashes.ts'
import { authenticate, requireKind } from '../auth/auth.ts'
import { type Front, responsesFront } from '../clients/client-api.ts'
import { findFamily, WIRE_ROUTES, type WireRoutes } from '../clients/client-apis.ts'
import { belowModels, toMethodPatterns } from '../clients/method-paths.ts'
import type { Mount } from '../config/config.ts'
import type { Gateway } from '../gateway.ts'
import { toOpenApi } from '../openapi/document.ts'
import { getDestinations, refuseOperation } from './endpoints/destinations.ts'
import { getMetrics } from './endpoints/metrics.ts'
import { describeModel, getModel, getModels } from './endpoints/models.ts'
import { COMPACT } from './endpoints/operations.ts'
import { postRequest } from './endpoints/post-request.ts'
import type { Exchange } from './request-context.ts'
import { sendError, sendJson } from './send.ts'
import { pathOf } from './url.ts'
import { asksForWebSocket, HTTP_ONLY, NO_WEBSOCKET } from './websocket.ts'

type Endpoint = (gateway: Gateway, exchange: Exchange) => Promise<void> | void

/** The endpoints of one path, by method. */
interface Route {
  readonly endpoints: Readonly<Record<string, Endpoint>>
  /** Answers every other method. */
  readonly refuse?: (allow: string) => Endpoint
  /**
   * The client API for error formats. Default: the Responses API, or the client API that the headers of a request
   * identify.
   */
  readonly front?: Front
}

export interface Routes {
  readonly paths: ReadonlyMap<string, Route>
  /** Path prefix → client API whose error format is used for a 404 below that prefix. */
  readonly below: ReadonlyMap<string, Front>
  /** The prefixes of all paths that name models, the longest first. */
  readonly bases: readonly string[]
}

const getHealth: Endpoint = (gateway, exchange) =>
  gateway.isDraining() ? sendJson(exchange, 503, { status: 'draining' }) : sendJson(exchange, 200, { status: 'ok' })

const HEALTH: Route = { endpoints: { GET: getHealth, HEAD: getHealth } }
const METRICS: Route = { endpoints: { GET: getMetrics, HEAD: getMetrics } }
const DESTINATIONS: Route = { endpoints: { GET: getDestinations }, refuse: refuseOperation }
const DESTINATION: Route = { endpoints: {}, refuse: refuseOperation }

export function toRoutes({ config }: Gateway): Routes {
  const mounted = config.mounts.map(({ path }) => trimSlashes(path))
  const versions = mounted.flatMap((base) => WIRE_ROUTES.flatMap((routes) => toVersions(base, routes)))
  return {
    // Later entries win, so that a mount may have the same path as a version.
    paths: new Map<string, Route>([
      ['/healthz', HEALTH],
      ['/metrics', METRICS],
      ...versions.flatMap(({ base, routes }) => toVersionRoutes(base, routes)),
      ...config.mounts.flatMap(toMountRoutes),
    ]),
    below: new Map([
      ...versions.map(({ base, routes }) => [base, routes.front] as const),
      ...mounted.flatMap((base) =>
        WIRE_ROUTES.flatMap(({ below, front }) => below.map((start) => [base + start, front] as const)),
      ),
    ]),
    bases: [...mounted, ...versions.map(({ base }) => base)].sort((one, other) => other.length - one.length),
  }
}

function toMountRoutes(mount: Mount): [string, Route][] {
  const base = trimSlashes(mount.path)
  let description: JsonObject | null = null
  const getDescription: Endpoint = (_, exchange) => {
    // The description takes longer than the rest of the start, and few clients read it.
    description ??= toOpenApi({ ...mount, path: base })
    return sendJson(exchange, 200, description)
  }
  return [
    [`${base}/responses`, postTo(responsesFront(mount))],
    [`${base}/responses/compact`, postTo(responsesFront(mount, COMPACT))],
    [`${base}/models`, { endpoints: { GET: getModels, HEAD: getModels } }],
    [`${base}/models/*`, { endpoints: { GET: getModel, HEAD: getModel } }],
    ...WIRE_ROUTES.flatMap((routes) => toWireRoutes(base, { ...routes, front: routes.frontOf(mount) })),
    [`${base}/openapi.json`, { endpoints: { GET: getDescription, HEAD: getDescription } }],
    [`${base}/observability/destinations`, DESTINATIONS],
    [`${base}/observability/destinations/*`, DESTINATION],
  ]
}

/**
 * The prefix that clients with another version derive from a mount: beside a mount that ends in `v1`, else below it.
 */
function toVersions(base: string, routes: WireRoutes) {
  const { version } = routes
  return version === null ? [] : [{ base: `${base.replace(/\/v1$/, '')}/${version}`, routes }]
}

/** The paths that clients of such a client API use, and no others. */
const toVersionRoutes = (base: string, routes: WireRoutes): readonly [string, Route][] => [
  [`${base}/models`, toRead(routes.front, (gateway, exchange) => getModels(gateway, exchange, routes))],
  [`${base}/models/*`, toRead(routes.front, (gateway, exchange) => getModel(gateway, exchange, routes))],
  ...toWireRoutes(base, routes),
]

const postTo = (front: Front): Route => ({
  front,
  endpoints: { POST: (gateway, exchange) => postRequest(gateway, front, exchange) },
})

const toWireRoutes = (base: string, routes: WireRoutes): readonly [string, Route][] => {
  const { front, paths, refused, models, constants } = routes
  const refusals = Object.entries(refused).map(([path, why]): [string, Endpoint] => [
    path,
    refuseTo(front, gatewayError('not_implemented', why, 501)),
  ])
  return [
    ...paths.map((path): [string, Route] => [base + path, postTo(front)]),
    ...(models === null ? [] : toModelRoutes(base, models, routes)),
    ...Object.entries(constants).map(([path, body]): [string, Route] => [
      base + path,
      toRead(front, (_, exchange) => sendJson(exchange, 200, body)),
    ]),
    ...refusals.map(([path, endpoint]): [string, Route] => [base + path, { front, endpoints: { POST: endpoint } }]),
  ]
}

const toModelRoutes = (base: string, { list, one }: NonNullable<WireRoutes['models']>, routes: WireRoutes) => {
  const describe: Endpoint = (gateway, exchange) => describeModel(gateway, exchange, routes)
  return [
    [base + list, toRead(routes.front, (gateway, exchange) => getModels(gateway, exchange, routes))],
    [base + one, { front: routes.front, endpoints: { GET: describe, POST: describe } }],
  ] satisfies [string, Route][]
}

const toRead = (front: Front, endpoint: Endpoint): Route => ({ front, endpoints: { GET: endpoint, HEAD: endpoint } })

/** Authenticates before it refuses a path, so that unauthenticated clients cannot probe which paths exist. */
const refuseTo =
  (front: Front, error: GatewayError): Endpoint =>
  ({ keys }, exchange) => {
    const key = authenticate(keys, front.keyOf(exchange.request), front.keyPlace)
    const fit = key.ok ? requireKind(key.value, 'inference') : key
    sendError(exchange, fit.ok ? error : fit.error)
  }

/** Returns the endpoint of this request; for an unknown path or method, an endpoint that refuses it with the reason. */
export function findEndpoint(routes: Routes, exchange: Exchange): Endpoint {
  const { request, entry } = exchange
  if ((request.url ?? '').length > LONGEST.path) return refuseLongPath
  const path = pathOf(request)
  const pattern = routes.paths.has(path) ? path : patternOf(routes, path, request.method)
  const route = routes.paths.get(pattern)
  const front = (route === undefined ? frontAbove(routes, path) : route.front) ?? findFamily(request)?.front
  if (front !== undefined) meet(front, exchange)
  if (route === undefined) return refuseUnknown
  entry.path = pattern
  if (asksForWebSocket(request)) return refuseWebSocket
  const { endpoints, refuse = refuseMethod } = route
  return lookup(endpoints, request.method ?? '') ?? refuse(Object.keys(endpoints).join(', '))
}

const READS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD'])

/**
 * Finds the pattern of a path that has no row of its own. In a POST, the part after the colon is a method of the model;
 * in a GET, it may belong to the model's name.
 */
function patternOf({ paths, bases }: Routes, path: string, method: string | undefined): string {
  const asMethod = toMethodPatterns(path, bases)
  const below = READS.has(method) || asMethod.length === 0 ? belowModels(path) : ''
  const asModel = below === '' ? path : `${path.slice(0, path.length - below.length)}*`
  const patterns = [path.replace(/(\/destinations)\/[^/]+$/, '$1/*'), ...asMethod, asModel]
  return patterns.find((one) => paths.has(one)) ?? path
}

/**
 * Finds the client API of the longest prefix that belongs to only one of them: O(length of the path) for each of the
 * few prefixes.
 */
function frontAbove({ below, bases }: Routes, path: string): Front | undefined {
  const methods = toMethodPatterns(path, bases).map((pattern) => pattern.replace(/:\w+$/, ':*'))
  const method = methods.find((one) => below.has(one))
  if (method !== undefined) return below.get(method)
  const starts = [...below.keys()].filter((start) => path === start || path.startsWith(`${start}/`))
  return below.get(starts.reduce((longest, start) => (start.length > longest.length ? start : longest), ''))
}

function meet({ errorBody, idHeader }: Front, exchange: Exchange): void {
  exchange.errorBody = errorBody
  if (idHeader !== null) exchange.response.setHeader(idHeader, exchange.id)
}

export const refuseWith =
  (error: GatewayError): Endpoint =>
  (_, exchange) =>
    sendError(exchange, error)

const refuseUnknown = refuseWith(clientError('not_found', 'There is nothing at this path.'))

const refuseWebSocket: Endpoint = (_, exchange) => sendError(exchange, NO_WEBSOCKET, HTTP_ONLY)
const refuseLongPath = refuseWith(
  clientError('path_too_long', `The path must not be longer than ${LONGEST.path} characters, its query included.`),
)

const refuseMethod =
  (allow: string): Endpoint =>
  (_, exchange) =>
    sendError(exchange, clientError('method_not_allowed', `Allowed here: ${allow}.`), { allow })
