import type { FunctionCallItem } from '../../src/protocol/item.ts'
import type { Response } from '../../src/protocol/response.ts'

/** The arguments of a call as an object, read as simply as can be; null where nobody can make the call. */
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

/** How clients of other families are told that it ended: an answer with a call that nobody can make is not whole. */
export function endingFor(response: Response): Pick<Response, 'status' | 'incomplete_details'> {
  const { status, incomplete_details } = response
  return status === 'completed' && isBroken(response)
    ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    : { status, incomplete_details }
}
