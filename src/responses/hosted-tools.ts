import type { HostedDelta, OpaqueDelta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { HostedItem } from '../protocol/item.ts'
import { isObject } from '../text/json.ts'
import { openItem } from './calls.ts'
import { EVERYTHING, type RespondContext } from './capabilities.ts'
import { lastOpen } from './item-index.ts'
import { closeItem, searchEvents } from './items.ts'
import { itemAt, type Story, withItem, withLoss } from './state.ts'

/** Items in which clients answer hosted calls. */
const CLIENT_ANSWERS = ['computer_call_output', 'local_shell_call_output', 'mcp_approval_response'] as const

const HOSTED: ReadonlySet<unknown> = new Set<string>([...EVERYTHING.items, ...CLIENT_ANSWERS])

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
export function hearOpaque(story: Story, delta: OpaqueDelta, say: Event[], speech: RespondContext): Story {
  const { key, of = 'reasoning', payload } = delta
  const known = lastOpen(story.index, of, key)
  const open = known < 0 && of !== 'reasoning' ? null : openItem(story, of, key, say, speech)
  if (open === null) return withLoss(story, of)
  const item = itemAt(open.story, open.at)
  return withItem(open.story, open.at, { ...item, sealed: speech.seal(payload) })
}

export function hearHosted(story: Story, delta: HostedDelta, say: Event[], speech: RespondContext): Story {
  const { type } = delta.item
  const known = lastOpen(story.index, type, delta.key)
  const open = openItem(story, type, delta.key, say, speech)
  if (open === null) return withLoss(story, type)
  if (known < 0 && type === 'web_search_call') searchEvents(open, ['in_progress', 'searching'], say)
  const item = itemAt(open.story, open.at)
  const hosted = speech.hidesSources === true ? withoutSources(delta.item) : delta.item
  const next = withItem(open.story, open.at, { ...item, hosted })
  return delta.done ? closeItem(next, open.at, false, say, speech) : next
}
