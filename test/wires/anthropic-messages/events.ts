import { openai } from '../../../src/dialects/openai.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { Response } from '../../../src/protocol/response.ts'
import { collect } from '../../../src/responses/collect.ts'
import { sealReasoning } from '../../../src/responses/encrypted-content.ts'
import { respond } from '../../../src/responses/respond.ts'
import { anthropicMessages } from '../../../src/wires/anthropic-messages/index.ts'
import { headOf } from '../../engine/run-engine.ts'
import { answersOf } from '../answer-cases.ts'

/** Events of a stream in the format of the vendor. */

export type Event = Readonly<Record<string, unknown>>

export const start = (fields: object = {}): Event => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [],
    stop_reason: null,
    ...fields,
  },
})
export const open = (index: number, content_block: object): Event => ({
  type: 'content_block_start',
  index,
  content_block,
})
export const delta = (index: number, piece: object): Event => ({ type: 'content_block_delta', index, delta: piece })
export const close = (index: number): Event => ({ type: 'content_block_stop', index })
export const text = (index: number, words: string): Event => delta(index, { type: 'text_delta', text: words })
export const args = (index: number, json: string): Event =>
  delta(index, { type: 'input_json_delta', partial_json: json })
export const thinkingBlock = (index: number, thinking: string): Event =>
  delta(index, { type: 'thinking_delta', thinking })
export const sign = (index: number, signature: string): Event => delta(index, { type: 'signature_delta', signature })
export const cite = (index: number, citation: object): Event => delta(index, { type: 'citations_delta', citation })
export const stop = (stop_reason: string, more: object = {}, usage: object = {}): Event[] => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null, ...more }, usage },
  { type: 'message_stop' },
]

/** Returns the events of a whole text block. */
export const textBlock = (index: number, words: string): Event[] => [
  open(index, { type: 'text', text: '' }),
  text(index, words),
  close(index),
]

export const callBlock = (index: number, id: string, json: string, name = 'f'): Event[] => [
  open(index, { type: 'tool_use', id, name, input: {} }),
  args(index, ''),
  args(index, json),
  close(index),
]

export const answers = answersOf({
  wire: anthropicMessages,
  write: (event) => `event: ${(event as Event).type}\ndata: ${JSON.stringify(event)}\n\n`,
})

export const deltasOf = (events: readonly Event[]): readonly Delta[] =>
  run(
    anthropicMessages.decodeStream({}),
    events.map((event) => ({ event: String(event.type), data: JSON.stringify(event) })),
  )

const ORIGIN = { wire: 'anthropic-messages', vendor: 'acme', model: 'claude-x' }

/** Returns the response of these deltas, sealed for `acme`. */
function answer(deltas: readonly Delta[]): Response {
  const hub = respond(headOf('x'), openai, (payload) => sealReasoning(ORIGIN, payload))
  return run(collect, run(hub, deltas))[0] as Response
}

export const answerOf = (events: readonly Event[]): Response => answer(deltasOf(events))
export const answerOfBody = (body: unknown): Response => answer(anthropicMessages.decodeBody(body, {}))
