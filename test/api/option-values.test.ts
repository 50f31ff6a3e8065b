import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkQuirkValues } from '../../src/api/quirk-values.ts'
import * as core from '../../src/core.ts'
import { openai } from '../../src/dialects/openai.ts'
import * as millrace from '../../src/index.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { openaiChat, openaiChatStream } from '../../src/wires/openai-chat/index.ts'

/** The functions as a program in plain JavaScript calls them. */
type Loose<Functions> = { readonly [Name in keyof Functions]: (...given: unknown[]) => unknown }
const loose = millrace as unknown as Loose<typeof millrace>
const looseCore = core as unknown as Loose<typeof core>

const HELLO = readFileSync(new URL('../../fixtures/openai-chat/hello.stream.sse', import.meta.url))
const BODY = readFileSync(new URL('../../fixtures/openai-chat/hello.body.json', import.meta.url), 'utf8')
const answer = () => new Response(HELLO, { headers: { 'content-type': 'text/event-stream' } })
const REQUEST = { model: 'm', input: 'Hi', stream: true }
const GROQ = { vendor: 'groq', apiKey: 'k' }
const translator = loose.createTranslator({ upstream: GROQ }) as Loose<millrace.Translator>
const newCall = () => translator.encodeRequest(REQUEST)

type Options = Readonly<Record<string, unknown>>

/** Reads a result to its end, so that what is wrong only later is found as well. */
async function drain(result: unknown): Promise<void> {
  const made = await result
  if (made instanceof Response) await made.text()
  else if (made instanceof ReadableStream) await new Response(made).text()
  else if (typeof made === 'object' && made !== null && Symbol.asyncIterator in made)
    for await (const _ of made as AsyncIterable<unknown>);
}

const READING = ['id', 'createdAt', 'now', 'model', 'limits', 'coalesce', 'onOutcome', 'onActivity', 'to', 'settings']
const NAMED = [...READING, 'format', 'from', 'vendor', 'quirks', 'machines', 'answer']
const FROM = { from: 'openai-chat' }
const CALL = [
  'model',
  'stream',
  'stop',
  'seed',
  'top_k',
  'requests',
  'rules',
  'id',
  'createdAt',
  'machines',
  'onOutcome',
]

/** Each function with the names of its options, and where they are. */
const FUNCTIONS: readonly (readonly [name: string, options: readonly string[], run: (options: Options) => unknown])[] =
  [
    [
      'createTranslator',
      ['sign', 'limits', 'machines', 'requests', 'rules', 'onOutcome', 'client', 'upstream'],
      (options) => loose.createTranslator({ upstream: GROQ, ...options }),
    ],
    [
      'createTranslator, upstream',
      ['model', 'apiKey', 'headers', 'quirks', 'passthrough', 'cache', 'body', 'vendor', 'baseUrl', 'wire'],
      (options) => loose.createTranslator({ upstream: { ...GROQ, ...options } }),
    ],
    [
      'createTranslator of core',
      ['client', 'upstream'],
      (options) =>
        looseCore.createTranslator({ upstream: { wire: openaiChat, baseUrl: 'https://a.example' }, ...options }),
    ],
    [
      'createTranslator of core, upstream',
      ['model', 'apiKey', 'headers', 'quirks', 'passthrough', 'cache', 'body', 'baseUrl', 'wire'],
      (options) =>
        looseCore.createTranslator({ upstream: { wire: openaiChat, baseUrl: 'https://a.example', ...options } }),
    ],
    [
      'encodeRequest',
      [...CALL, 'apiKey', 'headers', 'signal'],
      (options) => translator.encodeRequest(REQUEST, options),
    ],
    ...(['toResponse', 'stream', 'events', 'collect'] as const).map(
      (name) =>
        [
          name,
          [...READING, ...(name === 'toResponse' || name === 'stream' ? ['keepAlive'] : [])],
          (options: Options) => translator[name](answer(), newCall(), options),
        ] as const,
    ),
    ...(['translateStream', 'translateIterable', 'streamEvents', 'collectResponse'] as const).map(
      (name) =>
        [
          name,
          [...NAMED, ...(name.startsWith('translate') ? ['keepAlive'] : [])],
          (options: Options) => loose[name](answer(), { ...FROM, ...options }),
        ] as const,
    ),
    ...(['translateBody', 'streamFromBody'] as const).map(
      (name) => [name, NAMED, (options: Options) => loose[name](BODY, { ...FROM, ...options })] as const,
    ),
    [
      'createStreamTranslator',
      NAMED,
      (options) => {
        const stream = loose.createStreamTranslator({ ...FROM, ...options }) as millrace.StreamTranslator
        stream.push(HELLO)
        stream.end()
      },
    ],
    [
      'translateIterable of core',
      ['id', 'createdAt', 'now', 'model', 'limits', 'coalesce', 'onOutcome', 'onActivity', 'keepAlive', 'from', 'to'],
      (options) =>
        looseCore.translateIterable(answer(), { from: openaiChatStream, to: core.dialectTarget(openai), ...options }),
    ],
    [
      'translateRequest',
      [...CALL, 'sign', 'limits', 'from', 'to', 'vendor', 'quirks', 'cache', 'passthrough'],
      (options) => loose.translateRequest(REQUEST, { vendor: 'groq', ...options }),
    ],
    [
      'explainRequest',
      ['client', 'vendor', 'wire', 'model', 'quirks', 'passthrough', 'cache', 'headers', 'stream', 'format'],
      (options) => loose.explainRequest(REQUEST, { vendor: 'groq', ...options }),
    ],
  ]

