import { describe, expect, it } from 'vitest'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { readRunInput, readUIMessages, type UIMessageLike } from '../../src/index.ts'
import type { Item } from '../../src/protocol/item.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { toArgumentObject } from '../../src/responses/call-arguments.ts'
import { aiSdkUi, finishWordOf } from '../../src/targets/ai-sdk-ui.ts'
import { ALL_FIXTURES, type Fixture, headOf } from '../engine/run-engine.ts'
import { RUN, UI } from './expect-readable.ts'
import { answerOf, readRun, readUi } from './readers.ts'

/** What comes back from an interface is the answer that it received. */

function translated({ wire, quirks, name, stream }: Fixture, target: typeof UI) {
  const translation = createTranslation({ wire, quirks, target, head: headOf(name), now: () => 0 })
  const begun = Buffer.from(translation.push(stream))
  const bytes = Buffer.concat([begun, translation.push('end')])
  return { bytes, answer: translation.outcome().answer }
}

interface Sent {
  readonly text: string
  readonly reasoning: readonly unknown[]
  readonly calls: readonly unknown[]
  readonly hosted: readonly unknown[]
}

const PICTURE = 'image_generation_call'

/** Items of an input, with the texts of all messages joined. */
function sentIn(input: readonly JsonObject[]): Sent {
  const texts = input.flatMap(({ type, content }) => (type === 'message' ? (content as readonly JsonObject[]) : []))
  return {
    text: texts.map(({ text, refusal }) => String(text ?? refusal)).join(''),
    reasoning: input.flatMap(({ type, encrypted_content: sealed }) =>
      type === 'reasoning' && sealed !== undefined ? [sealed] : [],
    ),
    calls: input.flatMap(({ type, call_id, name, arguments: json, input: free }) =>
      type === 'function_call'
        ? [[call_id, name, toArgumentObject(String(json))]]
        : type === 'custom_tool_call'
          ? [[call_id, name, free]]
          : [],
    ),
    hosted: input.flatMap((item) =>
      /^(?:message|reasoning|function_call|custom_tool_call)/.test(String(item.type)) ? [] : [itemOf(item)],
    ),
  }
}

const itemOf = ({ type, result, ...fields }: JsonObject): unknown =>
  type === PICTURE ? { type, result } : { type, ...fields, ...(result === undefined ? {} : { result }) }

function sentFrom(output: readonly Item[], hasCalls: boolean, isOwnForm: (item: JsonObject) => boolean): Sent {
  const flat = output.map(
    (item): JsonObject =>
      'fields' in item
        ? { ...item.fields, type: item.type, id: item.id, status: item.status }
        : (JSON.parse(JSON.stringify(item)) as JsonObject),
  )
  const all = sentIn(
    flat.map(({ encrypted_content: sealed, ...item }) => (sealed ? { ...item, encrypted_content: sealed } : item)),
  )
  const hosted = flat.filter((item) => !/^(?:message|reasoning|function_call|custom_tool_call)/.test(String(item.type)))
  return { ...all, calls: hasCalls ? all.calls : [], hosted: hosted.filter(isOwnForm).map(itemOf) }
}

const CALLED = /^(?:web_search|file_search|code_interpreter|image_generation|mcp)_call$/

describe.each(ALL_FIXTURES.filter(({ name }) => name !== 'cut-off'))('the answer $wire.name/$name', (fixture) => {
  it('comes back from a chat of the AI SDK as it was', async () => {
    const { bytes, answer } = translated(fixture, UI)
    const { message } = await readUi(7, bytes)
    const { input, warnings } = readUIMessages([message as unknown as UIMessageLike])
    expect(warnings).toEqual([])
    expect(sentIn(input)).toEqual(sentFrom(answer?.output ?? [], true, () => true))
  })

  it('comes back from a client of AG-UI as it was', async () => {
    const { bytes, answer } = translated(fixture, RUN)
    const { messages } = await readRun(() => answerOf(bytes))
    const { input, warnings } = readRunInput({ messages })
    expect(warnings).toEqual([])
    expect(sentIn(input)).toEqual(sentFrom(answer?.output ?? [], true, ({ type }) => CALLED.test(String(type))))
  })
})

const PNG = 'iVBORw0KGgo='

