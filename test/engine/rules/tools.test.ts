import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../../src/api/explain-request.ts'
import type { TargetName } from '../../../src/api/names.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'

const HI = { role: 'user', content: 'Hi' }

const sent = (client: TargetName, vendor: string, model: string, body: object, quirks: Quirks = {}) => {
  const got = explainRequest({ model: 'a/m', ...body }, { client, vendor, model, quirks })
  if (!got.ok) return expect.unreachable(got.error.message)
  return { body: got.upstream, losses: got.losses.map(({ path, action }) => `${path} ${action}`) }
}

const chatTool = (more: object) => ({ type: 'function', function: { name: 'look', ...more } })

describe('a reference with keywords beside it', () => {
  const P = { type: 'object', properties: { x: { type: 'string' } }, required: ['x'], additionalProperties: false }
  const schemaWith = (p: object) => ({
    type: 'object',
    properties: { p },
    required: ['p'],
    additionalProperties: false,
    $defs: { P },
  })
  const given = schemaWith({ $ref: '#/$defs/P', description: 'The place' })
  const alone = schemaWith({ description: 'The place', anyOf: [{ $ref: '#/$defs/P' }] })

  it.each([
    ['openai-chat', 'openai-chat', 'gpt-5.2'],
    ['openai-chat', 'openai', 'gpt-5.2'],
    ['openai-chat', 'groq', 'openai/gpt-oss-120b'],
    ['openai', 'openai', 'gpt-5.2'],
    ['openai', 'azure-chat', 'gpt-5.2'],
  ] as const)('stands alone in a strict function, which stays strict: %s to %s', (client, vendor, model) => {
    const isChat = client === 'openai-chat'
    const tool = isChat
      ? chatTool({ strict: true, parameters: given })
      : { type: 'function', name: 'look', strict: true, parameters: given }
    const { body, losses } = sent(client, vendor, model, {
      ...(isChat ? { messages: [HI] } : { input: [HI] }),
      tools: [tool],
    })
    const text = JSON.stringify(body.tools)
    expect(text).toContain(JSON.stringify(alone))
    expect(text).toContain('"strict":true')
    expect(losses).toEqual([])
  })

  it('stands alone in a strict format', () => {
    const json_schema = { name: 'a', strict: true, schema: given }
    const { body, losses } = sent('openai-chat', 'openai-chat', 'gpt-5.2', {
      messages: [HI],
      response_format: { type: 'json_schema', json_schema },
    })
    expect(body.response_format).toMatchObject({ json_schema: { strict: true, schema: alone } })
    expect(losses).toEqual([])
  })

  it('stays where nothing is strict, and where the upstream accepts it', () => {
    const loose = chatTool({ parameters: given })
    const strict = chatTool({ strict: true, parameters: given })
    for (const [vendor, model, tool] of [
      ['openai-chat', 'gpt-5.2', loose],
      ['anthropic', 'claude-opus-5-5', strict],
      ['cerebras', 'llama-3.3-70b', strict],
    ] as const) {
      const { body, losses } = sent('openai-chat', vendor, model, { messages: [HI], tools: [tool] })
      expect(JSON.stringify(body.tools)).toContain('"description":"The place"')
      expect(losses).toEqual([])
    }
  })
})

describe('the description of a function', () => {
  const long = 'x'.repeat(1022) + '😀'.repeat(4)
  const QUIRKS: Quirks = { longestDescription: 1024 }
  const cut = `${'x'.repeat(1022)}…`

  it.each([
    ['openai-chat', 'openai-chat', 'gpt-5.2'],
    ['openai-chat', 'anthropic', 'claude-opus-5-5'],
    ['anthropic-messages', 'openai-chat', 'gpt-5.2'],
    ['anthropic-messages', 'anthropic', 'claude-opus-5-5'],
  ] as const)('is cut where the upstream accepts fewer characters: %s to %s', (client, vendor, model) => {
    const isChat = client === 'openai-chat'
    const tool = isChat
      ? chatTool({ description: long, parameters: { type: 'object', properties: {} } })
      : { name: 'look', description: long, input_schema: { type: 'object', properties: {} } }
    const { body, losses } = sent(client, vendor, model, { max_tokens: 99, messages: [HI], tools: [tool] }, QUIRKS)
    expect(JSON.stringify(body.tools)).toContain(`"description":"${cut}"`)
    expect(losses).toEqual([isChat ? 'tools[0].function.description mapped' : 'tools[0].description mapped'])
  })

  it('stays at OpenAI, which has no limit any more, and where it is short enough', () => {
    const tools = [chatTool({ description: long, parameters: { type: 'object', properties: {} } })]
    expect(sent('openai-chat', 'openai-chat', 'gpt-5.2', { messages: [HI], tools })).toMatchObject({
      body: { tools },
      losses: [],
    })
    const short = [chatTool({ description: long.slice(0, 1024), parameters: { type: 'object', properties: {} } })]
    const asked = { messages: [HI], tools: short }
    expect(sent('openai-chat', 'openai-chat', 'gpt-5.2', asked, QUIRKS).body.tools).toEqual(short)
  })
})

describe('a tool of Claude at another model', () => {
  it('is a function, whose settings are losses', () => {
    const { body, losses } = sent('anthropic-messages', 'openai', 'gpt-5.2', {
      max_tokens: 900,
      messages: [HI],
      tools: [{ type: 'text_editor_20250728', name: 'edit', max_characters: 500 }],
    })
    expect(body.tools).toMatchObject([{ type: 'function', name: 'edit' }])
    expect(losses).toEqual(['tools[0] mapped', 'tools[0].max_characters dropped'])
  })
})
