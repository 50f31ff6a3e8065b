import { ApiError, type FunctionDeclaration, type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { upstreamError } from '../../../../src/protocol/error.ts'
import { geminiGenerateClient } from '../../../../src/wires/gemini-generate/client/index.ts'
import type { Loose } from '../../../reference-readers/read-stream.ts'
import {
  called,
  cited,
  encrypted,
  FINISH,
  failedWith,
  finished,
  HOME,
  sealOf,
  summary,
  text,
  usageOf,
} from '../../deltas.ts'
import { serve as serveAny } from '../../served-requests.ts'

/** Starts a server that sends these answers; the last of them repeats. */
async function serve(...answers: readonly (readonly Delta[])[]) {
  const { url, received } = await serveAny(geminiGenerateClient, (_, turn) => answers[turn] ?? answers.at(-1) ?? [])
  const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url } })
  return { client, received: (turn: number): Loose => received[turn]?.read }
}

const MODEL = 'acme/some-model'
const USAGE = usageOf({ input_tokens: 8, output_tokens: 5, total_tokens: 13, reasoning_tokens: 2 })
const SIGNED = { type: 'thinking', signature: 's' }
const declaration: FunctionDeclaration = {
  name: 'get_weather',
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
}

const chunksOf = async (stream: AsyncIterable<GenerateContentResponse>) => {
  const chunks: GenerateContentResponse[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

describe('the official @google/genai client', () => {
  it('reads a stream with reasoning, usage and citations', async () => {
    const { client, received } = await serve([
      summary('Hm.'),
      text('Grüße '),
      text('aus Köln.'),
      cited(10, 14),
      USAGE,
      FINISH,
    ])
    const config = { thinkingConfig: { includeThoughts: true }, temperature: 0.5, systemInstruction: 'Be brief.' }
    const chunks = await chunksOf(await client.models.generateContentStream({ model: MODEL, contents: 'Hi', config }))
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe('Grüße aus Köln.')
    expect(chunks[0]?.candidates?.[0]?.content?.parts).toEqual([{ text: 'Hm.', thought: true }])
    const last = chunks.at(-1)
    expect(last?.candidates?.[0]).toMatchObject({ finishReason: 'STOP' })
    expect(last?.candidates?.[0]?.groundingMetadata?.groundingSupports?.[0]?.segment).toEqual({
      startIndex: 12,
      endIndex: 17,
      text: 'Köln',
    })
    expect(last?.usageMetadata).toEqual({
      promptTokenCount: 8,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 2,
      totalTokenCount: 13,
    })
    expect([last?.responseId, last?.modelVersion]).toEqual(['1', 'unknown'])
    expect(received(0)).toMatchObject({
      model: MODEL,
      stream: true,
      instructions: 'Be brief.',
      temperature: 0.5,
      reasoning: { summary: 'auto' },
    })
  })

  it('reads a whole answer with its usage', async () => {
    const { client, received } = await serve([text('Hel'), text('lo'), USAGE, FINISH])
    const answer = await client.models.generateContent({
      model: MODEL,
      contents: [{ role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }] }],
      config: { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' as never } },
    })
    expect(answer.text).toBe('Hello')
    expect(answer.usageMetadata?.totalTokenCount).toBe(13)
    expect(received(0)).toMatchObject({
      stream: false,
      text: { format: { type: 'json_schema', schema: { type: 'object' } } },
      input: [{ content: [{ type: 'input_text' }, { image_url: 'data:image/png;base64,QUJD' }] }],
    })
  })

  it('returns the results of a tool in a chat, and the sealed content of another vendor', async () => {
    const { client, received } = await serve(
      [summary('Ask.', 'r'), encrypted(SIGNED, 'r'), called('get_weather', '{"city":"Bern"}', 'toolu_1'), FINISH],
      [text('Sunny'), text(' in Bern.'), FINISH],
      [text('You are welcome.'), FINISH],
    )
    const chat = client.chats.create({ model: MODEL, config: { tools: [{ functionDeclarations: [declaration] }] } })
    const first = await chunksOf(await chat.sendMessageStream({ message: 'Weather in Bern?' }))
    const [call] = first.flatMap(({ functionCalls }) => functionCalls ?? [])
    expect(call).toEqual({ id: 'toolu_1', name: 'get_weather', args: { city: 'Bern' } })
    const functionResponse = { id: 'toolu_1', name: 'get_weather', response: { output: 'sunny' } }
    const second = await chunksOf(await chat.sendMessageStream({ message: [{ functionResponse }] }))
    expect(second.map(({ text }) => text ?? '').join('')).toBe('Sunny in Bern.')
    await chat.sendMessage({ message: 'Thanks!' })
    expect(received(1).input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather in Bern?' }] },
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Ask.' }],
        encrypted_content: sealOf(HOME)(SIGNED),
      },
      { type: 'function_call', call_id: 'toolu_1', name: 'get_weather', arguments: '{"city":"Bern"}' },
      { type: 'function_call_output', call_id: 'toolu_1', output: 'sunny' },
    ])
    expect(received(2).input.slice(4)).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny in Bern.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks!' }] },
    ])
  })

  it('runs the functions of its caller by itself', async () => {
    const { client, received } = await serve(
      [called('get_weather', '{"city":"Bern"}', 'c1'), called('get_weather', '{"city":"Biel"}', 'c2'), FINISH],
      [text('Done.'), FINISH],
    )
    const tool = {
      tool: async () => ({ functionDeclarations: [declaration] }),
      callTool: async (found: readonly { name?: string; id?: string; args?: object }[]) =>
        found.map(({ name = '', id, args }) => ({
          functionResponse: { name, ...(id === undefined ? {} : { id }), response: { ...args } },
        })),
    }
    const answer = await client.models.generateContent({
      model: MODEL,
      contents: 'Weather?',
      config: { tools: [tool as never] },
    })
    expect(answer.text).toBe('Done.')
    expect(
      received(1)
        .input.slice(1)
        .map((it: Loose) => [it.type, it.call_id]),
    ).toEqual([
      ['function_call', 'c1'],
      ['function_call', 'c2'],
      ['function_call_output', 'c1'],
      ['function_call_output', 'c2'],
    ])
  })

  it('keeps an answer that was cut in its history', async () => {
    const { client, received } = await serve([text('Once'), finished('max_output_tokens')], [FINISH])
    const chat = client.chats.create({ model: MODEL })
    const [chunk] = (await chunksOf(await chat.sendMessageStream({ message: 'Tell.' }))).slice(-1)
    expect(chunk?.candidates?.[0]?.finishReason).toBe('MAX_TOKENS')
    await chat.sendMessage({ message: 'Go on.' })
    expect(received(1).input[1].content).toEqual([{ type: 'output_text', text: 'Once' }])
  })

  it('throws a failure in the middle of a stream with its status', async () => {
    const { client } = await serve([text('A'), failedWith(upstreamError('rate_limit_exceeded', 'Slow down.', 429))])
    const texts: string[] = []
    const receive = async () => {
      for await (const chunk of await client.models.generateContentStream({ model: MODEL, contents: 'Hi' })) {
        texts.push(chunk.text ?? '')
      }
    }
    const error = await receive().catch((it: unknown) => it)
    expect(error).toBeInstanceOf(ApiError)
    expect((error as ApiError).status).toBe(429)
    expect((error as ApiError).message).toContain('Slow down.')
    expect(texts).toEqual(['A'])
  })

  it('throws the error of an invalid request in the format of Google', async () => {
    const { client } = await serve([FINISH])
    const asked = client.models.generateContent({ model: MODEL, contents: 'Hi', config: { maxOutputTokens: -1 } })
    const error = (await asked.catch((it: unknown) => it)) as ApiError
    expect(error.status).toBe(400)
    expect(JSON.parse(error.message).error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^generationConfig\.maxOutputTokens: expected .*, got -1$/),
    })
  })
})
