import type { JsonObject } from '../../protocol/json.ts'
import { trimSlashes } from '../../text/trim-slashes.ts'
import type { ClientCounts } from '../../wires/count-contract.ts'
import { type ClientApi, COMPACT, RESPONSES_COUNTS, responsesApi } from '../clients/client-api.ts'
import { WIRE_ROUTES, type WireRoutes } from '../clients/client-apis.ts'
import type { Mount } from '../config/config.ts'
import { countTokens } from '../endpoints/count-tokens.ts'
import { getDestinations, refuseOperation } from '../endpoints/destinations.ts'
import { describeModel, getModel, getModels } from '../endpoints/models.ts'
import { postRequest } from '../endpoints/post-request.ts'
import { sendJson } from '../exchange/send.ts'
import type { Gateway } from '../gateway.ts'
import { toOpenApi } from '../openapi/document.ts'
import { resumeStream } from '../resume/resume-stream.ts'
import { createCorsFinder, type FindCors, ownedPrefixes, versionBase } from './cors.ts'
import type { AdmitSocket, SocketRoute } from './handshake.ts'
import type { Endpoint } from './refusals.ts'

/** The endpoints of one path, by method. */
export interface Route {
  readonly endpoints: Readonly<Record<string, Endpoint>>
  /** Answers every other method. */
  readonly refuse?: (allow: string) => Endpoint
  /**
   * The client API for error formats. Default: the Responses API, or the client API that the headers of a request
   * identify.
   */
  readonly api?: ClientApi
  /** The route accepts WebSockets. */
  readonly socket?: SocketRoute
}

export interface Routes {
  readonly paths: ReadonlyMap<string, Route>
  /** Path prefix → client API whose error format is used for a 404 below that prefix; null: that of the headers. */
  readonly below: ReadonlyMap<string, ClientApi | null>
  /** The prefixes of all paths that name models, the longest first. */
  readonly bases: readonly string[]
  readonly corsOf: FindCors
}

const getHealth: Endpoint = (gateway, context) =>
  gateway.isDraining() ? sendJson(context, 503, { status: 'draining' }) : sendJson(context, 200, { status: 'ok' })

/** Claude Code looks for its server at this path before its first request. */
const HELLO_PATH = '/api/hello'
const getHello: Endpoint = (_, context) => sendJson(context, 200, { message: 'hello' })
const HELLO: Route = { endpoints: { GET: getHello, HEAD: getHello } }
const HEALTH: Route = { endpoints: { GET: getHealth, HEAD: getHealth } }
const RESUME: Route = { endpoints: { GET: resumeStream } }
const DESTINATIONS: Route = { endpoints: { GET: getDestinations }, refuse: refuseOperation }
const DESTINATION: Route = { endpoints: {}, refuse: refuseOperation }

/** The parts of the route table that only some hosts of the gateway have. */
export interface HostRoutes {
  /** Further paths. */
  readonly paths: readonly (readonly [string, Route])[]
  /** Null if the host accepts no WebSockets. */
  readonly admitSocket: AdmitSocket | null
}

export function toRoutes({ config }: Pick<Gateway, 'config'>, { paths, admitSocket }: HostRoutes): Routes {
  const mounted = config.mounts.map(({ path }) => trimSlashes(path))
  const versions = mounted.flatMap((base) => WIRE_ROUTES.flatMap((routes) => toVersions(base, routes)))
  // The first client API of a version answers on the paths that all of them have: later entries win.
  const shared = [...versions].reverse()
  return {
    corsOf: createCorsFinder(config.mounts),
    // Later entries win, so that a mount may have the same path as a version.
    paths: new Map<string, Route>([
      ['/healthz', HEALTH],
      [HELLO_PATH, HELLO],
      ...mounted.map((base): [string, Route] => [versionBase(base, HELLO_PATH.slice(1)), HELLO]),
      ...paths,
      ...shared.flatMap(({ base, routes }) => toVersionRoutes(base, routes)),
      ...config.mounts.flatMap((mount) => toMountRoutes(mount, admitSocket, config.resume !== undefined)),
    ]),
    below: new Map<string, ClientApi | null>([
      ...shared.flatMap(({ owned, routes }) => owned.map((start) => [start, routes.api] as const)),
      ...mounted.map((base) => [base, null] as const),
      ...mounted.flatMap((base) =>
        WIRE_ROUTES.flatMap(({ ownedPaths, api }) => ownedPaths.map((start) => [base + start, api] as const)),
      ),
    ]),
    bases: [...mounted, ...versions.flatMap(({ owned }) => owned)].sort((one, other) => other.length - one.length),
  }
}

