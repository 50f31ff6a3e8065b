import type { HostedItem } from '../protocol/item.ts'
import { isObject } from '../text/json.ts'

/** Returns a web search without the list of the pages that it found. */
export function withoutSources(item: HostedItem): HostedItem {
  const { type, fields } = item
  const { action } = fields
  if (type !== 'web_search_call' || !isObject(action) || action.sources === undefined) return item
  const { sources: _, ...rest } = action
  return { ...item, fields: { ...fields, action: rest } }
}
