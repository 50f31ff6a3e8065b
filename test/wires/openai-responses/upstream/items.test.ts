import { describe, expect, it } from 'vitest'
import {
  added,
  answerTo,
  call,
  completed,
  deltasOf,
  done,
  ev,
  type LooseRecord,
  lossesOf,
  message,
  outputOf,
  text,
  textDelta,
} from '../streams.ts'

const messages = (...texts: readonly string[]) => texts.map((it) => ({ type: 'message', content: [{ text: it }] }))
const args = (delta: string, output_index = 0) => ev('function_call_arguments.delta', { output_index, delta })

describe('a message over openai-responses', () => {
  const cases: [string, readonly LooseRecord[]][] = [
    [
      'in pieces',
      [
        added(0, message('')),
        textDelta('Wat'),
        textDelta('er'),
        done(0, message('Water')),
        completed([message('Water')]),
      ],
    ],
    [
      'in pieces, and an empty list at the end (ChatGPT)',
      [added(0, message('')), textDelta('Water'), done(0, message('Water')), completed()],
    ],
    ['without being announced', [textDelta('Water'), completed()]],
    ['without a part being announced', [added(0, message('')), textDelta('Water'), completed()]],
    [
      'whole, in output_text.done (LM Studio)',
      [
        added(0, message('')),
        ev('output_text.done', { output_index: 0, content_index: 0, text: 'Water' }),
        completed(),
      ],
    ],
    [
      'whole, in content_part.done',
      [ev('content_part.done', { output_index: 0, content_index: 0, part: text('Water') }), completed()],
    ],
    ['whole, in output_item.done', [done(0, message('Water')), completed()]],
    ['whole, in the terminal response', [completed([message('Water')])]],
    [
      'which every event repeats',
      [
        textDelta('Water'),
        ev('output_text.done', { output_index: 0, content_index: 0, text: 'Water' }),
        ev('content_part.done', { output_index: 0, content_index: 0, part: text('Water') }),
        done(0, message('Water')),
        completed([message('Water')]),
      ],
    ],
    ['whose item has more text than its deltas', [textDelta('Wa'), done(0, message('Water')), completed()]],
    ['whose terminal response has more text, without a done item', [textDelta('Wa'), completed([message('Water')])]],
    ['whose item has no text', [added(0, message('')), textDelta('Water'), done(0, { type: 'message' }), completed()]],
    ['whose finished item is null', [added(0, message('')), textDelta('Water'), done(0, null), completed()]],
    [
      'whose text is counted up token by token (vLLM)',
      [
        added(0, message('')),
        textDelta('Wa', 0, { content_index: 0 }),
        textDelta('ter', 0, { content_index: 1 }),
        done(0, message('Water')),
        completed(),
      ],
    ],
    [
      'whose part has an index other than its position',
      [
        ev('content_part.added', { output_index: 0, content_index: 1, part: text('') }),
        textDelta('Water', 0, { content_index: 1 }),
        done(0, message('Water')),
        completed(),
      ],
    ],
    [
      'without any index, by its id',
      [
        added(0, message('', { id: 'a' })),
        { ...textDelta('Water', null), item_id: 'a' },
        done(null, message('Water', { id: 'a' })),
        completed(),
      ],
    ],
    [
      'under a new id with every event (Copilot)',
      [
        added(0, message('', { id: 'a' })),
        textDelta('Wa', 0, { item_id: 'b' }),
        textDelta('ter', 0, { item_id: 'c' }),
        done(0, message('Water', { id: 'd' })),
        completed([message('Water', { id: 'e' })]),
      ],
    ],
    [
      'announced twice',
      [
        added(0, message('', { id: 'a' })),
        added(0, message('', { id: 'a' })),
        textDelta('Water'),
        done(0, message('Water')),
        completed(),
      ],
    ],
    [
      'in the format of the service’s description',
      [
        ev('content_part.delta', { output_index: 0, content_index: 0, delta: 'Water' }),
        ev('completed', { response: { output: [message('Water')] } }),
        ev('done', { response: { status: 'completed' } }),
      ],
    ],
    [
      'with other events between its deltas',
      [
        added(0, message('')),
        textDelta('Wa'),
        { type: 'keepalive', sequence_number: 7 },
        textDelta('ter', 0, { obfuscation: 'xyz' }),
        ev('something.later', { output_index: 0, delta: 'x' }),
        completed(),
      ],
    ],
    [
      'with a second terminal event without text',
      [textDelta('Water'), completed(), textDelta('!'), completed([message('Beer')])],
    ],
  ]
  it.each(cases)('has its text once: %s', (_, events) => {
    expect(answerTo(events)).toMatchObject({ status: 'completed', output: messages('Water') })
  })

  it('keeps its first text and records a loss if a second version differs', () => {
    expect(lossesOf([textDelta('Water'), done(0, message('Wine')), completed()])).toEqual([
      'a final text that differs from its deltas',
    ])
    expect(lossesOf([textDelta('Water'), done(0, message('Water')), completed()])).toEqual([])
  })

  it.each([
    ['announced', [added(0, message('', { phase: 'commentary' })), textDelta('A'), done(0, message('A'))]],
    ['finished', [added(0, message('')), textDelta('A'), done(0, message('A', { phase: 'commentary' }))]],
    ['both', [added(0, message('', { phase: 'commentary' })), done(0, message('A', { phase: 'commentary' }))]],
    ['terminal', [completed([message('A', { phase: 'commentary' })])]],
  ])('has the phase of the %s item', (_, events) => {
    expect(outputOf([...events, completed()])).toMatchObject([{ phase: 'commentary', content: [{ text: 'A' }] }])
    expect(deltasOf(events).filter(({ kind }) => kind === 'phase')).toHaveLength(1)
    expect(lossesOf(events)).toEqual([])
  })

  it('keeps its text and refusal parts in their order', () => {
    const parts = [text('A'), { type: 'refusal', refusal: 'No' }, text('B')]
    const events = [
      ev('content_part.added', { output_index: 0, content_index: 0, part: text('') }),
      textDelta('A'),
      ev('content_part.done', { output_index: 0, content_index: 0, part: text('A') }),
      ev('content_part.added', { output_index: 0, content_index: 1, part: { type: 'refusal', refusal: '' } }),
      ev('refusal.delta', { output_index: 0, content_index: 1, delta: 'No' }),
      ev('content_part.done', { output_index: 0, content_index: 1, part: { type: 'refusal', refusal: 'No' } }),
      ev('content_part.added', { output_index: 0, content_index: 2, part: text('') }),
      textDelta('B', 0, { content_index: 2 }),
      done(0, { type: 'message', content: parts }),
      completed(),
    ]
    expect(outputOf(events)).toMatchObject([{ content: [{ text: 'A' }, { refusal: 'No' }, { text: 'B' }] }])
    expect(outputOf([completed([{ type: 'message', content: parts }])])[0]?.content).toHaveLength(3)
  })

  it('keeps its log probabilities and ignores an empty list', () => {
    const logprobs = [{ token: 'Wa', logprob: -0.5, bytes: null, top_logprobs: [] }]
    expect(
      outputOf([textDelta('Wa', 0, { logprobs }), textDelta('ter', 0, { logprobs: [] }), completed()]),
    ).toMatchObject([{ content: [{ text: 'Water', logprobs }] }])
    const whole = ev('output_text.done', { output_index: 0, content_index: 0, text: 'Wa', logprobs })
    expect(outputOf([whole, completed()])).toMatchObject([{ content: [{ text: 'Wa', logprobs }] }])
  })
})

