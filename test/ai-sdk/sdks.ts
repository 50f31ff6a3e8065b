import * as ai6 from 'ai'
import * as ai7 from 'ai-7'
import { createMillrace, type MillraceModel, type MillraceOptions } from '../../src/ai-sdk.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { Behaviour, MockUpstream } from '../mock-upstreams/server.ts'
import { startMockUpstream } from '../mock-upstreams/server.ts'

/** A vendor and a model of each wire, whose server is a mock. */
export const UPSTREAMS: Readonly<
  Record<WireName, { readonly vendor: NonNullable<MillraceOptions['vendor']>; readonly model: string }>
> = {
  'openai-chat': { vendor: 'openrouter', model: 'anthropic/claude-sonnet-4.5' },
  'openai-responses': { vendor: 'openai', model: 'gpt-5-mini' },
  'anthropic-messages': { vendor: 'anthropic', model: 'claude-sonnet-4-5' },
  'gemini-generate': { vendor: 'google', model: 'gemini-3-pro-preview' },
  'gemini-interactions': { vendor: 'google', model: 'gemini-3-pro-preview' },
  'bedrock-converse': { vendor: 'bedrock', model: 'anthropic.claude-sonnet-4-5' },
  'cohere-chat': { vendor: 'cohere', model: 'command-a-vision-07-2025' },
  'ollama-chat': { vendor: 'ollama', model: 'gemma4:12b' },
}

export const WIRE_NAMES = Object.keys(UPSTREAMS) as readonly WireName[]

type OwnSettings = Partial<Omit<MillraceOptions, 'specification' | 'vendor' | 'wire' | 'baseUrl'>>

const upstreamOf = (wire: WireName, baseUrl: string, own: OwnSettings) => ({
  vendor: UPSTREAMS[wire].vendor,
  wire,
  baseUrl,
  apiKey: 'key-1',
  ...own,
})

export interface Tool {
  readonly description: string
  readonly parameters: object
  execute(input: never): unknown
}

export interface AskOptions {
  readonly prompt?: string
  readonly messages?: readonly object[]
  readonly tools?: Readonly<Record<string, Tool>>
  readonly steps?: number
  /** An effort of reasoning. */
  readonly reasoning?: string
  readonly maxRetries?: number
  readonly own?: OwnSettings
  readonly settings?: Readonly<Record<string, unknown>>
}

export interface Asked {
  readonly text: string
  readonly reasoning: string
  readonly finishReason: string
  readonly rawFinishReason: string | undefined
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly cachedTokens: number | undefined
  readonly steps: number
  readonly calls: readonly (readonly [name: string, input: unknown])[]
  readonly sources: readonly string[]
  readonly files: readonly string[]
  readonly warnings: readonly unknown[]
  readonly responseId: string
  readonly metadata: unknown
}

/** One version of the AI SDK, by the same functions. */
export interface Sdk {
  readonly version: 6 | 7
  model(wire: WireName, baseUrl: string, own?: OwnSettings): MillraceModel<'v3'> | MillraceModel<'v4'>
  generate(wire: WireName, baseUrl: string, options: AskOptions): Promise<Asked>
  stream(wire: WireName, baseUrl: string, options: AskOptions): Promise<Asked>
  object(wire: WireName, baseUrl: string, schema: object): Promise<unknown>
}

interface Result {
  readonly text: string
  readonly reasoningText: string | undefined
  readonly finishReason: string
  readonly rawFinishReason: string | undefined
  readonly usage: ai7.LanguageModelUsage
  readonly steps: readonly {
    readonly toolCalls: readonly { readonly toolName: string; readonly input: unknown }[]
    readonly reasoningText: string | undefined
  }[]
  readonly sources: readonly { readonly url?: string }[]
  readonly files: readonly { readonly mediaType: string }[]
  readonly warnings: readonly unknown[] | undefined
  readonly response: { readonly id: string }
  readonly providerMetadata: unknown
}

const toAsked = (result: Result): Asked => ({
  text: result.text,
  reasoning: result.steps.map(({ reasoningText = '' }) => reasoningText).join(''),
  finishReason: result.finishReason,
  rawFinishReason: result.rawFinishReason,
  inputTokens: result.usage.inputTokens,
  outputTokens: result.usage.outputTokens,
  cachedTokens: result.usage.inputTokenDetails.cacheReadTokens,
  steps: result.steps.length,
  calls: result.steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName, input }) => [toolName, input] as const)),
  sources: result.sources.map(({ url = '' }) => url),
  files: result.files.map(({ mediaType }) => mediaType),
  warnings: result.warnings ?? [],
  responseId: result.response.id,
  metadata: result.providerMetadata,
})

