import type { BodyEdits } from '../engine/call/body-edits.ts'
import type { ReceivedHeaders } from '../engine/call/call-headers.ts'
import { readSearch } from '../engine/call/read-search.ts'
import { type ClientProtocol, readClientRequest } from '../engine/client-request.ts'
import { NO_ENGINES } from '../engine/passes/search.ts'
import {
  encodeUpstreamCall,
  originOf,
  type RoutedRequest,
  routeRequest,
  type UpstreamCall,
  type UpstreamRoute,
} from '../engine/upstream-call.ts'
import { REQUEST_LIMITS } from '../protocol/limits.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import type { SearchPolicy } from '../search/plan.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import { checkFormat, checkRequestBody } from '../validation/arguments.ts'
import { parseBody } from '../validation/body.ts'
import { checkSize } from '../validation/size.ts'
import { faultOfModel } from '../wires/model-names.ts'
import type { NamedClient } from './client-protocol.ts'
import { changeRequest, type RequestAddress, type RequestSettings, samplingEdits } from './request-settings.ts'
import type { OpenRoute } from './upstream-route.ts'

/** A client's request with the call of its upstream. */
export interface EncodedRequest {
  readonly routed: RoutedRequest
  readonly call: UpstreamCall
}

/** Parts of a request that only servers have. */
export interface ServerContext {
  /** The headers of the client's request, with lower-case names. Left out: none. */
  readonly received?: ReceivedHeaders
  /** The search engines of the server. Left out: none. */
  readonly search?: SearchPolicy
}

/** Reads a client's body and encodes it for the upstream. `body`: text, or the JSON value. */
export const encodeFor = (...given: Parameters<typeof encodeInSlices>): Result<EncodedRequest> =>
  runSteps(encodeInSlices(...given))

/** Does the same in slices. Text is parsed at once. */
export function* encodeInSlices(
  client: NamedClient,
  open: OpenRoute,
  body: unknown,
  settings: RequestSettings,
  { received, search = NO_ENGINES }: ServerContext = {},
): Steps<Result<EncodedRequest>> {
  checkRequestBody(body)
  checkFormat(settings.format, client.dialect !== null)
  const parsed = typeof body === 'string' ? parseBody(body) : { ok: true as const, body }
  if (!parsed.ok) return parsed
  const excess = isObject(parsed.body) ? checkSize(parsed.body, REQUEST_LIMITS) : null
  if (excess !== null) return err(excess)
  const named = settings.model ?? (isObject(parsed.body) ? parsed.body.model : undefined)
  const asked = isNonEmptyString(named) ? named.trim() : ''
  const read = yield* readClientRequest(parsed.body, protocolOf(client, withModel(open, asked), settings))
  if (!read.ok) return read
  const changed = changeRequest(read.value, settings)
  if (!changed.ok) return changed
  const own = changed.value.request.model
  // A function that chooses another model replaces that of the body.
  const model = open.model ?? (own === read.value.request.model ? asked : own)
  const { edits, losses } = samplingEdits(open.wire, settings)
  const route = withEdits(withModel(open, model), edits(open.body), settings.rules)
  const fault = faultOfModel(route.model, route.wire, route.quirks)
  if (fault !== null) return err(fault)
  const searching = readSearch(changed.value)
  if (!searching.ok) return searching
  const routed = routeRequest(changed.value, route, received, { parsed: searching.value, policy: search })
  const call = yield* encodeUpstreamCall(routed)
  if (!call.ok) return call
  return ok({
    routed,
    call: losses.length === 0 ? call.value : { ...call.value, losses: [...call.value.losses, ...losses] },
  })
}

const hasModel = (open: OpenRoute): open is UpstreamRoute => open.model !== null

const withModel = (open: OpenRoute, model: string): UpstreamRoute => (hasModel(open) ? open : { ...open, model })

const withEdits = (route: UpstreamRoute, edits: BodyEdits, rules: RequestSettings['rules'] = []): UpstreamRoute =>
  rules.length === 0 && edits.body === undefined ? route : { ...route, rules, ...edits }

const protocolOf = ({ dialect, wire }: NamedClient, route: UpstreamRoute, address: RequestAddress): ClientProtocol =>
  dialect === null
    ? {
        wire,
        sealing: { origin: originOf(route), ...(route.sign === undefined ? {} : { sign: route.sign }) },
        model: address.model ?? route.model,
        stream: address.stream ?? null,
      }
    : { dialect }
