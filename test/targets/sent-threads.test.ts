import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRunInput, readUIMessages, translateRequest } from '../../src/index.ts'
import { corruptedValues } from '../arbitraries/corrupt-values.ts'
import { check } from '../property.ts'

/** Interfaces are programs in browsers: what they send may be anything. It is left out with its place, and nothing throws. */

const PNG = 'iVBORw0KGgo='

/** Of a cloud, the provider would read them with the credentials of the server, and a browser has chosen them. */
const UNREACHABLE = [
  ...['blob:https://a.example/1', 'file:///a.png', 'javascript:alert(1)', '/uploads/a.png', 'https:'],
  ...['gs://b/a.png', 's3://b/a.png'],
]

const LEVELS = 20_000

const deepText = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`

const deep = (): unknown => JSON.parse(deepText)

describe('a chat of the AI SDK warns of', () => {
  it.each<readonly [title: string, messages: unknown, warnings: readonly string[]]>([
    ['no list', undefined, ['messages: expected a list, got nothing']],
    ['a message that is none', [null], ['messages[0]: expected an object, got null']],
    [
      'a role that does not exist',
      [{ role: 'robot', parts: [{ type: 'text', text: 'a' }] }],
      ['messages[0].role: expected one of system, user, assistant, got "robot"'],
    ],
    [
      'the content of an older version',
      [{ role: 'user', content: 'Hi' }],
      ['messages[0].parts: expected a list, got nothing'],
    ],
    [
      'parts of unknown types, and without what they need',
      [
        {
          role: 'user',
          parts: [{ type: 'magic' }, { type: 'text' }, { type: 'file', mediaType: 'image/png' }, { text: 'a' }],
        },
      ],
      [
        'messages[0].parts[0].type: expected the type of a part, got "magic"',
        'messages[0].parts[1].text: expected a string, got nothing',
        'messages[0].parts[2].url: expected a string, got nothing',
        'messages[0].parts[3].type: expected the type of a part, got nothing',
      ],
    ],
    [
      'calls without an id',
      [{ role: 'assistant', parts: [{ type: 'tool-now', state: 'output-available', input: {}, output: 1 }] }],
      ['messages[0].parts[0].toolCallId: expected a string, got nothing'],
    ],
    [
      'a call in a message of the user',
      [{ role: 'user', parts: [{ type: 'tool-now', toolCallId: 'a', state: 'input-available', input: {} }] }],
      ['a part of the type tool-call: messages of the user have texts and files only'],
    ],
    [
      'content of another provider',
      [{ role: 'assistant', parts: [{ type: 'custom', kind: 'acme.card' }] }],
      ['content of the kind acme.card: it belongs to another provider'],
    ],
  ])('%s', (_, messages, warnings) => {
    expect(readUIMessages(messages as never)).toEqual({ input: [], warnings })
  })

  it.each([...UNREACHABLE, ''])('a file at an address that only the browser or its server knows: %s', (url) => {
    expect(readUIMessages([{ role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url } as never] }])).toEqual(
      { input: [], warnings: [`messages[0].parts[0].url: expected an http, https or data URL, got "${url}"`] },
    )
  })

  it('encrypted content that is no text, and reads the text of the reasoning', () => {
    const part = { type: 'reasoning', text: 'Hm', providerMetadata: { millrace: { encryptedContent: 5 } } }
    expect(readUIMessages([{ role: 'assistant', parts: [part] }])).toEqual({
      input: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] }],
      warnings: ['messages[0].parts[0].providerMetadata.millrace.encryptedContent: expected a string, got 5'],
    })
  })

  it.each(['input', 'output'])('values that are nested too deep: %s', (name) => {
    const whole = { type: 'tool-now', toolCallId: 'a', state: 'output-available', input: {}, output: 1 }
    const { input, warnings } = readUIMessages([{ role: 'assistant', parts: [{ ...whole, [name]: deep() }] }])
    // The call keeps its result, because providers refuse a call without one.
    expect(input.map(({ type }) => type)).toEqual(['function_call', 'function_call_output'])
    expect(warnings).toEqual([
      `messages[0].parts[0].${name}: expected at most 256 levels of lists and objects, got a list`,
    ])
  })

  it.each([
    ['approval-responded', { approved: false }, 'denied'],
    ['approval-responded', { approved: false, reason: 'Too late.' }, 'Too late.'],
    ['output-denied', { approved: false, reason: 'Too late.' }, 'Too late.'],
  ])('no denial of a call, which the model reads: %s, %j', (state, approval, text) => {
    const part = { type: 'tool-book', toolCallId: 'a', state, input: {}, approval: { id: 'p', ...approval } }
    const { input, warnings } = readUIMessages([{ role: 'assistant', parts: [part] }])
    expect([input.map((item) => 'type' in item && item.type), warnings]).toEqual([
      ['function_call', 'function_call_output'],
      [],
    ])
    expect(JSON.stringify(input[1])).toContain(text)
    const waiting = { ...part, state: 'approval-responded', approval: { id: 'p', approved: true } }
    expect(readUIMessages([{ role: 'assistant', parts: [waiting] }]).input).toHaveLength(1)
  })

  it('the first hundred values only', () => {
    expect(readUIMessages(Array.from({ length: 500 }, () => null) as never).warnings).toHaveLength(100)
  })

  it('nothing that is for the interface only', () => {
    const parts = [{ type: 'step-start' }, { type: 'source-url', url: 'https://a.example' }, { type: 'data-mood' }]
    expect(readUIMessages([{ role: 'assistant', parts }])).toEqual({ input: [], warnings: [] })
  })
})

it('what the user of a chat wrote between two steps stays between them', () => {
  const parts = [
    { type: 'text', text: 'One' },
    { type: 'steering-message', id: 's', parts: [{ type: 'text', text: 'Shorter' }] },
    { type: 'text', text: 'Two' },
  ]
  const { input, warnings } = readUIMessages([{ role: 'assistant', parts }])
  expect(warnings).toEqual([])
  expect(input).toMatchObject([
    { role: 'assistant', content: [{ text: 'One' }] },
    { role: 'user', content: [{ text: 'Shorter' }] },
    { role: 'assistant', content: [{ text: 'Two' }] },
  ])
})

describe('a run of AG-UI warns of', () => {
  it.each<readonly [title: string, run: unknown, warnings: readonly string[]]>([
    ['no run', null, ['messages: expected a list, got nothing']],
    [
      'lists that are none',
      { messages: 'Hi', tools: 3, context: { a: 1 } },
      [
        'context: expected a list, got an object',
        'tools: expected a list, got 3',
        'messages: expected a list, got "Hi"',
      ],
    ],
    [
      'tools and context without what they need',
      { messages: [], tools: [{ name: 3 }], context: [{ description: 'a' }] },
      ['context[0].value: expected a string, got nothing', 'tools[0].name: expected a string, got 3'],
    ],
    [
      'a role that does not exist',
      { messages: [{ role: 'robot', content: 'Hi' }] },
      ['messages[0].role: expected one of system, developer, user, assistant, reasoning, tool, activity, got "robot"'],
    ],
    [
      'content of another type',
      {
        messages: [{ role: 'user', content: 5 }, { role: 'system' }, { role: 'reasoning', content: {} }],
      },
      [
        'messages[0].content: expected a list, got 5',
        'messages[1].content: expected a string, got nothing',
        'messages[2].content: expected a string, got an object',
      ],
    ],
    [
      'parts of unknown types, and without what they need',
      { messages: [{ role: 'user', content: [{ type: 'magic' }, { type: 'image' }] }] },
      [
        'messages[0].content[0].type: expected one of text, image, audio, video, document, binary, got "magic"',
        'messages[0].content[1].source: expected data or an address, got nothing',
      ],
    ],
    [
      'calls and results without an id or a name',
      {
        messages: [
          { role: 'assistant', toolCalls: [{ id: 'a' }, { function: { name: 'now' } }] },
          { role: 'tool', content: '1' },
        ],
      },
      [
        'messages[0].toolCalls[0].function.name: expected a string, got nothing',
        'messages[0].toolCalls[1].id: expected a string, got nothing',
        'messages[1].toolCallId: expected a string, got nothing',
      ],
    ],
  ])('%s', (_, run, warnings) => {
    expect(readRunInput(run as never)).toEqual({ input: [], tools: [], warnings })
  })
})

describe('a run of AG-UI', () => {
  it.each(UNREACHABLE)('leaves out a file at an address that only the browser or its server knows: %s', (url) => {
    const content = [
      { type: 'image', source: { type: 'url', value: url } },
      { type: 'binary', mimeType: 'image/png', url },
    ]
    expect(readRunInput({ messages: [{ role: 'user', content } as never] })).toMatchObject({
      input: [],
      warnings: ['source.value', 'url'].map(
        (at, i) => `messages[0].content[${i}].${at}: expected an http, https or data URL, got "${url}"`,
      ),
    })
  })

  it('leaves out an encrypted value that is no text', () => {
    expect(readRunInput({ messages: [{ role: 'reasoning', encryptedValue: 5 } as never] })).toMatchObject({
      input: [],
      warnings: ['messages[0].encryptedValue: expected a string, got 5'],
    })
  })

  it('warns of values that are nested too deep, as values and as texts', () => {
    const own = { metadata: { millrace: { itemType: 'web_search_call' } } }
    const toolCalls = [
      { id: 'a', function: { name: 'now', arguments: '{}' } },
      { id: 'b', function: { name: 'search', arguments: `{"a":${deepText}}` }, ...own },
      { id: 'c', function: { name: 'search', arguments: '{}' }, ...own },
    ]
    const messages = [
      { role: 'assistant', toolCalls },
      { role: 'tool', toolCallId: 'a', content: { a: deep() } },
      { role: 'tool', toolCallId: 'b', content: '{}' },
      { role: 'tool', toolCallId: 'c', content: `{"a":${deepText}}` },
    ]
    const { input, warnings } = readRunInput({ messages })
    expect(input.map(({ type }) => type)).toEqual(['function_call', 'function_call_output'])
    expect(warnings).toEqual([
      'messages[1].content: expected at most 256 levels of lists and objects, got an object',
      'a call of search that a provider executed: its values are nested too deep',
      'a call of search that a provider executed: its values are nested too deep',
    ])
  })
})

it('a file of a run that a vendor stores is sent by its id', () => {
  const source = { type: 'file', value: 'file-1', provider: 'openai' }
  const content = [{ type: 'document', source }] as const
  expect(readRunInput({ messages: [{ role: 'user', content } as never] })).toMatchObject({
    input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }],
    warnings: [],
  })
})

const CHAT = [
  { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
  {
    role: 'user',
    parts: [
      { type: 'text', text: 'See' },
      { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PNG}` },
    ],
  },
  {
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'Hm', providerMetadata: { millrace: { encryptedContent: 'x' } } },
      { type: 'tool-now', toolCallId: 'a', state: 'output-available', input: { a: 1 }, output: { b: [1] } },
      { type: 'dynamic-tool', toolName: 'n', toolCallId: 'b', state: 'output-error', input: 1, errorText: 'e' },
      { type: 'text', text: 'Sun.' },
    ],
  },
]

