import { describe, expect, it } from 'vitest'
import { measureRequest } from '../../../src/engine/token-counts/request-size.ts'
import { countPieces } from '../../../src/engine/token-counts/text-pieces.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { runSteps } from '../../../src/text/steps.ts'

const sizeOf = (body: JsonObject) => runSteps(measureRequest(body))
const base64 = Buffer.from('x'.repeat(3000)).toString('base64')

describe('countPieces', () => {
  // The tokens of these texts in o200k_base, a vocabulary that OpenAI has published.
  it.each([
    ['Hello', 1],
    ['The quick brown fox jumps over the lazy dog.', 10],
    ['const value = { name: "Ada", age: 36 }', 14],
    ['2026-11-23', 6],
    ['line one\nline two\n\n', 6],
    ['internationalization of configurations', 4],
    ['今天天气很好', 4],
    ['Überschwänglichkeit', 5],
    ['', 0],
  ])('of %j is close to its tokens', (text, tokens) => {
    expect(Math.abs(countPieces(text) - tokens)).toBeLessThanOrEqual(2)
  })

  it('grows with a text that is longer than its sample', () => {
    const text = 'some words and more '.repeat(50_000)
    expect(countPieces(text)).toBeCloseTo(countPieces('some words and more ') * 50_000, -4)
  })
})

describe('the size of a request', () => {
  it('has the same parts on every wire', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } }
    const bodies: readonly JsonObject[] = [
      {
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'How are you?' },
        ],
        tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
      },
      { instructions: 'Be kind.', input: 'How are you?', tools: [{ type: 'function', name: 'f', parameters: schema }] },
      {
        system: [{ type: 'text', text: 'Be kind.' }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'How are you?' }] }],
        tools: [{ name: 'f', input_schema: schema }],
      },
      {
        systemInstruction: { parts: [{ text: 'Be kind.' }] },
        contents: [{ role: 'user', parts: [{ text: 'How are you?' }] }],
        tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }],
      },
      {
        system: [{ text: 'Be kind.' }],
        messages: [{ role: 'user', content: [{ text: 'How are you?' }] }],
        toolConfig: { tools: [{ toolSpec: { name: 'f', inputSchema: { json: schema } } }] },
      },
    ]
    for (const body of bodies) {
      const size = sizeOf(body)
      expect(size).toMatchObject({ entries: 2, text: 7, tools: 1, media: 0, isWhole: true })
      expect(size.toolText).toBeGreaterThan(8)
      expect(size.toolText).toBeLessThan(20)
    }
  })

  it('counts files by their kind, and never as text', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } }
    const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } }
    const url = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } }
    const audio = { type: 'input_audio', input_audio: { data: base64, format: 'wav' } }
    const mediaOf = (...content: readonly JsonObject[]) => sizeOf({ messages: [{ role: 'user', content }] })
    expect(mediaOf(image, url)).toMatchObject({ media: 2000, isWhole: true, text: 0 })
    expect(mediaOf(pdf)).toMatchObject({ media: 1500, text: 0 })
    expect(mediaOf(audio).media).toBeCloseTo(4)
    expect(sizeOf({ contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: base64 } }] }] }).media).toBe(
      1000,
    )
    // The text of a document is text, and so is a result of a tool that has a member of such a name.
    const plain = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Snow is cold.' } }
    expect(mediaOf(plain)).toMatchObject({ media: 0, text: 4 })
  })

  it('counts encrypted reasoning by its length, and neither signatures nor ids', () => {
    const sealed = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: base64 }
    expect(sizeOf({ input: [sealed] }).text).toBeCloseTo(base64.length * 0.19)
    for (const name of ['thoughtSignature', 'thought_signature', 'redactedContent'])
      expect(sizeOf({ messages: [{ [name]: base64 }] }).text, name).toBeCloseTo(base64.length * 0.19)
    const signed = { type: 'thinking', thinking: 'Hm', signature: base64 }
    const call = { type: 'tool_use', id: 'toolu_0123456789', name: 'f', input: {} }
    expect(sizeOf({ messages: [{ role: 'assistant', content: [signed, call] }] }).text).toBe(2)
  })

  it.each<[string, JsonObject]>([
    ['a tool that the upstream runs', { input: 'Hi', tools: [{ type: 'web_search' }] }],
    [
      'a file by its address',
      { messages: [{ content: [{ type: 'image_url', image_url: { url: 'https://a.example/b' } }] }] },
    ],
    ['a file by its id', { input: [{ content: [{ type: 'input_file', file_id: 'file_1' }] }] }],
    ['stored content', { contents: [], cachedContent: 'cachedContents/1' }],
    ['citations', { messages: [{ content: [{ type: 'document', source: {}, citations: { enabled: true } }] }] }],
  ])('is not whole with %s', (_, body) => {
    expect(sizeOf(body).isWhole).toBe(false)
  })

  it('is measured in slices', () => {
    const steps = measureRequest({ input: Array.from({ length: 5000 }, () => ({ role: 'user', content: 'Hi' })) })
    let pauses = 0
    while (steps.next().done !== true) pauses += 1
    expect(pauses).toBeGreaterThan(10)
  })
})
