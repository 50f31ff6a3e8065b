import type { Json } from '../../../src/protocol/json.ts'
import { openaiResponses } from '../../../src/wires/openai-responses/index.ts'
import { answersOf } from '../answer-cases.ts'

/** Events of openai-responses streams. */
export type Members = Readonly<Record<string, unknown>>

const bodyOf = (stream: readonly unknown[]): unknown => {
  const last = stream.at(-1) as { readonly response?: { readonly output?: readonly Json[] } } | undefined
  return last?.response?.output?.length ? last.response : null
}

/** Tests answers, each of which is also the body in its terminal event if that has items. */
export const answers = answersOf({ wire: openaiResponses, bodyOf })

/** Returns an event; `type` is its name without the prefix `response.`. */
export const ev = (type: string, fields: object = {}): Members => ({ type: `response.${type}`, ...fields })
export const added = (output_index: number | null, item: object | null): Members =>
  ev('output_item.added', { output_index, item })
export const done = (output_index: number | null, item: object | null): Members =>
  ev('output_item.done', { output_index, item })
/** Returns an event about a part of the item with the index 0. */
export const at = (content_index: number, type: string, fields: object): Members =>
  ev(type, { output_index: 0, content_index, ...fields })
export const textDelta = (delta: string, output_index: number | null = 0, more: object = {}): Members =>
  ev('output_text.delta', { output_index, content_index: 0, delta, ...more })
export const completed = (output: readonly object[] = [], more: object = {}): Members =>
  ev('completed', { response: { status: 'completed', output, ...more } })

export const text = (content: string, more: object = {}): Members => ({ type: 'output_text', text: content, ...more })
export const message = (content: string, more: object = {}): Members => ({
  type: 'message',
  content: [text(content)],
  ...more,
})
export const call = (name: string, args: unknown, call_id = 'call_1'): Members => ({
  type: 'function_call',
  call_id,
  name,
  arguments: args,
})
