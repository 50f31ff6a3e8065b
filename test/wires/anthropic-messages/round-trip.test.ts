import { describe, expect, it } from 'vitest'
import { openai } from '../../../src/dialects/openai.ts'
import { projectObject } from '../../../src/dialects/projection.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { Response } from '../../../src/protocol/response.ts'
import { collect } from '../../../src/responses/collect.ts'
import { respond } from '../../../src/responses/respond.ts'
import { runSteps } from '../../../src/text/steps.ts'
import { anthropicMessages } from '../../../src/wires/anthropic-messages/index.ts'
import { headOf } from '../../engine/run-engine.ts'
import { sealed } from '../../engine/target.ts'
import { output, user } from '../hub-requests.ts'
import { encode, MODEL, textContent } from './bodies.ts'

/** Returns the output of an answer as its client receives it and sends it back. */
function seen(deltas: readonly Delta[]): readonly unknown[] {
  const hub = respond(headOf('x'), openai, (payload) => sealed('anthropic-messages', payload, MODEL))
  const response = run(collect, run(hub, deltas))[0] as Response
  return runSteps(projectObject(openai, response, 'response')).output as readonly unknown[]
}

const content = [
  { type: 'thinking', thinking: 'First, 🗼 a search.', signature: 's1' },
  textContent('Let me see.'),
  { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { query: 'q' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srv',
    content: [{ type: 'web_search_result', url: 'https://a', encrypted_content: 'e' }],
  },
  { type: 'redacted_thinking', data: 'r' },
  { type: 'thinking', thinking: '', signature: 's2' },
  { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: [1, { b: null }] } },
  { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} },
  { type: 'tool_use', id: 'toolu_3', name: 'click', toolset_name: 'computer', input: { x: 1 } },
]

/** The same content as the events of a stream. */
const frames = content.flatMap((block, index) => {
  const { input, ...rest } = block as { input?: object; type: string }
  const start = {
    type: 'content_block_start',
    index,
    content_block: input === undefined ? rest : { ...rest, input: {} },
  }
  const json = { type: 'input_json_delta', partial_json: JSON.stringify(input) }
  return [
    start,
    ...(input === undefined ? [] : [{ type: 'content_block_delta', index, delta: json }]),
    { type: 'content_block_stop', index },
  ]
})

describe('an anthropic-messages answer in the next request', () => {
  const ends = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }]
  const stream = run(
    anthropicMessages.decodeStream({}),
    [...frames, ...ends].map((event) => ({ event: '', data: JSON.stringify(event) })),
  )
  it.each([
    ['streamed', stream],
    ['whole', anthropicMessages.decodeBody({ content, stop_reason: 'tool_use' }, {})],
  ])('is unchanged, block by block, if it was %s', (_, deltas) => {
    const input = [user('A'), ...seen(deltas), output('toolu_1'), output('toolu_2'), output('toolu_3')]
    const { body, losses } = encode({ input, tools: [{ type: 'web_search' }, { type: 'computer_toolset_20260801' }] })
    expect((body.messages as readonly unknown[])[1]).toEqual({ role: 'assistant', content })
    expect(losses).toEqual([])
  })
})
