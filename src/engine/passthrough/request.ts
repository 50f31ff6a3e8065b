import type { JsonObject } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import { createSourceMap, type PathMap } from '../../protocol/source-map.ts'
import { isObject, toArray } from '../../text/json.ts'
import type { Steps } from '../../text/steps.ts'
import type { Wire } from '../../wires/contract.ts'
import type { EditContext, EditedBody, RequestPassthrough } from '../../wires/passthrough-contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { hasIssued } from '../../wires/shared/passthrough/conditions.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import type { ClientRequest } from '../client-request.ts'
import { isUnfit } from '../passes/model-facts.ts'
import { numberLosses } from './number-losses.ts'

/** The properties of an upstream that decide whether a body is passed through. */
export interface PassthroughRoute {
  readonly wire: Wire
  readonly quirks: Quirks
  readonly model: string
  /** False if the hub translates every request to this upstream. Default: true. */
  readonly passthrough?: boolean
}

/**
 * Decides, in slices, whether the client's own body goes to the upstream: both speak the same protocol, the gateway has
 * not changed the request, and the table of edits covers what this upstream needs otherwise. `open`: opens the
 * envelopes of this upstream.
 */
export function* passesThrough(
  client: ClientRequest,
  route: PassthroughRoute,
  open: EditContext['open'],
): Steps<boolean> {
  const { sent, request } = client
  const { wire, quirks, passthrough = true } = route
  const rules = wire.passthrough?.request.rules
  if (!passthrough || !sent.isIntact || rules === undefined || !isObject(sent.body)) return false
  if (sent.wire !== wire.name || sent.dialect !== (wire.dialect ?? null)) return false
  if (quirks.customTools !== true && request.tools.some(({ type }) => type === 'custom')) return false
  const facts = factsOf(route, wire.name)
  if (rules.settings(sent.body, quirks, request, facts)) return false
  if (rules.fitsModel === true && isUnfit(request, facts, wire)) return false
  const isIssued = wire.client?.isIssued ?? (() => false)
  for (const entry of toArray(sent.body[rules.history])) {
    if (isObject(entry) && rules.entry(entry, quirks)) return false
    if (rules.opensEnvelopes !== true && hasIssued(entry, isIssued, open)) return false
    yield
  }
  return true
}

/** A client's own body after the edits. */
export interface EditedRequest {
  readonly body: JsonObject
  /** The losses of the edits, with the client's own paths. */
  readonly losses: readonly Loss[]
  /** The names of the edits that changed the body. */
  readonly edits: readonly string[]
  /** Translates paths of the body to the client's own. */
  readonly toClientPath: PathMap
}

/** Applies the edits of a protocol, in slices. Nothing is changed in place. */
export function* passBody(
  sent: JsonObject,
  { edits: table }: RequestPassthrough,
  context: EditContext,
): Steps<EditedRequest> {
  let body = sent
  const losses: Loss[] = []
  const edits: string[] = []
  let toClientPath: PathMap = (path) => path
  for (const [name, edit] of Object.entries(table)) {
    const result = edit(body, context)
    const edited = 'losses' in result ? result : yield* result
    if (edited.body !== body) edits.push(name)
    if (edited.losses.length > 0) losses.push(...createSourceMap(toClientPath).toClientLosses(edited.losses))
    toClientPath = after(toClientPath, edited)
    body = edited.body
  }
  const names = Object.keys(sent).filter((name) => Object.hasOwn(body, name))
  losses.push(...(yield* numberLosses(sent, names)))
  return { body, losses, edits, toClientPath }
}

function after(toClientPath: PathMap, { toEarlier }: EditedBody): PathMap {
  if (toEarlier === undefined) return toClientPath
  return (path) => {
    const earlier = toEarlier(path)
    return earlier === null ? null : toClientPath(earlier)
  }
}
