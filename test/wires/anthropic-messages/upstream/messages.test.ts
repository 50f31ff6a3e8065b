import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sealed } from '../../../engine/target.ts'
import { check } from '../../../property.ts'
import {
  assistant,
  bodyOf,
  call,
  encode,
  image,
  imageBlock,
  lossesOf,
  MODEL,
  messagesOf,
  output,
  result,
  textContent,
  use,
  user,
} from '../bodies.ts'

const reasoning = (payload: object | null, words = 'hm') => ({
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: words }],
  encrypted_content: payload === null ? null : sealed('anthropic-messages', payload as never, MODEL),
})
const thinking = (words: string) => ({ type: 'thinking', thinking: words, signature: `sig of ${words}` })

describe('messages for an anthropic-messages upstream', () => {
  const cases: [string, unknown, unknown][] = [
    ['a string', 'Hi', [user([textContent('Hi')])]],
    ['parts', [user([{ type: 'input_text', text: 'A' }, image])], [user([textContent('A'), imageBlock])]],
    [
      'neighbours are one',
      [user('A'), user('B'), assistant('C'), assistant('D'), user('E')],
      [
        user([textContent('A'), textContent('B')]),
        assistant([textContent('C'), textContent('D')]),
        user([textContent('E')]),
      ],
    ],
    [
      'empty texts are dropped',
      [user(''), user([{ type: 'input_text', text: ' \n' }, image]), assistant(''), user('A')],
      [user([imageBlock, textContent('A')])],
    ],
    [
      'a refusal is text',
      [user('A'), assistant([{ type: 'refusal', refusal: 'No.' }]), user('B')],
      [user([textContent('A')]), assistant([textContent('No.')]), user([textContent('B')])],
    ],
    [
      'the user is first',
      [assistant('A'), user('B')],
      [user([textContent('…')]), assistant([textContent('A')]), user([textContent('B')])],
    ],
    [
      'an answer to continue ends without white space',
      [user('A'), assistant('So: \n')],
      [user([textContent('A')]), assistant([textContent('So:')])],
    ],
    [
      'a call',
      [user('A'), call('c1', '{"x":1}'), output('c1')],
      [user([textContent('A')]), assistant([use('c1', { x: 1 })]), user([result('c1')])],
    ],
    [
      'text and calls are one answer',
      [user('A'), assistant('B'), call('c1'), call('c2'), output('c2', '2'), output('c1', '1'), user('C')],
      [
        user([textContent('A')]),
        assistant([textContent('B'), use('c1'), use('c2')]),
        user([result('c1', '1'), result('c2', '2'), textContent('C')]),
      ],
    ],
    [
      'results come first, and in the very next message',
      [user('A'), call('c1'), user('B'), output('c1')],
      [user([textContent('A')]), assistant([use('c1')]), user([result('c1'), textContent('B')])],
    ],
    [
      'a loop',
      [user('A'), call('c1'), output('c1'), call('c2'), output('c2')],
      [
        user([textContent('A')]),
        assistant([use('c1')]),
        user([result('c1')]),
        assistant([use('c2')]),
        user([result('c2')]),
      ],
    ],
    [
      'empty arguments',
      [user('A'), call('c1', ''), output('c1', '')],
      [user([textContent('A')]), assistant([use('c1')]), user([{ type: 'tool_result', tool_use_id: 'c1' }])],
    ],
    [
      'an image in a result',
      [user('A'), call('c1'), output('c1', [{ type: 'input_text', text: 'B' }, image])],
      [user([textContent('A')]), assistant([use('c1')]), user([result('c1', [textContent('B'), imageBlock])])],
    ],
    [
      'an invalid id is replaced',
      [user('A'), call('functions.f:0'), output('functions.f:0')],
      [user([textContent('A')]), assistant([use('functions_2e_f_3a_0')]), user([result('functions_2e_f_3a_0')])],
    ],
    [
      'a call with text as input',
      [
        user('A'),
        { type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: '1' },
      ],
      [user([textContent('A')]), assistant([use('c1', { input: 'x' }, 'g')]), user([result('c1', '1')])],
    ],
    [
      'arguments that are no object',
      [user('A'), call('c1', '[1'), output('c1')],
      [user([textContent('A')]), assistant([use('c1', { input: '[1' })]), user([result('c1')])],
    ],
  ]
  it.each(cases)('are encoded from the input: %s', (_, input, messages) => {
    expect(messagesOf(input)).toEqual(messages)
  })

  it('leave rules to the field system and record late rules as mapped', () => {
    const input = [
      { role: 'developer', content: 'B' },
      user('Hi'),
      { role: 'system', content: [{ type: 'input_text', text: 'C' }, image] },
    ]
    const { body, losses } = encode({ input, instructions: 'A' })
    expect(body.system).toEqual([textContent('A'), textContent('B'), textContent('C')])
    expect(body.messages).toEqual([user([textContent('Hi')])])
    expect(losses.map(({ path, action }) => `${path} ${action}`)).toEqual([
      'input[2].content dropped',
      'input[2] mapped',
    ])
  })

  it('are rejected if neither user nor assistant has content', () => {
    for (const input of [[], '', [{ role: 'system', content: 'A' }]]) expect(() => encode({ input })).toThrow('input')
  })

  it('alternate in role and have every result right after its call, in any order of items', () => {
    const ids = fc.constantFrom('a', 'b', 'c')
    const item = fc.oneof(
      ids.map((id) => call(id)),
      ids.map((id) => output(id)),
      fc.constantFrom(user('u'), assistant('t'), reasoning(thinking('r')), { role: 'system', content: 's' }),
    )
    type Block = { type: string; id?: string; tool_use_id?: string }
    check(
      fc.property(fc.array(item, { maxLength: 12 }), (list) => {
        const messages = messagesOf([user('first'), ...list]) as unknown as { role: string; content: Block[] }[]
        messages.forEach(({ role, content }, i) => {
          expect(role).toBe(i % 2 === 0 ? 'user' : 'assistant')
          expect(content.length).toBeGreaterThan(0)
          const kinds = content.map(({ type }) => (type === 'tool_result' ? 0 : 1))
          expect(kinds).toEqual([...kinds].sort())
        })
        const blocks = messages.flatMap(({ content }) => content)
        const count = (type: string) => list.filter((it) => 'type' in it && it.type === type).length
        expect(blocks.filter(({ type }) => type === 'tool_use')).toHaveLength(count('function_call'))
        expect(blocks.filter(({ type }) => type === 'tool_result')).toHaveLength(count('function_call_output'))
      }),
    )
  })
})

