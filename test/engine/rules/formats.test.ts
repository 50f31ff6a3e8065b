import { describe, expect, it } from 'vitest'
import { sentBy } from '../sent-by.ts'

const HI = { role: 'user', content: 'Hi' }
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }

describe('a schema at vendors with JSON output and without schemas', () => {
  const chat = { messages: [HI], response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA } } }
  const responses = { input: 'Hi', text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA } } }
  const messages = {
    max_tokens: 900,
    messages: [HI],
    output_config: { format: { type: 'json_schema', schema: SCHEMA } },
  }
  const gemini = {
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA },
  }
  const ollama = { messages: [HI], format: SCHEMA }

  it('is an instruction with its description where the model binds no format', () => {
    const json_schema = { name: 'place', description: 'a place in Europe', schema: { type: 'object' } }
    const asked = { messages: [{ role: 'user', content: 'Hi' }], response_format: { type: 'json_schema', json_schema } }
    expect(JSON.stringify(sentBy('openai-chat', 'deepseek', 'deepseek-v4-pro', asked).body.messages)).toContain(
      'The JSON is: a place in Europe',
    )
  })

  it.each(
    ['deepseek', 'zai'].flatMap((vendor) => [
      ['openai-chat', vendor, chat] as const,
      ['openai', vendor, responses] as const,
      ['gemini-generate', vendor, gemini] as const,
      ['ollama-chat', vendor, ollama] as const,
    ]),
  )('is an instruction beside JSON output, from %s to %s', (client, vendor, asked) => {
    const { body, losses } = sentBy(client, vendor, vendor === 'zai' ? 'glm-5.3' : 'deepseek-v4-pro', asked)
    expect(body.response_format).toEqual({ type: 'json_object' })
    expect(JSON.stringify(body.messages)).toMatch(/JSON that matches this schema.*additionalProperties/)
    expect(losses.join()).toMatch(/schema mapped|format mapped|responseJsonSchema mapped/)
  })

  it('stays where the vendor has schemas', () => {
    expect(sentBy('openai-chat', 'openai-chat', 'gpt-5.2', chat).body).toMatchObject(chat)
    expect(sentBy('anthropic-messages', 'anthropic', 'claude-opus-4-8', messages).body).toMatchObject(messages)
  })
})

describe('JSON output beside reasoning at Alibaba', () => {
  const asked = { messages: [{ role: 'user', content: 'JSON please' }], response_format: { type: 'json_object' } }

  it('is an instruction for models that refuse both', () => {
    const { body, losses } = sentBy('openai-chat', 'alibaba', 'qwen3-235b-a22b-thinking-2507', asked)
    expect(body).not.toHaveProperty('response_format')
    expect(losses).toEqual(['response_format mapped'])
    expect(sentBy('openai-chat', 'alibaba', 'qwen3-32b', { ...asked, reasoning_effort: 'high' }).losses).toContain(
      'response_format mapped',
    )
  })

  it('stays for others, and without reasoning', () => {
    expect(sentBy('openai-chat', 'alibaba', 'qwen3-32b', asked).body).toMatchObject(asked)
    expect(sentBy('openai-chat', 'alibaba', 'qwen3.8-max', asked).body).toMatchObject(asked)
  })
})

describe('a strict schema at OpenAI', () => {
  const strict = (properties: object) => ({
    type: 'function',
    name: 'f',
    strict: true,
    parameters: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
  })

  it.each([
    [{ a: { type: 'array' } }],
    [{ a: {} }],
    [{ a: { description: 'any' } }],
    [{ a: { type: 'object' } }],
    [{ a: { type: ['object', 'null'] } }],
    [{ a: { anyOf: [{ type: 'array' }, { type: 'null' }] } }],
  ])('is not strict if a value may be anything: %j', (properties) => {
    const { body, losses } = sentBy('openai', 'openai', 'gpt-5.2', { input: 'Hi', tools: [strict(properties)] })
    expect(body.tools).toMatchObject([{ strict: false }])
    expect(losses).toEqual(['tools[0].strict mapped'])
  })

  it.each([
    [{ a: { type: 'array', items: { type: 'string' } } }],
    [{ a: { enum: ['x'] }, b: { const: 1 }, c: { $ref: '#/properties/a' }, d: { anyOf: [{ type: 'string' }] } }],
  ])('stays strict otherwise: %j', (properties) => {
    const { body, losses } = sentBy('openai', 'openai', 'gpt-5.2', { input: 'Hi', tools: [strict(properties)] })
    expect(body.tools).toMatchObject([{ strict: true }])
    expect(losses).toEqual([])
  })
})

describe('a strict format at OpenAI', () => {
  const format = (schema: object) => ({
    input: 'Hi',
    text: { format: { type: 'json_schema', name: 'n', strict: true, schema } },
  })

  it('is not strict if it is open, and stays so otherwise', () => {
    const { additionalProperties: _, ...open } = SCHEMA
    const loose = sentBy('openai', 'openai', 'gpt-5.2', format(open))
    expect(loose.body.text).toMatchObject({ format: { strict: false, schema: open } })
    expect(loose.losses).toEqual(['text.format.strict mapped'])
    expect(sentBy('openai', 'openai', 'gpt-5.2', format(SCHEMA)).body.text).toMatchObject({ format: { strict: true } })
  })
})

describe('the name of a schema', () => {
  const ask = (name: string) => ({
    messages: [{ role: 'user', content: 'Hi' }],
    response_format: { type: 'json_schema', json_schema: { name, schema: { type: 'object', properties: {} } } },
  })

  it.each([
    ['a b.c', 'a_b_c'],
    ['ä', '_'],
    ['x'.repeat(70), 'x'.repeat(64)],
  ])('%s is sent to OpenAI as %s', (name, sent) => {
    for (const vendor of ['openai', 'openai-chat', 'azure-chat']) {
      const { body, losses } = sentBy('openai-chat', vendor, 'gpt-4.1', ask(name))
      expect(JSON.stringify(body)).toContain(`"name":"${sent}"`)
      expect(losses).toContain('response_format.json_schema.name mapped')
    }
  })

  it('is unchanged elsewhere', () => {
    expect(JSON.stringify(sentBy('openai-chat', 'vllm', 'm-x', ask('a b')).body)).toContain('"name":"a b"')
  })
})
