import { EMPTY_LIST, listAppend, listAt, listToArray, listWith } from '../collections/list.ts'
import { mapGet, mapKeys, mapSet } from '../collections/sorted-map.ts'
import { NOTHING } from '../machine/machine.ts'
import type { PhaseDelta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { CallOrigin, HostedItem, Item, ItemStatus } from '../protocol/item.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { IncompleteReason, Response, ResponseStatus } from '../protocol/response.ts'
import { checkJson, wrapEnd } from './call-arguments.ts'
import { phaseLosses, type RespondContext } from './capabilities.ts'
import { sealReasoningItem } from './encrypted-content.ts'
import { toMessageParts, toReasoningParts, toSummary } from './events.ts'
import { callJson, isWholeCall } from './final-status.ts'
import { callId, itemId } from './ids.ts'
import { indexAdded, indexDone, lastItem, lastOpen, withCandidates } from './item-index.ts'
import { appendToPart, closePart, type Opened } from './parts.ts'
import {
  commitActivePart,
  type ItemState,
  itemAt,
  lastPart,
  type PartState,
  type ResponseState,
  withIndex,
  withItem,
  withItems,
  withLoss,
  withPart,
} from './state.ts'

function toItem(state: ItemState, status: ItemStatus, { hosting }: RespondContext): Item {
  const { id, type, parts, call } = state
  switch (type) {
    case 'message':
      return { type, id, status, role: 'assistant', ...phaseOf(state), content: toMessageParts(parts) }
    case 'reasoning':
      return { type, id, summary: toSummary(parts), content: toReasoningParts(parts), encrypted_content: state.sealed }
    case 'function_call':
      return {
        type,
        id,
        call_id: call?.callId ?? '',
        name: call?.name ?? '',
        ...detailsOf(state),
        arguments: listAt(parts, 0)?.text ?? '',
        status,
      }
    case 'custom_tool_call':
      return {
        type,
        id,
        call_id: call?.callId ?? '',
        name: call?.name ?? '',
        ...detailsOf(state),
        input: listAt(parts, 0)?.text ?? '',
        status,
      }
    default:
      return {
        type,
        id,
        status: hosting?.status(type, state.hosted?.status ?? status, status) ?? status,
        fields: hostedFields(state),
      }
  }
}

function detailsOf({ call }: ItemState): CallOrigin & { readonly namespace?: string } {
  if (call === null) return {}
  const { namespace, origin } = call
  return { ...(namespace === null ? {} : { namespace }), ...origin }
}

const phaseOf = ({ phase }: ItemState): { readonly phase?: string } => (phase === null ? {} : { phase })

const hostedFields = ({ hosted, sealed }: ItemState): JsonObject =>
  sealed === null ? (hosted?.fields ?? {}) : { ...hosted?.fields, encrypted_content: sealed }

/** Returns the response object in its present state. `earlyUsage`: with the usage so far, before the end. */
export function toResponse(response: ResponseState, status: ResponseStatus, earlyUsage = false): Response {
  const { head } = response
  const over = status !== 'in_progress'
  return {
    id: head.id,
    object: 'response',
    created_at: head.created_at,
    completed_at: null,
    status,
    model: modelOf(response),
    output: over ? itemsOf(response) : [],
    usage: over || earlyUsage ? response.usage : null,
    error: status === 'failed' ? errorOf(response) : null,
    incomplete_details: status === 'incomplete' ? { reason: reasonOf(response) } : null,
    previous_response_id: null,
    store: false,
    background: false,
    ...head.echo,
    ...(over && response.served?.service_tier !== undefined ? { service_tier: response.served.service_tier } : {}),
  }
}

/** The finished items. */
function itemsOf({ items }: ResponseState): readonly Item[] {
  const finished: Item[] = []
  for (const { item } of listToArray(items)) if (item !== null) finished.push(item)
  return finished
}

/** Returns the name of the answering model, in the form that the head requests. */
function modelOf({ head: { model: requested, reported = 'alone' }, model }: ResponseState): string {
  if (reported === 'alone' || model === requested) return model
  return reported === 'ignored' ? requested : requested.slice(0, requested.indexOf('/') + 1) + model
}

const errorOf = ({ error }: ResponseState): Response['error'] =>
  error === null ? null : { code: error.code, message: error.message }

const reasonOf = ({ finish }: ResponseState): IncompleteReason =>
  finish === 'content_filter' ? 'content_filter' : 'max_output_tokens'

/** Gives a call without an id one of its own, as its client needs it for the output. */
const withCallId = (item: HostedItem, call_id: string): HostedItem =>
  item.fields.call_id === '' ? { ...item, fields: { ...item.fields, call_id } } : item

export function addItem(
  response: ResponseState,
  given: Pick<ItemState, 'type' | 'key'> & Partial<Pick<ItemState, 'parts' | 'call' | 'hosted'>>,
  events: Event[],
  capabilities: RespondContext,
): Opened {
  const room = closeComplete(response, events, capabilities)
  const at = room.items.length
  const id = itemId(given.type, room.head.id, at)
  const item: ItemState = {
    type: given.type,
    key: given.key,
    id,
    parts: given.parts ?? EMPTY_LIST,
    names: NOTHING,
    summaries: 0,
    call: given.call ?? null,
    sealed: null,
    phase: given.type === 'message' ? (mapGet(room.phases, given.key) ?? null) : null,
    hosted: given.hosted ? withCallId(given.hosted, callId(room.head.id, at)) : null,
    progress: null,
    held: false,
    item: null,
  }
  events.push({
    type: 'output_item.added',
    response_id: room.head.id,
    output_index: at,
    item: toItem(item, 'in_progress', capabilities),
  })
  const index = indexAdded(room.index, at, given.type, given.key)
  const before = given.type === 'message' ? lastItem(room.index, 'message', given.key) : -1
  const ready = before < 0 ? room : (capabilities.citing?.keepTexts(room, before) ?? room)
  return { response: withItems(ready, listAppend(ready.items, item), index), at }
}

/**
 * Ends all complete items, because a new one begins only after them. An incomplete item is checked again only after it
 * has grown.
 */
function closeComplete(response: ResponseState, events: Event[], capabilities: RespondContext): ResponseState {
  let now = response
  for (const at of mapKeys(response.index.candidates)) now = closeIfComplete(now, at, events, capabilities)
  return now.index.candidates === null ? now : withIndex(now, withCandidates(now.index, null))
}

/** A message or a reasoning item is complete if it is not held; a call is complete when its arguments are whole. */
function closeIfComplete(
  response: ResponseState,
  at: number,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  const item = itemAt(response, at)
  if (item.type === 'message' || item.type === 'reasoning') {
    return item.held ? response : closeItem(response, at, false, events, capabilities)
  }
  if (item.type !== 'function_call') return response
  const checked = checkArguments(response, at)
  return checked.isWhole ? closeItem(checked.response, at, false, events, capabilities) : checked.response
}

/** Returns whether the arguments of this call are whole. The state keeps the result until they grow. */
function checkArguments(
  response: ResponseState,
  at: number,
): { readonly response: ResponseState; readonly isWhole: boolean } {
  const part = lastPart(itemAt(response, at)) as PartState
  const json = checkJson(part.json, part.text)
  return {
    response: json === part.json ? response : withPart(response, at, 0, { ...part, json }),
    isWhole: json.whole === true,
  }
}

/** Sets the phase of the message of this key, which may be open or may not have begun. */
export function applyPhase(response: ResponseState, delta: PhaseDelta, { fields }: RespondContext): ResponseState {
  const { key, phase } = delta
  if (!fields.includes('phase')) return phaseLosses(delta).reduce(withLoss, response)
  const at = lastOpen(response.index, 'message', key)
  const known = { ...response, phases: mapSet(response.phases, key, phase) }
  return at < 0 ? known : withItem(known, at, { ...itemAt(known, at), phase })
}

export const isWrapped = ({ call }: ItemState): boolean => call?.wraps === true

export function searchEvents(
  { response, at }: Opened,
  phases: readonly ('in_progress' | 'searching' | 'completed')[],
  events: Event[],
): void {
  const address = { response_id: response.head.id, item_id: itemAt(response, at).id, output_index: at }
  for (const phase of phases) events.push({ type: `web_search_call.${phase}`, ...address })
}

/** `cut`: the answer ended inside this item. */
export function closeItem(
  response: ResponseState,
  at: number,
  cut: boolean,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  const filled = cut ? response : fillArguments(response, at, events)
  const closed = closePart(filled, at, events, capabilities)
  const item = sealReasoningItem(itemAt(closed, at), capabilities.sealsAll === true ? capabilities.sealer : null)
  if (item.type === 'web_search_call' && !cut) searchEvents({ response: closed, at }, ['completed'], events)
  const done = toItem(item, statusOf(item, cut), capabilities)
  events.push({ type: 'output_item.done', response_id: closed.head.id, output_index: at, item: done })
  const names = item.type === 'message' ? listToArray(item.parts).map(({ name }) => name) : NOTHING
  const over: ItemState = { ...item, parts: EMPTY_LIST, names, hosted: null, item: done }
  return withItems(closed, listWith(closed.items, at, over), indexDone(closed.index, at, item.key))
}

/**
 * Completes the arguments of a call: `{}` if there are none, because every client can parse that, and the end of the
 * object if free text is wrapped.
 */
function fillArguments(response: ResponseState, at: number, events: Event[]): ResponseState {
  const item = itemAt(response, at)
  if (item.type !== 'function_call') return response
  const json = callJson(item)
  const missing = isWrapped(item) ? wrapEnd(json) : json.trim() === '' ? '{}' : ''
  return missing === '' ? response : commitActivePart(appendToPart(response, at, missing, events))
}

/** The status of a function call depends on its arguments alone, not on the end of the whole answer. */
function statusOf(item: ItemState, cut: boolean): ItemStatus {
  if (item.type === 'function_call') return isWholeCall(callJson(item)) ? 'completed' : 'incomplete'
  return cut ? 'incomplete' : 'completed'
}
