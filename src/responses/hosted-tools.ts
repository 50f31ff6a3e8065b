import { mapDelete, mapGet, mapSet } from '../collections/sorted-map.ts'
import type { HostedDelta, OpaqueDelta, ProgressDelta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { HostedItem, HostedItemType } from '../protocol/item.ts'
import type { JsonObject } from '../protocol/json.ts'
import { type ItemProgress, PROGRESS_EVENTS, type ProgressName } from '../protocol/progress.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { ensureItem } from './calls.ts'
import { ALL_CAPABILITIES, type Hosting, type RespondContext } from './capabilities.ts'
import {
  announcedItem,
  HOSTED_MEMBERS,
  type HostedMembers,
  hostedStatus,
  isUnnumbered,
  wholeItem,
} from './hosted-members.ts'
import { lastOpen } from './item-index.ts'
import { closeItem, searchEvents } from './items.ts'
import { itemAt, type ResponseState, withItem, withLoss } from './state.ts'

/** Items in which clients answer hosted calls. */
const CLIENT_ANSWERS: readonly unknown[] = ['computer_call_output', 'local_shell_call_output', 'mcp_approval_response']

/** Items of conversations between agents (openai 7.57, `BetaResponseInputItem`; @openrouter/sdk 1.3). */
const OF_AGENTS: readonly unknown[] = ['agent_message', 'multi_agent_call', 'multi_agent_call_output']

/** Returns whether answers can have items of this type, clients answer such items with it, or agents exchange it. */
export const isHostedType = (type: unknown): boolean =>
  [ALL_CAPABILITIES.items, CLIENT_ANSWERS, OF_AGENTS].some((types: readonly unknown[]) => types.includes(type))

/** Returns a web search without the list of the pages that it found. */
function withoutSources(item: HostedItem): HostedItem {
  const { type, fields } = item
  const { action } = fields
  if (type !== 'web_search_call' || !isObject(action) || action.sources === undefined) return item
  const { sources: _, ...rest } = action
  return { ...item, fields: { ...fields, action: rest } }
}

/** A reasoning item may have encrypted content only; an item of another type must be open already. */
export function applyOpaque(
  response: ResponseState,
  delta: OpaqueDelta,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  const { key, of = 'reasoning', payload } = delta
  const known = lastOpen(response.index, of, key)
  const open = known < 0 && of !== 'reasoning' ? null : ensureItem(response, of, key, events, capabilities)
  if (open === null) return withLoss(response, of)
  const item = itemAt(open.response, open.at)
  return withItem(open.response, open.at, { ...item, sealed: capabilities.sealer.seal(payload, open.response.model) })
}

/**
 * Opens a call without an id: its client then gets one for it. Until something happens to the item, its id may still
 * arrive.
 */
export function openUnnumbered(
  response: ResponseState,
  key: string,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  const item = mapGet(response.calls.unnumbered, key)
  if (item === undefined) return response
  const delta: HostedDelta = { kind: 'hosted', key, item, done: false }
  return capabilities.hosting?.open(withoutUnnumbered(response, key), delta, events, capabilities) ?? response
}

function withoutUnnumbered(response: ResponseState, key: string): ResponseState {
  const { calls } = response
  return { ...response, calls: { ...calls, unnumbered: mapDelete(calls.unnumbered, key) } }
}

function applyHosted(
  members: HostedMembers,
  response: ResponseState,
  delta: HostedDelta,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  const { key, item, done } = delta
  const { calls, index } = response
  const waiting = mapGet(calls.unnumbered, key)
  const isKnown = lastOpen(index, item.type, key) >= 0
  if (!done && !isKnown && isUnnumbered(members, item) && capabilities.items.includes(item.type)) {
    const before =
      waiting === undefined || waiting.type === item.type
        ? response
        : openUnnumbered(response, key, events, capabilities)
    return { ...before, calls: { ...before.calls, unnumbered: mapSet(before.calls.unnumbered, key, item) } }
  }
  const settled = waiting?.type === item.type ? withoutUnnumbered(response, key) : response
  return applyItem(members, settled, delta, events, capabilities)
}

function applyItem(
  members: HostedMembers,
  response: ResponseState,
  delta: HostedDelta,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  const { type } = delta.item
  const known = lastOpen(response.index, type, delta.key)
  const open = ensureItem(response, type, delta.key, events, capabilities, announcedItem(members, delta.item))
  if (open === null) return withLoss(response, type)
  if (known < 0 && type === 'web_search_call') searchEvents(open, ['in_progress', 'searching'], events)
  const item = itemAt(open.response, open.at)
  let isWrong = false
  const whole = wholeItem(members, delta.item, item.hosted?.fields ?? {}, () => {
    isWrong = true
  })
  const hosted = capabilities.hidesSources === true ? withoutSources(whole) : whole
  const filled = withItem(open.response, open.at, { ...item, hosted })
  const next = isWrong ? withLoss(filled, `a ${type} member with another kind`) : filled
  return delta.done ? closeItem(next, open.at, false, events, capabilities) : next
}

/** Events are emitted only inside their item, and its phases in order: clients reject any others. */
const MISPLACED = 'a hosted item’s event out of order'

const NOT_STARTED: ItemProgress = { phase: 0, input: '', whole: false }

/** Emits an event of an open hosted item. */
function applyProgress(
  before: ResponseState,
  { key, name, fields }: ProgressDelta,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  const { of, phase } = PROGRESS_EVENTS[name]
  // The loss of the item includes its events.
  if (!capabilities.items.includes(of)) return before
  const response = openUnnumbered(before, key, events, capabilities)
  const at = lastOpen(response.index, of, key)
  if (at < 0) return withLoss(response, MISPLACED)
  const item = itemAt(response, at)
  const emit = (own: ProgressName, shown: JsonObject): void => {
    events.push({
      type: 'item.progress',
      response_id: response.head.id,
      item_id: item.id,
      output_index: at,
      name: own,
      fields: shown,
    })
  }
  const progress = item.progress ?? NOT_STARTED
  if (phase === null) {
    const next = name.startsWith('mcp_call_arguments.') ? applyArguments(progress, fields, name, emit) : progress
    if (next === null) return withLoss(response, MISPLACED)
    if (next === progress) emit(name, fields)
    return withItem(response, at, { ...item, progress: next })
  }
  if (phase < progress.phase || progress.phase === 2) return withLoss(response, MISPLACED)
  emit(name, fields)
  return withItem(response, at, { ...item, progress: { ...progress, phase } })
}

/** The whole arguments of an MCP call are its pieces joined; the rest is emitted before. Null if they differ. */
function applyArguments(
  progress: ItemProgress,
  fields: JsonObject,
  name: ProgressName,
  emit: (name: ProgressName, fields: JsonObject) => void,
): ItemProgress | null {
  const isDelta = name === 'mcp_call_arguments.delta'
  const text = isDelta ? fields.delta : fields.arguments
  if (typeof text !== 'string' || progress.whole) return null
  if (isDelta) {
    emit(name, fields)
    return { ...progress, input: progress.input + text }
  }
  if (!text.startsWith(progress.input)) return null
  const rest = text.slice(progress.input.length)
  if (rest !== '') emit('mcp_call_arguments.delta', { delta: rest })
  emit(name, fields)
  return { ...progress, input: text, whole: true }
}

/** An image of which the Responses API, whose images are base64, has no form. */
const isImageAddress = ({ type, fields }: HostedItem): boolean =>
  type === 'image_generation_call' && isNonEmptyString(fields.url) && !isNonEmptyString(fields.result)

/** An item that was announced ends without its image. */
function dropAddress(
  members: HostedMembers,
  response: ResponseState,
  { key, item, ...delta }: HostedDelta,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  if (lastOpen(response.index, item.type, key) < 0) return response
  const { url: _, ...fields } = item.fields
  return applyItem(
    members,
    response,
    { ...delta, key, item: { ...item, status: 'failed', fields } },
    events,
    capabilities,
  )
}

/** The items of these rows, and no other; their events, if `progress` is given. Any other item is a loss. */
export const hostingOf = (
  rows: Partial<Readonly<Record<HostedItemType, HostedMembers>>>,
  progress: Hosting['progress'] | null = null,
): Hosting => ({
  apply(response, delta, events, capabilities) {
    const members = rows[delta.item.type]
    if (members === undefined) return withLoss(response, delta.item.type)
    const { items, fields } = capabilities
    return isImageAddress(delta.item) && items.includes(delta.item.type) && !fields.includes('image_url')
      ? dropAddress(members, withLoss(response, 'an image by its address'), delta, events, capabilities)
      : applyHosted(members, response, delta, events, capabilities)
  },
  open: (response, delta, events, capabilities) =>
    applyItem(rows[delta.item.type] as HostedMembers, response, delta, events, capabilities),
  progress,
  status: (type, reported, status) => hostedStatus(rows[type] as HostedMembers, reported, status),
})

/** All items that an upstream may run itself, with their events. */
export const HOSTED_ITEMS: Hosting = /* @__PURE__ */ hostingOf(HOSTED_MEMBERS, applyProgress)
