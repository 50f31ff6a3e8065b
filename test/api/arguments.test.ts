import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as millrace from '../../src/index.ts'

/** The functions as a program in plain JavaScript calls them. */
type Loose<Functions> = { readonly [Name in keyof Functions]: (...given: unknown[]) => unknown }
const loose = millrace as unknown as Loose<typeof millrace>
const { createTranslator, translateRequest, validateResponsesStream } = loose
const { translateStream, translateIterable, collectResponse, translateBody, streamFromBody, createStreamTranslator } =
  loose

const HELLO = readFileSync(new URL('../../fixtures/openai-chat/hello.stream.sse', import.meta.url))
const FROM = { from: 'openai-chat' }
const GROQ = { vendor: 'groq', model: 'm', apiKey: 'k' }
const REQUEST = { model: 'm', input: 'Hi' }

const translator = createTranslator({ upstream: GROQ }) as Loose<millrace.Translator>
const openStream = () => createStreamTranslator(FROM) as Loose<Pick<millrace.StreamTranslator, 'push' | 'abort'>>

/** Each mistake, and the beginning of the message. */
const MISTAKES: readonly (readonly [title: string, run: () => unknown, message: string])[] = [
  ['no options of createTranslator', () => createTranslator(), 'options: expected an object, got nothing'],
  ['no upstream', () => createTranslator({}), 'upstream: expected an object, got nothing'],
  ['a name as upstream', () => createTranslator({ upstream: 'groq' }), 'upstream: expected an object, got "groq"'],
  [
    'a base URL without a scheme',
    () => createTranslator({ upstream: { ...GROQ, baseUrl: 'localhost:8000' } }),
    'upstream.baseUrl: expected an http or https URL, got "localhost:8000"',
  ],
  [
    'no vendor, and a wire without a base URL',
    () => createTranslator({ upstream: { wire: 'openai-chat' } }),
    'upstream.vendor: expected one of ',
  ],
  ...[null, undefined, 3].map((vendor): readonly [string, () => unknown, string] => [
    `${vendor} as a vendor`,
    () => createTranslator({ upstream: { vendor } }),
    'upstream.vendor: expected one of ',
  ]),
  [
    'a vendor without a name',
    () => createTranslator({ upstream: { vendor: { wire: 'openai-chat' }, baseUrl: 'https://a.example' } }),
    'upstream.vendor.name: expected text, got nothing',
  ],
  [
    'a vendor without a wire',
    () => createTranslator({ upstream: { vendor: { name: 'x', baseUrl: 'https://a.example' } } }),
    'upstream.vendor.wire: required',
  ],
  [
    'an unknown limit of createTranslator',
    () => createTranslator({ upstream: GROQ, limits: { answer_items: 3 } }),
    'limits.answer_items: no such option. Did you mean "answerItems"',
  ],
  ['no options of translateRequest', () => translateRequest(REQUEST), 'options: expected an object, got nothing'],
  ...(
    ['translateStream', 'translateIterable', 'createStreamTranslator', 'translateBody', 'streamFromBody'] as const
  ).flatMap((name) => {
    const before = name === 'createStreamTranslator' ? [] : ['{}']
    return [
      [`no options of ${name}`, () => loose[name](...before), 'options: expected an object, got nothing'],
      [`no protocol for ${name}`, () => loose[name](...before, {}), 'from: expected one of openai-chat, '],
      [
        `an unknown format for ${name}`,
        () => loose[name](...before, { ...FROM, to: 'ollama-chat', format: 'csv' }),
        'format: expected one of sse, ndjson, array, got "csv"',
      ],
      [
        `a format that a dialect does not have, for ${name}`,
        () => loose[name](...before, { ...FROM, format: 'ndjson' }),
        'format: expected sse, got "ndjson"',
      ],
      [
        `an unknown limit for ${name}`,
        () => loose[name](...before, { ...FROM, limits: { x: 1 } }),
        'limits.x: no such option. The options are upstreamEvent, ',
      ],
      [
        `a limit that bounds nothing, for ${name}`,
        () => loose[name](...before, { ...FROM, limits: { answerItems: Number.NaN } }),
        'limits.answerItems: expected a number above 0, got NaN',
      ],
    ] as const
  }),
  [
    'no input',
    () => translateStream(undefined, FROM),
    'input: expected a Response, a ReadableStream, an async iterable, bytes or a whole body, got',
  ],
  [
    'a text as input',
    () => translateStream('data: {}', FROM),
    'input: expected a Response, a ReadableStream, an async iterable, bytes or a whole body, got',
  ],
  [
    'no input of an iterable',
    () => translateIterable(null, FROM),
    'input: expected a Response, a ReadableStream, an async',
  ],
  [
    'a list as input',
    () => collectResponse([HELLO], FROM),
    'input: expected a Response, a ReadableStream, an async iterable, bytes or a whole body, got',
  ],
  ['no body', () => translateBody(undefined, FROM), 'body: expected text or a JSON object, got nothing'],
  [
    'bytes as a body',
    () => streamFromBody(HELLO, FROM),
    'body: expected text or a JSON object, got a value of the type Uint8Array',
  ],
  [
    'a promise as the body of a request',
    () => translator.encodeRequest(Promise.resolve(REQUEST)),
    'body: expected text or a JSON value, got a value of the type Promise',
  ],
  [
    'bytes as the body of a request',
    () => translateRequest(HELLO, { to: 'openai-chat' }),
    'body: expected text or a JSON value, got a value of the type Uint8Array',
  ],
  [
    'a request as the body of a request',
    () => translator.encodeRequest(new Request('http://a.example', { method: 'POST', body: '{}' })),
    'body: expected text or a JSON value, got a value of the type Request',
  ],
  [
    'an unknown format of a request',
    () => translator.encodeRequest(REQUEST, { format: 'csv' }),
    'format: expected sse, got "csv"',
  ],
  [
    'an Error in place of a failure',
    () => translator.errorResponse(new Error('x')),
    'error: expected an object with code, message and status, got a value of the type Error',
  ],
  [
    'a refused request in place of a call',
    () => translator.toResponse(new Response('{}'), { ok: false, error: {} }),
    'call: expected a call with ok: true, from encodeRequest, got an object',
  ],
  [
    'no response',
    () => translator.toResponse(undefined, translator.encodeRequest(REQUEST)),
    'upstream: expected a Response, a ReadableStream, an async iterable, bytes or a whole body, got nothing',
  ],
  [
    'null in place of a response',
    () => translator.toResponse(Promise.resolve(null), translator.encodeRequest(REQUEST)),
    'upstream: expected a Response, a ReadableStream, an async iterable, bytes or a whole body, got null',
  ],
  ['a text for push', () => openStream().push('data: {}'), 'bytes: expected bytes (Uint8Array), got "data: {}"'],
  [
    'an Error for abort',
    () => openStream().abort(new Error('x')),
    'error: expected an object with code, message and status',
  ],
  ['bytes for validateResponsesStream', () => validateResponsesStream(HELLO), 'text: expected text, got a value of'],
]

describe('an argument of another type', () => {
  it.each(MISTAKES)('throws a TypeError that names it: %s', async (_, run, message) => {
    const thrown = await Promise.resolve()
      .then(run)
      .then(() => null)
      .catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(TypeError)
    expect(String(thrown)).toContain(`TypeError: ${message}`)
  })

  it.each([
    ['texts', 'data: {}', 'got "data: {}"'],
    ['buffers without a type', HELLO.buffer, 'got a value of the type ArrayBuffer'],
    ['numbers', 5, 'got 5'],
  ])('rejects a source of %s, and closes it', async (_, value, message) => {
    let isClosed = false
    async function* source() {
      try {
        yield value
        yield value
      } finally {
        isClosed = true
      }
    }
    await expect(collectResponse(source(), FROM)).rejects.toThrow(`input: expected bytes (Uint8Array), ${message}`)
    expect(isClosed).toBe(true)
  })

  it('is no limit that is undefined: its default stays', async () => {
    const limits = { answerItems: undefined }
    const stream = createStreamTranslator({ ...FROM, limits }) as millrace.StreamTranslator
    stream.push(HELLO)
    stream.end()
    expect(stream.outcome.status).toBe('completed')
  })
})
