import { readdirSync, readFileSync } from 'node:fs'
import type Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { collectResponse, createTranslator, streamEvents, translateStream } from '../../src/index.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'

const BODIES = (Object.keys(WIRES) as WireName[]).flatMap((wire) =>
  readdirSync(`fixtures/${wire}`)
    .filter((name) => name.endsWith('.body.json'))
    .map((name) => ({ wire, name, body: JSON.parse(readFileSync(`fixtures/${wire}/${name}`, 'utf8')) as object })),
)

/** An SDK returns no list, which Gemini sends for a stream without `alt=sse`. */
const OBJECTS = BODIES.filter(({ body }) => !Array.isArray(body))

const FIXED = { id: 'resp_1', createdAt: 0 }

async function eventsIn(input: Parameters<typeof streamEvents>[0], from: (typeof BODIES)[number]['wire']) {
  const events: unknown[] = []
  for await (const event of streamEvents(input, { from, ...FIXED })) events.push(event)
  return events
}

describe.each(OBJECTS)('the whole body of $wire $name as an object', ({ wire, body }) => {
  it('is the same answer as its response, in every form', async () => {
    const options = { from: wire, ...FIXED }
    expect(await collectResponse(body, options)).toEqual(await collectResponse(Response.json(body), options))
    expect(await collectResponse(Promise.resolve(body), options)).toEqual(await collectResponse(body, options))
    expect(await eventsIn(body, wire)).toEqual(await eventsIn(Response.json(body), wire))
    expect(await new Response(translateStream(body, options)).text()).toBe(
      await new Response(translateStream(Response.json(body), options)).text(),
    )
  })
})

const CHUNKS = ['Good ', 'day.'].map((content) => ({ choices: [{ index: 0, delta: { content } }] }))
const END = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
const BODY = { choices: [{ index: 0, message: { role: 'assistant', content: 'Good day.' }, finish_reason: 'stop' }] }

async function* sdkStream() {
  yield* CHUNKS
  yield END
}

describe('toResponse with the objects of an SDK', () => {
  const translator = createTranslator({ client: 'anthropic-messages', upstream: { vendor: 'groq', apiKey: 'key' } })
  const callOf = (stream: boolean) => {
    const call = translator.encodeRequest({
      model: 'm',
      max_tokens: 9,
      stream,
      messages: [{ role: 'user', content: 'x' }],
    })
    if (!call.ok) throw new Error(call.error.message)
    return call
  }

  it.each([true, false])(
    'answers a client that requested a stream: %s, with chunks and with a body',
    async (stream) => {
      for (const upstream of [sdkStream(), BODY, Promise.resolve(BODY)]) {
        const answer = await translator.toResponse(upstream, callOf(stream))
        expect(answer.status).toBe(200)
        expect(answer.headers.get('content-type')).toContain(stream ? 'text/event-stream' : 'application/json')
        if (stream) expect(await answer.text()).toContain('message_stop')
        else expect(((await answer.json()) as Anthropic.Message).content).toEqual([{ type: 'text', text: 'Good day.' }])
      }
    },
  )

  it('has the status and the text of an answer that the SDK refused', async () => {
    const body = { error: { message: 'Slow down.', code: 'rate_limited' } }
    const openai = new OpenAI({
      apiKey: 'key',
      maxRetries: 0,
      fetch: async () => Response.json(body, { status: 429, headers: { 'retry-after': '7' } }),
    })
    const call = callOf(false)
    const outcomes: unknown[] = []
    const pending = openai.chat.completions.create({ model: 'm', messages: [] })
    const answer = await translator.toResponse(pending, call)
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(await answer.text()).toContain('Slow down.')
    const again = openai.chat.completions.create({ model: 'm', messages: [] })
    await translator.collect(again, call).outcome.then((outcome) => outcomes.push(outcome.upstream))
    expect(outcomes).toMatchObject([{ status: 429, text: JSON.stringify(body) }])
  })
})
