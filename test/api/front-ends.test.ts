import { describe, expect, it } from 'vitest'
import * as core from '../../src/core.ts'
import {
  collectResponse,
  createTranslator,
  type FrontEndName,
  streamEvents,
  streamFromBody,
  type TranslatorCall,
  translateBody,
  translateStream,
} from '../../src/index.ts'
import { openaiChatStream } from '../../src/wires/openai-chat/index.ts'
import { readRun, readUi } from '../targets/readers.ts'

const CHUNKS = [
  { id: 'chatcmpl-1', model: 'm-1', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' } }] },
  { id: 'chatcmpl-1', model: 'm-1', choices: [{ index: 0, delta: { content: 'lo' } }] },
  { id: 'chatcmpl-1', model: 'm-1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
const BODY = {
  id: 'chatcmpl-1',
  model: 'm-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
}
const sse = (chunks: readonly object[], end = 'data: [DONE]\n\n'): Response =>
  new Response(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('') + end, {
    headers: { 'content-type': 'text/event-stream' },
  })

const translator = createTranslator({ upstream: { vendor: 'groq', model: 'm-1', apiKey: 'key-1' } })

function ask(stream: boolean): TranslatorCall {
  const call = translator.encodeRequest({ model: 'any', input: 'hi', stream })
  if (!call.ok) throw new Error(call.error.message)
  return call
}

const NAMES: readonly FrontEndName[] = ['ai-sdk-ui', 'ag-ui']

const SETTINGS = { messageId: 'message-1', threadId: 'thread-1', runId: 'run-1', usage: true }

const bytesOf = async (response: Response): Promise<Uint8Array> => new Uint8Array(await response.arrayBuffer())

describe.each(NAMES)('the stream %s as `to`', (to) => {
  const options = { from: 'openai-chat', to, settings: SETTINGS, id: 'resp_1' } as const

  it('is the same by every function that writes a stream', async () => {
    const text = await new Response(translateStream(sse(CHUNKS), options)).text()
    const of = core.translateStream(sse(CHUNKS), {
      from: openaiChatStream,
      to: to === 'ag-ui' ? core.agUi(SETTINGS) : core.aiSdkUi(SETTINGS),
      id: 'resp_1',
    })
    expect(await new Response(of).text()).toBe(text)
    const objects: object[] = []
    for await (const event of streamEvents(sse(CHUNKS), options)) objects.push(event)
    const data = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    expect(objects).toEqual(data)
    expect(text.endsWith('data: [DONE]\n\n')).toBe(to === 'ai-sdk-ui')
  })

  it('has the same body by every function that builds one', async () => {
    const { body } = translateBody(BODY, options)
    expect(body).toMatchObject(
      to === 'ag-ui'
        ? { events: expect.arrayContaining([expect.objectContaining({ type: 'RUN_FINISHED', runId: 'run-1' })]) }
        : { id: 'message-1', role: 'assistant', metadata: { model: 'm-1', usage: { totalTokens: 5 } } },
    )
    expect(await collectResponse(Response.json(BODY), options)).toEqual(body)
    expect(new TextDecoder().decode(streamFromBody(BODY, options).bytes)).toContain('"Hello"')
  })

  it('is the response of a translator, with its headers', async () => {
    const response = await translator.toResponse(sse(CHUNKS), ask(true), { to, settings: SETTINGS })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe(to === 'ai-sdk-ui' ? 'v1' : null)
    const bytes = await bytesOf(response)
    if (to === 'ag-ui') {
      const read = await readRun(() => new Response(bytes as BodyInit, { headers: response.headers }))
      expect(read).toMatchObject({ error: null, messages: [{ role: 'assistant', content: 'Hello' }] })
      expect(read.events[0]).toMatchObject({ type: 'RUN_STARTED', threadId: 'thread-1', runId: 'run-1' })
    } else {
      const { message } = await readUi(7, bytes)
      expect(message).toMatchObject({
        id: 'message-1',
        parts: [{ type: 'step-start' }, { type: 'text', text: 'Hello' }],
      })
    }
  })

  it('is a body for a request without a stream', async () => {
    const response = await translator.toResponse(Response.json(BODY), ask(false), { to, settings: SETTINGS })
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(JSON.stringify(await response.json())).toContain('Hello')
  })

  it('has an error with the status of a refused request', async () => {
    const refused = Response.json({ error: { message: 'Slow down' } }, { status: 429, headers: { 'retry-after': '7' } })
    const response = await translator.toResponse(refused, ask(true), { to })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await response.json()).toEqual({
      error: { code: 'rate_limit_exceeded', message: expect.stringContaining('Slow down') },
    })
  })

  it('ends with the failure of an upstream that breaks off', async () => {
    const response = await translator.toResponse(sse(CHUNKS.slice(0, 1), ''), ask(true), { to })
    const bytes = await bytesOf(response)
    if (to === 'ag-ui') {
      const { error, messages, refused } = await readRun(
        () => new Response(bytes as BodyInit, { headers: response.headers }),
      )
      expect({ error, messages, refused }).toMatchObject({ error: expect.stringMatching(/ended|end/), refused: [] })
      expect(messages).toMatchObject([{ content: 'Hel' }])
    } else {
      const { errors, message } = await readUi(6, bytes)
      expect(errors).toEqual([expect.stringMatching(/ended|end/)])
      expect(message?.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Hel', state: 'done' }))
    }
  })

  it('writes a sign of life that its readers skip', async () => {
    let tick: (() => void) | undefined
    const waiting = new Promise<void>((resolve) => {
      tick = resolve
    })
    async function* source() {
      const [first, ...others] = CHUNKS
      yield new TextEncoder().encode(`data: ${JSON.stringify(first)}\n\n`)
      await waiting
      for (const chunk of others) yield new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    let text = ''
    for await (const piece of translateStream(source(), { ...options, keepAlive: 1 })) {
      text += new TextDecoder().decode(piece)
      if (text.includes(': keep-alive')) tick?.()
    }
    const bytes = new TextEncoder().encode(text)
    if (to === 'ag-ui') {
      const { error } = await readRun(() => new Response(bytes, { headers: { 'content-type': 'text/event-stream' } }))
      expect(error).toBeNull()
    } else expect((await readUi(7, bytes)).refused).toEqual([])
  })

  it('has one format', () => {
    expect(() => translateStream(sse(CHUNKS), { ...options, format: 'ndjson' })).toThrow(TypeError)
  })
})

describe('a target of a name that does not exist', () => {
  it('is an error that lists the names, and suggests the closest', () => {
    expect(() => translateStream(sse(CHUNKS), { from: 'openai-chat', to: 'ag-iu' as never })).toThrow(
      /ai-sdk-ui, ag-ui.*Did you mean.*ag-ui/s,
    )
  })

  it('is no client whose requests are read', () => {
    expect(() => createTranslator({ client: 'ag-ui' as never, upstream: { vendor: 'groq' } })).toThrow(TypeError)
  })
})

describe('an answer that would be passed through to its client', () => {
  it('is translated for an interface', async () => {
    const same = createTranslator({ upstream: { vendor: 'openai', model: 'm-1', apiKey: 'k' } })
    const call = same.encodeRequest({ model: 'any', input: 'hi', stream: true })
    if (!call.ok) throw new Error(call.error.message)
    const upstream = await new Response(translateStream(sse(CHUNKS), { from: 'openai-chat' })).text()
    const answer = new Response(upstream, { headers: { 'content-type': 'text/event-stream' } })
    const { message } = await readUi(7, await bytesOf(await same.toResponse(answer, call, { to: 'ai-sdk-ui' })))
    expect(message?.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Hello' }))
  })
})
