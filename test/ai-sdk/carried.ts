import { createHash } from 'node:crypto'
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createCohere } from '@ai-sdk/cohere'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenResponses } from '@ai-sdk/open-responses'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { jsonSchema, type LanguageModel, stepCountIs, streamText, type ToolSet } from 'ai-7'
import { createOpenAI } from 'ai-sdk-openai-4'
import { createMillrace } from '../../src/ai-sdk.ts'
import { openai } from '../../src/dialects/openai.ts'
import { createGateway } from '../../src/fetch.ts'
import type { ScriptedTurn } from '../../src/testing/scripted/wire-upstream.ts'
import { ALL_FIXTURES, collected, optionsOf } from '../engine/run-engine.ts'
import { type Behaviour, type MockUpstream, startMockUpstream } from '../mock-upstreams/server.ts'
import { scripted } from '../mock-upstreams/wire-bodies.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { UPSTREAMS } from './sdks.ts'

/** What a program of the AI SDK 7 receives and sends by each way to a vendor, measured at a mock of the vendor. */

/** The wires of which vendors have a package of their own for this version. */
export const MEASURED = [
  'anthropic-messages',
  'openai-responses',
  'openai-chat',
  'gemini-generate',
  'bedrock-converse',
  'cohere-chat',
] as const
type MeasuredWire = (typeof MEASURED)[number]

type Open = (wire: MeasuredWire, url: string) => LanguageModel

const KEY = 'key-1'

/** A gateway in this process, in front of the mock. */
const throughGateway =
  (toModel: (base: string, id: string, fetch: typeof globalThis.fetch) => LanguageModel): Open =>
  (wire, url) => {
    const { vendor, model } = UPSTREAMS[wire]
    const sha256 = createHash('sha256').update(KEY).digest('hex')
    const gateway = createGateway({
      keys: [{ name: 'app', sha256 }],
      vendors: { [String(vendor)]: { wire, base_url: url, key: 'k' } },
      retry: { attempts: 1 },
    })
    const send = (async (input: RequestInfo | URL, init?: RequestInit) =>
      gateway.fetch(new Request(input, init))) as typeof globalThis.fetch
    return toModel('https://gateway.test/openai/v1', `${String(vendor)}/${model}`, send)
  }

const OWN: Readonly<Record<MeasuredWire, (url: string, model: string) => LanguageModel>> = {
  'anthropic-messages': (baseURL, model) => createAnthropic({ baseURL, apiKey: KEY })(model),
  'openai-responses': (baseURL, model) => createOpenAI({ baseURL, apiKey: KEY }).responses(model),
  'openai-chat': (baseURL, model) => createOpenRouter({ baseURL, apiKey: KEY }).chat(model),
  'gemini-generate': (baseURL, model) => createGoogleGenerativeAI({ baseURL, apiKey: KEY })(model),
  'bedrock-converse': (baseURL, model) => createAmazonBedrock({ baseURL, apiKey: KEY })(model),
  'cohere-chat': (baseURL, model) => createCohere({ baseURL, apiKey: KEY })(model),
}

export const WAYS = {
  'millrace/ai-sdk': (wire, baseUrl) =>
    createMillrace({ vendor: UPSTREAMS[wire].vendor, wire, baseUrl, apiKey: KEY })(UPSTREAMS[wire].model),
  'gateway, @ai-sdk/open-responses': throughGateway((base, id, fetch) =>
    createOpenResponses({ name: 'gateway', url: `${base}/responses`, apiKey: KEY, fetch })(id),
  ),
  'gateway, @ai-sdk/openai': throughGateway((baseURL, id, fetch) =>
    createOpenAI({ baseURL, apiKey: KEY, fetch }).responses(id),
  ),
  'the provider’s package': (wire, url) => OWN[wire](url, UPSTREAMS[wire].model),
} satisfies Readonly<Record<string, Open>>
export type Way = keyof typeof WAYS

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const tools = {
  weather: {
    description: 'The weather of a city.',
    inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
    execute: async ({ city }: { readonly city: string }) => `sun in ${city}`,
  },
} as unknown as ToolSet

const CALLS: ScriptedTurn = {
  reasoning: { text: 'Both are needed.', seal: 'c2VhbC1vbmU=' },
  text: [],
  calls: [
    { id: 'call_1', name: 'weather', args: { city: 'Bern' } },
    { id: 'call_2', name: 'weather', args: { city: 'Lyon' } },
  ],
}
const LAST: ScriptedTurn = { text: ['Sun ', 'everywhere.'], calls: [] }

interface Measurement {
  readonly model: LanguageModel
  readonly mock: MockUpstream
}

/** Without a store at the vendor, as programs of several vendors work. */
const STATELESS = { openai: { store: false, include: ['reasoning.encrypted_content'] } }

const ask = (model: LanguageModel, settings: object = {}) =>
  streamText({
    model,
    prompt: 'Hi',
    maxRetries: 0,
    onError: () => undefined,
    reasoning: 'high',
    providerOptions: STATELESS,
    ...settings,
  } as Parameters<typeof streamText>[0])

const bodies = ({ received }: MockUpstream): readonly string[] => received.map(({ body }) => JSON.stringify(body))

/** A recorded answer of the wire that has the feature; null if there is none. */
function recordedWith(wire: MeasuredWire, has: (response: string) => boolean) {
  const fixtures = ALL_FIXTURES.filter(({ wire: own, name }) => own.name === wire && name !== 'cut-off')
  return (
    fixtures.find((one) =>
      has(JSON.stringify(collected(optionsOf(openai, one.quirks, 'x', one.wire), [one.stream]))),
    ) ?? null
  )
}

