import { describe, expect, it } from 'vitest'
import { splitThoughts, type ThinkState, thinkStart } from '../../../src/wires/think.ts'
import { callsOf, type Loose, textOf, thoughtOf } from '../teller.ts'
import { chunk, DONE, deltasOf, heard, lossesOf, piece, say, stop, told, toldWhole, usage } from './told.ts'

/** What other translators did with chat streams, by its number in the list of field failures: here it is right. */

const think = (text: string, field = 'reasoning_content') => chunk({ [field]: text })
const call = (at: object, name: string | null, args: string | object | null) => piece(at, { name, arguments: args })
const types = (events: readonly Loose[]): readonly string[] => events.map(({ type }) => type.replace('response.', ''))
const done = (events: readonly Loose[]) => events.filter(({ type }) => type === 'response.output_item.done')
const END = [stop(), DONE]
const CALLED = [stop('tool_calls'), DONE]

describe('A. order', () => {
  it('1, 18, 19: a text and a call have indices of their own, are done in order, and stand so in the output', () => {
    const events = heard([say('I look.'), call({ index: 0, id: 'a' }, 'f', '{}'), ...CALLED])
    expect(done(events).map(({ output_index, item }) => [output_index, item.type])).toEqual([
      [0, 'message'],
      [1, 'function_call'],
    ])
    expect(events.at(-1)?.response.output).toEqual(done(events).map(({ item }) => item))
  })

  it('2, 5: the thoughts are over before the text begins, and its item is announced', () => {
    const events = heard([think('Hm.'), say('Yes.'), ...END])
    const at = (type: string, index: number) =>
      events.findIndex((it) => it.type === `response.output_item.${type}` && it.output_index === index)
    expect(at('done', 0)).toBeLessThan(at('added', 1))
    const text = events.find(({ type }) => type === 'response.output_text.delta')
    expect(text.item_id).toBe(events[at('added', 1)].item.id)
  })

  it('3: a first chunk with a role uses nothing up', () => {
    const thoughts = [think('Hm.'), say('Yes.'), ...END]
    expect(types(heard([chunk({ role: 'assistant', content: '' }), ...thoughts]))).toEqual(types(heard(thoughts)))
  })

  it('4, 7: pieces of a thought are of one item and one part, whose index is told though it is 0', () => {
    const events = heard([think('H'), think('m'), think('.'), ...END])
    const deltas = events.filter(({ type }) => type === 'response.reasoning_summary_text.delta')
    expect(deltas.map(({ summary_index, delta }) => [summary_index, delta])).toEqual([
      [0, 'H'],
      [0, 'm'],
      [0, '.'],
    ])
    expect(new Set(deltas.map(({ item_id }) => item_id)).size).toBe(1)
    expect(types(events)).toContain('reasoning_summary_part.added')
  })

  it('8, 9, 11: a text without any beginning has all that belongs to it', () => {
    expect(types(heard([say('Yes.'), ...END]))).toEqual([
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

  it('10: an empty thought is no item', () => {
    expect(told([think(''), say('Yes.'), think(''), ...END]).output.map(({ type }: Loose) => type)).toEqual(['message'])
  })

  it('15: every event is numbered, from 0, by 1', () => {
    const events = heard([think('Hm.'), say('Yes.'), call({ index: 0, id: 'a' }, 'f', '{}'), ...CALLED])
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, i) => i))
  })
})

describe('B. indices and the terminal response', () => {
  it('17: thoughts after a text are an item of their own', () => {
    const events = heard([say('First.'), think('Hm.'), say('Second.'), ...END])
    expect(done(events).map(({ output_index, item }) => [output_index, item.type])).toEqual([
      [0, 'message'],
      [1, 'reasoning'],
      [2, 'message'],
    ])
  })

  it('21, 22, 23, 24: the last event has the very items that were done, their ids too', () => {
    const events = heard([think('Hm.'), say('Yes.'), call({ index: 0, id: 'a' }, 'f', '{"x":1}'), ...CALLED])
    const { response } = events.at(-1) ?? {}
    expect(response).toMatchObject({ object: 'response', model: 'm-1', id: events[0]?.response.id })
    expect(response.output).toEqual(done(events).map(({ item }) => item))
    expect(response.output).toHaveLength(3)
  })

  it('25: white space between thought and call is told once, as it came', () => {
    const response = told([think('Hm.'), say('\n\n'), call({ index: 0, id: 'a' }, 'f', '{}'), ...CALLED])
    expect(response.output.map(({ type }: Loose) => type)).toEqual(['reasoning', 'message', 'function_call'])
    expect(textOf(response)).toBe('\n\n')
  })

  it('26: the answer is choice 0, wherever it stands; another is a loss', () => {
    const both = (a: string, b: string) => ({
      choices: [
        { index: 1, delta: { content: b } },
        { index: 0, delta: { content: a } },
      ],
    })
    const frames = [both('A', 'x'), { choices: [{ index: 1, delta: { content: 'y' } }] }, both('B', 'z'), ...END]
    expect(textOf(told(frames))).toBe('AB')
    expect(lossesOf(frames)).toContain('choices')
  })
})

describe('D. empty and mixed deltas', () => {
  it('51: empty texts between pieces of a call open nothing', () => {
    const at = (json: string) => chunk({ content: '', tool_calls: [{ index: 0, function: { arguments: json } }] })
    const response = told([call({ index: 0, id: 'a' }, 'f', ''), ...['{"x"', ':', '1}'].map(at), ...CALLED])
    expect(response.output.map(({ type }: Loose) => type)).toEqual(['function_call'])
  })

  it('52: an empty list of calls takes no text away', () => {
    expect(textOf(told([say('A', { tool_calls: [] }), say('B', { tool_calls: null }), ...END]))).toBe('AB')
  })

  it('53: a text and a call in one delta are both heard', () => {
    const calls = [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }]
    const response = told([say('A', { tool_calls: calls }), ...CALLED])
    expect([textOf(response), callsOf(response).length]).toEqual(['A', 1])
  })

  it('54: chunks without choices are no answer', () => {
    const nothing = [{ choices: [] }, { choices: null }, {}]
    expect(textOf(told([...nothing, say('A'), ...nothing, ...END]))).toBe('A')
  })

  it('56b: a text after a call is heard', () => {
    const response = told([call({ index: 0, id: 'a' }, 'f', '{}'), say('Meanwhile.'), ...CALLED])
    expect(response.output.map(({ type }: Loose) => type)).toEqual(['function_call', 'message'])
  })

  it.each(['reasoning', 'reasoning_content'])('57: thoughts are heard as %s', (field) => {
    expect(thoughtOf(told([think('H', field), think('m', field), say('A'), ...END]))).toBe('Hm')
  })
})