const BLOCKS: Readonly<Record<string, (n: number) => { readonly block: object; readonly delta: object | null }>> = {
  thinking: (n) => ({
    block: { type: 'thinking', thinking: `Thought ${n}.`, signature: '' },
    delta: { type: 'signature_delta', signature: `sig${n}` },
  }),
  redacted: (n) => ({ block: { type: 'redacted_thinking', data: `red${n}` }, delta: null }),
  text: (n) => ({ block: { type: 'text', text: '' }, delta: { type: 'text_delta', text: `Text ${n}.` } }),
  call: (n) => ({
    block: { type: 'tool_use', id: `call_${n}`, name: 'look_up', input: {} },
    delta: { type: 'input_json_delta', partial_json: `{"n":${n}}` },
  }),
}

/** A stream of Claude with one block for each word. */
function claudeStream(words: readonly string[]): Uint8Array {
  const events = words.flatMap((word, index) => {
    const { block, delta } = BLOCKS[word]?.(index) ?? { block: {}, delta: null }
    return [
      { type: 'content_block_start', index, content_block: block },
      ...(delta === null ? [] : [{ type: 'content_block_delta', index, delta }]),
      { type: 'content_block_stop', index },
    ]
  })
  const usage = { input_tokens: 1, output_tokens: 1 }
  const all = [
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage },
    },
    ...events,
    { type: 'message_delta', delta: { stop_reason: words.includes('call') ? 'tool_use' : 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
  return Buffer.from(all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

const CLAUDE = ALL_FIXTURES.filter(({ wire }) => wire.name === 'anthropic-messages').slice(0, 1)

function claudeFixture(words: readonly string[]): Fixture {
  const [fixture] = CLAUDE
  if (fixture === undefined) throw new Error('a wire without fixtures')
  return { ...fixture, stream: claudeStream(words) }
}

const TYPES: Readonly<Record<string, string>> = {
  thinking: 'reasoning',
  redacted: 'reasoning',
  text: 'message',
  call: 'function_call',
}

/** All answers of up to four blocks. */
const ANSWERS = [1, 2, 3, 4].flatMap((length) =>
  Array.from({ length }).reduce<readonly (readonly string[])[]>(
    (answers) => answers.flatMap((words) => Object.keys(BLOCKS).map((word) => [...words, word])),
    [[]],
  ),
)

/** The order of an input: its sealed reasoning, texts and calls. */
const orderOf = (input: readonly JsonObject[]): readonly string[] =>
  input.flatMap(({ type, encrypted_content: sealed, call_id, content }) => {
    if (type === 'reasoning') return sealed ? [String(sealed)] : []
    if (type === 'function_call') return [String(call_id)]
    return type === 'message' ? [(content as readonly JsonObject[]).map(({ text }) => text).join('')] : []
  })

describe('the order of an answer', () => {
  it('is the same when it comes back from a chat of the AI SDK, and from a client of AG-UI', async () => {
    for (const words of ANSWERS) {
      const one = claudeFixture(words)
      const ui = translated(one, UI)
      const items = orderOf((ui.answer?.output ?? []) as unknown as readonly JsonObject[])
      // Texts beside each other are parts of one message.
      const expected = words.filter((word, at) => word !== 'text' || words[at - 1] !== 'text')
      expect(ui.answer?.output.map(({ type }) => type)).toEqual(expected.map((word) => TYPES[word]))
      expect(items.length, words.join()).toBe(expected.length)
      const { message } = await readUi(7, ui.bytes)
      expect(orderOf(readUIMessages([message as unknown as UIMessageLike]).input), words.join()).toEqual(items)
      const { messages } = await readRun(() => answerOf(translated(one, RUN).bytes))
      expect(orderOf(readRunInput({ messages }).input), words.join()).toEqual(items)
    }
  })
})

describe('the finish reason of the AI SDK', () => {
  const call = { id: 'fc_1', type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', status: 'completed' }
  const cut = { ...call, arguments: '{"a', status: 'incomplete' }
  it.each([
    ['tool-calls', [cut, call]],
    [
      'tool-calls',
      [{ id: 'ct_1', type: 'custom_tool_call', call_id: 'c', name: 'f', input: 'x', status: 'completed' }],
    ],
    ['tool-calls', [{ ...call, arguments: '[1]' }]],
    ['length', [cut]],
    ['stop', []],
  ])('is %s', (word, output) => {
    expect(finishWordOf({ status: 'completed', output, incomplete_details: null } as never)).toBe(word)
  })
})

describe('the id of a message', () => {
  it('of a whole body is there without a setting', () => {
    const fixture = claudeFixture(['text'])
    const target = aiSdkUi()
    const collector = createBodyCollector({ ...fixture, target, head: headOf(fixture.name), now: () => 0 })
    collector.push(fixture.stream)
    collector.push('end')
    expect(collector.body()).toMatchObject({ id: expect.stringMatching(/^msg_(?!undefined|null)./), role: 'assistant' })
  })

  it('is left to the interface, which keeps the one of a message that it continues', async () => {
    const answers = [{}, { messageId: '' }, { messageId: 'own' }].map(
      (settings) => translated(claudeFixture(['text']), aiSdkUi(settings)).bytes,
    )
    for (const [version, bytes] of ([6, 7] as const).flatMap((one) => answers.map((bytes) => [one, bytes] as const))) {
      const before = {
        id: 'own',
        role: 'assistant',
        parts: [{ type: 'text', text: 'Before.', state: 'done' }],
      } as const
      const { message } = await readUi(version, bytes, undefined, before)
      expect(message?.id).toBe('own')
      expect(message?.parts.map(({ type }) => type)).toEqual(['text', 'step-start', 'text'])
    }
    const named = translated(claudeFixture(['text']), aiSdkUi({ messageId: 'mine' }))
    expect((await readUi(7, named.bytes)).message?.id).toBe('mine')
  })
})

describe('a chat of the AI SDK', () => {
  it('sends files, and results after all calls of their step', () => {
    const tool = (toolCallId: string, state: string, more: object) => ({
      type: 'tool-weather',
      toolCallId,
      state,
      input: {},
      ...more,
    })
    const { input } = readUIMessages([
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.' } as never] },
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'See' },
          { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PNG}` },
          { type: 'file', mediaType: 'application/pdf', url: 'https://a.example/b.pdf', filename: 'b.pdf' },
          { type: 'data-mood', data: 'good' },
        ] as never,
      },
      {
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          tool('a', 'output-available', { output: { sky: 'sun' } }),
          tool('b', 'output-error', { errorText: 'No such city' }),
          tool('c', 'input-streaming', {}),
          { type: 'step-start' },
          { type: 'text', text: 'Sun.' },
        ] as never,
      },
    ])
    expect(input).toEqual([
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'See' },
          { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
          { type: 'input_file', file_url: 'https://a.example/b.pdf', filename: 'b.pdf' },
        ],
      },
      { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{}' },
      { type: 'function_call', call_id: 'b', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: '{"sky":"sun"}' },
      { type: 'function_call_output', call_id: 'b', output: 'No such city', failed: true },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sun.' }] },
    ])
  })
})

describe('a run of AG-UI', () => {
  it('sends content parts, errors, context and tools, and leaves out activities', () => {
    const messages = [
      { id: '1', role: 'developer', content: 'Be brief.' },
      {
        id: '2',
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { type: 'data', value: PNG, mimeType: 'image/png' } },
          { type: 'document', source: { type: 'url', value: 'https://a.example/b.pdf', mimeType: 'application/pdf' } },
          { type: 'binary', mimeType: 'image/png', url: 'https://a.example/c.png' },
          { type: 'binary', mimeType: 'application/pdf', data: 'JVBERi0=', filename: 'd.pdf' },
        ],
      },
      { id: '3', role: 'activity', activityType: 'plan', content: { steps: [] } },
      {
        id: '4',
        role: 'assistant',
        toolCalls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { id: '5', role: 'tool', toolCallId: 'a', content: '', error: 'No such city' },
    ]
    const context = [{ description: 'The page', value: '/tickets' }]
    const tools = [{ name: 'weather', description: 'The weather.', parameters: { type: 'object' } }, { name: 'now' }]
    expect(readRunInput({ messages, context, tools })).toEqual({
      warnings: [],
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'The page: /tickets' }] },
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'See' },
            { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
            { type: 'input_file', file_url: 'https://a.example/b.pdf' },
            { type: 'input_image', image_url: 'https://a.example/c.png' },
            { type: 'input_file', filename: 'd.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          ],
        },
        { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: 'No such city', failed: true },
      ],
      tools: [
        { type: 'function', name: 'weather', description: 'The weather.', parameters: { type: 'object' } },
        { type: 'function', name: 'now', parameters: { type: 'object', properties: {} } },
      ],
    })
  })

  it('is an empty input for a body of another kind', () => {
    for (const body of [{}, { messages: 'Hi' }, { messages: [null, 7] }])
      expect(readRunInput(body as never).input).toEqual([])
  })
})