/** Options without which nothing can be done, or for which null is a value of its own. */
const NEVER_NULL: ReadonlySet<string> = new Set(['from', 'to', 'client', 'vendor', 'wire', 'upstream', 'answer'])

/** Values that some options have, and others cannot use. */
const VALUES: readonly unknown[] = [5, Number.NaN, 'x', '', true, null, [], [5], {}, new Map(), new Headers(), () => 5]

describe('the value of an option', () => {
  it.each(FUNCTIONS.flatMap(([name, options, run]) => options.map((option) => [option, name, run] as const)))(
    'is used, or is a TypeError that names it: %s of %s',
    async (option, _, run) => {
      for (const value of VALUES) {
        const thrown = await Promise.resolve()
          .then(async () => drain(await run({ [option]: value })))
          .then(() => null)
          .catch((error: unknown) => error)
        if (thrown === null) continue
        // The platform's own words have no name in front.
        expect({ value, thrown: String(thrown) }).toEqual({
          value,
          thrown: expect.stringMatching(new RegExp(`^TypeError: (?:[\\w]+\\.)?${option}\\b[^:]*: `)),
        })
      }
    },
  )

  it.each([
    ['a list of stop sequences', { stop: 'END' }, 'encodeRequest.stop: expected a list of texts, got "END"'],
    [
      'headers as an object',
      { headers: new Headers({ a: 'b' }) },
      'encodeRequest.headers: expected an object of names',
    ],
    ['texts as headers', { headers: { a: undefined } }, 'encodeRequest.headers.a: expected text, got nothing'],
    ['headers on one line', { headers: { a: 'secret\nb' } }, 'encodeRequest.headers.a: expected text on one line'],
    ['names of headers', { headers: { 'a b': 'c' } }, 'encodeRequest.headers: expected names of headers, got "a b"'],
    ['a key that a header can have', { apiKey: 'gsk_secret…' }, 'encodeRequest.apiKey: expected text on one line'],
  ])('has to be %s', (_, options, message) => {
    expect(() => translator.encodeRequest(REQUEST, options)).toThrow(new RegExp(`^${message.replaceAll('.', '\\.')}`))
    expect(() => translator.encodeRequest(REQUEST, options)).not.toThrow(/secret/)
  })

  it.each(
    FUNCTIONS.flatMap(([name, options, run]) =>
      options
        .filter((option) => !NEVER_NULL.has(option) && !(option === 'baseUrl' && name.includes('core')))
        .map((option) => [option, name, run] as const),
    ),
  )('is left out if it is null: %s of %s', async (option, _, run) => {
    await drain(await run({ [option]: null }))
  })

  it('is that of the translator if it is null for a call', () => {
    const options = { model: null, headers: null, signal: null, id: null, seed: null, stop: null, machines: null }
    const { init } = translator.encodeRequest(REQUEST, options) as millrace.TranslatorCall
    expect(init).toEqual((translator.encodeRequest(REQUEST) as millrace.TranslatorCall).init)
  })

  it('may be a header that is a number', () => {
    const call = translator.encodeRequest(REQUEST, { headers: { 'x-seconds': 5 } }) as millrace.TranslatorCall
    expect(new Request(call.url, call.init).headers.get('x-seconds')).toBe('5')
  })

  it('may be the headers of a request as a server has them', () => {
    const headers = { ':path': '/v1/messages', 'anthropic-beta': ['a', 'b'], accept: undefined }
    expect(loose.explainRequest(REQUEST, { vendor: 'anthropic', client: 'openai', headers })).toMatchObject({
      ok: true,
    })
  })

  it('may be an answer that is undefined, for a function of core', async () => {
    const options = { from: openaiChatStream, to: core.dialectTarget(openai), answer: undefined }
    await drain(looseCore.translateIterable(answer(), options))
    await drain(looseCore.collectResponse(answer(), options))
  })

  it('may be a key of which the last line ends, as a file has it', () => {
    expect(translator.encodeRequest(REQUEST, { apiKey: 'k\n' })).toMatchObject({ ok: true })
  })

  it.each([
    [
      'a fact of a model',
      { modelFacts: { m: { reason: 'never' } } },
      'upstream.quirks.modelFacts["m"].reason: no such',
    ],
    ['a quirk of a vendor of the program', { maxTemperatur: 1 }, 'maxTemperatur: no such option. Did you mean'],
  ])('of a misspelt name is refused: %s', (_, quirks, message) => {
    const vendor = { name: 'acme', wire: 'openai-chat', baseUrl: 'https://a.example' }
    expect(() => loose.createTranslator({ upstream: { vendor, quirks } })).toThrow(message)
    if ('maxTemperatur' in quirks)
      expect(() => loose.createTranslator({ upstream: { vendor: { ...vendor, quirks } } })).toThrow(
        `upstream.vendor.quirks.${message}`,
      )
  })

  it.each([
    [{ thinkTags: 'yes' }, 'quirks.thinkTags: expected true or false, or unopened, got "yes"'],
    [{ unmarkedSources: null }, 'quirks.unmarkedSources: expected true or false, got null'],
    [{ keyHeader: '' }, 'quirks.keyHeader: expected text, got ""'],
    [{ betas: [5] }, 'quirks.betas: expected a list of texts, got a list'],
    [{ likeModels: { a: 5 } }, 'quirks.likeModels: expected an object of names and texts, got an object'],
    [{ mostTools: -1 }, 'quirks.mostTools: expected a number of at least 0, got -1'],
    [{ requiredWord: 'all' }, 'quirks.requiredWord: expected one of required, any, got "all"'],
    [{ audioFormats: 'mp3' }, 'quirks.audioFormats: expected a list of mp3, wav, got "mp3"'],
    [{ audioFormats: ['mp3', 'ogg'] }, 'quirks.audioFormats[1]: expected one of mp3, wav, got "ogg"'],
    [{ modelFacts: 5 }, 'quirks.modelFacts: expected an object of models and their facts, got 5'],
    [
      { modelFacts: { a: { reasons: 'maybe' } } },
      'quirks.modelFacts["a"].reasons: expected one of never, always, optional, got "maybe"',
    ],
    [{ leastTemperature: Number.POSITIVE_INFINITY }, 'quirks.leastTemperature: expected a finite number, got Infinity'],
    [
      { modelFacts: { a: { leastOutput: Number.POSITIVE_INFINITY } } },
      'quirks.modelFacts["a"].leastOutput: expected a finite number',
    ],
    [{ modelFacts: { a: { context: '9' } } }, 'quirks.modelFacts["a"].context: expected a number of at least 0'],
  ])('is a quirk as the configuration has it: %j', (quirks, message) => {
    const vendor = { name: 'acme', wire: 'openai-chat', baseUrl: 'https://a.example', quirks }
    expect(() => loose.createTranslator({ upstream: { ...GROQ, quirks } })).toThrow(`upstream.${message}`)
    expect(() => loose.createTranslator({ upstream: { vendor } })).toThrow(`upstream.vendor.${message}`)
    expect(() => loose.translateRequest(REQUEST, { vendor: 'groq', quirks })).toThrow(message)
    expect(() => loose.translateRequest(REQUEST, { vendor })).toThrow(`vendor.${message}`)
    expect(() => loose.explainRequest(REQUEST, { vendor: 'groq', quirks })).toThrow(message)
    expect(() => loose.translateStream(answer(), { ...FROM, quirks })).toThrow(message)
  })

  it.each(VENDOR_NAMES)('is a quirk that the table has: %s', (vendor) => {
    const { quirks } = findVendor(vendor) as { readonly quirks: Options }
    expect(() => checkQuirkValues(quirks, 'quirks', false)).not.toThrow()
  })

  it.each([
    ['upstream.baseUrl', { ...GROQ, baseUrl: 'http://u:secret@a.example/v1' }],
    [
      'upstream.vendor.baseUrl',
      { vendor: { name: 'acme', wire: 'openai-chat', baseUrl: 'http://secret@a.example/v1' } },
    ],
  ])('is a base URL without credentials, which are not repeated: %s', (place, upstream) => {
    const run = () => loose.createTranslator({ upstream })
    expect(run).toThrow(`${place}: expected a URL without a user name and a password. Send them in headers.`)
    expect(run).not.toThrow(/secret/)
  })

  it('is required of a vendor of the program, which no account or region decides', () => {
    const create = (vendor: unknown) => () => loose.createTranslator({ upstream: { vendor } })
    expect(create({ name: 'x', wire: 'openai-chat' })).toThrow(/^upstream\.baseUrl: required$/)
    expect(create('azure')).toThrow('upstream.baseUrl: required, because the base URL of azure depends on an account')
  })

  it('is a value of a vendor of the program, for a request as well', () => {
    const vendor = { name: 'acme', wire: 'openai-chat', headers: { a: {} } }
    expect(() => loose.translateRequest(REQUEST, { vendor })).toThrow('vendor.headers.a: expected text, got an object')
    expect(() => loose.translateRequest(REQUEST, { vendor: { ...vendor, headers: {}, keyVariable: 5 } })).toThrow(
      'vendor.keyVariable: expected text, got 5',
    )
  })

  it.each([
    ['ai-sdk-ui', { messageID: 'a' }, 'settings.messageID: no such option. Did you mean "messageId"'],
    ['ai-sdk-ui', { usage: 'yes' }, 'settings.usage: expected true or false, got "yes"'],
    ['ag-ui', { threadId: 5 }, 'settings.threadId: expected text, got 5'],
    ['openai-chat', { usge: true }, 'settings.usge: no such option. Did you mean "usage"'],
    ['openai-chat', { hidden: 'yes' }, 'settings.hidden: expected true or false, got "yes"'],
    ['anthropic-messages', { usge: true }, 'settings.usge: no such option. Did you mean "usage"'],
    ['openai', { usge: true }, 'settings.usge: no such option. Did you mean "usage"'],
    [openai, { usge: true }, 'settings.usge: no such option. Did you mean "usage"'],
    [openaiChat, { usge: true }, 'settings.usge: no such option. Did you mean "usage"'],
  ])('is a setting that answers have: %s, %j', async (to, settings, message) => {
    expect(() => loose.translateStream(answer(), { ...FROM, to, settings })).toThrow(message)
    await expect(translator.toResponse(answer(), newCall(), { to, settings })).rejects.toThrow(message)
  })

  it.each(['openai', 'ag-ui', 'anthropic-messages', { ...openaiChat, name: 'acme' }])(
    'may be a setting of another answer: %s',
    async (to) => {
      const settings = { usage: true, threadId: 'a', reasoning: false, ...(typeof to === 'object' && { loud: true }) }
      await drain(loose.translateStream(answer(), { ...FROM, to, settings }))
    },
  )

  it.each([
    [{ settings: { usage: true } }, 'settings: only together with to, because the request has decided them'],
    [{ format: 'ndjson' }, 'format: the answer is written as sse, as its request has decided it'],
    [{ format: 'csv' }, 'format: expected one of '],
  ])('is a form that the request has decided: %j', async (options, message) => {
    const call = millrace.createTranslator({ client: 'anthropic-messages', upstream: { vendor: 'groq' } })
    const encoded = call.encodeRequest({ model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] })
    if (!encoded.ok) throw new Error(encoded.error.message)
    const stream = call.stream as (...given: unknown[]) => unknown
    expect(() => stream(answer(), encoded, options)).toThrow(message)
    expect(() => loose.translateIterable(answer(), { answer: encoded.answer, ...options })).toThrow(message)
  })

  it('keeps the protocol of the client with the format of its answer', async () => {
    const { encodeRequest } = millrace.createTranslator({ client: 'anthropic-messages', upstream: { vendor: 'groq' } })
    const body = { model: 'm', max_tokens: 5, stream: true, messages: [{ role: 'user', content: 'Hi' }] }
    const call = encodeRequest(body) as millrace.TranslatorCall
    const stream = loose.translateStream(answer(), { answer: call.answer, format: 'sse' }) as ReadableStream
    expect(await new Response(stream).text()).toMatch(/^event: message_start\n/)
  })

  it.each([
    [0, '0'],
    [-1, '-1'],
    [2 ** 31, '2147483648'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    ['5', '"5"'],
  ])('is a time above 0 that a timer can have: keepAlive %j', (keepAlive, got) => {
    expect(() => loose.translateStream(answer(), { ...FROM, keepAlive })).toThrow(
      `keepAlive: expected milliseconds above 0, got ${got}`,
    )
  })

  it.each([0.5, 1, 2 ** 31 - 1])('may be the time keepAlive of %j', async (keepAlive) => {
    await drain(loose.translateStream(answer(), { ...FROM, keepAlive }))
  })

  it('names the options of the function that was called', async () => {
    await expect(translator.collect(answer(), newCall(), { keepAlive: 5 })).rejects.toThrow(
      /^keepAlive: no such option\. The options are id, .*, to, settings, format\.$/,
    )
  })
})

describe('a mistake of the program', () => {
  it.each(['collect', 'toResponse'] as const)('rejects the promise of %s', async (name) => {
    const promise = translator[name](answer(), undefined)
    await expect(promise).rejects.toThrow('call: expected a call with ok: true')
  })

  it('rejects the promise of collectResponse of core', async () => {
    await expect(looseCore.collectResponse(answer(), {})).rejects.toThrow('from: expected a wire')
  })

  it.each([
    ['nothing', undefined],
    ['a chat completion', JSON.parse(BODY)],
  ])('is %s for outputText', (_, value) => {
    expect(() => loose.outputText(value)).toThrow('response: expected a response of the Responses API, with output')
  })

  it('is a response that was read before', async () => {
    const read = answer()
    await read.text()
    await expect(loose.collectResponse(read, FROM)).rejects.toThrow('input: the body of this Response has been read')
    await expect(translator.toResponse(read, newCall())).rejects.toThrow('upstream: the body of this Response')
  })

  it('is a change of a wire that does not exist', () => {
    expect(() => looseCore.adaptWire(openaiChat, { requests: () => ({}) })).toThrow('changes.requests: no such option')
  })
})