function toMountRoutes(mount: Mount, admitSocket: AdmitSocket | null, resumes: boolean): [string, Route][] {
  const base = trimSlashes(mount.path)
  let description: JsonObject | null = null
  const getDescription: Endpoint = (_, context) => {
    // The description takes longer than the rest of the start, and few clients read it.
    description ??= toOpenApi({ ...mount, path: base }, resumes)
    return sendJson(context, 200, description)
  }
  return [
    [`${base}/responses`, toResponses(mount, `${base}/responses`, admitSocket)],
    ...(resumes ? [[`${base}/responses/*`, RESUME] satisfies [string, Route]] : []),
    [`${base}/responses/compact`, postTo(responsesApi(mount, COMPACT))],
    [`${base}/responses/input_tokens`, countFor(responsesApi(mount), RESPONSES_COUNTS)],
    [`${base}/models`, { endpoints: { GET: getModels, HEAD: getModels } }],
    [`${base}/models/*`, { endpoints: { GET: getModel, HEAD: getModel } }],
    ...WIRE_ROUTES.flatMap((routes) => toWireRoutes(base, { ...routes, api: routes.apiOf(mount) })),
    [`${base}/openapi.json`, { endpoints: { GET: getDescription, HEAD: getDescription } }],
    [`${base}/observability/destinations`, DESTINATIONS],
    [`${base}/observability/destinations/*`, DESTINATION],
  ]
}

/** The prefix that clients with another version derive from a mount. */
function toVersions(base: string, routes: WireRoutes) {
  const { version } = routes
  if (version === null) return []
  const owned = ownedPrefixes(base, version, routes.ownedPaths)
  return [{ base: versionBase(base, version), owned, routes }]
}

/** The paths that clients of such a client API use, and no others. */
const toVersionRoutes = (base: string, routes: WireRoutes): readonly [string, Route][] => [
  ...(routes.models === null ? toListRoutes(base, routes) : []),
  ...toWireRoutes(base, routes),
]

const toListRoutes = (base: string, routes: WireRoutes): readonly [string, Route][] => [
  [`${base}/models`, toRead(routes.api, (gateway, context) => getModels(gateway, context, routes))],
  [`${base}/models/*`, toRead(routes.api, (gateway, context) => getModel(gateway, context, routes))],
]

function toResponses(mount: Mount, path: string, admit: AdmitSocket | null): Route {
  const api = responsesApi(mount)
  return mount.websocket && admit !== null ? { ...postTo(api), socket: { api, path, admit } } : postTo(api)
}

const postTo = (api: ClientApi): Route => ({
  api,
  endpoints: { POST: (gateway, context) => postRequest(gateway, api, context) },
})

const countFor = (api: ClientApi, counts: ClientCounts): Route => ({
  api,
  endpoints: { POST: (gateway, context) => countTokens(gateway, api, counts, context) },
})

const toWireRoutes = (base: string, routes: WireRoutes): readonly [string, Route][] => {
  const { api, client, paths, countPaths, models, constants } = routes
  const { counts } = client
  return [
    ...paths.map((path): [string, Route] => [base + path, postTo(api)]),
    ...(models === null ? [] : toModelRoutes(base, models, routes)),
    ...Object.entries(constants).map(([path, body]): [string, Route] => [
      base + path,
      toRead(api, (_, context) => sendJson(context, 200, body)),
    ]),
    ...(counts === undefined ? [] : countPaths.map((path): [string, Route] => [base + path, countFor(api, counts)])),
  ]
}

const toModelRoutes = (base: string, { list, one }: NonNullable<WireRoutes['models']>, routes: WireRoutes) => {
  const describe: Endpoint = (gateway, context) => describeModel(gateway, context, routes)
  return [
    [base + list, toRead(routes.api, (gateway, context) => getModels(gateway, context, routes))],
    [base + one, { api: routes.api, endpoints: { GET: describe, POST: describe } }],
  ] satisfies [string, Route][]
}

const toRead = (api: ClientApi, endpoint: Endpoint): Route => ({ api, endpoints: { GET: endpoint, HEAD: endpoint } })