describe('E. finish reasons', () => {
  it('58: an empty one is none', () => {
    expect(textOf(told([chunk({ content: 'A' }, ''), chunk({ content: 'B' }, ''), ...END]))).toBe('AB')
  })

  it('59: two of them, the second of which knows no calls', () => {
    const response = told([call({ index: 0, id: 'a' }, 'f', '{}'), stop('tool_calls'), ...END])
    expect([response.status, callsOf(response).length]).toEqual(['completed', 1])
  })

  it('62: calls that never came are none', () => {
    expect(told([say('A'), ...CALLED])).toMatchObject({ status: 'completed', output: [{ type: 'message' }] })
  })

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('63: %s is not hidden by a call', (word, reason) => {
    const response = told([call({ index: 0, id: 'a' }, 'f', '{}'), stop(word), DONE])
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } })
  })
})

describe('F. endings', () => {
  it.each([
    ['69: in the midst of a text', [say('Let me')]],
    ['71: after a thought', [think('Hm')]],
    ['after a thought, with the mark', [think('')]],
    ['after nothing', []],
  ])('a stream that is cut %s has failed', (_, frames) => {
    expect(told(frames).status).toBe('failed')
  })

  it('72: an error in a chunk without choices is no usage', () => {
    const failed = { status: 'failed', error: { message: expect.stringContaining('Overloaded') } }
    expect(
      told([{ choices: [], error: { message: 'Overloaded', code: 529 }, usage: usage(1, 0) }, DONE]),
    ).toMatchObject(failed)
  })

  it('74: an error of status 200 is a failure, as a stream or as a body', () => {
    const failure = { error: { message: 'No such model', code: 404 } }
    const failed = { status: 'failed', error: { message: expect.stringContaining('No such model') } }
    expect(told([failure])).toMatchObject(failed)
    expect(toldWhole(failure)).toMatchObject(failed)
  })

  it('79: nothing is heard after the mark', () => {
    expect(textOf(told([say('A'), stop(), DONE, say('B'), { error: { message: 'Late' } }]))).toBe('A')
  })
})

