import { MAX_LENGTHS } from '../../protocol/limits.ts'
import { lookup } from '../../text/lookup.ts'
import type { ClientApi } from '../clients/client-api.ts'
import { findFamily } from '../clients/client-apis.ts'
import { belowModels, toMethodPatterns } from '../clients/method-paths.ts'
import type { RequestHead } from '../exchange/http-types.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { pathOf, withoutEmptySegments } from '../exchange/url.ts'
import { answerPreflight, applyCors, isPreflight } from './cors.ts'
import { requestsWebSocket, type SocketRoute } from './handshake.ts'
import { type Endpoint, refuseLongPath, refuseMethod, refuseUnknown, refuseWebSocket } from './refusals.ts'
import type { Routes } from './routes.ts'

/** The path as the table has it: some rows end with a slash. */
function ownPath(paths: Routes['paths'], request: RequestHead): string {
  const path = pathOf(request)
  return paths.has(path) ? path : withoutEmptySegments(path)
}

/** The route of a WebSocket handshake; undefined if the request is none, or its path accepts none. */
export const socketRouteOf = ({ paths }: Routes, request: RequestHead): SocketRoute | undefined =>
  request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket' && requestsWebSocket(request)
    ? paths.get(ownPath(paths, request))?.socket
    : undefined

/** Returns the endpoint of this request; for an unknown path or method, an endpoint that refuses it with the reason. */
export function findEndpoint(routes: Routes, context: RequestContext): Endpoint {
  const { request, journal } = context
  const path = ownPath(routes.paths, request)
  const cors = routes.corsOf(path)
  if (cors !== null) applyCors(cors, context)
  if ((request.url ?? '').length > MAX_LENGTHS.path) return refuseLongPath
  const pattern = routes.paths.has(path) ? path : patternOf(routes, path, request.method)
  const route = routes.paths.get(pattern)
  const api = (route === undefined ? apiAbove(routes, path) : route.api) ?? findFamily(request)?.api
  if (api !== undefined) applyClientApi(api, context)
  if (route !== undefined) journal.add({ type: 'matched', path: pattern })
  if (cors !== null && isPreflight(request)) return answerPreflight(cors, Object.keys(route?.endpoints ?? ANY))
  if (route === undefined) return refuseUnknown
  if (requestsWebSocket(request)) return refuseWebSocket(request.method === 'GET' ? route.socket : undefined)
  const { endpoints, refuse = refuseMethod } = route
  return lookup(endpoints, request.method ?? '') ?? refuse(Object.keys(endpoints).join(', '))
}

/** The methods of paths that do not exist: the page shall read that they do not. */
const ANY = { GET: null, HEAD: null, POST: null }

const READS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD'])

/**
 * Finds the pattern of a path that has no row of its own. In a POST, the part after the colon is a method of the model;
 * in a GET, it may belong to the model's name.
 */
function patternOf({ paths, bases }: Routes, path: string, method: string | undefined): string {
  const asMethod = toMethodPatterns(path, bases)
  const below = READS.has(method) || asMethod.length === 0 ? belowModels(path) : ''
  const asModel = below === '' ? path : `${path.slice(0, path.length - below.length)}*`
  const patterns = [
    path.replace(/(\/responses)\/[^/]+$/, '$1/*'),
    path.replace(/(\/destinations)\/[^/]+$/, '$1/*'),
    path.replace(/^(\/page\/api\/fixtures)\/.+$/, '$1/*'),
    path.replace(/^(\/page)\/[^/]+$/, '$1/*'),
    ...asMethod,
    asModel,
  ]
  return patterns.find((one) => paths.has(one)) ?? path
}

/**
 * Finds the client API of the longest prefix that belongs to only one of them: O(length of the path) for each of the
 * few prefixes.
 */
function apiAbove({ below, bases }: Routes, path: string): ClientApi | undefined {
  const methods = toMethodPatterns(path, bases).map((pattern) => pattern.replace(/:\w+$/, ':*'))
  const method = methods.find((one) => below.has(one))
  if (method !== undefined) return below.get(method) ?? undefined
  const starts = [...below.keys()].filter((start) => path === start || path.startsWith(`${start}/`))
  return (
    below.get(starts.reduce((longest, start) => (start.length > longest.length ? start : longest), '')) ?? undefined
  )
}

function applyClientApi({ errorBody, idHeader }: ClientApi, context: RequestContext): void {
  context.errorBody = errorBody
  if (idHeader !== null) context.reply.setHeader(idHeader, context.id)
}
