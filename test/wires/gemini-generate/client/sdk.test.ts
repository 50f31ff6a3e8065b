import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiError, type FunctionDeclaration, type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import { afterEach, describe, expect, it } from 'vitest'
import { run } from '../../../../src/machine/run.ts'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { clientError, upstreamError } from '../../../../src/protocol/error.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { validateRequest } from '../../../../src/validation/request.ts'
import { geminiGenerateClient } from '../../../../src/wires/gemini-generate/client/index.ts'
import { keepConnections } from '../../../mock-upstreams/server.ts'
import type { Loose } from '../../../reference-readers/read-stream.ts'
import {
  calls,
  cites,
  encodeContext,
  sealForeign,
  seals,
  stops,
  summaryDelta,
  textChunk,
  throughHub,
} from '../clients.ts'

/** The deltas that answer one request; the last answer repeats for all later requests. */
type Answer = readonly Delta[]

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function bodyOf(incoming: IncomingMessage): Promise<JsonObject> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString())
}

/** Version 3 of the client uses `v1`, earlier ones `v1beta`. */
const PATH = /^\/v1(?:beta)?\/models\/(.+):(generateContent|streamGenerateContent)(\?alt=sse)?$/

/** Starts a small server of the client side of the wire, which answers in pieces of 97 bytes. */
async function serve(...answers: readonly Answer[]) {
  const received: Loose[] = []
  const server = createServer(async (incoming, response) => {
    const [, model = '', method] = PATH.exec(decodeURIComponent(incoming.url ?? '')) ?? []
    const stream = method === 'streamGenerateContent'
    const decoded = runSteps(geminiGenerateClient.decodeRequest(await bodyOf(incoming), { model, stream, seal: null }))
    const validated = decoded.ok ? validateRequest(decoded.body) : decoded
    if (!decoded.ok || !validated.ok) {
      const error = 'error' in validated ? validated.error : clientError('invalid_prompt', 'never')
      const { status, body } = geminiGenerateClient.encodeError(error, 'req_1')
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      return
    }
    const deltas = throughHub(answers[Math.min(received.length, answers.length - 1)] ?? [], sealForeign)
    received.push({ ...decoded.body, settings: decoded.settings })
    const to = { ...encodeContext, model, settings: decoded.settings }
    if (!stream) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(geminiGenerateClient.encodeBody(deltas, to)))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const frames = run(geminiGenerateClient.encodeStream(to), deltas).map(({ data }) => `data: ${data}\n\n`)
    const bytes = Buffer.from(`: keep-alive\n\n${frames.join('')}`)
    for (let at = 0; at < bytes.length; at += 97) {
      response.write(bytes.subarray(at, at + 97))
      await new Promise(setImmediate)
    }
    response.end()
  })
  keepConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: `http://127.0.0.1:${port}` } })
  return { client, received }
}

