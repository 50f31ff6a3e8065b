import { clientError, type GatewayError } from '../../../protocol/error.ts'
import { isObject } from '../../../text/json.ts'
import { describeValue } from '../../../validation/messages.ts'

/** Items that answer a call of the conversation. Calls of other types may be in the history of the vendor only. */
const OUTPUTS: ReadonlySet<unknown> = new Set(['function_call_output', 'custom_tool_call_output'])

/**
 * Returns the error of the first output in `items` that answers no call, neither of `earlier` items nor of its own; null
 * if there is none. Most vendors reject such a request, some ignore the output; the standard requires that a
 * continuation fails.
 */
export function unmatchedOutput(earlier: readonly unknown[], items: readonly unknown[]): GatewayError | null {
  if (!items.some(isOutput)) return null
  const called = new Set<unknown>()
  const note = (item: unknown): void => {
    if (isObject(item) && typeof item.call_id === 'string' && !isOutput(item)) called.add(item.call_id)
  }
  earlier.forEach(note)
  for (const [i, item] of items.entries()) {
    note(item)
    if (!isObject(item) || !isOutput(item) || typeof item.call_id !== 'string' || called.has(item.call_id)) continue
    const path = `input[${i}].call_id`
    const message = `${path}: expected the id of an earlier call in the conversation, got ${describeValue(item.call_id)}`
    return clientError('invalid_prompt', message, path)
  }
  return null
}

const isOutput = (item: unknown): boolean => isObject(item) && OUTPUTS.has(item.type)
