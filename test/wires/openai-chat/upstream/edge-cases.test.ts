import { describe, expect, it } from 'vitest'
import { findVendor } from '../../../../src/vendors/registry.ts'
import { openaiChat } from '../../../../src/wires/openai-chat/index.ts'
import { encodeFor } from '../../../engine/encode-request.ts'
import { sealed, targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
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
  stop,
  usage,
} from '../decoded.ts'

/** The behaviour of vendors of chat streams, in the order of the list of edge cases (1 to 19). */

const filter = { prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }
const usageOf = ({ usage: it }: Loose) => [it.input_tokens, it.output_tokens, it.total_tokens]

describe('the start of a chat stream', () => {
  it('1: is skipped if the first chunk has no id, model and choices', () => {
    const opening = { choices: [], created: 0, id: '', model: '', object: '', ...filter }
    const routed = chunk({ content: 'Moin' }, null, { model: 'router-mini' })
    const response = decodedDeltas([
      opening,
      chunk({ role: 'assistant', content: '' }, null, { model: '' }),
      routed,
      stop(),
      DONE,
    ])
    expect(response).toMatchObject({ status: 'completed', model: 'm-1' })
    expect(textOf(response)).toBe('Moin')
    expect(deltasOf([opening, routed])).toContainEqual({ kind: 'start', model: 'router-mini' })
    expect(decodedDeltas([opening, routed, DONE]).model).toBe('router-mini')
  })

  it('2: may have a choice without a delta, which is skipped', () => {
    const filtered = { choices: [{ index: 0, finish_reason: null, content_filter_offsets: { start_offset: 0 } }] }
    expect(textOf(decodedDeltas([contentChunk('So'), filtered, contentChunk(' ist es.'), stop(), DONE]))).toBe(
      'So ist es.',
    )
  })
})

describe('calls of a chat stream', () => {
  const whole = (index: number, id: string, args: string) =>
    piece({ index, id, type: 'function' }, { name: 'tide', arguments: args })

  it('3: are emitted after the first finish reason, and a second finish reason may follow', () => {
    const response = decodedDeltas([
      whole(0, 'a', '{"at":1}'),
      stop('tool_calls'),
      whole(1, 'b', '{"at":2}'),
      stop('tool_calls'),
      DONE,
    ])
    expect(response.status).toBe('completed')
    expect(callsOf(response)).toEqual([
      ['a', 'tide', '{"at":1}', 'completed'],
      ['b', 'tide', '{"at":2}', 'completed'],
    ])
  })

  it.each([
    ['null', { id: null }, { name: null }],
    ['empty', { id: '' }, { name: '' }],
    ['left out', {}, {}],
  ])('4: keep their id and name if these are %s in later fragments', (_, at, fn) => {
    const response = decodedDeltas([
      piece({ index: 0, id: 'call_9' }, { name: 'tide', arguments: '' }),
      piece({ index: 0, ...at }, { ...fn, arguments: '{"port":' }),
      piece({ index: 0, ...at }, { ...fn, arguments: '"Brest"}' }),
      stop('tool_calls'),
      DONE,
    ])
    expect(callsOf(response)).toEqual([['call_9', 'tide', '{"port":"Brest"}', 'completed']])
  })

  it('5: are emitted whole without an index from the chunk with finish reason and usage', () => {
    const call = (id: string, args: object) => ({ id, function: { name: 'tide', arguments: JSON.stringify(args) } })
    const last = chunk({ content: '', tool_calls: [call('aB3', { at: 1 }), call('cD4', { at: 2 })] }, 'tool_calls', {
      usage: usage(20, 9, { total_tokens: 29 }),
    })
    const response = decodedDeltas([contentChunk(''), last, DONE])
    expect(callsOf(response)).toEqual([
      ['aB3', 'tide', '{"at":1}', 'completed'],
      ['cD4', 'tide', '{"at":2}', 'completed'],
    ])
    expect(usageOf(response)).toEqual([20, 9, 29])
  })

  it('6: begin at output_index 0 if their first index is 1', () => {
    const events = decodedEvents([
      piece({ index: 1, id: 'a' }, { name: 'tide', arguments: '{}' }),
      stop('tool_calls'),
      DONE,
    ])
    expect(events.find(({ type }) => type === 'response.output_item.added').output_index).toBe(0)
    expect(callsOf(events.at(-1)?.response)).toEqual([['a', 'tide', '{}', 'completed']])
  })

  it('7: are complete before a cut by the length, and the cut call keeps its received arguments', () => {
    const response = decodedDeltas([whole(0, 'a', '{"at":1}'), whole(1, 'b', '{"at'), stop('length'), DONE])
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    expect(callsOf(response)).toEqual([
      ['a', 'tide', '{"at":1}', 'completed'],
      ['b', 'tide', '{"at', 'incomplete'],
    ])
  })
})

