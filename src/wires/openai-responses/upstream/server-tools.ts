import type { HostedItem } from '../../../protocol/item.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, parseJson } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { HOSTED } from '../terms.ts'

/**
 * Returns the type of an item that the upstream runs itself; null for any other item. xAI reports its own searches as
 * custom calls, which clients must not answer.
 */
export function hostedType(item: JsonRecord, { runsCustomCalls }: Quirks): HostedItem['type'] | null {
  const { type, call_id } = item
  if (type === 'custom_tool_call') {
    const own = runsCustomCalls === true || (isNonEmptyString(call_id) && call_id.startsWith('xs_call_'))
    return own ? 'web_search_call' : null
  }
  return isNonEmptyString(type) ? (lookup(HOSTED, type) ?? null) : null
}

const URL_FIELDS = ['url', 'video_url', 'image_url'] as const

/** Returns the action of a search that has it as the arguments of a call (xAI). */
function actionOf({ arguments: args, input }: JsonRecord): JsonObject | null {
  const text = isNonEmptyString(args) ? args : isNonEmptyString(input) ? input : null
  if (text === null) return null
  const parsed = parseJson(text)
  const record: JsonRecord = isObject(parsed) ? parsed : {}
  if (isNonEmptyString(record.query)) return { type: 'search', query: record.query }
  const url = URL_FIELDS.map((field) => record[field]).find(isNonEmptyString)
  return url === undefined ? { type: 'search', query: text } : { type: 'open_page', url }
}

function fieldsOf(type: HostedItem['type'], item: JsonRecord): JsonObject {
  const { type: _, id, status, ...fields } = item as JsonObject
  if (type !== 'web_search_call' || isObject(fields.action)) return fields
  const action = actionOf(item)
  // No field of a custom call is kept, so that no client takes the item for a call.
  const rest = item.type === 'custom_tool_call' ? {} : fields
  return action === null ? rest : { ...rest, action }
}

/** Converts a whole item, under the type that it is emitted with. */
export function toHosted(type: HostedItem['type'], item: JsonRecord): HostedItem {
  const { id, status } = item
  return {
    type,
    id: isNonEmptyString(id) ? id : '',
    status: isNonEmptyString(status) ? status : 'in_progress',
    fields: fieldsOf(type, item),
  }
}