describe('files and images for an anthropic-messages upstream', () => {
  const pdf = 'data:application/pdf;base64,JVBERi0='
  const document = (source: object, title?: string) => ({
    type: 'document',
    source,
    ...(title === undefined ? {} : { title }),
  })
  const file = (fields: object) => ({ type: 'input_file', ...fields })
  it.each([
    [
      { type: 'input_image', image_url: 'https://a/b.png' },
      { type: 'image', source: { type: 'url', url: 'https://a/b.png' } },
    ],
    [
      { type: 'input_image', image_url: 'data:image/jpg;base64,AA==' },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA==' } },
    ],
    [
      file({ file_data: pdf, filename: 'a.pdf' }),
      document({ type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }, 'a.pdf'),
    ],
    [
      file({ file_data: 'JVBERi0=', filename: 'a.pdf' }),
      document({ type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }, 'a.pdf'),
    ],
    [
      file({ file_data: 'data:text/plain;base64,w6k=', filename: 'a.txt' }),
      document({ type: 'text', media_type: 'text/plain', data: 'é' }, 'a.txt'),
    ],
    [file({ file_data: 'data:text/csv,a%2Cb' }), document({ type: 'text', media_type: 'text/plain', data: 'a,b' })],
    [file({ file_data: 'data:image/png;base64,AA==' }), imageBlock],
    [file({ file_url: 'https://a/a.pdf' }), document({ type: 'url', url: 'https://a/a.pdf' })],
    [file({ file_id: 'file_1' }), document({ type: 'file', file_id: 'file_1' })],
  ])('are encoded without a loss from %j', (part, block) => {
    expect(messagesOf([user([part])])).toEqual([user([block])])
    expect(lossesOf({ input: [user([part])] })).toEqual([])
    expect(messagesOf([user('A'), call('c'), output('c', [part])])).toMatchObject([
      {},
      {},
      user([result('c', [block])]),
    ])
  })

  it.each([
    [{ type: 'input_image', image_url: 'data:image/tiff;base64,AA==' }, 'image'],
    [{ type: 'input_image', image_url: 'data:image/png,AA' }, 'image'],
    [{ type: 'input_image', image_url: 'ftp://a' }, 'image'],
    [file({ file_data: 'data:application/zip;base64,AA==' }), 'file'],
    [file({ file_data: 'data:text/plain;base64,////' }), 'file'],
    [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } }, 'sound'],
  ])('are replaced by a note with a loss if the part is %j', (part, name) => {
    expect(messagesOf([user([part])])).toEqual([user([textContent(`[${name}: it could not be passed on]`)])])
    expect(lossesOf({ input: [user([part])] })).toEqual(['input[0].content[0] dropped'])
    expect(lossesOf({ input: [user('A'), call('c'), output('c', [part])] })).toEqual(['input[2].output[0] dropped'])
  })

  it('drop the detail of an image with a loss', () => {
    const look = (detail: string) => lossesOf({ input: [user([{ ...image, detail }])] })
    expect(look('high')).toEqual(['input[0].content[0].detail dropped'])
    expect(look('auto')).toEqual([])
  })

  it('need a beta header if they are stored files', () => {
    expect(encode({ input: [user([file({ file_id: 'f' })])] }).headers).toMatchObject({
      'anthropic-beta': 'files-api-2025-04-14',
    })
  })
})

