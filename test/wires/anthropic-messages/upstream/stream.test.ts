import { describe, expect, it } from 'vitest'
import { anthropicMessages } from '../../../../src/wires/anthropic-messages/index.ts'
import {
  answerOf,
  answerOfBody,
  args,
  bare,
  callBlock,
  close,
  deltasOf,
  itemsOf,
  lossesOf,
  open,
  start,
  stop,
  text,
  textBlock,
  thinkingBlock,
} from '../events.ts'

const call = (call_id: string, json: string, status = 'completed', name = 'f') => ({
  type: 'function_call',
  call_id,
  name,
  arguments: json,
  status,
})
const message = (words: string, status = 'completed') => ({
  type: 'message',
  status,
  role: 'assistant',
  content: [{ type: 'output_text', text: words, annotations: [], logprobs: [] }],
})

describe('blocks of an anthropic-messages stream', () => {
  it('are one message if text follows text, and another message after a call', () => {
    const events = [
      start(),
      ...textBlock(0, 'A'),
      ...textBlock(1, 'B'),
      ...callBlock(2, 'c', '{}'),
      ...textBlock(3, 'C'),
    ]
    expect(bare(itemsOf([...events, ...stop('end_turn')]))).toEqual([message('AB'), call('c', '{}'), message('C')])
  })

  it('are opened by their deltas if they never start', () => {
    const events = [start(), thinkingBlock(0, 'hm'), close(0), text(1, 'A'), text(1, 'B'), ...stop('end_turn')]
    expect(bare(itemsOf(events))).toMatchObject([{ type: 'reasoning' }, message('AB')])
  })

  it('are dropped with a loss if they have arguments but no call', () => {
    expect(itemsOf([start(), args(0, '{"a":1}'), ...stop('end_turn')])).toEqual([])
    expect(lossesOf([start(), args(0, '{"a":1}')])).toEqual(['arguments without a call'])
  })

  it('end when the next block starts if they never stop', () => {
    const events = [start(), open(0, { type: 'tool_use', id: 'c', name: 'f', input: {} }), args(0, '{"a":1}')]
    expect(bare(itemsOf([...events, ...textBlock(1, 'A'), ...stop('tool_use')]))).toEqual([
      call('c', '{"a":1}'),
      message('A'),
    ])
  })

  it('may start at the index of an empty text', () => {
    const blank = [open(0, { type: 'text', text: '' }), text(0, '')]
    const use = [open(0, { type: 'tool_use', id: 'c', name: 'f', input: {} }), args(0, '{"a":1}'), close(0)]
    expect(bare(itemsOf([start(), ...blank, ...use, ...stop('tool_use')]))).toEqual([call('c', '{"a":1}')])
  })

  it('keep their own arguments if calls overlap', () => {
    const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
    const events = [
      start(),
      open(0, use('a')),
      open(1, use('b')),
      args(0, '{"x"'),
      args(1, '{"y"'),
      args(0, ':1}'),
      args(1, ':2}'),
    ]
    expect(bare(itemsOf([...events, close(0), close(1), ...stop('tool_use')]))).toEqual([
      call('a', '{"x":1}'),
      call('b', '{"y":2}'),
    ])
  })

  it('include the text of their start event', () => {
    const events = [start(), open(0, { type: 'text', text: 'A' }), text(0, 'B'), close(0), ...stop('end_turn')]
    expect(bare(itemsOf(events))).toEqual([message('AB')])
  })

  it('are skipped if their type is unknown, with a loss', () => {
    const unknown = [open(0, { type: 'hologram' }), text(0, 'never'), close(0), { type: 'weather' }]
    expect(itemsOf([start(), ...unknown, { type: 'ping' }, ...stop('end_turn')])).toEqual([])
    expect(lossesOf([start(), ...unknown, { type: 'ping' }])).toEqual(['content block hologram', 'event weather'])
    expect(lossesOf([start(), { note: 1 }])).toEqual(['an event without a type'])
  })
})

describe('members of an anthropic-messages stream that no other protocol has', () => {
  const began = (fields: object, usage: object) =>
    start({ ...fields, usage: { input_tokens: 1, output_tokens: 1, ...usage } })

  it.each([
    [began({ diagnostics: { cache_miss_reason: 'x' } }, {}), ['diagnostics']],
    [began({ input_transformations: [{ type: 'x' }] }, {}), ['input_transformations']],
    [began({}, { iterations: [{ type: 'message', input_tokens: 1 }] }), ['usage.iterations']],
    [began({ diagnostics: null, context_management: { applied_edits: [] } }, { iterations: null }), []],
  ])('are losses: %j', (event, losses) => {
    expect(lossesOf([event, ...textBlock(0, 'A'), ...stop('end_turn')])).toEqual(losses)
  })

  it('are losses at the end of a message', () => {
    const end = { type: 'message_delta', delta: {}, context_management: { applied_edits: [{ type: 'x' }] } }
    expect(lossesOf([start(), ...textBlock(0, 'A'), end, ...stop('end_turn')])).toEqual(['context_management'])
  })
})

