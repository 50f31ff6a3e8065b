import type { FunctionCallItem } from '../../src/protocol/item.ts'
import type { Response } from '../../src/protocol/response.ts'

/** Parses the arguments of a call as an object in the simplest way; null if no client can run the call. */
export function usableArguments({ status, arguments: text }: FunctionCallItem): object | null {
  if (status !== 'completed') return null
  try {
    const value: unknown = JSON.parse(text)
    if (value === null) return {}
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
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
