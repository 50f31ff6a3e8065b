import { cohereChat } from '../../../src/wires/cohere-chat/index.ts'
import { type AnswerCase, answersOf } from '../answer-cases.ts'
import { clientStreamOf } from '../client-stream.ts'

const client = clientStreamOf(cohereChat)

const toFrames = (events: readonly unknown[]): string =>
  events.map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)).join('')

export const decodedDeltas = (events: readonly unknown[]) => client.responseOfStream(toFrames(events))

export const answers = answersOf({ wire: cohereChat })

const event = (type: string, message: unknown, index?: unknown) => ({ type, index, delta: { message } })

export const START = {
  id: 'a-1',
  ...event('message-start', { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }),
}
export const open = (index: number, type = 'text') => event('content-start', { content: { type, [type]: '' } }, index)
export const text = (content: string, index: unknown = 0) =>
  event('content-delta', { content: { text: content } }, index)
export const thinkingText = (content: string, index = 0) =>
  event('content-delta', { content: { thinking: content } }, index)
export const plan = (content: string) => event('tool-plan-delta', { tool_plan: content })
export const call = (index: number, id: string, name: string, args: unknown = '') =>
  event('tool-call-start', { tool_calls: { id, type: 'function', function: { name, arguments: args } } }, index)
export const args = (index: number, content: string) =>
  event('tool-call-delta', { tool_calls: { function: { arguments: content } } }, index)
export const callEnd = (index: number) => ({ type: 'tool-call-end', index })
export const cite = (citation: unknown, index = 0) => event('citation-start', { citations: citation }, index)
export const end = (finish_reason: unknown = 'COMPLETE', more: object = {}) => ({
  type: 'message-end',
  delta: { finish_reason, ...more },
})
export const DONE = 'data: [DONE]\n\n'

/** An answer with these events between its start and its end. */
export const of = (events: readonly unknown[], items: AnswerCase['items'], more: AnswerCase = {}): AnswerCase => ({
  stream: [START, ...events, end()],
  items,
  ...more,
})