describe('calls of an anthropic-messages stream', () => {
  it.each([
    ['no arguments', [args(0, '')], {}, '{}'],
    ['no deltas', [], {}, '{}'],
    ['the input whole in the start', [], { city: 'Bern' }, '{"city":"Bern"}'],
    ['the input in both', [args(0, '{"city":"Basel"}')], { city: 'Bern' }, '{"city":"Basel"}'],
  ] as const)('have the right arguments after %s', (_, pieces, input, json) => {
    const events = [start(), open(0, { type: 'tool_use', id: 'c', name: 'f', input }), ...pieces, close(0)]
    expect(bare(itemsOf([...events, ...stop('tool_use')]))).toEqual([call('c', json)])
  })

  it('belong to the client even if code of the vendor made them', () => {
    const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' }
    const events = [start(), open(0, { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 }, caller }), close(0)]
    expect(bare(itemsOf([...events, ...stop('tool_use')]))).toEqual([call('c', '{"a":1}')])
    expect(lossesOf(events)).toEqual(['caller of a call'])
    const inSet = open(0, { type: 'tool_use', id: 'c', name: 'f', input: {}, toolset_name: 'computer' })
    expect(lossesOf([start(), inSet, close(0)])).toEqual([])
    expect(bare(itemsOf([start(), inSet, close(0), ...stop('tool_use')]))).toEqual([
      { ...call('c', '{}'), namespace: 'computer' },
    ])
  })

  it('are read from message_start if it contains the whole answer', () => {
    const content = [{ type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }]
    const response = answerOf([start({ content, stop_reason: 'tool_use' }), { type: 'message_stop' }])
    expect(response.status).toBe('completed')
    expect(bare(response.output)).toEqual([call('c', '{"a":1}')])
  })

  it('keep the arguments that arrived before the limit', () => {
    const events = [start(), ...callBlock(0, 'a', '{"x":1}'), ...callBlock(1, 'b', '{"y":"hal'), ...stop('max_tokens')]
    const response = answerOf(events)
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    expect(bare(response.output)).toEqual([call('a', '{"x":1}'), call('b', '{"y":"hal', 'incomplete')])
  })
})

describe('a second message_start in an anthropic-messages stream', () => {
  it('is ignored if it repeats the first', () => {
    expect(bare(itemsOf([start(), start(), ...textBlock(0, 'A'), ...stop('end_turn')]))).toEqual([message('A')])
    expect(lossesOf([start(), start()])).toEqual([])
    const events = [start(), ...textBlock(0, 'A'), start(), ...textBlock(1, 'B'), ...stop('end_turn')]
    expect(bare(itemsOf(events))).toEqual([message('AB')])
  })

  it('begins a new answer with new indices and leaves open blocks incomplete', () => {
    const half = [open(1, { type: 'tool_use', id: 'a', name: 'f', input: {} }), args(1, '{"x":')]
    const second = [start({ id: 'msg_2' }), ...callBlock(0, 'b', '{"x":1}'), ...stop('tool_use')]
    const events = [start(), ...textBlock(0, 'A'), ...half, ...second]
    expect(bare(itemsOf(events))).toEqual([message('A'), call('a', '{"x":', 'incomplete'), call('b', '{"x":1}')])
    expect(lossesOf(events)).toEqual(['an answer that the upstream restarted'])
  })

  it('drops a call without arguments, so that the client does not run it', () => {
    const half = open(0, { type: 'tool_use', id: 'a', name: 'f', input: {} })
    const events = [start(), half, start({ id: 'msg_2' }), ...textBlock(0, 'A'), ...stop('end_turn')]
    expect(bare(itemsOf(events))).toEqual([message('A')])
    expect(lossesOf(events)).toContain('an incomplete call')
  })

  it('cancels the stop reason of the first answer', () => {
    const [reason] = stop('end_turn')
    expect(answerOf([start(), ...textBlock(0, 'A'), reason ?? {}, start({ id: 'msg_2' }), text(0, 'B')]).status).toBe(
      'failed',
    )
  })
})

