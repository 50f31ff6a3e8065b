import type { JsonRecord } from '../../../../protocol/json.ts'
import { isObject, toArray } from '../../../../text/json.ts'
import { INPUT_CHANGES, type Quirks } from '../../../quirks.ts'

/** Whether an upstream of the Responses API has what this item changes, so that the item stays in its place. */
export function staysInPlace(item: JsonRecord, quirks: Quirks): boolean {
  const change = INPUT_CHANGES.get(item.type)
  if (change === undefined || quirks.changesInInput?.includes(change) !== true) return false
  return change !== 'additional_tools' || toArray(item.tools).every((tool) => hasTool(tool, quirks))
}

/** A tool of another kind is sent as a function, which an item cannot be that stays as it is. */
function hasTool(tool: unknown, { namespaces, customTools }: Quirks): boolean {
  if (!isObject(tool)) return true
  return (tool.type !== 'namespace' || namespaces === true) && (tool.type !== 'custom' || customTools === true)
}
