import Anthropic from '@anthropic-ai/sdk'
import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../../src/protocol/json.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { optionsFor, pass, text } from '../../../engine/passing.ts'
import { writeFrame } from '../../../framing/write-frame.ts'

/** Blocks without their start, or without both of their ends, as Anthropic's library reads them. */

const WIRE = WIRES['anthropic-messages']

type Event = JsonObject & { readonly type: string }

const usage = { input_tokens: 1, output_tokens: 1 }
const message = { id: 'a', type: 'message', role: 'assistant', model: 'm', content: [], usage }
const ENDS: readonly Event[] = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
]

const at = (type: string, index: number | null, members: JsonObject = {}): Event => ({
  type: `content_block_${type}`,
  ...(index === null ? {} : { index }),
  ...members,
})
const start = (index: number, content_block: JsonObject): Event => at('start', index, { content_block })
const stop = (index: number): Event => at('stop', index)
const delta = (index: number | null, of: JsonObject): Event => at('delta', index, { delta: of })
const text_ = (index: number | null, word: string): Event => delta(index, { type: 'text_delta', text: word })
const thought = (index: number | null): Event => delta(index, { type: 'thinking_delta', thinking: 'T' })
const TOOL = [
  start(1, { type: 'tool_use', id: 't', name: 'f', input: {} }),
  delta(1, { type: 'input_json_delta', partial_json: '{"a":1}' }),
  stop(1),
]

function passed(events: readonly Event[], ends = ENDS, first: JsonObject = message) {
  const all = [{ type: 'message_start', message: first }, ...events, ...ends]
  const bytes = all.map((event) => writeFrame({ event: event.type, data: JSON.stringify(event) }, 'sse'))
  const { output, stream } = pass(optionsFor(WIRE), WIRE, bytes, 'end')
  return { sent: text(output), outcome: stream.outcome() }
}

async function messageIn(sent: string) {
  const fetch = async () => new Response(sent, { headers: { 'content-type': 'text/event-stream' } })
  const client = new Anthropic({ apiKey: 'x', maxRetries: 0, fetch })
  return await client.messages.stream({ model: 'm', max_tokens: 9, messages: [] }).finalMessage()
}

async function readBy(sent: string): Promise<readonly Json[]> {
  const { content } = await messageIn(sent)
  return content.map((block) => {
    if (block.type === 'text') return block.text
    return block.type === 'thinking' ? `(${block.thinking})` : block.type === 'tool_use' ? (block.input as Json) : null
  })
}

it.each<[what: string, events: readonly Event[], read: readonly Json[]]>([
  ['the index of reasoning that has ended', [thought(0), stop(0), text_(0, 'A'), stop(0)], ['(T)', 'A']],
  ['an index below that of reasoning', [thought(1), text_(0, 'A')], ['(T)', 'A']],
  ['an index below that of a call', [...TOOL, text_(0, 'A')], [{ a: 1 }, 'A']],
  ['the index of open reasoning', [thought(0), text_(0, 'A'), text_(0, 'B')], ['(T)', 'AB']],
  ['no index', [thought(null), text_(null, 'A')], ['(T)', 'A']],
  ['the index of open reasoning behind a text', [text_(0, 'A'), thought(0), text_(0, 'B')], ['AB', '(T)']],
])('a text under %s is in a block of text', async (_, events, read) => {
  const { sent, outcome } = passed(events)
  expect(await readBy(sent)).toEqual(read)
  expect(JSON.stringify(outcome.answer)).toContain('"A')
  const starts = sent.match(/"content_block_start"/g)?.length
  expect(starts).toBe(read.length)
})

it('late text of a text that has ended belongs to its block', async () => {
  const { sent } = passed([start(0, { type: 'text', text: '' }), text_(0, 'A'), stop(0), ...TOOL, text_(0, 'B')])
  expect(await readBy(sent)).toEqual(['AB', { a: 1 }])
})

const called = (given: Json): Event => start(0, { type: 'tool_use', id: 't', name: 'f', input: given })
const CALL = called({})
const input = (index: number | null): Event => delta(index, { type: 'input_json_delta', partial_json: '{"a":1}' })

