import type { HostedDelta, OpaqueDelta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { HostedItem } from '../protocol/item.ts'
import { isObject } from '../text/json.ts'
import { ensureItem } from './calls.ts'
import { ALL_CAPABILITIES, type RespondContext } from './capabilities.ts'
import { lastOpen } from './item-index.ts'
import { closeItem, searchEvents } from './items.ts'
import { itemAt, type ResponseState, withItem, withLoss } from './state.ts'

/** Items in which clients answer hosted calls. */
const CLIENT_ANSWERS = ['computer_call_output', 'local_shell_call_output', 'mcp_approval_response'] as const

const HOSTED: ReadonlySet<unknown> = new Set<string>([...ALL_CAPABILITIES.items, ...CLIENT_ANSWERS])

/** Returns whether answers of this service can have items of this type, or clients answer such items with it. */
export const isHostedType = (type: unknown): boolean => HOSTED.has(type)

/** Returns a web search without the list of the pages that it found. */
export function withoutSources(item: HostedItem): HostedItem {
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
  return withItem(open.response, open.at, { ...item, sealed: capabilities.seal(payload) })
}

export function applyHosted(
  response: ResponseState,
  delta: HostedDelta,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  const { type } = delta.item
  const known = lastOpen(response.index, type, delta.key)
  const open = ensureItem(response, type, delta.key, events, capabilities)
  if (open === null) return withLoss(response, type)
  if (known < 0 && type === 'web_search_call') searchEvents(open, ['in_progress', 'searching'], events)
  const item = itemAt(open.response, open.at)
  const hosted = capabilities.hidesSources === true ? withoutSources(delta.item) : delta.item
  const next = withItem(open.response, open.at, { ...item, hosted })
  return delta.done ? closeItem(next, open.at, false, events, capabilities) : next
}