describe('G. bytes', () => {
  it('83: comments stand anywhere', () => {
    const ping = ': ACME PROCESSING\n\n'
    expect(textOf(told([ping, say('A'), ping, ': \n', say('B'), ping, ...END, ping]))).toBe('AB')
  })

  it('86: a line of two million characters is read', () => {
    const picture = { index: 0, image_url: { url: `data:image/png;base64,${'A'.repeat(2_000_000)}` } }
    const [item] = told([say('', { images: [picture] }), ...END]).output
    expect(item).toMatchObject({ type: 'image_generation_call' })
    expect(item.result).toHaveLength(2_000_000)
  })

  it('87: what is kept of an open thought does not grow with it', () => {
    let state: ThinkState = thinkStart({ thinkTags: true })
    state = splitThoughts(state, '<think>').state
    for (let i = 0; i < 10_000; i += 1) state = splitThoughts(state, 'a < b </thin ').state
    expect(JSON.stringify(state).length).toBeLessThan(200)
  })
})

describe('I. usage', () => {
  const counted = (found: object) => told([say('A'), stop(), { choices: [], usage: found }, DONE]).usage

  it.each([
    ['OpenAI', { prompt_tokens_details: { cached_tokens: 40 } }],
    ['DeepSeek', { prompt_cache_hit_tokens: 40, prompt_cache_miss_tokens: 10 }],
    ['Moonshot', { cached_tokens: 40 }],
    ['Mistral', { num_cached_tokens: 40 }],
    ['Databricks', { cache_read_input_tokens: 40 }],
  ])('99: cached tokens, as %s tells them', (_, more) => {
    expect(counted(usage(50, 2, more))).toMatchObject({ input_tokens: 50, input_tokens_details: { cached_tokens: 40 } })
  })

  it('101: they are the same streamed or not', () => {
    const found = usage(50, 2, { total_tokens: 52, prompt_tokens_details: { cached_tokens: 40 } })
    const body = { choices: [{ message: { content: 'A' }, finish_reason: 'stop' }], usage: found }
    expect(toldWhole(body).usage).toEqual(counted(found))
  })

  it('104: 0 and unknown are not the same', () => {
    const cachedOf = (more: object) =>
      deltasOf([{ choices: [], usage: usage(50, 0, more) }]).flatMap((it) => (it.kind === 'usage' ? [it.usage] : []))
    expect(cachedOf({ prompt_tokens_details: { cached_tokens: 0 } })).toMatchObject([
      { cached_tokens: 0, output_tokens: 0 },
    ])
    expect(cachedOf({})).toMatchObject([{ cached_tokens: null }])
  })

  it('105: the details are always there for the client', () => {
    expect(counted(usage(5, 2))).toMatchObject({
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    })
  })

  it('106: text, finish and usage in one chunk are all heard', () => {
    const response = told([say('A'), chunk({ content: 'B' }, 'stop', { usage: usage(5, 2) }), DONE])
    expect(textOf(response)).toBe('AB')
    expect(response.usage).toMatchObject({ input_tokens: 5, output_tokens: 2 })
  })
})

it('107: every citation has its event, whichever chunk it comes in', () => {
  const cite = (n: number, start_index: number, end_index: number) => ({
    type: 'url_citation',
    url_citation: { url: `https://a.example/${n}`, title: `${n}`, start_index, end_index },
  })
  const events = heard([
    say('One and', { annotations: [cite(1, 0, 3)] }),
    say(' two.', { annotations: [cite(2, 4, 7), cite(3, 8, 11)] }),
    chunk({ annotations: [cite(4, 8, 11)] }, 'stop'),
    DONE,
  ])
  const added = events.filter(({ type }) => type === 'response.output_text.annotation.added')
  expect(added.map(({ annotation }) => annotation.title)).toEqual(['1', '2', '3', '4'])
})
