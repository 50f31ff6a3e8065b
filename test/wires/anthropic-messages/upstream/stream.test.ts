import { describe, expect, it } from 'vitest'
import { anthropicMessages } from '../../../../src/wires/anthropic-messages/index.ts'
import type { AnswerCase } from '../../answer-cases.ts'
import {
  answers,
  args,
  callBlock,
  close,
  deltasOf,
  type Event,
  open,
  start,
  stop,
  text,
  textBlock,
  thinkingBlock,
} from '../events.ts'

type Events = readonly Event[]
type Items = AnswerCase['items']

/** An answer with these blocks that ends with a stop reason. */
const of = (events: Events, items: Items, reason = 'end_turn', more: AnswerCase = {}): AnswerCase => ({
  stream: [start(), ...events, ...stop(reason)],
  items,
  ...more,
})
/** An answer that ends with the last of its events. */
const ending = (events: Events, items: Items, end: string, more: AnswerCase = {}): AnswerCase => ({
  stream: events,
  items,
  end,
  ...more,
})
const lost = (events: Events, ...losses: readonly string[]): AnswerCase => ({ stream: events, losses })
const use = (id: string, more: object = {}) => ({ type: 'tool_use', id, name: 'f', input: {}, ...more })
const A = textBlock(0, 'A')
const LIMIT = 'incomplete: max_output_tokens'
const STOPPED = { type: 'message_stop' }

const unknown = [open(0, { type: 'hologram' }), text(0, 'never'), close(0), { type: 'weather' }, { type: 'ping' }]
const HOLOGRAM = ['content block hologram', 'event weather']
// biome-ignore format: a row a case
answers('blocks of an anthropic-messages stream', '', {
  'are one message if text follows text, and another message after a call': of(
    [...A, ...textBlock(1, 'B'), ...callBlock(2, 'c', '{}'), ...textBlock(3, 'C')], ['AB', 'c f({})', 'C']),
  'are opened by their deltas if they never start': of([thinkingBlock(0, 'hm'), close(0), text(1, 'A'), text(1, 'B')],
    ['reasoning: hm', 'AB']),
  'are dropped with a loss if they have arguments but no call': of([args(0, '{"a":1}')], [], 'end_turn',
    { losses: ['arguments without a call'] }),
  'end when the next block starts if they never stop': of([open(0, use('c')), args(0, '{"a":1}'), ...textBlock(1, 'A')],
    ['c f({"a":1})', 'A'], 'tool_use'),
  'may start at the index of an empty text': of([open(0, { type: 'text', text: '' }), text(0, ''), open(0, use('c')),
    args(0, '{"a":1}'), close(0)], ['c f({"a":1})'], 'tool_use'),
  'keep their own arguments if calls overlap': of([open(0, use('a')), open(1, use('b')), args(0, '{"x"'), args(1, '{"y"'),
    args(0, ':1}'), args(1, ':2}'), close(0), close(1)], ['a f({"x":1})', 'b f({"y":2})'], 'tool_use'),
  'include the text of their start event': of([open(0, { type: 'text', text: 'A' }), text(0, 'B'), close(0)], ['AB']),
  'are skipped if their type is unknown, with a loss': [
    of(unknown, [], 'end_turn', { losses: HOLOGRAM }),
    lost([start(), ...unknown], ...HOLOGRAM), lost([start(), { note: 1 }], 'an event without a type'),
  ],
})

const began = (fields: object, usage: object, ...losses: readonly string[]): AnswerCase => ({
  name: { ...fields, ...usage },
  stream: [start({ ...fields, usage: { input_tokens: 1, output_tokens: 1, ...usage } }), ...A, ...stop('end_turn')],
  losses,
})
const edits = { type: 'message_delta', delta: {}, context_management: { applied_edits: [{ type: 'x' }] } }
// biome-ignore format: a row a case
answers('members of an anthropic-messages stream that no other protocol has', 'are losses: ', [
  began({ diagnostics: { cache_miss_reason: 'x' } }, {}, 'diagnostics'),
  began({ input_transformations: [{ type: 'x' }] }, {}, 'input_transformations'),
  began({}, { iterations: [{ type: 'message', input_tokens: 1 }] }, 'usage.iterations'),
  began({ diagnostics: null, context_management: { applied_edits: [] } }, { iterations: null }),
  { name: 'at the end of a message', ...of([...A, edits], ['A'], 'end_turn', { losses: ['context_management'] }) },
])

