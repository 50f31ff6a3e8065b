import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import { inPieces, startMockUpstream, streamOf, withBody } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { ASSISTANT_ANSWERS, startConversation } from '../conversation.ts'
import { eventsOf, json, type Loose, lineOf, post, startGateway, startTestServer, whenDone } from '../test-server.ts'

/**
 * The `model` of a translated answer is one that the client can send back: `<vendor>/<model>`, for every client API and
 * every wire. An answer that is passed through has the upstream's own name.
 */

const HI = [{ role: 'user', content: 'Hi' }]

interface Family {
  /** The wire whose answers are passed through. */
  readonly own?: WireName
  readonly path: (model: string, stream: boolean) => string
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
  /** All model names in an answer: one object, or the events of a stream. */
  readonly models: (objects: readonly Loose[]) => readonly unknown[]
}

const ofResponses = (objects: readonly Loose[]): readonly unknown[] =>
  objects.flatMap((one) => one.response?.model ?? one.model ?? [])

const FAMILIES: Readonly<Record<string, Family>> = {
  beta: { path: () => '/api/v1/responses', body: { input: 'x' }, models: ofResponses },
  openai: { own: 'openai-responses', path: () => '/openai/v1/responses', body: { input: 'x' }, models: ofResponses },
  'openai-chat': {
    own: 'openai-chat',
    path: () => '/api/v1/chat/completions',
    body: { messages: HI },
    models: ofResponses,
  },
  'anthropic-messages': {
    own: 'anthropic-messages',
    path: () => '/api/v1/messages',
    body: { messages: HI, max_tokens: 50 },
    models: (objects) => objects.flatMap((one) => one.message?.model ?? one.model ?? []),
  },
  'gemini-generate': {
    own: 'gemini-generate',
    path: (model, stream) => `/api/v1/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    models: (objects) => objects.map((one) => one.modelVersion),
  },
  'ollama-chat': { own: 'ollama-chat', path: () => '/api/v1/api/chat', body: { messages: HI }, models: ofResponses },
}

/** Parses the objects of an answer in any framing: one body, NDJSON or SSE. */
const objectsOf = (text: string): readonly Loose[] =>
  text.startsWith('{')
    ? text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : eventsOf(text).filter((one) => typeof one === 'object')

async function ask(url: string, { path, body, models }: Family, model: string, stream: boolean) {
  const isNamed = path(model, stream).includes(model)
  const response = await post(url, isNamed ? body : { model, stream, ...body }, { path: path(model, stream) })
  expect(response.status).toBe(200)
  return [...new Set(models(objectsOf(await response.text())))]
}

const TRANSLATED = { passthrough: false }

/** Opens a gateway whose upstream reports the model `mock-1`. */
async function startChat(vendor: object): Promise<string> {
  const upstream = await startMockUpstream(inPieces(streamOf('Hi'), 50))
  whenDone(upstream.close)
  const acme = { wire: 'openai-chat', base_url: upstream.url, key: { env: 'ACME_KEY' }, ...vendor }
  return (await startGateway({ vendors: { acme } })).url
}

describe.each(Object.keys(FAMILIES))('the model in a translated answer to a client of %s', (name) => {
  const family = FAMILIES[name] as Family
  // The answer of an upstream of the own protocol is passed, also to a request that was translated.
  const others = Object.values(WIRE_UPSTREAMS).filter(({ wire }) => wire !== family.own)
  const isOther = family.own !== 'openai-chat'

  it.each(others)('can be sent back to an upstream of $wire', async (upstream) => {
    for (const stream of [false, true]) {
      const { url, model } = await startConversation(upstream, [ASSISTANT_ANSWERS, ASSISTANT_ANSWERS], 23, TRANSLATED)
      const named = await ask(url, family, model, stream)
      expect(named).toEqual([model])
      expect(await ask(url, family, String(named[0]), stream)).toEqual([model])
    }
  })

  it.runIf(isOther)('is the model that the upstream reports', async () => {
    for (const stream of [false, true]) {
      const url = await startChat(TRANSLATED)
      const named = await ask(url, family, 'acme/alias', stream)
      expect(named).toContain('acme/mock-1')
      expect(named.filter((one) => one !== 'acme/alias' && one !== 'acme/mock-1')).toEqual([])
    }
  })

  it.runIf(isOther)(
    'is the requested model if the upstream reports a name of another kind (`ownModelNames`)',
    async () => {
      for (const stream of [false, true]) {
        const url = await startChat({ ...TRANSLATED, quirks: { ownModelNames: true } })
        expect(await ask(url, family, 'acme/our-deployment', stream)).toEqual(['acme/our-deployment'])
        expect(await ask(url, family, 'replay/refusal', stream)).toEqual(['replay/refusal'])
      }
    },
  )
})

const PASSING = Object.entries(FAMILIES).flatMap(([name, family]) =>
  family.own === undefined ? [] : [[name, family, WIRE_UPSTREAMS[family.own]] as const],
)

describe.each(PASSING)('the model in a passed answer to a client of %s', (_, family, upstream) => {
  it("is the upstream's own name", async () => {
    for (const stream of [false, true]) {
      for (const quirks of [{}, { ownModelNames: true }]) {
        const { url, model } = await startConversation(upstream, [ASSISTANT_ANSWERS], 23, {
          quirks: { ...upstream.quirks, ...quirks },
        })
        // A body is requested, and this upstream streams all the same: the answer is translated.
        const expected = stream ? upstream.model : model
        expect(await ask(url, family, model, stream)).toEqual([expected])
      }
    }
  })
})

it('the log has the upstream’s own model name in one field and the vendor in another', async () => {
  const { url, lines } = await startTestServer(inPieces(streamOf('Hi'), 50))
  await (await post(url, { model: 'acme/alias', input: 'x' })).text()
  expect(await lineOf(lines)).toMatchObject({ vendor: 'acme', model: 'alias' })
})

it('the model of an answer has no deprecated suffix such as :online', async () => {
  const engine = await startTestServer(withBody('{"results":[]}'))
  const search = { engine: 'exa', base_url: engine.upstream.url, key: 'k' }
  const { url } = await startTestServer(inPieces(streamOf('Hi'), 50), { search })
  const { model } = await json(await post(url, { model: 'acme/mock-1:online', input: 'x' }))
  expect(model).toBe('acme/mock-1')
})
