import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openai } from '../src/dialects/openai.ts'
import type { TranslationOptions } from '../src/engine/answer.ts'
import { createBodyCollector, translateWholeBody } from '../src/engine/body-collector.ts'
import { wireTarget } from '../src/engine/client-target.ts'
import { dialectTarget } from '../src/engine/target.ts'
import { createTranslation, streamWholeBody } from '../src/engine/translation.ts'
import { translateStream } from '../src/index.ts'
import { EMPTY_ECHO } from '../src/responses/echo.ts'
import type { KnownWire, WireName } from '../src/wires/contract.ts'
import { WIRES } from '../src/wires/registry.ts'
import { CLIENT_WIRES } from './cross-translate.ts'
import { ALL_FIXTURES, endOf } from './engine/run-engine.ts'

/** Error bodies as vendors write them, for example for a wrong key or an unknown model. */
const BODIES: readonly (readonly [WireName, unknown, message: string])[] = [
  ['openai-chat', { error: { message: 'Incorrect key.', type: 'x', code: 'invalid_api_key' } }, 'Incorrect key.'],
  ['openai-chat', { error: 'A bare text.' }, 'A bare text.'],
  ['openai-chat', { object: 'error', message: 'Unauthorized key.', type: 'x', code: 401 }, 'Unauthorized key.'],
  ['openai-chat', { detail: 'Not authenticated.' }, 'Not authenticated.'],
  ['openai-responses', { error: { message: 'Incorrect key.', code: 'invalid_api_key' } }, 'Incorrect key.'],
  [
    'anthropic-messages',
    { type: 'error', error: { type: 'authentication_error', message: 'invalid key' } },
    'invalid key',
  ],
  [
    'gemini-generate',
    { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } },
    'API key not valid.',
  ],
  ['gemini-generate', [{ error: { code: 400, message: 'API key not valid.' } }], 'API key not valid.'],
  ['bedrock-converse', { message: 'The security token is invalid.' }, 'The security token is invalid.'],
  ['bedrock-converse', { Message: 'User is not authorized.' }, 'User is not authorized.'],
  ['cohere-chat', { id: 'x', message: 'invalid api token' }, 'invalid api token'],
  ['ollama-chat', { error: 'model "x" not found' }, 'model "x" not found'],
]

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const optionsFor = (wire: KnownWire): TranslationOptions => ({
  wire,
  target: dialectTarget(openai),
  head: { id: 'resp_1', created_at: 0, model: 'm', echo: EMPTY_ECHO },
})

function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
}

describe.each(BODIES)('%s: the error body %j in place of a stream', (name, body, message) => {
  const wire: KnownWire = WIRES[name]
  const spellings = [JSON.stringify(body), `\n ${JSON.stringify(body, null, 2)}\n`, `\ufeff${JSON.stringify(body)}`]

  it.each(spellings)('fails with the message of its vendor: %j', (text) => {
    for (const size of [1, 7, 10_000]) {
      const translation = createTranslation(optionsFor(wire))
      // The caller may overwrite a buffer after the call.
      for (const piece of pieces(bytesOf(text), size)) {
        translation.push(piece)
        piece.fill(0)
      }
      const stream = new TextDecoder().decode(translation.push('end'))
      expect(stream).toContain('"type":"response.failed"')
      expect(translation.outcome()).toMatchObject({ status: 'failed', error: { party: 'upstream', message } })
    }
    const collection = createBodyCollector(optionsFor(wire))
    collection.push(bytesOf(text))
    expect(endOf(collection)).toMatchObject({ status: 'failed', error: { message } })
  })

  it('fails with the same message for clients of other wires', () => {
    for (const to of CLIENT_WIRES) {
      const translation = createTranslation({ ...optionsFor(wire), target: wireTarget(to) })
      translation.push(bytesOf(JSON.stringify(body)))
      expect(new TextDecoder().decode(translation.push('end'))).toContain(JSON.stringify(message).slice(1, -1))
    }
  })
})