describe('several items over openai-responses', () => {
  it('are decoded one after the other', () => {
    const events = [
      added(0, message('')),
      textDelta('A'),
      done(0, message('A')),
      added(1, message('')),
      textDelta('B', 1),
      done(1, message('B')),
    ]
    expect(outputOf([...events, completed()])).toMatchObject(messages('A', 'B'))
    expect(outputOf([...events, completed([message('A'), message('B')])])).toMatchObject(messages('A', 'B'))
  })

  it('stay apart at one index if a server does not count', () => {
    const events = [
      added(0, message('', { id: 'a' })),
      textDelta('A'),
      done(0, message('A')),
      added(0, call('f', '')),
      args('{"a":1}'),
      done(0, call('f', '{"a":1}')),
    ]
    expect(outputOf([...events, completed()])).toMatchObject([
      { type: 'message' },
      { type: 'function_call', arguments: '{"a":1}' },
    ])
  })

  it('are matched by their id if the end of an item has the next index', () => {
    const events = [
      added(0, message('', { id: 'a' })),
      textDelta('A'),
      done(1, message('A', { id: 'a' })),
      completed([message('A', { id: 'a' })]),
    ]
    expect(outputOf(events)).toMatchObject(messages('A'))
  })

  it('stay apart under one id if a server has no other', () => {
    const events = [
      done(0, message('A', { id: 'a' })),
      done(1, message('B', { id: 'a' })),
      done(1, message('B', { id: 'a' })),
    ]
    expect(outputOf([...events, completed()])).toMatchObject(messages('A', 'B'))
  })

  it('may overlap: reasoning ends after the message (OpenRouter)', () => {
    const reasoning = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] }
    const events = [
      added(0, { type: 'reasoning', summary: [] }),
      ev('reasoning_text.delta', { output_index: 0, content_index: 0, delta: 'hm' }),
      added(1, message('')),
      textDelta('A', 1),
      done(1, message('A')),
      ev('reasoning_text.done', { output_index: 0, content_index: 0, text: 'hm' }),
      done(0, reasoning),
      completed([reasoning, message('A')]),
    ]
    expect(outputOf(events)).toMatchObject([{ type: 'reasoning', summary: [{ text: 'hm' }] }, ...messages('A')])
  })

  it('are not repeated if the end lists a part of them under new ids', () => {
    const events = [
      done(0, message('A', { id: 'a' })),
      done(1, call('f', '{}')),
      completed([{ ...call('f', '{}', 'call_9'), id: 'new' }]),
    ]
    expect(outputOf(events)).toMatchObject([...messages('A'), { type: 'function_call', call_id: 'call_1' }])
  })

  it('include those that only the end lists', () => {
    expect(outputOf([done(0, message('A')), completed([message('A'), call('f', '{}')])])).toMatchObject([
      ...messages('A'),
      { name: 'f' },
    ])
  })
})

