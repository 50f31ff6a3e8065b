import type { JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { runSteps, type Steps } from '../../text/steps.ts'
import { breakpointsOf, memberPath } from '../../wires/shared/upstream/cache/breakpoints.ts'
import { encodeUpstreamCall, type RoutedRequest, type UpstreamCall } from '../upstream-call.ts'
import { bodyChanges } from './changes.ts'
import { complaintsAbout } from './complaints.ts'
import type { ExplainedBreakpoint, Explanation, SharedPrefix } from './explanation.ts'
import { promptOf, type SentBlock, type SentBreakpoint } from './prompt.ts'
import { nothingShared, sharedPrefix } from './shared-prefix.ts'

/** A request with the call that was encoded for it. */
export interface RoutedCall {
  readonly routed: RoutedRequest
  readonly call: UpstreamCall
}

/** Headers of every call, which describe the transport and not the request. */
const TRANSPORT: ReadonlySet<string> = new Set(['content-type', 'accept', 'accept-encoding', 'user-agent'])

/** Explains a call that was encoded for a route without a key. `previous`: an earlier request of the same client. */
export function explainCall(one: RoutedCall, previous: RoutedCall | null): Explanation {
  const { body } = one.routed.client.sent
  return {
    ...runSteps(explainBody(one, previous)),
    changes: bodyChanges(isObject(body) ? (body as JsonObject) : {}, one.call.body),
  }
}

/** Does the same in slices, without the changes, which take most of the time of a long request. */
export function* explainBody(
  { routed, call }: RoutedCall,
  previous: RoutedCall | null,
): Steps<Omit<Explanation, 'changes'>> {
  const { route } = routed
  const { body, url, headers, losses, edits, stream } = call
  const { wire, quirks, vendor, model } = route
  const prompt = yield* promptOf(wire.name, body)
  const breakpoints = yield* explainBreakpoints(routed, call, prompt)
  const shared = previous === null ? null : yield* prefixOf(routed, prompt, previous)
  const complaints = yield* complaintsAbout(body, breakpoints, { wire: wire.name, quirks })
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
    losses,
    breakpoints,
    sharedPrefix: shared,
    complaints,
  }
}

function* prefixOf({ route }: RoutedRequest, now: readonly SentBlock[], previous: RoutedCall): Steps<SharedPrefix> {
  const { wire, quirks, model } = route
  const before = yield* promptOf(wire.name, previous.call.body)
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
  const own = encoded.ok ? breakpointsIn(yield* promptOf(routed.route.wire.name, encoded.value.body)) : []
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