describe('JSON that is not an error, in place of a stream', () => {
  const chat = optionsFor(WIRES['openai-chat'])
  const outcomeOf = (text: string) => {
    const translation = createTranslation(chat)
    translation.push(bytesOf(text))
    translation.push('end')
    return translation.outcome()
  }

  it.each(['{"a":1}', '[]', '{}', '{"object":"list","data":[]}'])('is named as no answer: %s', (text) => {
    const message = 'The upstream returned a body that is not a response of openai-chat.'
    expect(outcomeOf(text).error).toMatchObject({ code: 'upstream_invalid', message })
  })

  it.each([
    ['{"error":', /^The upstream ended without a response: nothing that it sent is a frame of the format sse/],
    ['upstream connect error', /^The upstream ended without a response/],
    [': ping\n\n', /^The upstream ended without a response/],
    ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n', /^The upstream response ended before it was complete/],
    ['', /^The upstream returned no body/],
  ])('ends as truncated for %j', (text, message) => {
    expect(outcomeOf(text).error).toMatchObject({ code: 'upstream_truncated', message: expect.stringMatching(message) })
  })

  it('is the answer if it is a whole body, also a long one', () => {
    const message = { content: 'x'.repeat(100_000) }
    const text = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }, null, 1)
    const { status, answer } = outcomeOf(text)
    expect([status, JSON.stringify(answer).includes(message.content)]).toEqual(['completed', true])
  })

  it('is named as a web page with its title', () => {
    const page = '\n<!DOCTYPE html><html><head><title>Sign in</title>'
    const message =
      'The upstream returned a web page in place of a response. Check the base URL of the vendor. Its title: Sign in'
    expect(outcomeOf(page).error).toMatchObject({ code: 'upstream_invalid', message })
    expect(translateWholeBody(chat, page).outcome.error).toMatchObject({ code: 'upstream_invalid', message })
  })

  it('is skipped before the events of a stream', () => {
    const hello = ALL_FIXTURES.find((it) => it.wire === chat.wire && it.name === 'hello')
    const stream = new TextDecoder().decode(hello?.stream)
    for (const text of [`{"note":1}\n\n${stream}`, `{"note":"${'x'.repeat(200_000)}"}\n\n${stream}`]) {
      expect(outcomeOf(text)).toMatchObject({ status: 'completed', error: null })
    }
  })
})

describe.each(Object.values(WIRES))('a whole body without an answer of $name', (wire) => {
  const options = optionsFor(wire)

  it.each([
    ['', 'The upstream returned no body.'],
    [' \n', 'The upstream returned no body.'],
    ['{"a":', 'The upstream returned a body that is not valid JSON.'],
    ...['null', '{}', '[]', '{"a":1}', '{"object":"list","data":[]}'].map((body) => [
      body,
      `The upstream returned a body that is not a response of ${wire.name}.`,
    ]),
  ])('fails with a message that names it: %j', (body, message) => {
    const error = { party: 'upstream', code: 'upstream_invalid', message }
    expect(translateWholeBody(options, body).outcome).toMatchObject({ status: 'failed', error })
    expect(streamWholeBody(options, body).outcome).toMatchObject({ status: 'failed', error })
  })

  it('quotes a body that is one sentence, without secrets', () => {
    const key = `sk-${'a1B2'.repeat(10)}`
    const redacting = { ...options, redact: (text: string) => text.replaceAll(key, '[secret]') }
    for (const translate of [translateWholeBody, streamWholeBody]) {
      const { status, error } = translate(redacting, `The key ${key} has no more credit.\n`).outcome
      expect({ status, party: error?.party }).toEqual({ status: 'failed', party: 'upstream' })
      expect(error?.message).toBe('The key [secret] has no more credit.')
    }
  })

  it.each([['word'], ['model output {"a": 1'], [`a ${'long '.repeat(70)}text`]])(
    'does not quote the text %.20j',
    (body) => {
      const message = 'The upstream returned a body that is not valid JSON.'
      expect(translateWholeBody(options, body).outcome.error).toMatchObject({ code: 'upstream_invalid', message })
    },
  )

  it('fails with the text of a body that is one', () => {
    const error = { party: 'upstream', code: 'server_error', message: 'Out of order' }
    expect(translateWholeBody(options, '"Out of order"').outcome).toMatchObject({ status: 'failed', error })
  })
})

