import { openaiChat } from '../../../src/wires/openai-chat/index.ts'
import { answersOf } from '../answer-cases.ts'

/** Chunks of chat streams. */

export const answers = answersOf({ wire: openaiChat })

export const DONE = 'data: [DONE]\n\n'

/** Returns a chunk with this delta in choice 0. */
export const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  id: 'c-1',
  object: 'chat.completion.chunk',
  model: 'm-1',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
})
export const content = (content: unknown, more: object = {}) => chunk({ content, ...more })
export const think = (text: string, field = 'reasoning_content') => chunk({ [field]: text })
/** Returns a chunk with a fragment of a call: `at` has its index, its id or other fields. */
export const piece = (at: object, fn?: object) =>
  chunk({ tool_calls: [fn === undefined ? at : { ...at, function: fn }] })
export const call = (at: object, name: string | null, args: unknown) => piece(at, { name, arguments: args })
/** Returns a fragment of the call with the index 0. */
export const first = (args: string, name: string | null = null, more: object = {}) =>
  call({ index: 0, ...more }, name, args)
export const stop = (reason = 'stop') => chunk({}, reason)
export const END = [stop(), DONE]
export const CALLED = [stop('tool_calls'), DONE]

export const usage = (prompt_tokens: unknown, completion_tokens: unknown, more: object = {}) => ({
  prompt_tokens,
  completion_tokens,
  ...more,
})
/** Returns the chunk with the usage at the end. */
export const counted = (...counts: Parameters<typeof usage>) => ({ choices: [], usage: usage(...counts) })
