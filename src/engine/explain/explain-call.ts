import type { JsonObject } from '../../protocol/json.ts'
import type { SourceMap } from '../../protocol/source-map.ts'
import { isObject } from '../../text/json.ts'
import { valueAt } from '../../text/json-path.ts'
import { runSteps, type Steps } from '../../text/steps.ts'
import { type BodyShape, SETTINGS, shapeOf } from '../../wires/body-contract.ts'
import { Origins } from '../../wires/origins.ts'
import { breakpointsOf, memberPath } from '../../wires/shared/upstream/cache/breakpoints.ts'
import { type OriginPair, originPairs, sharedPairs } from '../origins.ts'
import { refusedFunctions, ruleFacts } from '../passes/rules.ts'
import { encodeUpstreamCall, type RoutedRequest, type UpstreamCall } from '../upstream-call.ts'
import { bodyChanges } from './changes.ts'
import { complaintsAbout } from './complaints.ts'
import type { Complaint, ExplainedBreakpoint, Explanation, SharedPrefix } from './explanation.ts'
import { promptOf, type SentBlock, type SentBreakpoint } from './prompt.ts'
import { nothingShared, sharedPrefix } from './shared-prefix.ts'

/** A request with the call that was encoded for it. */
interface RoutedCall {
  readonly routed: RoutedRequest
  readonly call: UpstreamCall
}

/** Headers of every call, which describe the transport and not the request. */
const TRANSPORT: ReadonlySet<string> = new Set(['content-type', 'accept', 'accept-encoding', 'user-agent'])

/** Explains a call that was encoded for a route without a key. `previous`: an earlier request of the same client. */
export function explainCall(one: RoutedCall, previous: RoutedCall | null): Explanation {
  const explained = runSteps(explainBody(one, previous))
  return { ...explained, changes: bodyChanges(sentBody(one.routed), one.call.body, explained.origins) }
}

const sentBody = ({ client }: RoutedRequest): JsonObject =>
  isObject(client.sent.body) ? (client.sent.body as JsonObject) : {}

/** Encodes the call once more, with records of what its body contains. */
function* originsIn(routed: RoutedRequest): Steps<readonly OriginPair[]> {
  const { client, route } = routed
  const origins = new Origins()
  const encoded = yield* encodeUpstreamCall(routed, client.request, [], origins)
  if (!encoded.ok) return []
  const { body } = encoded.value
  const sent = sentBody(routed)
  if (encoded.value.edits !== null) return yield* sharedPairs(body, sent)
  const sourceMap = client.sourceMap.withTools(client.request.tools)
  const pairs = [...(yield* originPairs(body, origins, sourceMap)), ...(yield* sharedPairs(body, sent))]
  return [...pairs.filter(([, path]) => path !== ''), ...settingPairs(shapeOf(route.wire), body, sent, sourceMap)]
}

/** Does the same in slices, without the changes, which take most of the time of a long request. */
export function* explainBody(
  { routed, call }: RoutedCall,
  previous: RoutedCall | null,
): Steps<Omit<Explanation, 'changes'>> {
  const { route } = routed
  const { body, url, headers, losses, edits, stream } = call
  const { wire, vendor, model } = route
  const shape = shapeOf(wire)
  const prompt = yield* promptOf(shape, body)
  const breakpoints = yield* explainBreakpoints(routed, call, prompt)
  const shared = previous === null ? null : yield* prefixOf(routed, prompt, previous)
  const complaints = [...complaintsAbout(body, shape), ...refusedRequest(routed)]
  return {
    ok: true,
    vendor,
    wire: wire.name,
    model,
    isPassed: edits !== null,
    edits,
    learned: route.learned ?? [],
    stream,
    path: url.pathname + url.search,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !TRANSPORT.has(name))),
    upstream: body,
    origins: yield* originsIn(routed),
    losses,
    breakpoints,
    sharedPrefix: shared,
    complaints,
  }
}

/** The upstream's own refusal of a request of its protocol that nothing mends. */
function refusedRequest({ client, route }: RoutedRequest): readonly Complaint[] {
  const refusal = refusedFunctions(client.request, ruleFacts(route, client.sent.wire))
  if (refusal === null) return []
  const { param, message } = client.sourceMap.toClientError(refusal)
  return [{ path: param ?? 'tools', message }]
}

function* prefixOf({ route }: RoutedRequest, now: readonly SentBlock[], previous: RoutedCall): Steps<SharedPrefix> {
  const { wire, quirks, model } = route
  const before = yield* promptOf(shapeOf(wire), previous.call.body)
  if (previous.routed.route.model !== model) return yield* nothingShared(now, before)
  return yield* sharedPrefix(now, before, wire.cacheSupport?.({ model, quirks })?.automatic === true)
}

const breakpointsIn = (prompt: readonly SentBlock[]): readonly SentBreakpoint[] =>
  prompt.flatMap(({ breakpoints }) => breakpoints)

/** The breakpoints that the same request has where the policy adds none are the client's. */
function* explainBreakpoints(
  routed: RoutedRequest,
  call: UpstreamCall,
  prompt: readonly SentBlock[],
): Steps<readonly ExplainedBreakpoint[]> {
  const found = breakpointsIn(prompt)
  if (found.length === 0) return []
  if (call.edits !== null) return found.map((one) => ({ ...one, setBy: 'client', clientPath: one.path }))
  const encoded = yield* encodeUpstreamCall({ ...routed, route: { ...routed.route, cache: 'client' } })
  const own = encoded.ok ? breakpointsIn(yield* promptOf(shapeOf(routed.route.wire), encoded.value.body)) : []
  const isOwn = new Set(own.map(({ path }) => path))
  const paths = clientPaths(routed, call)
  // In the same number they are in the same order: that of the prompt.
  const known = paths.length === own.length ? new Map(own.map(({ path }, at) => [path, paths[at] ?? null])) : new Map()
  return found.map((one) => ({
    ...one,
    setBy: isOwn.has(one.path) ? 'client' : 'policy',
    clientPath: known.get(one.path) ?? null,
  }))
}

/** The paths of the client's breakpoints that were not dropped. */
function clientPaths({ client }: RoutedRequest, { losses }: UpstreamCall): readonly string[] {
  const dropped = new Set(losses.filter(({ action }) => action === 'dropped').map(({ path }) => path))
  return breakpointsOf(client.request)
    .flatMap((one) => client.sourceMap.toClientPath(memberPath(one)) ?? [])
    .filter((path) => !dropped.has(path))
}

/** The pairs of settings that both bodies have. */
function settingPairs(
  { settings }: BodyShape,
  body: JsonObject,
  sent: JsonObject,
  { toClientPath }: Pick<SourceMap, 'toClientPath'>,
): readonly OriginPair[] {
  const pairs = SETTINGS.flatMap((name): readonly OriginPair[] => {
    const paths = [settings[name] ?? name].flat()
    const found = paths.find((path) => valueAt(body, path) !== undefined)
    const own = toClientPath(name)
    const isSetting = own !== null && own !== toClientPath('input') && valueAt(sent, own) !== undefined
    return found === undefined || !isSetting ? [] : [[found, own]]
  })
  // A schema alone is the format of some clients.
  return [...new Map(pairs.map((pair) => [pair[1], pair])).values()]
}