describe('translateResponse of a fetch response', () => {
  const options = optionsFor(WIRES['openai-chat'])
  const hello = ALL_FIXTURES.find((it) => it.wire === options.wire && it.name === 'hello')
  const SSE = { 'content-type': 'text/event-stream' }
  const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
  const textOf = async (response: Response): Promise<string> => {
    const { id, created_at: createdAt, model } = options.head
    return new Response(translateStream(response, { from: 'openai-chat', id, createdAt, model })).text()
  }
  const streamed = (): Promise<string> => textOf(new Response(hello?.stream.slice(), { headers: SSE }))

  it('translates a stream with any content type', async () => {
    expect(await streamed()).toContain('"status":"completed"')
    expect(await textOf(new Response(hello?.stream.slice(), { headers: JSON_TYPE }))).toBe(await streamed())
  })

  it('translates a whole body to a stream', async () => {
    const text = await textOf(
      new Response(hello === undefined ? '' : readFileSync(hello.at('body.json')), { headers: JSON_TYPE }),
    )
    expect(text).toContain('"type":"response.completed"')
  })

  it('fails with the status and the message of the vendor', async () => {
    const body = '{"error":{"message":"Incorrect API key provided.","type":"x","param":null,"code":"invalid_api_key"}}'
    const text = await textOf(new Response(body, { status: 401, headers: JSON_TYPE }))
    expect(text).toContain('"type":"response.failed"')
    expect(text).toContain('HTTP 401: Incorrect API key provided.')
    expect(text).toContain('upstream_authentication')
    expect(await textOf(new Response('', { status: 503 }))).toMatch(/HTTP 503/)
    expect(await textOf(new Response(null, { status: 204 }))).toContain('upstream_truncated')
  })

  it('fails with upstream_disconnected if the connection breaks', async () => {
    for (const status of [200, 500]) {
      const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('broken')) })
      expect(await textOf(new Response(body, { status, headers: SSE }))).toContain('upstream_disconnected')
    }
  })
})

/** Whole answers that failed in the middle, as their upstreams report it. */
const FAILED_ANSWERS: readonly (readonly [WireName, unknown])[] = [
  [
    'openai-chat',
    {
      choices: [{ index: 0, message: { role: 'assistant', content: 'Half.' }, finish_reason: 'error' }],
      usage: { prompt_tokens: 10, completion_tokens: 4 },
    },
  ],
  [
    'anthropic-messages',
    {
      content: [{ type: 'text', text: 'Half.' }],
      stop_reason: 'error',
      usage: { input_tokens: 10, output_tokens: 4 },
    },
  ],
  [
    'cohere-chat',
    {
      message: { role: 'assistant', content: [{ type: 'text', text: 'Half.' }] },
      finish_reason: 'ERROR',
      usage: { tokens: { input_tokens: 10, output_tokens: 4 } },
    },
  ],
  [
    'openai-responses',
    {
      object: 'response',
      status: 'failed',
      error: { code: 'server_error', message: 'Broken.' },
      output: [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'incomplete',
          content: [{ type: 'output_text', text: 'Half.', annotations: [] }],
        },
      ],
      usage: { input_tokens: 10, output_tokens: 4, total_tokens: 14 },
    },
  ],
]

it.each(FAILED_ANSWERS)(
  '%s: a whole answer that failed, in place of a stream, keeps its text and its usage',
  (name, body) => {
    const translation = createTranslation(optionsFor(WIRES[name]))
    translation.push(bytesOf(JSON.stringify(body)))
    const stream = new TextDecoder().decode(translation.push('end'))
    expect(stream).toContain('Half.')
    expect(stream).toContain('"type":"response.failed"')
    expect(translation.outcome()).toMatchObject({ status: 'failed', usage: { input_tokens: 10, output_tokens: 4 } })
  },
)