describe('the end of an anthropic-messages answer', () => {
  it.each([
    ['end_turn', 'completed', undefined],
    ['tool_use', 'failed', undefined],
    ['stop_sequence', 'completed', undefined],
    ['a_word_of_tomorrow', 'completed', undefined],
    ['constructor', 'completed', undefined],
    ['max_tokens', 'incomplete', 'max_output_tokens'],
    ['model_context_window_exceeded', 'incomplete', 'max_output_tokens'],
    ['pause_turn', 'incomplete', 'max_output_tokens'],
    ['refusal', 'incomplete', 'content_filter'],
  ])('has for the stop reason %s the status %s', (reason, status, why) => {
    const response = answerOf([start(), ...textBlock(0, 'A'), ...stop(reason)])
    expect([response.status, response.incomplete_details?.reason]).toEqual([status, why])
    const body = { type: 'message', content: [{ type: 'text', text: 'A' }], stop_reason: reason }
    expect([answerOfBody(body).status, answerOfBody(body).incomplete_details?.reason]).toEqual([status, why])
  })

  it('needs no message_stop after a stop reason', () => {
    const [reason] = stop('end_turn')
    expect(answerOf([start(), ...textBlock(0, 'A'), reason ?? {}]).status).toBe('completed')
  })

  it('is a failure without a stop reason', () => {
    for (const events of [
      [],
      [start()],
      [start(), ...textBlock(0, 'A')],
      [start(), open(0, { type: 'tool_use', id: 'c', name: 'f' })],
    ]) {
      expect(answerOf(events).status).toBe('failed')
    }
    expect(answerOf([start(), open(0, { type: 'tool_use', id: 'c', name: 'f' })]).output).toEqual([])
  })

  it('needs no stop reason before message_stop if there is a message', () => {
    expect(answerOf([start(), ...textBlock(0, 'A'), { type: 'message_stop' }]).status).toBe('completed')
    expect(answerOf([{ type: 'message_stop' }]).status).toBe('failed')
  })

  it('is followed by nothing that counts', () => {
    const events = [
      start(),
      ...textBlock(0, 'A'),
      ...stop('end_turn'),
      ...textBlock(0, 'B'),
      { type: 'error', error: {} },
    ]
    expect(answerOf(events)).toMatchObject({ status: 'completed' })
    expect(bare(itemsOf(events))).toEqual([message('A')])
  })

  it('is not disturbed by the [DONE] of another protocol', () => {
    const machine = anthropicMessages.decodeStream({})
    expect(machine.step(machine.initial, { event: 'data', data: '[DONE]' }).events).toEqual([])
  })
})

describe('the stop reason of an anthropic-messages answer', () => {
  it.each(['stop_sequence', 'pause_turn', 'model_context_window_exceeded'])(
    'is mapped with a loss from %s',
    (reason) => {
      expect(lossesOf([start(), ...textBlock(0, 'A'), ...stop(reason)])).toEqual([`stop_reason ${reason}`])
    },
  )

  it.each(['end_turn', 'tool_use', 'max_tokens', 'refusal'])('is mapped without a loss from %s', (reason) => {
    expect(lossesOf([start(), ...textBlock(0, 'A'), ...stop(reason)])).toEqual([])
  })
})

describe('refusals of an anthropic-messages upstream', () => {
  it('have no output and are filtered if they have no content', () => {
    const response = answerOf([start(), ...stop('refusal')])
    expect(response).toMatchObject({
      status: 'incomplete',
      output: [],
      incomplete_details: { reason: 'content_filter' },
    })
  })

  it('have their explanation in a refusal part', () => {
    const details = { stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' } }
    const content = [{ type: 'refusal', refusal: 'No.' }]
    expect(itemsOf([start(), ...stop('refusal', details)])).toMatchObject([{ type: 'message', content }])
    expect(answerOfBody({ content: [], stop_reason: 'refusal', ...details }).output).toMatchObject([{ content }])
    expect(answerOf([start(), ...textBlock(0, 'A'), ...stop('refusal', details)]).output).toMatchObject([
      { content: [{ type: 'output_text', text: 'A' }, ...content] },
    ])
  })
})

describe('the model of an anthropic-messages answer', () => {
  it('is the model that answered after a fallback', () => {
    const fallback = { type: 'fallback', from: { model: 'claude-x' }, to: { model: 'claude-y' } }
    const events = [start(), open(0, fallback), close(0), ...textBlock(1, 'A'), ...stop('end_turn')]
    expect(answerOf(events)).toMatchObject({ model: 'claude-y', status: 'completed' })
  })
})

describe('the state of the anthropic-messages decoder', () => {
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

describe('members of an anthropic-messages answer that no other protocol has', () => {
  it.each([
    ['content block fallback', [open(0, { type: 'fallback', to: { model: 'b' } }), close(0), ...stop('end_turn')]],
    ['stop_reason compaction', stop('compaction')],
    [
      'container.skills',
      [
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', container: { id: 'c', skills: [{ skill_id: 's' }] } },
        },
      ],
    ],
  ])('are the loss %s', (loss, events) => {
    expect(lossesOf([start(), ...textBlock(0, 'A'), ...events])).toEqual([loss])
  })

  it('are the place of a citation in its source', () => {
    const citation = {
      type: 'char_location',
      document_index: 0,
      cited_text: 'A',
      start_char_index: 0,
      end_char_index: 1,
    }
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation } }
    const events = [start(), open(0, { type: 'text', text: '' }), delta, text(0, 'A'), close(0), ...stop('end_turn')]
    expect(lossesOf(events)).toEqual(['the place of a citation in its source'])
  })
})
