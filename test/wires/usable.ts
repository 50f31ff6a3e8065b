import type { FunctionCallItem } from '../../src/protocol/item.ts'
import type { Response } from '../../src/protocol/response.ts'
import { isCutJson } from '../../src/text/json-prefix.ts'

/**
 * Parses the arguments of a call as the object that clients receive, in the simplest way; null if they were cut off, so
 * that no client can run the call.
 */
export function usableArguments({ arguments: text }: FunctionCallItem): object | null {
  try {
    const value: unknown = JSON.parse(text)
    if (value === null) return {}
    return typeof value === 'object' && !Array.isArray(value) ? value : { INVALID_JSON: text }
  } catch {
    return text.trim() === '' || isCutJson(text) ? null : { INVALID_JSON: text }
  }
}

const isBroken = ({ output }: Response): boolean =>
  output.some((item) => item.type === 'function_call' && usableArguments(item) === null)

/** Returns the ending that clients of other wires receive: an answer with a call that cannot be run is incomplete. */
export function endingFor(response: Response): Pick<Response, 'status' | 'incomplete_details'> {
  const { status, incomplete_details } = response
  return status === 'completed' && isBroken(response)
    ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    : { status, incomplete_details }
}

/** Whether the text of an answer begins with a tag of the reasoning that a field has, too: decoders drop such a copy. */
export const repeatsReasoning = ({ text, reasoning }: { readonly text: string; readonly reasoning: string }): boolean =>
  reasoning !== '' && /^\s*<think>/.test(text)