describe('reasoning for an anthropic-messages upstream', () => {
  it('returns unchanged before the call that it led to', () => {
    const redacted = { type: 'redacted_thinking', data: 'x' }
    const input = [
      user('A'),
      reasoning(thinking('1'), 'other words'),
      reasoning(redacted),
      assistant('B'),
      reasoning(thinking('')),
      call('c1'),
      output('c1'),
      reasoning(thinking('3')),
      call('c2'),
      output('c2'),
    ]
    expect(messagesOf(input)).toEqual([
      user([textContent('A')]),
      assistant([thinking('1'), redacted, textContent('B'), thinking(''), use('c1')]),
      user([result('c1')]),
      assistant([thinking('3'), use('c2')]),
      user([result('c2')]),
    ])
  })

  it.each([
    ['without an origin', reasoning(null)],
    ['of another wire', { ...reasoning(null), encrypted_content: sealed('openai-chat', thinking('x'), MODEL) }],
    [
      'of another family of models',
      { ...reasoning(null), encrypted_content: sealed('anthropic-messages', thinking('x'), 'gpt-5') },
    ],
    [
      'that are damaged',
      { ...reasoning(null), encrypted_content: `${sealed('anthropic-messages', thinking('x'), MODEL)}x` },
    ],
    ['without a signature', reasoning({ type: 'thinking', thinking: 'x' })],
    ['of no known shape', reasoning({ type: 'dream' })],
  ])('is dropped with a loss: %s', (_, item) => {
    const input = [user('A'), item, assistant('B'), user('C')]
    expect(messagesOf(input)).toEqual([
      user([textContent('A')]),
      assistant([textContent('B')]),
      user([textContent('C')]),
    ])
    expect(lossesOf({ input })).toEqual(['input[1] dropped'])
  })
})