describe('text and reasoning of a chat stream', () => {
  it('8: are read from a list of both, then from strings, the last of them with the finish reason', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Half of 86?' }], closed: true }
    const response = decodedDeltas([
      contentChunk([thinking, { type: 'text', text: 'It is ' }]),
      contentChunk('43'),
      chunk({ content: '.' }, 'stop'),
      DONE,
    ])
    expect([reasoningOf(response), textOf(response)]).toEqual(['Half of 86?', 'It is 43.'])
  })
})

describe('a failure in a chat stream', () => {
  const words = [contentChunk('Let me'), contentChunk(' see')]
  const failed = { status: 'failed', error: { message: expect.stringContaining('Tool call was no JSON') } }
  const error = { message: 'Tool call was no JSON', type: 'invalid_request_error', code: 'tool_use_failed' }

  it('9: is an event named error after good chunks at the end of the stream', () => {
    const response = decodedDeltas([...words, `event: error\ndata: ${JSON.stringify({ error })}\n\n`])
    expect(response).toMatchObject(failed)
    expect(textOf(response)).toBe('Let me see')
  })

  it('10: is an SSE field named error', () => {
    expect(decodedDeltas([...words, `error: ${JSON.stringify({ error })}\n\n`])).toMatchObject(failed)
  })

  it('11: is a chunk with an error and usage but without a finish reason', () => {
    const last = chunk({ content: '' }, null, { error: { code: 502, message: error.message }, usage: usage(8, 2) })
    expect(decodedDeltas([...words, last, DONE])).toMatchObject(failed)
  })
})

describe('chat chunks that contain several kinds of data', () => {
  it('12: complete once after two finish reasons, the second beside the usage, with repeated roles', () => {
    const role = { role: 'assistant' }
    const last = chunk({ ...role, content: '' }, 'stop', { usage: usage(7, 3, { total_tokens: 10, cost: 0.001 }) })
    const frames = [
      contentChunk('Ja', role),
      contentChunk('.', role),
      chunk({ ...role, content: '' }, 'stop'),
      last,
      DONE,
    ]
    expect(decodedDeltas(frames)).toMatchObject({ status: 'completed', usage: { input_tokens: 7, output_tokens: 3 } })
    expect(decodedEvents(frames).filter(({ type }) => type === 'response.completed')).toHaveLength(1)
  })

  it('13: place citations sent before their text at 0..0 at link or excerpt, or keep them unchanged', () => {
    const cite = (url: string, content: string) =>
      contentChunk('', {
        annotations: [{ type: 'url_citation', url_citation: { url, content, start_index: 0, end_index: 0 } }],
      })
    const [link, excerpt, neither] = ['https://tides.example/a', 'https://b.example/', 'https://c.example/']
    const text = `High at nine ([tides](${link})). The moon pulls the sea.`
    const frames = [
      cite(link, 'High water: 09:00'),
      cite(excerpt, 'The moon pulls the sea.'),
      cite(neither, 'Not in it.'),
      contentChunk(text.slice(0, 20)),
      contentChunk(text.slice(20)),
      stop(),
      DONE,
    ]
    const [{ content }] = decodedDeltas(frames).output
    const marks = content[0].annotations.map((it: Loose) => [it.url, text.slice(it.start_index, it.end_index)])
    expect(marks).toEqual([
      [link, expect.stringContaining(link)],
      [excerpt, 'The moon pulls the sea.'],
      [neither, ''],
    ])
    expect(decodedEvents(frames).filter(({ type }) => type === 'response.output_text.annotation.added')).toHaveLength(3)
  })

  const quirks = findVendor('openrouter')?.quirks ?? {}
  const historyOf = (response: Loose) => {
    const input = [
      { role: 'user', content: 'Go' },
      ...response.output,
      { type: 'function_call_output', call_id: 't1', output: '9' },
    ]
    const encoded = encodeFor(openaiChat, requestOf({ input }), targetOf('openai-chat', quirks))
    return encoded.ok ? (encoded.body.messages as Loose)[1] : encoded.error
  }
  /** Seals the reasoning as the gateway does for the vendor of the next request. */
  const resealed = (response: Loose, payload: Loose) => ({
    output: response.output.map((item: Loose) =>
      item.type === 'reasoning' ? { ...item, encrypted_content: sealed('openai-chat', payload) } : item,
    ),
  })

  it('14: return encrypted reasoning, sent before the call that it is bound to, together with that call', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'c2VjcmV0', id: 't1', format: 'google-gemini-v1', index: 0 }]
    const frames = [
      contentChunk('', { reasoning: null, reasoning_details: details }),
      piece({ index: 0, id: 't1' }, { name: 'tide', arguments: '{}' }),
      stop('tool_calls'),
      DONE,
    ]
    const response = decodedDeltas(frames)
    expect(response.output.map(({ type }: Loose) => type)).toEqual(['reasoning', 'function_call'])
    expect(response.output[0].encrypted_content).toEqual(expect.any(String))
    const payload = deltasOf(frames).flatMap((it) => (it.kind === 'opaque' ? [it.payload] : []))
    expect(payload).toEqual([details])
    expect(historyOf(resealed(response, details))).toMatchObject({
      reasoning_details: details,
      tool_calls: [{ id: 't1' }],
    })
  })

  it('15: have a signature in a fragment without text, and the same text in two fields, which is emitted once', () => {
    const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
    const frames = [
      contentChunk('', { reasoning: 'Two ', reasoning_details: [{ ...detail, text: 'Two ' }] }),
      contentChunk('', { reasoning: 'ports.', reasoning_details: [{ ...detail, text: 'ports.' }] }),
      contentChunk('', { reasoning_details: [{ ...detail, signature: 'c2ln' }] }),
      contentChunk('Brest.'),
      stop(),
      DONE,
    ]
    expect(reasoningOf(decodedDeltas(frames))).toBe('Two ports.')
    expect(deltasOf(frames)).toContainEqual({
      kind: 'opaque',
      key: expect.any(String),
      payload: [{ ...detail, text: 'Two ports.', signature: 'c2ln' }],
    })
  })
})

