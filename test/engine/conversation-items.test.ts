import { describe, expect, it } from 'vitest'
import { sealReasoning } from '../../src/responses/encrypted-content.ts'
import { encodedFor } from './encoded-call.ts'

/** Items of other types than `message` that carry texts of a conversation: agents of Codex, tools of upstreams. */

const TASK = {
  type: 'agent_message',
  author: '/lead',
  recipient: '/lead/seven',
  content: [
    { type: 'input_text', text: 'Message Type: NEW_TASK\nPayload:\n' },
    { type: 'encrypted_content', encrypted_content: 'SUBTASK-7: say seven' },
  ],
}
const user = (content: string) => ({ role: 'user', content })
const VENDORS = ['groq', 'anthropic', 'google', 'cohere', 'ollama', 'bedrock', 'xai', 'lmstudio-responses']
const LOSS = 'sent as a message of the user'
const sent = (vendor: string, input: readonly object[]) => {
  const { body, losses } = encodedFor(vendor, 'm', { input })
  return { text: JSON.stringify(body), body, losses: losses.filter((line) => line.startsWith('input')) }
}

describe.each(VENDORS)('a message between agents for %s', (vendor) => {
  it('is a message of the user with the texts of its content in their order', () => {
    const { text, losses } = sent(vendor, [user('Do the work'), TASK])
    expect(text).toMatch(/Do the work.*from \/lead to \/lead\/seven:.*NEW_TASK.*SUBTASK-7: say seven/s)
    expect(losses).toEqual([`input[1] mapped: ${LOSS}`])
  })

  it('has a note in the place of content that OpenAI encrypted, whose path is in the loss', () => {
    const encrypted_content = `gAAAAAB${'x1-_'.repeat(40)}==`
    const { text, losses } = sent(vendor, [
      { ...TASK, content: [TASK.content[0], { type: 'encrypted_content', encrypted_content }] },
    ])
    expect(text).not.toContain(encrypted_content)
    expect(text).toContain('could not be passed on')
    expect(losses).toEqual([`input[0] mapped: ${LOSS}`, 'input[0].content[1] dropped: this upstream cannot read it'])
  })
})