const toolsOf = (sdk: typeof ai6 | typeof ai7, tools: AskOptions['tools'] = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(tools).map(([name, { description, parameters, execute }]) => [
      name,
      { description, inputSchema: sdk.jsonSchema(parameters as never), execute },
    ]),
  )

function settingsOf(sdk: typeof ai6 | typeof ai7, options: AskOptions): Record<string, unknown> {
  const { prompt, messages, tools, steps = 1, reasoning, maxRetries = 0, settings = {} } = options
  const effort = { effort: reasoning, summary: 'auto' }
  const members = sdk === ai7 ? { reasoning } : { providerOptions: { millrace: { reasoning: effort } } }
  return {
    ...(messages === undefined ? { prompt: prompt ?? 'Hi' } : { messages }),
    ...(tools === undefined ? {} : { tools: toolsOf(sdk, tools), stopWhen: sdk.stepCountIs(steps) }),
    ...(reasoning === undefined ? {} : members),
    maxRetries,
    ...settings,
  }
}

/** The parts of a streamed result are promises. */
async function settled(result: { readonly consumeStream: (options?: object) => PromiseLike<void> }): Promise<Result> {
  let failure: unknown
  await result.consumeStream({ onError: (error: unknown) => (failure ??= error) })
  const names = ['text', 'reasoningText', 'finishReason', 'rawFinishReason', 'usage', 'steps'] as const
  const more = ['sources', 'files', 'warnings', 'response', 'providerMetadata'] as const
  const members = result as unknown as Readonly<Record<string, Promise<unknown>>>
  const entries = await Promise.all(
    [...names, ...more].map(async (name) => [
      name,
      await members[name]?.catch((error: unknown) => Promise.reject(failure ?? error)),
    ]),
  )
  return Object.fromEntries(entries) as Result
}

const model6 = (wire: WireName, baseUrl: string, own: OwnSettings = {}) =>
  createMillrace({ ...upstreamOf(wire, baseUrl, own), specification: 'v3' })(UPSTREAMS[wire].model)
const model7 = (wire: WireName, baseUrl: string, own: OwnSettings = {}) =>
  createMillrace(upstreamOf(wire, baseUrl, own))(UPSTREAMS[wire].model)

const silent = { onError: () => undefined }

export const SDKS: readonly Sdk[] = [
  {
    version: 6,
    model: model6,
    generate: async (wire, baseUrl, { own, ...options }) =>
      toAsked(
        (await ai6.generateText({ model: model6(wire, baseUrl, own), ...settingsOf(ai6, options) } as never)) as never,
      ),
    stream: async (wire, baseUrl, { own, ...options }) =>
      toAsked(
        await settled(
          ai6.streamText({ model: model6(wire, baseUrl, own), ...silent, ...settingsOf(ai6, options) } as never),
        ),
      ),
    object: async (wire, baseUrl, schema) =>
      (await ai6.generateObject({ model: model6(wire, baseUrl), prompt: 'Hi', schema: ai6.jsonSchema(schema) })).object,
  },
  {
    version: 7,
    model: model7,
    generate: async (wire, baseUrl, { own, ...options }) =>
      toAsked(
        (await ai7.generateText({ model: model7(wire, baseUrl, own), ...settingsOf(ai7, options) } as never)) as never,
      ),
    stream: async (wire, baseUrl, { own, ...options }) =>
      toAsked(
        await settled(
          ai7.streamText({ model: model7(wire, baseUrl, own), ...silent, ...settingsOf(ai7, options) } as never),
        ),
      ),
    object: async (wire, baseUrl, schema) =>
      (await ai7.generateObject({ model: model7(wire, baseUrl), prompt: 'Hi', schema: ai7.jsonSchema(schema) })).object,
  },
]

export const CASES = SDKS.flatMap((sdk) => WIRE_NAMES.map((wire) => ({ sdk, wire, version: sdk.version })))

/** Runs with a mock upstream, which is closed at the end. */
export async function withUpstream<Result>(
  behave: Behaviour,
  run: (mock: MockUpstream) => Promise<Result>,
): Promise<Result> {
  const mock = await startMockUpstream(behave)
  try {
    return await run(mock)
  } finally {
    await mock.close()
  }
}