describe('usage of a chat stream', () => {
  const counted = (found: object, more: readonly unknown[] = []) =>
    decodedDeltas([contentChunk('x'), ...more, stop(), { choices: [], usage: found }, DONE]).usage

  it('16: includes reasoning tokens outside of completion_tokens if the total counts them', () => {
    const details = { completion_tokens_details: { reasoning_tokens: 340 } }
    expect(counted(usage(12, 2, { total_tokens: 354, ...details }))).toMatchObject({
      input_tokens: 12,
      output_tokens: 342,
      total_tokens: 354,
      output_tokens_details: { reasoning_tokens: 340 },
    })
    expect(counted(usage(12, 342, { total_tokens: 354, ...details })).output_tokens).toBe(342)
  })

  it('17: is read from every chunk, null until the end, beside a call whose arguments stay empty', () => {
    const nothing = usage(null, null, { total_tokens: null })
    const call = { index: 0, id: 'a', function: { name: 'tide', arguments: '' } }
    const response = decodedDeltas([
      chunk({ content: '' }, null, { usage: nothing }),
      chunk({ tool_calls: [call] }, null, { usage: usage(30, null, { total_tokens: null }) }),
      chunk({ content: '' }, 'tool_calls', { usage: usage(30, 6, { total_tokens: 36 }) }),
      DONE,
    ])
    expect(usageOf(response)).toEqual([30, 6, 36])
    expect(callsOf(response)).toEqual([['a', 'tide', '{}', 'completed']])
  })
})

describe('the end of a chat stream', () => {
  it('18: is the end of the connection, after a message that repeats all, repeated citations and changing ids', () => {
    const citations = ['https://tides.example/a', 'https://moon.example/b']
    const texts = ['Tides', ' [1] follow', ' the moon [2].']
    const frames = texts.map((content, i) => ({
      id: `id-${i}`,
      object: i === 2 ? 'chat.completion.done' : 'chat.completion.chunk',
      model: 'sonar',
      citations,
      usage: usage(4, i + 1, { total_tokens: i + 5 }),
      choices: [
        {
          index: 0,
          delta: { role: 'assistant', content },
          message: { role: 'assistant', content: texts.slice(0, i + 1).join('') },
          finish_reason: i === 2 ? 'stop' : null,
        },
      ],
    }))
    const response = decodedDeltas(frames)
    expect(response.status).toBe('completed')
    expect(textOf(response)).toBe('Tides [1] follow the moon [2].')
    const { annotations, text } = response.output[0].content[0]
    expect(annotations.map((it: Loose) => [it.url, text.slice(it.start_index, it.end_index)])).toEqual([
      [citations[0], '[1]'],
      [citations[1], '[2]'],
    ])
    expect(usageOf(response)).toEqual([4, 3, 7])
  })

  it('19: is [DONE] or usage if there is no finish reason, and an empty refusal is ignored', () => {
    const words = [contentChunk('Flut', { refusal: '' }), contentChunk(' um neun.', { refusal: '' })]
    for (const frames of [
      [...words, DONE],
      [...words, { choices: [], usage: usage(3, 4) }],
    ]) {
      const response = decodedDeltas(frames)
      expect(response).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Flut um neun.' }] }] })
      expect(response.output[0].content).toHaveLength(1)
    }
    expect(decodedDeltas(words)).toMatchObject({ status: 'failed', error: { code: 'upstream_truncated' } })
    expect(lossesOf(words)).toEqual([])
  })
})
