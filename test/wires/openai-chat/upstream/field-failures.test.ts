import { describe, expect, it } from 'vitest'
import {
  initialThinkTags,
  splitThinkTags,
  type ThinkTagState,
} from '../../../../src/wires/shared/upstream/think-tags.ts'
import { callsOf, type Loose, reasoningOf, textOf } from '../../client-stream.ts'
import {
  chunk,
  contentChunk,
  DONE,
  decodedDeltas,
  decodedEvents,
  deltasOf,
  lossesOf,
  piece,
  responseOfBody,
  stop,
  usage,
} from '../decoded.ts'

/**
 * Failures of other translators with chat streams, by their numbers in the list of field failures. Each test shows the
 * correct result.
 */

const think = (text: string, field = 'reasoning_content') => chunk({ [field]: text })
const call = (at: object, name: string | null, args: string | object | null) => piece(at, { name, arguments: args })
const types = (events: readonly Loose[]): readonly string[] => events.map(({ type }) => type.replace('response.', ''))
const done = (events: readonly Loose[]) => events.filter(({ type }) => type === 'response.output_item.done')
const END = [stop(), DONE]
const CALLED = [stop('tool_calls'), DONE]

describe('A. the order of events from a chat stream', () => {
  it('1, 18, 19: numbers text and call, completes them in order, and lists them so in the output', () => {
    const events = decodedEvents([contentChunk('I look.'), call({ index: 0, id: 'a' }, 'f', '{}'), ...CALLED])
    expect(done(events).map(({ output_index, item }) => [output_index, item.type])).toEqual([
      [0, 'message'],
      [1, 'function_call'],
    ])
    expect(events.at(-1)?.response.output).toEqual(done(events).map(({ item }) => item))
  })

  it('2, 5: ends the reasoning item and adds the message item before the first text', () => {
    const events = decodedEvents([think('Hm.'), contentChunk('Yes.'), ...END])
    const at = (type: string, index: number) =>
      events.findIndex((it) => it.type === `response.output_item.${type}` && it.output_index === index)
    expect(at('done', 0)).toBeLessThan(at('added', 1))
    const text = events.find(({ type }) => type === 'response.output_text.delta')
    expect(text.item_id).toBe(events[at('added', 1)].item.id)
  })

  it('3: is not changed by a first chunk with a role', () => {
    const frames = [think('Hm.'), contentChunk('Yes.'), ...END]
    expect(types(decodedEvents([chunk({ role: 'assistant', content: '' }), ...frames]))).toEqual(
      types(decodedEvents(frames)),
    )
  })

  it('4, 7: has reasoning fragments in one item and one part with the index 0', () => {
    const events = decodedEvents([think('H'), think('m'), think('.'), ...END])
    const deltas = events.filter(({ type }) => type === 'response.reasoning_summary_text.delta')
    expect(deltas.map(({ summary_index, delta }) => [summary_index, delta])).toEqual([
      [0, 'H'],
      [0, 'm'],
      [0, '.'],
    ])
    expect(new Set(deltas.map(({ item_id }) => item_id)).size).toBe(1)
    expect(types(events)).toContain('reasoning_summary_part.added')
  })

  it('8, 9, 11: has every event of a text item that the stream does not announce', () => {
    expect(types(decodedEvents([contentChunk('Yes.'), ...END]))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
  })

  it('10: has no item for empty reasoning', () => {
    expect(
      decodedDeltas([think(''), contentChunk('Yes.'), think(''), ...END]).output.map(({ type }: Loose) => type),
    ).toEqual(['message'])
  })

  it('15: numbers every event from 0 in steps of 1', () => {
    const events = decodedEvents([
      think('Hm.'),
      contentChunk('Yes.'),
      call({ index: 0, id: 'a' }, 'f', '{}'),
      ...CALLED,
    ])
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, i) => i))
  })
})

