import { mapGet, mapSet, type SortedMap } from '../collections/sorted-map.ts'
import type { EventOf } from '../protocol/event.ts'
import { PART_BORDER } from '../wires/shared/client/part-border.ts'

/** The part of the last text of each open item of reasoning. */
export type ReasoningParts = SortedMap<string, string>

type ReasoningEvent = EventOf<'reasoning_text.delta' | 'reasoning_summary_text.delta'>

/**
 * A piece of reasoning for interfaces that have one text of an item: a blank line is between two parts of it. Parts without
 * a text have none. O(log n) for n open items.
 */
export function joinReasoning(parts: ReasoningParts, event: ReasoningEvent): { parts: ReasoningParts; text: string } {
  const { item_id: item, delta } = event
  if (delta === '') return { parts, text: '' }
  const part = 'summary_index' in event ? `summary ${event.summary_index}` : `content ${event.content_index}`
  const last = mapGet(parts, item)
  const text = last === undefined || last === part ? delta : PART_BORDER + delta
  return { parts: mapSet(parts, item, part), text }
}