const playing =
  (wire: MeasuredWire, stream: Uint8Array): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': WIRE_UPSTREAMS[wire].contentType }).end(stream)
  }

interface Feature {
  /** The answers of the mock; null if the wire has no such thing. */
  readonly behave: (wire: MeasuredWire) => Behaviour | null
  readonly holds: (measured: Measurement) => Promise<boolean>
}

const loop = (wire: MeasuredWire): Behaviour => {
  let turn = 0
  return scripted(WIRE_UPSTREAMS[wire], () => (turn++ === 0 ? CALLS : LAST))
}

const recorded = (pattern: RegExp) => (wire: MeasuredWire) => {
  const found = recordedWith(wire, (response) => pattern.test(response))
  return found === null ? null : playing(wire, found.stream)
}

const runLoop = async ({ model }: Measurement) => {
  const result = ask(model, { tools, stopWhen: stepCountIs(3) })
  await result.consumeStream({ onError: () => undefined })
  return result
}

const UNSIGNED: ReadonlySet<MeasuredWire> = new Set(['cohere-chat'])

export const FEATURES: Readonly<Record<string, Feature>> = {
  'text of the reasoning': {
    behave: loop,
    holds: async (measured) => {
      const steps = await (await runLoop(measured)).steps
      return steps[0]?.reasoningText === 'Both are needed.'
    },
  },
  'signed reasoning comes back': {
    behave: (wire) => (UNSIGNED.has(wire) ? null : loop(wire)),
    holds: async (measured) => {
      await runLoop(measured)
      return bodies(measured.mock)[1]?.includes('c2VhbC1vbmU=') === true
    },
  },
  'parallel calls and their results': {
    behave: loop,
    holds: async (measured) => {
      await runLoop(measured)
      const second = bodies(measured.mock)[1] ?? ''
      return second.includes('sun in Bern') && second.includes('sun in Lyon')
    },
  },
  citations: {
    behave: recorded(/"type":"url_citation"/),
    holds: async ({ model }) => (await ask(model).sources).length > 0,
  },
  'tokens read from a cache': {
    behave: recorded(/"cached_tokens":[1-9]/),
    holds: async ({ model }) => ((await ask(model).usage).inputTokenDetails.cacheReadTokens ?? 0) > 0,
  },
  'a picture in the prompt': {
    behave: (wire) => scripted(WIRE_UPSTREAMS[wire], () => LAST),
    holds: async ({ model, mock }) => {
      const content = [
        { type: 'text', text: 'See' },
        { type: 'image', image: PNG },
      ]
      await ask(model, { prompt: undefined, messages: [{ role: 'user', content }] }).consumeStream()
      return bodies(mock)[0]?.includes(PNG) === true
    },
  },
  'a call is repeated after 429': {
    behave: (wire) => {
      let calls = 0
      const answer = scripted(WIRE_UPSTREAMS[wire], () => LAST)
      return (response, request) => {
        calls += 1
        if (calls > 1) return answer(response, request)
        response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '0' })
        response.end(JSON.stringify({ error: { message: 'Slow down', type: 'rate_limit_error', code: 'rate_limit' } }))
      }
    },
    holds: async ({ model }) => (await ask(model, { maxRetries: 1 }).text) === 'Sun everywhere.',
  },
  'a stream that breaks off is an error': {
    behave: (wire) => {
      const found = ALL_FIXTURES.find(({ wire: own, name }) => own.name === wire && name === 'cut-off')
      return found === undefined ? null : playing(wire, found.stream)
    },
    holds: async ({ model }) => {
      let failed = false
      const result = ask(model, {
        onError: () => {
          failed = true
        },
      })
      await result.consumeStream({ onError: () => undefined })
      const reason = await Promise.resolve(result.finishReason).catch(() => 'error')
      return failed || reason === 'error' || reason === 'interrupted'
    },
  },
  'the provider’s own finish reason': {
    behave: (wire) => scripted(WIRE_UPSTREAMS[wire], () => LAST),
    holds: async ({ model }) => (await ask(model).rawFinishReason) !== undefined,
  },
  'a setting that the provider does not have is a warning': {
    behave: (wire) => scripted(WIRE_UPSTREAMS[wire], () => LAST),
    holds: async ({ model, mock }) => {
      const settings = { topK: 5, seed: 7, presencePenalty: 0.5, stopSequences: ['END'] }
      const warned = JSON.stringify(await ask(model, settings).warnings)
      const sent = bodies(mock)[0] ?? ''
      const each = [
        [/"(?:top_?k|k)":5/i, /top_?k/i],
        [/"seed":7/, /seed/],
        [/presence_?penalty":0.5/i, /presence_?penalty/i],
        [/"END"/, /stop/i],
      ] as const
      return each.every(([carried, named]) => carried.test(sent) || named.test(warned))
    },
  },
  'raw chunks': {
    behave: (wire) => scripted(WIRE_UPSTREAMS[wire], () => LAST),
    holds: async ({ model }) => {
      const types: string[] = []
      for await (const { type } of ask(model, { includeRawChunks: true }).fullStream) types.push(type)
      return types.includes('raw')
    },
  },
}

/** One feature of one way and wire; null where the wire has no such thing. */
export async function measure(feature: string, way: Way, wire: MeasuredWire): Promise<boolean | null> {
  const { behave, holds } = FEATURES[feature] as Feature
  const behaviour = behave(wire)
  if (behaviour === null) return null
  const mock = await startMockUpstream(behaviour)
  try {
    return await holds({ model: WAYS[way](wire, mock.url), mock })
  } catch {
    return false
  } finally {
    await mock.close()
  }
}