const MODEL = 'acme/some-model'
const USAGE: Delta = {
  kind: 'usage',
  usage: { input_tokens: 8, output_tokens: 5, total_tokens: 13, cached_tokens: null, reasoning_tokens: 2 },
}
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
      summaryDelta('Hm.'),
      textChunk('Grüße '),
      textChunk('aus Köln.'),
      cites(10, 14),
      USAGE,
      stops,
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
    expect([last?.responseId, last?.modelVersion]).toEqual(['abc123', 'unknown'])
    expect(received[0]).toMatchObject({
      model: MODEL,
      stream: true,
      instructions: 'Be brief.',
      temperature: 0.5,
      reasoning: { summary: 'auto' },
    })
  })

  it('reads a whole answer with its usage', async () => {
    const { client, received } = await serve([textChunk('Hel'), textChunk('lo'), USAGE, stops])
    const answer = await client.models.generateContent({
      model: MODEL,
      contents: [{ role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }] }],
      config: { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' as never } },
    })
    expect(answer.text).toBe('Hello')
    expect(answer.usageMetadata?.totalTokenCount).toBe(13)
    expect(received[0]).toMatchObject({
      stream: false,
      text: { format: { type: 'json_schema', schema: { type: 'object' } } },
      input: [{ content: [{ type: 'input_text' }, { image_url: 'data:image/png;base64,QUJD' }] }],
    })
  })

  it('returns the results of a tool in a chat, and the sealed content of another vendor', async () => {
    const { client, received } = await serve(
      [
        summaryDelta('Ask.'),
        seals({ type: 'thinking', signature: 's' }),
        calls('get_weather', '{"city":"Bern"}', 'toolu_1'),
        stops,
      ],
      [textChunk('Sunny'), textChunk(' in Bern.'), stops],
      [textChunk('You are welcome.'), stops],
    )
    const chat = client.chats.create({ model: MODEL, config: { tools: [{ functionDeclarations: [declaration] }] } })
    const first = await chunksOf(await chat.sendMessageStream({ message: 'Weather in Bern?' }))
    const [call] = first.flatMap(({ functionCalls }) => functionCalls ?? [])
    expect(call).toEqual({ id: 'toolu_1', name: 'get_weather', args: { city: 'Bern' } })
    const functionResponse = { id: 'toolu_1', name: 'get_weather', response: { output: 'sunny' } }
    const second = await chunksOf(await chat.sendMessageStream({ message: [{ functionResponse }] }))
    expect(second.map(({ text }) => text ?? '').join('')).toBe('Sunny in Bern.')
    await chat.sendMessage({ message: 'Thanks!' })
    expect(received[1].input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather in Bern?' }] },
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Ask.' }],
        encrypted_content: sealForeign({ type: 'thinking', signature: 's' }),
      },
      { type: 'function_call', call_id: 'toolu_1', name: 'get_weather', arguments: '{"city":"Bern"}' },
      { type: 'function_call_output', call_id: 'toolu_1', output: 'sunny' },
    ])
    expect(received[2].input.slice(4)).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny in Bern.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks!' }] },
    ])
  })

  it('runs the functions of its caller by itself', async () => {
    const { client, received } = await serve(
      [calls('get_weather', '{"city":"Bern"}', 'c1'), calls('get_weather', '{"city":"Biel"}', 'c2', '2'), stops],
      [textChunk('Done.'), stops],
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
    expect(received[1].input.slice(1).map((it: Loose) => [it.type, it.call_id])).toEqual([
      ['function_call', 'c1'],
      ['function_call', 'c2'],
      ['function_call_output', 'c1'],
      ['function_call_output', 'c2'],
    ])
  })

  it('keeps an answer that was cut in its history', async () => {
    const { client, received } = await serve(
      [textChunk('Once'), { kind: 'finish', reason: 'max_output_tokens' }],
      [stops],
    )
    const chat = client.chats.create({ model: MODEL })
    const [chunk] = (await chunksOf(await chat.sendMessageStream({ message: 'Tell.' }))).slice(-1)
    expect(chunk?.candidates?.[0]?.finishReason).toBe('MAX_TOKENS')
    await chat.sendMessage({ message: 'Go on.' })
    expect(received[1].input[1].content).toEqual([{ type: 'output_text', text: 'Once' }])
  })

  it('throws a failure in the middle of a stream with its status', async () => {
    const { client } = await serve([
      textChunk('A'),
      { kind: 'error', error: upstreamError('rate_limit_exceeded', 'Slow down.', 429) },
    ])
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
    const { client } = await serve([stops])
    const asked = client.models.generateContent({ model: MODEL, contents: 'Hi', config: { maxOutputTokens: -1 } })
    const error = (await asked.catch((it: unknown) => it)) as ApiError
    expect(error.status).toBe(400)
    expect(JSON.parse(error.message).error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^generationConfig\.maxOutputTokens: expected .*, got -1$/),
    })
  })
})
