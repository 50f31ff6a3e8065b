import type { JsonObject } from '../../protocol/json.ts'
import { isBeside, type Loss, NO_SUCH_TOOL, ROUNDED } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import type { SourceMap } from '../../protocol/source-map.ts'
import { isObject } from '../../text/json.ts'
import { firstDifference } from '../../text/json-diff.ts'
import { valueAt } from '../../text/json-path.ts'
import type { Steps } from '../../text/steps.ts'
import { isSearchTool } from '../../validation/search/search-tool.ts'
import type { UpstreamContext, Wire } from '../../wires/contract.ts'
import { Origins } from '../../wires/origins.ts'
import { GATEWAY_MEMBERS } from '../../wires/shared/passthrough/edits.ts'
import { isBreakpointPath } from '../../wires/shared/upstream/cache/cache-control.ts'
import { TOO_MANY } from '../../wires/shared/upstream/cache/place-breakpoints.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import type { ClientRequest } from '../client-request.ts'
import { linkEntries, originPairs } from '../origins.ts'
import { numberLosses } from '../passthrough/number-losses.ts'
import { carryUnsupported } from './carry-unsupported.ts'
import { keepOwnForms } from './keep-own-forms.ts'

/**
 * Members of a body that no upstream receives from its client: those that the gateway manages or reads itself, and
 * credentials (`GATEWAY_MEMBERS`).
 */
const MANAGED = [
  ...GATEWAY_MEMBERS,
  'model',
  'models',
  'stream',
  'store',
  'background',
  'previous_response_id',
  'conversation',
] as const

interface OwnBody {
  readonly body: JsonObject
  /** The numbers in carried members that parsing may have changed. */
  readonly losses: readonly Loss[]
  /** Whether the value at the path of a loss is in the body nevertheless. */
  readonly has: (loss: Loss) => boolean
}

/** The upstream, as far as it decides what is carried. */
type OwnRoute = Pick<UpstreamContext, 'model' | 'quirks' | 'cache'> & { readonly wire: Wire }

/** The body that the hub encoded, and its losses with the client's own paths. */
interface EncodedForRoute {
  /** The request that was encoded. */
  readonly request: Request
  readonly body: JsonObject
  readonly losses: readonly Loss[]
  /** As `originsFor` has created it, for that body. */
  readonly origins: Origins | undefined
  /** Translates paths of the request that was encoded. */
  readonly sourceMap: SourceMap
}

/**
 * Records what a body contains, if `carryOwn` or the losses of refused members in lists may need it: for an upstream of
 * the client's own protocol, or one that refuses such members.
 */
export const originsFor = (
  client: ClientRequest,
  { wire, quirks }: Pick<OwnRoute, 'wire' | 'quirks'>,
): Origins | undefined =>
  isOfClient(client, wire) || quirks.refusesMembers?.some((path) => path.includes('*')) === true
    ? new Origins()
    : undefined

/** Whether the upstream speaks the client's own protocol. */
export const isOfClient = ({ sent }: ClientRequest, wire: Wire): boolean =>
  sent.wire === wire.name && sent.dialect === (wire.dialect ?? null)

/**
 * Puts the members of a client's body that the hub does not read, and the client's own form of settings that have several,
 * into the body that it encoded, if the upstream speaks the client's own protocol. In slices.
 */
export function* carryOwn(client: ClientRequest, route: OwnRoute, encoded: EncodedForRoute): Steps<OwnBody> {
  const carried = yield* carryMembers(client, route, encoded)
  if (!isOfClient(client, route.wire)) return carried
  const { body, kept } = keepOwnForms(client, { ...encoded, body: carried.body }, route)
  return kept.size === 0 ? carried : { ...carried, body, has: (loss) => kept.has(loss.path) || carried.has(loss) }
}