describe('B. indices and the terminal response of a chat stream', () => {
  it('17: give reasoning after a text an item of its own', () => {
    const events = decodedEvents([contentChunk('First.'), think('Hm.'), contentChunk('Second.'), ...END])
    expect(done(events).map(({ output_index, item }) => [output_index, item.type])).toEqual([
      [0, 'message'],
      [1, 'reasoning'],
      [2, 'message'],
    ])
  })

  it('21, 22, 23, 24: repeat the finished items with their ids in the terminal event', () => {
    const events = decodedEvents([
      think('Hm.'),
      contentChunk('Yes.'),
      call({ index: 0, id: 'a' }, 'f', '{"x":1}'),
      ...CALLED,
    ])
    const { response } = events.at(-1) ?? {}
    expect(response).toMatchObject({ object: 'response', model: 'm-1', id: events[0]?.response.id })
    expect(response.output).toEqual(done(events).map(({ item }) => item))
    expect(response.output).toHaveLength(3)
  })

  it('25: keep white space between reasoning and call once and unchanged', () => {
    const response = decodedDeltas([
      think('Hm.'),
      contentChunk('\n\n'),
      call({ index: 0, id: 'a' }, 'f', '{}'),
      ...CALLED,
    ])
    expect(response.output.map(({ type }: Loose) => type)).toEqual(['reasoning', 'message', 'function_call'])
    expect(textOf(response)).toBe('\n\n')
  })

  it('26: take choice 0 at any position as the answer and record another choice as a loss', () => {
    const both = (a: string, b: string) => ({
      choices: [
        { index: 1, delta: { content: b } },
        { index: 0, delta: { content: a } },
      ],
    })
    const frames = [both('A', 'x'), { choices: [{ index: 1, delta: { content: 'y' } }] }, both('B', 'z'), ...END]
    expect(textOf(decodedDeltas(frames))).toBe('AB')
    expect(lossesOf(frames)).toContain('choices')
  })
})

describe('D. empty and mixed deltas of a chat stream', () => {
  it('51: add no item for empty texts between fragments of a call', () => {
    const at = (json: string) => chunk({ content: '', tool_calls: [{ index: 0, function: { arguments: json } }] })
    const response = decodedDeltas([call({ index: 0, id: 'a' }, 'f', ''), ...['{"x"', ':', '1}'].map(at), ...CALLED])
    expect(response.output.map(({ type }: Loose) => type)).toEqual(['function_call'])
  })

  it('52: keep the text beside an empty list of calls', () => {
    expect(
      textOf(decodedDeltas([contentChunk('A', { tool_calls: [] }), contentChunk('B', { tool_calls: null }), ...END])),
    ).toBe('AB')
  })

  it('53: give both the text and the call of one delta', () => {
    const calls = [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }]
    const response = decodedDeltas([contentChunk('A', { tool_calls: calls }), ...CALLED])
    expect([textOf(response), callsOf(response).length]).toEqual(['A', 1])
  })

  it('54: give no answer from chunks without choices', () => {
    const nothing = [{ choices: [] }, { choices: null }, {}]
    expect(textOf(decodedDeltas([...nothing, contentChunk('A'), ...nothing, ...END]))).toBe('A')
  })

  it('56b: give a text after a call as an item of its own', () => {
    const response = decodedDeltas([call({ index: 0, id: 'a' }, 'f', '{}'), contentChunk('Meanwhile.'), ...CALLED])
    expect(response.output.map(({ type }: Loose) => type)).toEqual(['function_call', 'message'])
  })

  it.each(['reasoning', 'reasoning_content'])('57: give the reasoning of the field %s', (field) => {
    expect(reasoningOf(decodedDeltas([think('H', field), think('m', field), contentChunk('A'), ...END]))).toBe('Hm')
  })
})

describe('E. finish reasons of a chat stream', () => {
  it('58: are ignored if they are empty', () => {
    expect(textOf(decodedDeltas([chunk({ content: 'A' }, ''), chunk({ content: 'B' }, ''), ...END]))).toBe('AB')
  })

  it('59: keep the calls if the second of two is stop', () => {
    const response = decodedDeltas([call({ index: 0, id: 'a' }, 'f', '{}'), stop('tool_calls'), ...END])
    expect([response.status, callsOf(response).length]).toEqual(['completed', 1])
  })

  it('62: fail an answer with tool_calls but without calls', () => {
    expect(decodedDeltas([contentChunk('A'), ...CALLED])).toMatchObject({
      status: 'failed',
      error: { message: 'The upstream stopped for tool calls, but sent none.' },
      output: [{ type: 'message' }],
    })
  })

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('63: report %s although the answer has a call', (word, reason) => {
    const response = decodedDeltas([call({ index: 0, id: 'a' }, 'f', '{}'), stop(word), DONE])
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } })
  })
})

describe('F. endings of a chat stream', () => {
  it.each([
    ['69: in the middle of a text', [contentChunk('Let me')]],
    ['71: after reasoning', [think('Hm')]],
    ['after reasoning, with [DONE]', [think('')]],
    ['before any content', []],
  ])('fail a stream that is cut %s', (_, frames) => {
    expect(decodedDeltas(frames).status).toBe('failed')
  })

  it('72: fail on an error in a chunk without choices', () => {
    const failed = { status: 'failed', error: { message: expect.stringContaining('Overloaded') } }
    expect(
      decodedDeltas([{ choices: [], error: { message: 'Overloaded', code: 529 }, usage: usage(1, 0) }, DONE]),
    ).toMatchObject(failed)
  })

  it('74: fail on an error with status 200, as a stream or as a body', () => {
    const failure = { error: { message: 'No such model', code: 404 } }
    const failed = { status: 'failed', error: { message: expect.stringContaining('No such model') } }
    expect(decodedDeltas([failure])).toMatchObject(failed)
    expect(responseOfBody(failure)).toMatchObject(failed)
  })

  it('79: ignore all data after [DONE]', () => {
    expect(
      textOf(decodedDeltas([contentChunk('A'), stop(), DONE, contentChunk('B'), { error: { message: 'Late' } }])),
    ).toBe('A')
  })
})