describe('blocks of server tools for an anthropic-messages upstream', () => {
  const ran = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } }
  const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ encrypted_content: 'e' }] }
  const search = (...blocks: object[]) => ({
    type: 'web_search_call',
    status: 'completed',
    encrypted_content: sealed('anthropic-messages', { type: 'server_tool', blocks } as never, MODEL),
  })
  const tools = [{ type: 'web_search' }]

  it('return at their position in the answer', () => {
    const input = [user('A'), assistant('B'), search(ran, found), assistant('C'), user('D')]
    expect(messagesOf(input, { tools })).toEqual([
      user([textContent('A')]),
      assistant([textContent('B'), ran, found, textContent('C')]),
      user([textContent('D')]),
    ])
  })

  it('are continued if the answer was paused', () => {
    expect(messagesOf([user('A'), search(ran)], { tools })).toEqual([user([textContent('A')]), assistant([ran])])
  })

  it.each([
    ['without its result', [search(ran), user('B')], { tools }],
    ['without its call', [search(found), user('B')], { tools }],
    ['without the tool', [search(ran, found), user('B')], {}],
    ['of another upstream', [{ type: 'web_search_call', encrypted_content: 'gAAA' }, user('B')], { tools }],
    ['unsealed', [{ type: 'web_search_call', status: 'completed' }, user('B')], { tools }],
  ])('are dropped with a loss if the search is %s', (_, items, more) => {
    const input = [user('A'), ...items]
    expect(messagesOf(input, more)).toEqual([user([textContent('A'), textContent('B')])])
    expect(lossesOf({ input, ...more })).toEqual(['input[1] dropped'])
  })

  it.each([
    { type: 'compaction', content: 'All.' },
    { type: 'compaction', content: null, encrypted_content: 'e', signature: 's', tool_changes: [] },
  ])('include a compaction, which needs a beta header: %j', (compaction) => {
    const item = { type: 'compaction', encrypted_content: sealed('anthropic-messages', compaction, MODEL) }
    const { body, headers } = encode({ input: [user('A'), item, user('B')] })
    expect(body.messages).toEqual([user([textContent('A')]), assistant([compaction]), user([textContent('B')])])
    expect(headers).toMatchObject({ 'anthropic-beta': 'compact-2026-01-12' })
    expect(bodyOf({}).tools).toBeUndefined()
  })
})

describe('system messages inside a conversation', () => {
  const OPUS = 'claude-opus-4-8'
  const rule = (text: string) => ({ role: 'system', content: text })
  const system = (...texts: readonly string[]) => ({ role: 'system', content: texts.map(textContent) })
  const sent = (input: readonly unknown[], model: string, quirks = {}) => {
    const { body, losses } = encode({ input }, model, quirks)
    return { system: body.system, messages: body.messages, losses: losses.map(({ path, why }) => `${path}: ${why}`) }
  }
  const text = (role: string, words: string) => ({ role, content: [textContent(words)] })
  const MOVED = 'moved to the system prompt'
  const LATER = 'sent after the next user message, because this upstream accepts a system message only there'

  it.each(['claude-opus-4-8', 'claude-opus-5', 'claude-opus-5-5', 'claude-haiku-5-5'])(
    'stay in their place at %s',
    (model) => {
      const {
        messages,
        system: top,
        losses,
      } = sent([rule('A'), user('B'), rule('C'), assistant('D'), user('E'), rule('F')], model)
      expect(top).toEqual([textContent('A')])
      expect(messages).toEqual([text('user', 'B'), system('C'), text('assistant', 'D'), text('user', 'E'), system('F')])
      expect(losses).toEqual([])
    },
  )

  it.each(['claude-opus-4-7', 'claude-sonnet-4-6', 'glm-5'])('move to the system prompt at %s', (model) => {
    const { messages, system: top, losses } = sent([user('B'), rule('C'), assistant('D'), user('E')], model)
    expect(top).toEqual([textContent('C')])
    expect(messages).toEqual([text('user', 'B'), text('assistant', 'D'), text('user', 'E')])
    expect(losses).toContain(`input[1]: ${MOVED}`)
  })

  it('move to the system prompt at Google', () => {
    expect(sent([user('B'), rule('C')], OPUS, { rawPredict: true }).losses).toEqual([`input[1]: ${MOVED}`])
  })

  it('follow the results of tools', () => {
    const { messages } = sent([user('A'), call('c1'), output('c1'), rule('B'), assistant('C')], OPUS)
    expect(messages).toMatchObject([{}, {}, { content: [{ type: 'tool_result' }] }, system('B'), {}])
  })

  it('wait for the next user message where the upstream refuses them, one message for all', () => {
    const { messages, losses } = sent(
      [user('A'), rule('B'), user('C'), rule('D'), assistant('E'), rule('F'), user('G'), rule('H')],
      OPUS,
    )
    expect(messages).toEqual([
      { role: 'user', content: [textContent('A'), textContent('C')] },
      system('B', 'D'),
      text('assistant', 'E'),
      text('user', 'G'),
      system('F', 'H'),
    ])
    expect(losses).toEqual([`input[1]: ${LATER}`, `input[5]: ${LATER}`])
  })

  it('move to the system prompt if no user message follows', () => {
    const { system: top, losses } = sent([user('A'), assistant('B'), rule('C')], OPUS)
    expect(top).toEqual([textContent('C')])
    expect(losses).toEqual([`input[2]: ${MOVED}`])
  })
})