function* carryMembers(client: ClientRequest, route: OwnRoute, encoded: EncodedForRoute): Steps<OwnBody> {
  const { sent } = client
  const { wire, quirks } = route
  const { origins } = encoded
  if (!isOfClient(client, wire) || !isObject(sent.body)) {
    return { body: encoded.body, losses: [], has: (loss) => arrives(client, wire, encoded.body, loss) }
  }
  const rules = wire.passthrough?.request.rules
  const isCarried = (path: string): boolean => rules?.isWithheld?.(path, quirks) !== true
  const own = [...ownBreakpoints(route, encoded.losses), ...ownTools(client, encoded.losses)]
  const paths = new Set([...sent.unsupported, ...own].filter(isCarried))
  if (paths.size === 0) {
    return { body: encoded.body, losses: [], has: (loss) => arrives(client, wire, encoded.body, loss) }
  }
  const ofSome = rules?.settingsOfSome?.(quirks, factsOf(route, wire.name), sent.body, encoded.body) ?? []
  const absent = ofSome.filter((name) => !Object.hasOwn(encoded.body, name))
  const withheld = new Set<string>([...MANAGED, ...absent, ...(quirks.refuses ?? [])])
  const { body, losses: mended } = rules?.mendOwn?.(sent.body as JsonObject, quirks) ?? {
    body: sent.body as JsonObject,
    losses: [],
  }
  // Members outside of lists need no pairs.
  const isInList = [...paths].some((path) => path.includes('['))
  const pairs = isInList && origins !== undefined ? yield* originPairs(encoded.body, origins, encoded.sourceMap) : []
  const { body: whole, carried } = yield* carryUnsupported(
    { body, paths, withheld },
    encoded.body,
    linkEntries(pairs),
    origins,
  )
  const numbers = carried.size === 0 ? [] : yield* numberLosses(body, Object.keys(body))
  return {
    body: whole,
    losses: [...mended, ...numbers].filter(({ path }) => isInside(path, carried)),
    has: (loss) => isInside(loss.path, carried) || arrives(client, wire, whole, loss),
  }
}

/** A vendor of which no cache is known may have one for clients that name it, with the limit of all vendors. */
const ownBreakpoints = ({ wire, quirks, model, cache }: OwnRoute, losses: readonly Loss[]): readonly string[] =>
  cache === 'off' || (wire.cacheSupport?.({ model, quirks }) ?? null) !== null
    ? []
    : losses
        .filter(({ path, action, why }) => action === 'dropped' && why !== TOO_MANY && isBreakpointPath(path))
        .map(({ path }) => path)

const TOOL = /^tools\[(\d+)\]$/

/** A vendor may run tools of its own that the hub does not know. */
const ownTools = ({ request: { tools } }: ClientRequest, losses: readonly Loss[]): readonly string[] =>
  losses.flatMap(({ path, action, why }) => {
    const tool = tools[Number(TOOL.exec(path)?.[1] ?? -1)]
    const isUnknown = action === 'dropped' && why !== NO_SUCH_TOOL
    return isUnknown && tool?.type === 'hosted' && !isSearchTool(tool) ? [path] : []
  })

/** Whether the path, or a beginning of it that is a path, is one of these. */
const isInside = (path: string, paths: ReadonlySet<string>): boolean =>
  paths.has(path) || [...path.matchAll(/[.[]/g)].some(({ index }) => paths.has(path.slice(0, index)))

/**
 * A field that reaches an upstream of the client's own wire under the same path and with the same value was not mapped.
 * A number that was rounded has the same value here, because the client's body is compared after it was parsed.
 */
function arrives({ sent }: ClientRequest, wire: Wire, body: JsonObject, loss: Loss): boolean {
  const { action, why } = loss
  const path = sent.toBodyPath?.(loss.path) ?? loss.path
  if (sent.wire !== wire.name || why.includes(ROUNDED) || isBeside(loss)) return false
  if (action !== 'mapped') return sent.unsupported.has(path) && staysWhole(sent.body, body, path)
  const value = valueAt(sent.body, path)
  return value !== undefined && firstDifference(value, valueAt(body, path)) === null
}

/** Whether the item of the input that has this path reaches the upstream as it is, with the members that are not read. */
function staysWhole(sent: unknown, body: JsonObject, path: string): boolean {
  const [item] = /^input\[\d+\]/.exec(path) ?? []
  if (item === undefined) return false
  const value = valueAt(sent, item)
  return value !== undefined && firstDifference(value, valueAt(body, item)) === null
}