const made = (pieces: Events, input: object, item: string) =>
  of([open(0, use('c', { input })), ...pieces, close(0)], [item], 'tool_use')
const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' }
const whole = start({ content: [use('c', { input: { a: 1 } })], stop_reason: 'tool_use' })
// biome-ignore format: a row a case
answers('calls of an anthropic-messages stream', '', {
  'have the right arguments after no arguments': made([args(0, '')], {}, 'c f({})'),
  'have the right arguments after no deltas': made([], {}, 'c f({})'),
  'have the right arguments after the input whole in the start': made([], { city: 'Bern' }, 'c f({"city":"Bern"})'),
  'have the right arguments after the input in both': made([args(0, '{"city":"Basel"}')], { city: 'Bern' },
    'c f({"city":"Basel"})'),
  'belong to the client even if code of the vendor made them': [
    of([open(0, use('c', { input: { a: 1 }, caller })), close(0)], ['c f({"a":1})'], 'tool_use', { losses: ['caller of a call'] }),
    of([open(0, use('c', { toolset_name: 'computer' })), close(0)],
      [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', status: 'completed', namespace: 'computer' }], 'tool_use'),
  ],
  'are read from message_start if it contains the whole answer': ending([whole, STOPPED], ['c f({"a":1})'], 'completed'),
  'keep the arguments that arrived before the limit': of([...callBlock(0, 'a', '{"x":1}'), ...callBlock(1, 'b', '{"y":"hal')],
    ['a f({"x":1})', 'b f({"y":"hal) (incomplete)'], 'max_tokens', { end: LIMIT }),
})

const second = start({ id: 'msg_2' })
const half = [open(1, use('a')), args(1, '{"x":')]
const RESTARTED = 'an answer that the upstream restarted'
const [reason = {}] = stop('end_turn')
// biome-ignore format: a row a case
answers('a second message_start in an anthropic-messages stream', '', {
  'is ignored if it repeats the first': [
    of([start(), ...A], ['A']), lost([start(), start()]), of([...A, start(), ...textBlock(1, 'B')], ['AB']),
  ],
  'begins a new answer with new indices and leaves open blocks incomplete': of(
    [...A, ...half, second, ...callBlock(0, 'b', '{"x":1}')], ['A', 'a f({"x":) (incomplete)', 'b f({"x":1})'], 'tool_use',
    { losses: [RESTARTED], passed: { items: ['A', 'a f({"x":) (incomplete)'], end: 'failed' } }),
  'drops a call without arguments, so that the client does not run it': of([open(0, use('a')), second, ...A], ['A'],
    'end_turn', { losses: [RESTARTED, 'an incomplete call'], passed: { items: [], end: 'failed' } }),
  'cancels the stop reason of the first answer': ending([start(), ...A, reason, second, thinkingBlock(0, 'hm')],
    [{ type: 'message' }, { type: 'reasoning' }], 'failed', { losses: [RESTARTED] }),
})

const ends = (reason: string, end: string, losses: readonly string[] = []): AnswerCase => ({
  name: reason,
  ...of(A, [end === 'completed' ? 'A' : 'A (incomplete)'], reason, { end, losses }),
  body: { type: 'message', content: [{ type: 'text', text: 'A' }], stop_reason: reason },
})
const mapped = (reason: string, end: string) => ends(reason, end, [`stop_reason ${reason}`])
answers(
  'the end of an anthropic-messages answer',
  'has the right status, and a loss if it is mapped, for the stop reason ',
  [
    ends('end_turn', 'completed'),
    ends('tool_use', 'completed'),
    mapped('stop_sequence', 'completed'),
    mapped('a_word_of_tomorrow', 'completed'),
    mapped('constructor', 'completed'),
    ends('max_tokens', LIMIT),
    mapped('model_context_window_exceeded', LIMIT),
    mapped('pause_turn', LIMIT),
    ends('refusal', 'incomplete: content_filter'),
  ],
)
// biome-ignore format: a row a case
answers('the end of an anthropic-messages answer', '', {
  'needs no message_stop after a stop reason': ending([start(), ...A, reason], ['A'], 'completed'),
  'is a failure without a stop reason': [
    ending([], [], 'failed'), ending([start()], [], 'failed'), ending([start(), ...A], ['A (incomplete)'], 'failed'),
    ending([start(), open(0, { type: 'tool_use', id: 'c', name: 'f' })], [], 'failed', { losses: ['an incomplete call'] }),
  ],
  'needs no stop reason before message_stop if there is a message': [
    ending([start(), ...A, STOPPED], ['A'], 'completed'), ending([STOPPED], [], 'failed'),
  ],
  'is that of a whole message in place of its events': { body: null, items: ['A'], end: 'completed', losses: [],
    stream: [{ type: 'message', id: 'm', role: 'assistant', model: 'claude', content: [{ type: 'text', text: 'A' }], stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 2 } }] },
  'is followed by nothing that counts': ending(
    [start(), ...A, ...stop('end_turn'), ...textBlock(0, 'B'), { type: 'error', error: {} }], ['A'], 'completed'),
})

const details = { stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' } }
const CYBER = { losses: ['refusal_category'] }
const FILTERED = 'incomplete: content_filter'
// biome-ignore format: a row a case
answers('refusals of an anthropic-messages upstream', '', {
  'have no output and are filtered if they have no content': of([], [], 'refusal', { end: FILTERED }),
  'have their explanation in a refusal part': [
    { stream: [start(), ...stop('refusal', details)], body: { content: [], stop_reason: 'refusal', ...details },
      items: ['refusal: No. (incomplete)'], end: FILTERED, ...CYBER },
    ending([start(), ...A, ...stop('refusal', details)], ['A|refusal: No. (incomplete)'], FILTERED, CYBER),
  ],
})

const fallback = { type: 'fallback', from: { model: 'claude-x' }, to: { model: 'claude-y' } }
answers('the model of an anthropic-messages answer', '', {
  'is the model that answered after a fallback': of(
    [open(0, fallback), close(0), ...textBlock(1, 'A')],
    ['A'],
    'end_turn',
    { model: 'claude-y', losses: ['content block fallback'] },
  ),
})

describe('the decoder of anthropic-messages', () => {
  it('is not disturbed by the [DONE] of another protocol', () => {
    const machine = anthropicMessages.decodeStream({})
    expect(machine.step(machine.initial, { event: 'data', data: '[DONE]' }).events).toEqual([])
  })

  it('keeps its rarely changing part during text and reasoning', () => {
    const machine = anthropicMessages.decodeStream({})
    const step = (state: unknown, event: object) =>
      machine.step(state, { event: '', data: JSON.stringify(event) }).state
    const before = [start(), open(0, { type: 'text', text: '' })].reduce<unknown>(step, machine.initial)
    const after = step(before, text(0, 'word'))
    expect((after as { progress: unknown }).progress).toBe((before as { progress: unknown }).progress)
    const thinking = step(before, open(1, { type: 'thinking', thinking: '' }))
    expect((step(thinking, thinkingBlock(1, 'hm')) as { progress: unknown }).progress).toBe(
      (thinking as { progress: unknown }).progress,
    )
    expect(deltasOf([])).toEqual([])
  })
})

const container = { id: 'c', skills: [{ skill_id: 's' }] }
const location = { type: 'char_location', document_index: 0, start_char_index: 0, end_char_index: 1 }
const citation = { ...location, cited_text: 'A' }
const placed = { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation } }
// biome-ignore format: a row a case
answers('members of an anthropic-messages answer that no other protocol has', '', {
  'are the loss content block fallback':
    lost([start(), ...A, open(0, { type: 'fallback', to: { model: 'b' } }), close(0), ...stop('end_turn')], 'content block fallback'),
  'are the loss stop_reason compaction': lost([start(), ...A, ...stop('compaction')], 'stop_reason compaction'),
  'are the loss container.skills':
    lost([start(), ...A, { type: 'message_delta', delta: { stop_reason: 'end_turn', container } }], 'container.skills'),
  'are the place of a citation in its source':
    lost([start(), open(0, { type: 'text', text: '' }), placed, text(0, 'A'), close(0), ...stop('end_turn')],
      'the place of a citation in its source'),
})