describe('a call over openai-responses', () => {
  const cases: [string, readonly LooseRecord[]][] = [
    ['in pieces', [added(0, call('f', '')), args('{"a"'), args(':1}'), done(0, call('f', '{"a":1}'))]],
    [
      'whole, in arguments.done (LM Studio)',
      [
        added(0, call('f', '')),
        ev('function_call_arguments.done', { output_index: 0, arguments: '{"a":1}' }),
        done(0, call('f', '{"a":1}')),
      ],
    ],
    ['whole, when it is announced', [added(0, call('f', '{"a":1}')), done(0, call('f', '{"a":1}'))]],
    ['with empty arguments first', [added(0, call('f', '{}')), args('{"a":1}'), done(0, call('f', '{"a":1}'))]],
    ['whole, in the finished item', [done(0, call('f', '{"a":1}'))]],
    ['whose arguments are an object', [done(0, { ...call('f', ''), arguments: { a: 1 } })]],
    [
      'with its name at the end',
      [added(0, { type: 'function_call', call_id: 'call_1' }), args('{"a":1}'), done(0, call('f', '{"a":1}'))],
    ],
    ['that a server calls unfinished', [done(0, { ...call('f', '{"a":1}'), status: 'in_progress' })]],
  ]
  it.each(cases)('is decoded once with its name and arguments: %s', (_, events) => {
    const items = [{ type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}', status: 'completed' }]
    expect(outputOf([...events, completed()])).toMatchObject(items)
    expect(outputOf([...events, completed([call('f', '{"a":1}')])])).toMatchObject(items)
    const names = deltasOf([...events, completed()]).filter((delta) => delta.kind === 'call' && delta.name !== null)
    expect(names).toHaveLength(1)
  })

  it('has {} as arguments if the upstream sends none', () => {
    expect(outputOf([added(0, call('f', '')), done(0, call('f', '')), completed()])).toMatchObject([
      { arguments: '{}' },
    ])
  })

  it('keeps its arguments apart from those of another call', () => {
    const events = [
      added(0, call('f', '', 'call_1')),
      added(1, call('g', '', 'call_2')),
      args('{"a"', 0),
      args('{"b"', 1),
      args(':1}', 0),
      args(':2}', 1),
      done(1, call('g', '{"b":2}', 'call_2')),
      done(0, call('f', '{"a":1}', 'call_1')),
      completed(),
    ]
    expect(outputOf(events)).toMatchObject([
      { call_id: 'call_1', arguments: '{"a":1}' },
      { call_id: 'call_2', arguments: '{"b":2}' },
    ])
  })

  it('is incomplete if it is cut in the middle of its arguments', () => {
    const events = [
      added(0, call('f', '')),
      args('{"a":'),
      ev('incomplete', { response: { incomplete_details: { reason: 'max_output_tokens' } } }),
    ]
    expect(answerTo(events)).toMatchObject({
      status: 'incomplete',
      output: [{ arguments: '{"a":', status: 'incomplete' }],
    })
  })

  // Only the request shows whether `parallel` is a tool of the client, so the call is passed on unchanged.
  it('stays one call if it wraps other calls', () => {
    const wrapped = '{"tool_uses":[{"recipient_name":"functions.f","parameters":{"a":1}}]}'
    expect(outputOf([done(0, call('parallel', wrapped)), completed()])).toMatchObject([
      { name: 'parallel', arguments: wrapped },
    ])
  })

  it('has its namespace, its caller and whether it is asynchronous', () => {
    const caller = { type: 'program', caller_id: 'call_0' }
    const details = { namespace: 'files', caller, async: true }
    for (const type of ['function_call', 'custom_tool_call']) {
      const item = { ...call('f', '{}'), type, input: 'x', ...details }
      expect(outputOf([added(0, item), done(0, item), completed()])).toMatchObject([details])
      expect(outputOf([completed([item])])).toMatchObject([details])
      expect(lossesOf([done(0, item), completed()])).toEqual([])
    }
  })

  it('has no namespace if that only repeats its name', () => {
    const item = { ...call('f', '{}'), namespace: 'f', async: false }
    const [shown] = outputOf([done(0, item), completed()])
    expect(shown).not.toHaveProperty('namespace')
    expect(shown).not.toHaveProperty('async')
  })

  it('is decoded with free text as a custom tool call', () => {
    const custom = (input: string): LooseRecord => ({
      type: 'custom_tool_call',
      call_id: 'call_1',
      name: 'grep',
      input,
    })
    const input = (delta: string): LooseRecord => ev('custom_tool_call_input.delta', { output_index: 0, delta })
    expect(
      outputOf([added(0, custom('')), input('a '), input('b'), done(0, custom('a b')), completed()]),
    ).toMatchObject([{ type: 'custom_tool_call', call_id: 'call_1', name: 'grep', input: 'a b' }])
  })
})
