import { describe, expect, it } from 'vitest'
import { callsOf, textOf } from '../../client-stream.ts'
import {
  answers,
  call,
  callEnd,
  cite,
  DONE,
  decodedDeltas,
  deltasOf,
  end,
  plan,
  responseOfBody,
  START,
  text,
  thinkingText,
} from '../decoded.ts'

describe('a whole answer over cohere-chat', () => {
  const sources = [
    { type: 'document', id: 'doc:0', document: { title: 'a.txt', text: 'x', url: 'https://a.example/' } },
  ]

  it('gives the same response as its stream', () => {
    const citation = { start: 0, end: 1, text: 'b', sources, type: 'TEXT_CONTENT', content_index: 1 }
    const usage = { tokens: { input_tokens: 3, output_tokens: 4 } }
    const body = {
      id: 'a-1',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'a' },
          { type: 'text', text: 'b' },
        ],
        citations: [citation],
      },
      finish_reason: 'COMPLETE',
      usage,
    }
    const whole = responseOfBody(body)
    expect(whole).toEqual(
      decodedDeltas([START, thinkingText('a', 0), text('b', 1), cite(citation), end('COMPLETE', { usage }), DONE]),
    )
    expect(whole.output[1].content[0].annotations).toHaveLength(1)
  })

  it('has plan, citations and calls as its stream has them', () => {
    const citation = { start: 0, end: 1, text: 'I', sources, type: 'PLAN' }
    const made = (id: string, given: string) => ({ id, type: 'function', function: { name: 'f', arguments: given } })
    const body = {
      message: {
        tool_plan: 'I will',
        citations: [citation],
        tool_calls: [made('f_1', 'null'), made('f_2', '{"a":1}')],
      },
      finish_reason: 'TOOL_CALL',
    }
    const whole = responseOfBody(body)
    expect(whole).toEqual(
      decodedDeltas([
        START,
        plan('I will'),
        cite(citation),
        call(0, 'f_1', 'f', 'null'),
        callEnd(0),
        call(1, 'f_2', 'f', '{"a":1}'),
        callEnd(1),
        end('TOOL_CALL'),
      ]),
    )
    expect(callsOf(whole)).toEqual([
      ['f_1', 'f', '{}', 'completed'],
      ['f_2', 'f', '{"a":1}', 'completed'],
    ])
    expect(whole.output[0].content[0].annotations).toHaveLength(1)
  })
})

answers('a whole answer over cohere-chat', '', {
  'fails if the body is an error': [
    { body: { id: 'x', message: 'model is gone' }, items: [], end: 'failed: model is gone' },
    { body: { message: { content: [] }, finish_reason: 'ERROR', error: 'bad' }, items: [], end: 'failed: bad' },
  ],
  'records a call without a name as a loss': {
    body: { message: { tool_calls: [{ id: 'x', function: {} }] }, finish_reason: 'TOOL_CALL' },
    losses: ['a call without a name'],
  },
})

describe('hostile events over cohere-chat', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const places = [
    '%',
    '{"type":%}',
    '{"type":"content-start","index":%,"delta":%}',
    '{"type":"content-delta","index":0,"delta":{"message":{"content":%}}}',
    '{"type":"content-delta","index":%,"delta":{"message":{"content":{"text":"a"}}}}',
    '{"type":"content-delta","delta":{"message":{"content":{"text":%,"thinking":%,"type":%}}}}',
    '{"type":"tool-plan-delta","delta":{"message":{"tool_plan":%}}}',
    '{"type":"tool-call-start","index":%,"delta":{"message":{"tool_calls":%}}}',
    '{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":%,"function":{"name":"f","arguments":%}}}}}',
    '{"type":"tool-call-end","index":%}',
    '{"type":"citation-start","delta":{"message":{"citations":%}}}',
    '{"type":"citation-start","delta":{"message":{"citations":{"start":%,"end":%,"text":%,"sources":%,"content_index":%}}}}',
    '{"type":"citation-start","delta":{"message":{"citations":{"start":0,"end":1,"sources":[{"id":%,"document":{"url":%,"title":%}}]}}}}',
    '{"type":"message-end","delta":{"finish_reason":%,"usage":{"tokens":{"input_tokens":%}},"error":%,"error_type":%}}',
    '{"message":%}',
    '{"error":%}',
  ]

  it.each(places)('lead to a terminal status: %s', (place) => {
    for (const value of [deep, '{"toString":1,"valueOf":1}', '[[]]', 'null', '-1', 'true', '""', '"x"']) {
      const event = `data: ${place.replaceAll('%', value)}\n\n`
      expect(['completed', 'incomplete', 'failed']).toContain(decodedDeltas([START, text('a'), event, end()]).status)
    }
  })

  it('are read in time if 3,000 fragments alternate between two blocks', () => {
    const events = Array.from({ length: 3000 }, (_, i) => text('x', i % 2))
    expect(textOf(decodedDeltas([START, ...events, end()]))).toBe('x'.repeat(3000))
  })

  it('are a loss if the payload is not an object, and the others are read', () => {
    expect(deltasOf(['null', '[]', '7'].map((data) => `data: ${data}\n\n`))).toEqual([
      { kind: 'loss', feature: 'a payload that is not a JSON object' },
    ])
    expect(textOf(decodedDeltas([START, text('a'), 'data: {\n\n', text('b'), end()]))).toBe('ab')
  })
})
