import { describe, expect, it } from 'vitest'
import { anthropicMessages } from '../../../src/wires/anthropic-messages/index.ts'
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
  think,
} from './events.ts'

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

describe('blocks', () => {
  it('text blocks one after the other are one message, one after a call is another', () => {
    const events = [
      start(),
      ...textBlock(0, 'A'),
      ...textBlock(1, 'B'),
      ...callBlock(2, 'c', '{}'),
      ...textBlock(3, 'C'),
    ]
    expect(bare(itemsOf([...events, ...stop('end_turn')]))).toEqual([message('AB'), call('c', '{}'), message('C')])
  })

  it('a block that never starts is opened by its deltas', () => {
    const events = [start(), think(0, 'hm'), close(0), text(1, 'A'), text(1, 'B'), ...stop('end_turn')]
    expect(bare(itemsOf(events))).toMatchObject([{ type: 'reasoning' }, message('AB')])
  })

  it('arguments of a call that never started belong to nobody', () => {
    expect(itemsOf([start(), args(0, '{"a":1}'), ...stop('end_turn')])).toEqual([])
    expect(lossesOf([start(), args(0, '{"a":1}')])).toEqual(['arguments of no call'])
  })

  it('a block that never stops is over when the next begins', () => {
    const events = [start(), open(0, { type: 'tool_use', id: 'c', name: 'f', input: {} }), args(0, '{"a":1}')]
    expect(bare(itemsOf([...events, ...textBlock(1, 'A'), ...stop('tool_use')]))).toEqual([
      call('c', '{"a":1}'),
      message('A'),
    ])
  })

  it('a block that begins where an empty text stands is another', () => {
    const blank = [open(0, { type: 'text', text: '' }), text(0, '')]
    const use = [open(0, { type: 'tool_use', id: 'c', name: 'f', input: {} }), args(0, '{"a":1}'), close(0)]
    expect(bare(itemsOf([start(), ...blank, ...use, ...stop('tool_use')]))).toEqual([call('c', '{"a":1}')])
  })

  it('calls whose pieces overlap keep their own', () => {
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

  it('words in the start of a block count', () => {
    const events = [start(), open(0, { type: 'text', text: 'A' }), text(0, 'B'), close(0), ...stop('end_turn')]
    expect(bare(itemsOf(events))).toEqual([message('AB')])
  })

  it('what is unknown is passed over, and told where words are lost', () => {
    const unknown = [open(0, { type: 'hologram' }), text(0, 'never'), close(0), { type: 'weather' }]
    expect(itemsOf([start(), ...unknown, { type: 'ping' }, ...stop('end_turn')])).toEqual([])
    expect(lossesOf([start(), ...unknown, { type: 'ping' }])).toEqual(['content block hologram', 'event weather'])
  })
})

describe('calls', () => {
  it.each([
    ['no arguments', [args(0, '')], {}, '{}'],
    ['no deltas', [], {}, '{}'],
    ['the input whole in the start', [], { city: 'Bern' }, '{"city":"Bern"}'],
    ['the input in both', [args(0, '{"city":"Basel"}')], { city: 'Bern' }, '{"city":"Basel"}'],
  ] as const)('%s', (_, pieces, input, json) => {
    const events = [start(), open(0, { type: 'tool_use', id: 'c', name: 'f', input }), ...pieces, close(0)]
    expect(bare(itemsOf([...events, ...stop('tool_use')]))).toEqual([call('c', json)])
  })

  it('made by code are the client’s to answer all the same', () => {
    const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' }
    const events = [start(), open(0, { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 }, caller }), close(0)]
    expect(bare(itemsOf([...events, ...stop('tool_use')]))).toEqual([call('c', '{"a":1}')])
  })

  it('in message_start are the whole answer', () => {
    const content = [{ type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }]
    const response = answerOf([start({ content, stop_reason: 'tool_use' }), { type: 'message_stop' }])
    expect(response.status).toBe('completed')
    expect(bare(response.output)).toEqual([call('c', '{"a":1}')])
  })

  it('cut by the limit stay as far as they came', () => {
    const events = [start(), ...callBlock(0, 'a', '{"x":1}'), ...callBlock(1, 'b', '{"y":"hal'), ...stop('max_tokens')]
    const response = answerOf(events)
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    expect(bare(response.output)).toEqual([call('a', '{"x":1}'), call('b', '{"y":"hal', 'incomplete')])
  })
})

describe('a message that starts twice', () => {
  it('in the same words has started once', () => {
    expect(bare(itemsOf([start(), start(), ...textBlock(0, 'A'), ...stop('end_turn')]))).toEqual([message('A')])
    expect(lossesOf([start(), start()])).toEqual([])
    const events = [start(), ...textBlock(0, 'A'), start(), ...textBlock(1, 'B'), ...stop('end_turn')]
    expect(bare(itemsOf(events))).toEqual([message('AB')])
  })

  it('as another one begins anew: indices start again, and what was open stays as it is', () => {
    const half = [open(1, { type: 'tool_use', id: 'a', name: 'f', input: {} }), args(1, '{"x":')]
    const second = [start({ id: 'msg_2' }), ...callBlock(0, 'b', '{"x":1}'), ...stop('tool_use')]
    const events = [start(), ...textBlock(0, 'A'), ...half, ...second]
    expect(bare(itemsOf(events))).toEqual([message('A'), call('a', '{"x":', 'incomplete'), call('b', '{"x":1}')])
    expect(lossesOf(events)).toEqual(['an answer that was begun anew'])
  })

  it('never tells of a call that had no argument yet: the client must not make it', () => {
    const half = open(0, { type: 'tool_use', id: 'a', name: 'f', input: {} })
    const events = [start(), half, start({ id: 'msg_2' }), ...textBlock(0, 'A'), ...stop('end_turn')]
    expect(bare(itemsOf(events))).toEqual([message('A')])
    expect(lossesOf(events)).toContain('a call that was broken off')
  })

  it('and was to stop in the first only has not stopped', () => {
    const [reason] = stop('end_turn')
    expect(answerOf([start(), ...textBlock(0, 'A'), reason ?? {}, start({ id: 'msg_2' }), text(0, 'B')]).status).toBe(
      'failed',
    )
  })
})

describe('the end', () => {
  it.each([
    ['end_turn', 'completed', undefined],
    ['tool_use', 'completed', undefined],
    ['stop_sequence', 'completed', undefined],
    ['a_word_of_tomorrow', 'completed', undefined],
    ['constructor', 'completed', undefined],
    ['max_tokens', 'incomplete', 'max_output_tokens'],
    ['model_context_window_exceeded', 'incomplete', 'max_output_tokens'],
    ['pause_turn', 'incomplete', 'max_output_tokens'],
    ['refusal', 'incomplete', 'content_filter'],
  ])('%s: %s', (reason, status, why) => {
    const response = answerOf([start(), ...textBlock(0, 'A'), ...stop(reason)])
    expect([response.status, response.incomplete_details?.reason]).toEqual([status, why])
    const body = { type: 'message', content: [{ type: 'text', text: 'A' }], stop_reason: reason }
    expect([answerOfBody(body).status, answerOfBody(body).incomplete_details?.reason]).toEqual([status, why])
  })

  it('without message_stop, but with a reason, is one', () => {
    const [reason] = stop('end_turn')
    expect(answerOf([start(), ...textBlock(0, 'A'), reason ?? {}]).status).toBe('completed')
  })

  it('without a reason is none', () => {
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

  it('with message_stop alone is one', () => {
    expect(answerOf([start(), ...textBlock(0, 'A'), { type: 'message_stop' }]).status).toBe('completed')
    expect(answerOf([{ type: 'message_stop' }]).status).toBe('failed')
  })

  it('nothing counts after it', () => {
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

  it('a mark of another protocol is no loss', () => {
    const machine = anthropicMessages.decodeStream({})
    expect(machine.step(machine.initial, { event: 'data', data: '[DONE]' }).events).toEqual([])
  })
})

describe('why it stopped', () => {
  it.each(['stop_sequence', 'pause_turn', 'model_context_window_exceeded'])(
    '%s is told by its kind alone',
    (reason) => {
      expect(lossesOf([start(), ...textBlock(0, 'A'), ...stop(reason)])).toEqual([`stop_reason ${reason}`])
    },
  )

  it.each(['end_turn', 'tool_use', 'max_tokens', 'refusal'])('%s is told', (reason) => {
    expect(lossesOf([start(), ...textBlock(0, 'A'), ...stop(reason)])).toEqual([])
  })
})

describe('refusals', () => {
  it('without content are empty, and filtered', () => {
    const response = answerOf([start(), ...stop('refusal')])
    expect(response).toMatchObject({
      status: 'incomplete',
      output: [],
      incomplete_details: { reason: 'content_filter' },
    })
  })

  it('tell their reason as a refusal', () => {
    const details = { stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' } }
    const content = [{ type: 'refusal', refusal: 'No.' }]
    expect(itemsOf([start(), ...stop('refusal', details)])).toMatchObject([{ type: 'message', content }])
    expect(answerOfBody({ content: [], stop_reason: 'refusal', ...details }).output).toMatchObject([{ content }])
    expect(answerOf([start(), ...textBlock(0, 'A'), ...stop('refusal', details)]).output).toMatchObject([
      { content: [{ type: 'output_text', text: 'A' }, ...content] },
    ])
  })
})

describe('the model', () => {
  it('is the one that answered after a fallback', () => {
    const fallback = { type: 'fallback', from: { model: 'claude-x' }, to: { model: 'claude-y' } }
    const events = [start(), open(0, fallback), close(0), ...textBlock(1, 'A'), ...stop('end_turn')]
    expect(answerOf(events)).toMatchObject({ model: 'claude-y', status: 'completed' })
  })
})

describe('speed', () => {
  it('words leave all that changes seldom as it is', () => {
    const machine = anthropicMessages.decodeStream({})
    const step = (state: unknown, event: object) =>
      machine.step(state, { event: '', data: JSON.stringify(event) }).state
    const before = [start(), open(0, { type: 'text', text: '' })].reduce<unknown>(step, machine.initial)
    const after = step(before, text(0, 'word'))
    expect((after as { story: unknown }).story).toBe((before as { story: unknown }).story)
    const thinking = step(before, open(1, { type: 'thinking', thinking: '' }))
    expect((step(thinking, think(1, 'hm')) as { story: unknown }).story).toBe((thinking as { story: unknown }).story)
    expect(deltasOf([])).toEqual([])
  })
})