describe('G. bytes of a chat stream', () => {
  it('83: may contain comments at any position', () => {
    const ping = ': ACME PROCESSING\n\n'
    expect(textOf(decodedDeltas([ping, contentChunk('A'), ping, ': \n', contentChunk('B'), ping, ...END, ping]))).toBe(
      'AB',
    )
  })

  it('86: may contain a line of two million characters', () => {
    const picture = { index: 0, image_url: { url: `data:image/png;base64,${'A'.repeat(2_000_000)}` } }
    const [item] = decodedDeltas([contentChunk('', { images: [picture] }), ...END]).output
    expect(item).toMatchObject({ type: 'image_generation_call' })
    expect(item.result).toHaveLength(2_000_000)
  })

  it('87: are read with a state that does not grow with open reasoning', () => {
    let state: ThinkTagState = initialThinkTags({ thinkTags: true })
    state = splitThinkTags(state, '<think>').state
    for (let i = 0; i < 10_000; i += 1) state = splitThinkTags(state, 'a < b </thin ').state
    expect(JSON.stringify(state).length).toBeLessThan(200)
  })
})

describe('I. usage of a chat stream', () => {
  const counted = (found: object) =>
    decodedDeltas([contentChunk('A'), stop(), { choices: [], usage: found }, DONE]).usage

  it.each([
    ['OpenAI', { prompt_tokens_details: { cached_tokens: 40 } }],
    ['DeepSeek', { prompt_cache_hit_tokens: 40, prompt_cache_miss_tokens: 10 }],
    ['Moonshot', { cached_tokens: 40 }],
    ['Mistral', { num_cached_tokens: 40 }],
    ['Databricks', { cache_read_input_tokens: 40 }],
  ])('99: has the cached tokens that %s reports', (_, more) => {
    expect(counted(usage(50, 2, more))).toMatchObject({ input_tokens: 50, input_tokens_details: { cached_tokens: 40 } })
  })

  it('101: is the same streamed and whole', () => {
    const found = usage(50, 2, { total_tokens: 52, prompt_tokens_details: { cached_tokens: 40 } })
    const body = { choices: [{ message: { content: 'A' }, finish_reason: 'stop' }], usage: found }
    expect(responseOfBody(body).usage).toEqual(counted(found))
  })

  it('104: distinguishes 0 from an unknown count', () => {
    const cachedOf = (more: object) =>
      deltasOf([{ choices: [], usage: usage(50, 0, more) }]).flatMap((it) => (it.kind === 'usage' ? [it.usage] : []))
    expect(cachedOf({ prompt_tokens_details: { cached_tokens: 0 } })).toMatchObject([
      { cached_tokens: 0, output_tokens: 0 },
    ])
    expect(cachedOf({})).toMatchObject([{ cached_tokens: null }])
  })

  it('105: has details for the client even if the vendor sends none', () => {
    expect(counted(usage(5, 2))).toMatchObject({
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    })
  })

  it('106: is read from one chunk together with text and finish reason', () => {
    const response = decodedDeltas([contentChunk('A'), chunk({ content: 'B' }, 'stop', { usage: usage(5, 2) }), DONE])
    expect(textOf(response)).toBe('AB')
    expect(response.usage).toMatchObject({ input_tokens: 5, output_tokens: 2 })
  })
})

it('107: emits an event for every citation, whichever chunk contains it', () => {
  const cite = (n: number, start_index: number, end_index: number) => ({
    type: 'url_citation',
    url_citation: { url: `https://a.example/${n}`, title: `${n}`, start_index, end_index },
  })
  const events = decodedEvents([
    contentChunk('One and', { annotations: [cite(1, 0, 3)] }),
    contentChunk(' two.', { annotations: [cite(2, 4, 7), cite(3, 8, 11)] }),
    chunk({ annotations: [cite(4, 8, 11)] }, 'stop'),
    DONE,
  ])
  const added = events.filter(({ type }) => type === 'response.output_text.annotation.added')
  expect(added.map(({ annotation }) => annotation.title)).toEqual(['1', '2', '3', '4'])
})