const RUN = {
  messages: [
    {
      id: '1',
      role: 'user',
      content: [{ type: 'image', source: { type: 'data', value: PNG, mimeType: 'image/png' } }],
    },
    { id: '2', role: 'reasoning', content: 'Hm', encryptedValue: 'x' },
    { id: '3', role: 'assistant', content: 'Hi', toolCalls: [{ id: 'a', function: { name: 'now', arguments: '{}' } }] },
    { id: '4', role: 'tool', toolCallId: 'a', content: '{"b":1}' },
  ],
  tools: [{ name: 'now', description: 'd', parameters: { type: 'object' } }],
  context: [{ description: 'The page', value: '/tickets' }],
}

/** Words of either interface in a wrong place. */
const WORDS = [
  'system',
  'user',
  'assistant',
  'tool',
  'text',
  'file',
  'reasoning',
  'tool-a',
  'custom',
  'steering-message',
]

describe('whatever a value of a body becomes', () => {
  const encodes = (input: unknown, tools: unknown): void => {
    for (const to of ['openai-chat', 'anthropic-messages', 'gemini-generate'] as const)
      expect(typeof translateRequest({ model: 'm', input, tools }, { to }).ok).toBe('boolean')
  }
  const any = fc.oneof(fc.jsonValue(), fc.constantFrom(...WORDS))

  it('a chat is read, and its input can be encoded', () => {
    check(
      fc.property(corruptedValues(fc.constant(CHAT), any), (chat) => encodes(readUIMessages(chat as never).input, [])),
      3000,
    )
  })

  it('a run is read, and its input can be encoded', () => {
    check(
      fc.property(corruptedValues(fc.constant(RUN), any), (run) => {
        const { input, tools } = readRunInput(run as never)
        encodes(input, tools)
      }),
      3000,
    )
  })
})
