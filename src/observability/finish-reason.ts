import type { Response } from '../protocol/response.ts'

const CALLS: readonly string[] = ['function_call', 'custom_tool_call']

/** Returns how an answer ended, in the terms of the GenAI conventions; null stands for no answer. */
export function toFinishReason(answer: Response | null): string {
  if (answer === null || answer.status === 'failed' || answer.status === 'in_progress') return 'error'
  if (answer.status === 'incomplete') {
    return answer.incomplete_details?.reason === 'content_filter' ? 'content_filter' : 'length'
  }
  return answer.output.some(({ type }) => CALLS.includes(type)) ? 'tool_calls' : 'stop'
}