it.each<[what: string, events: readonly Event[], read: readonly Json[]]>([
  ['arguments without an index', [CALL, input(null), stop(0)], [{ a: 1 }]],
  ['arguments under the index of no block', [CALL, input(1), stop(0)], [{ a: 1 }]],
  [
    'arguments under the index of a block that has ended',
    [text_(0, 'A'), stop(0), TOOL[0] as Event, input(0)],
    ['A', { a: 1 }],
  ],
  [
    'a call that begins again without its name',
    [CALL, start(0, { type: 'tool_use', id: 't', input: {} }), input(0), stop(0)],
    [{ a: 1 }],
  ],
  ['a call that begins twice', [CALL, CALL, input(0), stop(0)], [{ a: 1 }]],
  ['a call that begins twice with its input', [called({ a: 1 }), called({ a: 1 }), stop(0)], [{ a: 1 }]],
  ['a call that begins again with its input', [CALL, called({ a: 1 }), stop(0)], [{ a: 1 }]],
  ['a call that begins again with its input, without its end', [CALL, called({ a: 1 })], [{ a: 1 }]],
  [
    'a call that begins again with its input, whose end has no index',
    [CALL, called({ a: 1 }), at('stop', null)],
    [{ a: 1 }],
  ],
  [
    'a call that begins again with its input, before one under its index',
    [CALL, called({ a: 1 }), start(0, { type: 'tool_use', id: 'u', name: 'f', input: {} }), input(0), stop(0)],
    [{ a: 1 }, { a: 1 }],
  ],
  [
    'a call that begins again with its input, before one under the next index',
    [
      CALL,
      called({ a: 1 }),
      ...TOOL.map((event) =>
        event.content_block ? { ...event, content_block: { ...(event.content_block as JsonObject), id: 'u' } } : event,
      ),
    ],
    [{ a: 1 }, { a: 1 }],
  ],
  ...[
    [0, 1, 0, 1],
    [0, 0, 1, 1],
  ].flatMap((order) =>
    [[stop(0), stop(1)], []].map((ends): [string, readonly Event[], readonly Json[]] => {
      const starts = order.map((index, i) => ({
        ...CALL,
        content_block: {
          type: 'tool_use',
          id: `t${index}`,
          name: 'f',
          input: order.indexOf(index) === i ? {} : { a: index },
        },
        index,
      }))
      return [
        `two calls that begin again with their inputs, as ${order} and ${ends.length} ends`,
        [...starts, ...ends],
        [{ a: 0 }, { a: 1 }],
      ]
    }),
  ),
  [
    'reasoning under another name',
    [start(0, { type: 'thinking', thinking: '' }), delta(0, { type: 'thinking_delta', reasoning: 'T' })],
    ['(T)'],
  ],
  [
    'a call that begins again with its input, before its arguments',
    [CALL, called({ b: 2 }), input(0), stop(0)],
    [{ a: 1 }],
  ],
  [
    'a call that begins again without its type',
    [CALL, start(0, { id: 't', name: 'f', input: {} }), input(0), stop(0)],
    [{ a: 1 }],
  ],
  [
    'pieces without their text',
    [
      start(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta' }),
      text_(0, 'A'),
      stop(0),
      start(1, { type: 'thinking', thinking: '', signature: '' }),
      delta(1, { type: 'thinking_delta', thinking: null }),
      thought(1),
      stop(1),
      TOOL[0] as Event,
      delta(1, { type: 'input_json_delta' }),
      input(1),
    ].map((event, i) => (i < 8 ? event : { ...event, index: 2 })),
    ['A', '(T)', { a: 1 }],
  ],
  ['a call that begins twice with an empty list', [called([]), called([]), input(0), stop(0)], [{ a: 1 }]],
  ['a text that its start has', [start(0, { type: 'text', text: 'He' }), text_(0, 'He'), text_(0, 'llo')], ['Hello']],
  ['reasoning that its start has', [start(0, { type: 'thinking', thinking: 'T' }), thought(0), thought(0)], ['(TT)']],
  ['a delta that is no object', [text_(0, 'A'), at('delta', 0, { delta: null }), at('delta', 0)], ['A']],
  ['a block that is no object', [at('start', 0, { content_block: null }), text_(0, 'A')], ['A']],
])('clients read %s', async (_, events, read) => {
  const { sent, outcome } = passed(events)
  expect(await readBy(sent)).toEqual(read)
  expect(outcome.status).toBe('completed')
})

const [END, LAST] = ENDS as [Event, Event]
const CALLED: Event = { ...END, delta: { stop_reason: 'tool_use', stop_sequence: null } }
const COUNTS: Event = { type: 'message_delta', usage: { output_tokens: 5 } }

it.each<[what: string, ends: readonly Event[]]>([
  ['no delta', [CALLED, COUNTS, LAST]],
  ['an empty delta', [CALLED, { ...COUNTS, delta: {} }, LAST]],
  ['no reason', [CALLED, { ...COUNTS, delta: { stop_reason: null, stop_sequence: null } }, LAST]],
  ['no delta, before the reason', [COUNTS, CALLED, LAST]],
])('the stop reason holds beside usage with %s', async (_, ends) => {
  const { sent } = passed([CALL, input(0), stop(0)], ends)
  expect((await messageIn(sent)).stop_reason).toBe('tool_use')
})

it.each<[content: Json | undefined, read: readonly Json[]]>([
  [undefined, ['A']],
  [null, ['A']],
  ['B', ['B', 'A']],
])('a message that begins with content %j has a list', async (content, read) => {
  const { content: _, ...bare } = message
  const { sent } = passed([start(0, { type: 'text', text: '' }), text_(0, 'A'), stop(0)], ENDS, {
    ...bare,
    ...(content === undefined ? {} : { content }),
  })
  expect(await readBy(sent)).toEqual(read)
})

it('a piece of text beside reasoning is none of it', () => {
  const { sent } = passed([text_(0, 'A'), delta(0, { type: 'text_delta', reasoning: 'T' })])
  expect(sent).toContain('{"type":"text_delta","reasoning":"T","text":""}')
})

it('an input that only a second start of a call has is not sent before a failure', () => {
  const failure = { type: 'error', error: { type: 'overloaded_error', message: 'No.' } }
  const { sent, outcome } = passed([CALL, called('{"a":')], [failure])
  expect(sent).not.toContain('input_json_delta')
  expect(outcome.status).toBe('failed')
})
