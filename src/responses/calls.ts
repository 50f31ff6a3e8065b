import { listOf } from '../collections/list.ts'
import { mapDelete, mapGet, mapSet } from '../collections/sorted-map.ts'
import type { CallDelta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { CallType, HostedItem, ItemType } from '../protocol/item.ts'
import type { Head } from '../protocol/response.ts'
import { lookup } from '../text/lookup.ts'
import { wrapPiece } from './call-arguments.ts'
import { originLosses, type RespondContext } from './capabilities.ts'
import { callJson, isOpen } from './final-status.ts'
import { growName } from './grow-name.ts'
import { callId } from './ids.ts'
import { lastItem, lastOpen } from './item-index.ts'
import { addItem, isWrapped } from './items.ts'
import { appendToPart, type Opened, toStep } from './parts.ts'
import {
  type ActivePart,
  commitActivePart,
  itemAt,
  newPart,
  type PendingCall,
  type RespondState,
  type ResponseState,
  withLoss,
} from './state.ts'

/**
 * Returns the open item of that type and key, and opens it if there is none; null if the target cannot express it.
 * `hosted`: the first state of a new hosted item.
 */
export function ensureItem(
  response: ResponseState,
  type: ItemType,
  key: string,
  events: Event[],
  capabilities: RespondContext,
  hosted: HostedItem | null = null,
): Opened | null {
  if (!capabilities.items.includes(type)) return null
  const at = lastOpen(response.index, type, key)
  return at >= 0
    ? { response, at }
    : addItem(announceNamed(response, events, capabilities), { type, key, hosted }, events, capabilities)
}

/**
 * If the target has function calls only, a call with free text becomes a function call with that text as its `input`.
 */
const callForm = (type: CallType, { items }: RespondContext): { readonly type: CallType; readonly wraps: boolean } =>
  items.includes(type) ? { type, wraps: false } : { type: 'function_call', wraps: true }

export function applyCallDelta(
  response: ResponseState,
  delta: CallDelta,
  events: Event[],
  capabilities: RespondContext,
): RespondState {
  const { type, wraps } = callForm(delta.type, capabilities)
  if (!capabilities.items.includes(type)) return toStep(withLoss(response, delta.type))
  const at = lastItem(response.index, type, delta.key)
  if (at < 0 || isWrapped(itemAt(response, at)) !== wraps) return applyPending(response, delta, events, capabilities)
  if (delta.arguments === '') return toStep(response)
  if (!isOpen(itemAt(response, at))) {
    return toStep(delta.arguments.trim() === '' ? response : withLoss(response, 'arguments after the end of a call'))
  }
  return appendArguments(response, at, delta.arguments, events)
}

function appendArguments(response: ResponseState, at: number, piece: string, events: Event[]): RespondState {
  const item = itemAt(response, at)
  if (!isWrapped(item)) return appendToPart(response, at, piece, events)
  // No part becomes active, because its next piece would not be wrapped.
  return toStep(commitActivePart(appendToPart(response, at, wrapPiece(piece, callJson(item) === ''), events)))
}

/** The arguments that this delta adds to the active part, if it does nothing else. */
export const argumentsFor = (
  { kind, key }: ActivePart,
  { key: own, callId, name, arguments: piece }: CallDelta,
): string => (kind === 'call' && key === own && callId === null && name === null ? piece : '')

function applyPending(
  response: ResponseState,
  delta: CallDelta,
  events: Event[],
  capabilities: RespondContext,
): RespondState {
  const { key } = delta
  const { ids, named, nameless, unnumbered } = response.calls
  const old = named?.key === key ? named : mapGet(nameless, key)
  const call: PendingCall = {
    key,
    type: delta.type,
    callId: old?.callId || (delta.callId ?? ''),
    name: growName(old?.name ?? '', delta.name ?? ''),
    arguments: (old?.arguments ?? '') + delta.arguments,
    namespace: delta.namespace ?? old?.namespace ?? null,
    origin: delta.origin ?? old?.origin ?? null,
  }
  const others = { ids, named: old === named ? null : named, nameless: mapDelete(nameless, key), unnumbered }
  // Another call has begun: the names of the earlier ones are settled.
  const before = announceNamed({ ...response, calls: others }, events, capabilities)
  const { calls } = before
  if (call.name === '') return toStep({ ...before, calls: { ...calls, nameless: mapSet(calls.nameless, key, call) } })
  if (call.arguments === '') return toStep({ ...before, calls: { ...calls, named: call } })
  const { response: after, at } = announce(before, call, events, capabilities)
  return appendArguments(after, at, call.arguments, events)
}

/** Announces the pending call whose name is known; calls without a name keep waiting. */
export function announceNamed(response: ResponseState, events: Event[], capabilities: RespondContext): ResponseState {
  const { calls } = response
  const { named } = calls
  return named === null
    ? response
    : announce({ ...response, calls: { ...calls, named: null } }, named, events, capabilities).response
}

/**
 * Returns the name under which the client declared its tool. OpenAI repeats the name of a tool that has no namespace as
 * its namespace, so that such a namespace counts only if the client declared it.
 */
function toName({ names = {} }: Head, { name, namespace }: PendingCall): Pick<PendingCall, 'name' | 'namespace'> {
  if (namespace === null) return lookup(names, name) ?? { name, namespace }
  const isReal =
    namespace !== name || Object.values(names).some((tool) => tool.name === name && tool.namespace === namespace)
  return { name, namespace: isReal ? namespace : null }
}

/** Leaves out what the target cannot express, as a loss. */
function withoutFields(response: ResponseState, call: PendingCall, { fields }: RespondContext): ResponseState {
  const { origin } = call
  if (origin === null || fields.includes('caller')) return response
  return originLosses(origin).reduce(withLoss, response)
}

const NO_IDS = {}

/** Opens the item of a call, without its arguments. */
function announce(response: ResponseState, call: PendingCall, events: Event[], capabilities: RespondContext): Opened {
  const { head } = response
  const isTaken =
    call.callId === '' ||
    mapGet(response.calls.ids, call.callId) === true ||
    lookup(head.callIds ?? NO_IDS, call.callId) === true
  const id = isTaken ? callId(head.id, response.items.length) : call.callId
  const { type, wraps } = callForm(call.type, capabilities)
  const origin = capabilities.fields.includes('caller') ? call.origin : null
  const own = { callId: id, upstreamId: call.callId, ...toName(response.head, call), origin }
  const { response: added, at } = addItem(
    withoutFields(response, call, capabilities),
    {
      type,
      key: call.key,
      parts: listOf([newPart('', type === 'function_call' ? 'arguments' : 'input', 0)]),
      call: wraps ? { ...own, wraps } : own,
    },
    events,
    capabilities,
  )
  const calls = { ...added.calls, ids: mapSet(added.calls.ids, id, true) }
  return { response: { ...added, calls }, at }
}

/** Announces the pending call of this key: no further piece of its name can follow. */
export const announceKey = (
  response: ResponseState,
  key: string,
  events: Event[],
  capabilities: RespondContext,
): ResponseState => (response.calls.named?.key === key ? announceNamed(response, events, capabilities) : response)
