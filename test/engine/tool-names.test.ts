import { describe, expect, it } from 'vitest'
import { createTranslator } from '../../src/index.ts'
import type { Loose } from './encoded-call.ts'

const LONG = 'mcp__plugin_vendor-mcp-google_google__batch_modify_gmail_message_labels_extra'
const NAMES = [LONG, `${LONG}_2`, 'admin.tools.list', 'admin_tools_list', 'user-profile/update', '21st_magic', 'plain']

const tools = NAMES.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }))
const call = { id: 'c1', type: 'function', function: { name: LONG, arguments: '{}' } }
const messages = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: 'ok' },
]

const open = (vendor: string, model: string) =>
  createTranslator({
    client: 'openai-chat',
    upstream: { vendor, model, apiKey: 'k', baseUrl: 'https://upstream.test/v1' },
  })

describe('names of tools that a vendor refuses', () => {
  it('fit at Bedrock, in the history too, and the client receives its own', async () => {
    const translator = open('bedrock', 'anthropic.claude-sonnet-4-6')
    const asked = translator.encodeRequest({ model: 'm', messages, tools, tool_choice: tools[2] })
    if (!asked.ok) return expect.unreachable(asked.error.message)
    const body = JSON.parse(String(asked.init.body)) as Loose
    const sent: string[] = body.toolConfig.tools.flatMap(({ toolSpec }: Loose) => toolSpec?.name ?? [])
    expect(new Set(sent).size).toBe(NAMES.length)
    for (const name of sent) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(sent.slice(3, 4)).toEqual(['admin_tools_list'])
    expect(sent.slice(5)).toEqual(['21st_magic', 'plain'])
    expect(body.toolConfig.toolChoice).toEqual({ tool: { name: sent[2] } })
    expect(body.messages[1].content[0].toolUse.name).toBe(sent[0])
    const content = sent.map((name, at) => ({ toolUse: { toolUseId: `t${at}`, name, input: {} } }))
    const answer = { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage: {} }
    const received = (await (await translator.toResponse(Response.json(answer), asked)).json()) as Loose
    expect(received.choices[0].message.tool_calls.map((one: Loose) => one.function.name)).toEqual(NAMES)
  })

  it('begin with a letter at Moonshot', () => {
    const asked = open('moonshot', 'kimi-k3').encodeRequest({ model: 'm', messages: messages.slice(0, 1), tools })
    if (!asked.ok) return expect.unreachable(asked.error.message)
    const body = JSON.parse(String(asked.init.body)) as Loose
    for (const tool of body.tools) expect(tool.function.name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
  })

  it('stay where every name is accepted', () => {
    const asked = open('vllm', 'llama-3.3').encodeRequest({ model: 'm', messages: messages.slice(0, 1), tools })
    if (!asked.ok) return expect.unreachable(asked.error.message)
    const body = JSON.parse(String(asked.init.body)) as Loose
    expect(body.tools.map((tool: Loose) => tool.function.name)).toEqual(NAMES)
  })
})

describe('an answer that numbers its calls from 0', () => {
  it('has no id of a call of the history', async () => {
    const translator = open('bedrock', 'meta.llama3-3-70b-instruct-v1:0')
    const asked = translator.encodeRequest({ model: 'm', messages, tools })
    if (!asked.ok) return expect.unreachable(asked.error.message)
    const content = [{ toolUse: { toolUseId: 'c1', name: 'plain', input: {} } }]
    const answer = { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage: {} }
    const received = (await (await translator.toResponse(Response.json(answer), asked)).json()) as Loose
    const [received1] = received.choices[0].message.tool_calls
    expect(received1.id).not.toBe('c1')
    expect(received1.id).toMatch(/./)
  })
})