describe('a message between agents', () => {
  it.each(['openai', 'azure', 'chatgpt', 'copilot-responses'])('stays as it is for %s', (vendor) => {
    const { body, losses } = sent(vendor, [user('x'), TASK])
    expect(body.input).toContainEqual(TASK)
    expect(losses).toEqual([])
  })

  it('may arrive between a call and its output', () => {
    const { body } = sent('groq', [
      user('x'),
      { type: 'function_call', call_id: 'c1', name: 'wait', arguments: '{}' },
      TASK,
      { type: 'function_call_output', call_id: 'c1', output: 'done' },
    ])
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  it('keeps its pictures, and the paths of their losses', () => {
    const image = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' }
    const { body } = sent('groq', [{ ...TASK, content: [image, TASK.content[0]] }])
    expect(JSON.stringify(body)).toContain('https://example.com/a.png')
    const file = { type: 'input_image', file_id: 'file-1', detail: 'auto' }
    expect(sent('groq', [{ ...TASK, content: [TASK.content[0], file] }]).losses.join()).toContain('input[0].content[1]')
  })
})

describe('an item of a type that nobody has defined yet', () => {
  it.each([
    ['content as a string', { content: 'WORDS' }],
    ['content as parts', { content: [{ type: 'text', text: 'WORDS' }] }],
    ['an output', { call_id: 'c', output: 'WORDS' }],
    ['a text', { text: 'WORDS' }],
  ])('is a message of the user if it has %s', (_, members) => {
    const { text, losses } = sent('anthropic', [user('x'), { type: 'team_note', ...members }])
    expect(text).toContain('WORDS')
    expect(losses).toEqual([`input[1] mapped: ${LOSS}`])
  })

  it('is dropped without a text', () => {
    const { losses } = sent('groq', [user('x'), { type: 'hologram', id: 'h_1', depth: 3 }])
    expect(losses.join()).toContain('input[1] dropped')
  })
})

describe('a call that another upstream ran', () => {
  const SEARCH = {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'mills' },
  }
  const REASONING = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }
  const ANSWER = { role: 'assistant', content: 'A mill.' }

  it('is a message before the answer that it is in, and losses have the paths of the client', () => {
    const file = { type: 'input_image', file_id: 'file-1', detail: 'auto' }
    const { body, losses } = sent('groq', [user('x'), REASONING, SEARCH, ANSWER, { role: 'user', content: [file] }])
    const { messages } = body
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'user', 'assistant', 'user'])
    expect(messages[1].content).toContain('web_search_call: {"action":{"type":"search","query":"mills"}}')
    expect(losses[0]).toBe(`input[2] mapped: ${LOSS}`)
    expect(losses.join()).toContain('input[4].content[0]')
  })

  it.each([
    ['mcp_call', { name: 'find', arguments: '{}', output: 'WORDS' }],
    ['file_search_call', { queries: ['q'], results: [{ text: 'WORDS' }] }],
    ['code_interpreter_call', { code: 'WORDS', outputs: null, container_id: 'c' }],
    ['multi_agent_call', { call_id: 'c', action: 'spawn_agent', arguments: '{"message":"WORDS"}' }],
    [
      'multi_agent_call_output',
      { call_id: 'c', action: 'wait_agent', output: [{ type: 'output_text', text: 'WORDS' }] },
    ],
    ['local_shell_call_output', { id: 'c', output: 'WORDS' }],
  ])('keeps the texts of %s', (type, members) => {
    const { text, losses } = sent('anthropic', [user('x'), { type, id: 'i', status: 'completed', ...members }])
    expect(text).toContain('WORDS')
    expect(losses).toEqual([`input[1] mapped: ${LOSS}`])
  })

  it.each([
    ['shell_call', { action: { commands: ['WORDS'] } }, { output: 'FILES' }],
    ['local_shell_call', { action: { type: 'exec', command: ['WORDS'], env: {} } }, { output: 'FILES' }],
    ['apply_patch_call', { operation: { type: 'delete_file', path: 'WORDS' } }, { output: 'FILES' }],
  ])(
    'keeps the texts of %s and of its output for an upstream of Responses without such items',
    (type, call, output) => {
      const { text, losses } = sent('openrouter-responses', [
        user('x'),
        { type, id: 'i', call_id: 'c', status: 'completed', ...call },
        { type: `${type}_output`, id: 'i', call_id: 'c', status: 'completed', ...output },
      ])
      expect(text).toMatch(/WORDS.*FILES/s)
      expect(losses).toEqual([`input[1] mapped: ${LOSS}`, `input[2] mapped: ${LOSS}`])
    },
  )

  it.each([
    ['shell_call_output', { output: [{ stdout: 'WORDS', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] }],
    ['local_shell_call_output', { id: 'c', output: 'WORDS' }],
    ['apply_patch_call_output', { status: 'completed', output: 'WORDS' }],
  ])('ends the answer before it, if it is %s: the client ran the tool', (type, members) => {
    const call = { type: type.replace('_output', ''), id: 'c', call_id: 'c', action: {}, operation: {} }
    const { body, losses } = sent('xai', [user('x'), ANSWER, call, { type, call_id: 'c', ...members }])
    expect(body.input.map(({ role }: { role: string }) => role)).toEqual(['user', 'user', 'assistant', 'user'])
    expect(JSON.stringify(body.input.at(-1))).toContain('WORDS')
    expect(losses).toContain(`input[3] mapped: ${LOSS}`)
  })

  it.each([
    ['shell_call', { action: { commands: ['WORDS'] } }],
    ['local_shell_call', { action: { type: 'exec', command: ['WORDS'], env: {} } }],
    ['apply_patch_call', { operation: { type: 'delete_file', path: 'WORDS' } }],
  ])('keeps the texts of %s also in an answer with reasoning that the upstream encrypted', (type, members) => {
    const origin = { wire: 'openai-responses', vendor: 'xai', model: 'm' }
    const encrypted_content = sealReasoning(origin, { id: 'rs_1', encrypted_content: 'SEALED' })
    const { text, losses } = sent('xai', [
      user('x'),
      { type: 'reasoning', summary: [], encrypted_content },
      { type, id: 'i', call_id: 'c', status: 'completed', ...members },
      { type: `${type}_output`, id: 'i', call_id: 'c', status: 'completed', output: 'FILES' },
    ])
    expect(text).toMatch(/WORDS.*SEALED.*FILES/)
    expect(losses).toEqual([`input[2] mapped: ${LOSS}`, `input[3] mapped: ${LOSS}`])
  })
})
