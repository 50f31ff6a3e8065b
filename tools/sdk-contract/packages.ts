import { fileURLToPath } from 'node:url'
import type { WireName } from '../../src/wires/contract.ts'
import type { Rename, Root } from './read-declarations.ts'

/** The direction of a type: sent by clients, or received by them as a stream or as a whole body. */
export type Direction = 'request' | 'body' | 'stream'

export interface PackageRoot extends Root {
  readonly direction: Direction
  readonly wire: WireName
  /** The name of a vendor whose upstream has this protocol. */
  readonly vendor: string
}

/** A vendor's package whose types are compared with the tables. */
export interface SdkPackage {
  readonly id: string
  readonly name: string
  /** The environment variable that names the folder of another version. */
  readonly variable: string
  readonly roots: readonly PackageRoot[]
  readonly rename: Rename
  /** Members of an answer that repeat the request, or that are passed on as a whole: their own words are not listed. */
  readonly leaves: readonly string[]
  /** Enumerations of names that a body passes on, whatever they are: models. */
  readonly names: readonly string[]
  /** Words of versions that are newer than the installed one. They have rows as well. */
  readonly newer?: readonly string[]
  /** Whether the types spell `tool_calls` as `toolCalls`. */
  readonly camelCase: boolean
}

const same = (name: string): string => name

const rootsOf = (wire: WireName, vendor: string, list: readonly (readonly [Direction, string, string])[]) =>
  list.map(([direction, file, type]): PackageRoot => ({ direction, wire, vendor, file, type }))

const responses = 'resources/responses/responses.d.ts'
const completions = 'resources/chat/completions/completions.d.ts'
const messages = 'resources/messages/messages.d.ts'
const betaMessages = 'resources/beta/messages/messages.d.ts'
const genai = 'dist/genai.d.ts'
const bedrock = 'dist-types/models/models_0.d.ts'
const model = (name: string): string => `esm/models/${name.toLowerCase()}.d.ts`

export const PACKAGES: readonly SdkPackage[] = [
  {
    id: 'openai',
    name: 'openai',
    variable: 'SDK_OPENAI',
    leaves: [
      'Response.tools',
      'Response.tool_choice',
      'Response.text',
      'Response.reasoning',
      'Response.instructions',
      'Response.prompt',
      'ResponseToolSearchOutputItem.tools',
      'ResponseOutputItem.AdditionalTools.tools',
    ],
    names: ['ResponsesModel', 'ChatModel', 'ChatCompletionCreateParams.model'],
    camelCase: false,
    rename: (name) =>
      name.replace(/^(Response|ChatCompletion)CreateParams(Base|NonStreaming|Streaming)$/, '$1CreateParams'),
    roots: [
      ...rootsOf('openai-responses', 'openai', [
        ['request', responses, 'ResponseCreateParams'],
        ['body', responses, 'Response'],
        ['stream', responses, 'ResponseStreamEvent'],
      ]),
      ...rootsOf('openai-chat', 'openai-chat', [
        ['request', completions, 'ChatCompletionCreateParams'],
        ['body', completions, 'ChatCompletion'],
        ['stream', completions, 'ChatCompletionChunk'],
      ]),
    ],
  },
  {
    id: 'anthropic',
    name: '@anthropic-ai/sdk',
    variable: 'SDK_ANTHROPIC',
    leaves: ['CompactionBlock.tool_changes'],
    names: ['Model', 'AdvisorTool20260301.model'],
    camelCase: false,
    // The types of the beta have the members of the others, and more.
    rename: (name) =>
      name.replace(/^Beta/, '').replace(/^MessageCreateParams(Base|NonStreaming|Streaming)$/, 'MessageCreateParams'),
    roots: rootsOf('anthropic-messages', 'anthropic', [
      ['request', messages, 'MessageCreateParams'],
      ['request', betaMessages, 'MessageCreateParams'],
      ['body', messages, 'Message'],
      ['body', betaMessages, 'BetaMessage'],
      ['stream', messages, 'RawMessageStreamEvent'],
      ['stream', betaMessages, 'BetaRawMessageStreamEvent'],
    ]),
  },
  {
    id: 'genai',
    name: '@google/genai',
    // @google/genai 3.3.
    newer: [
      'FinishReason = ESCALATION',
      'FinishReason = MISSING_THOUGHT_SIGNATURE',
      'FinishReason = MODEL_ARMOR',
      'FinishReason = PUP_LIMITED_DISABLED',
      'ThinkingLevel = XHIGH',
    ],
    variable: 'SDK_GENAI',
    leaves: [
      'GenerateContentConfig.abortSignal',
      'GenerateContentConfig.automaticContinuation',
      'GenerateContentConfig.automaticFunctionCalling',
      'GenerateContentConfig.httpOptions',
      'GenerateContentResponse.automaticFunctionCallingHistory',
      'GenerateContentResponse.sdkHttpResponse',
    ],
    names: [],
    camelCase: false,
    rename: same,
    roots: rootsOf('gemini-generate', 'google', [
      ['request', genai, 'GenerateContentParameters'],
      ['body', genai, 'GenerateContentResponse'],
    ]),
  },
  {
    id: 'bedrock',
    name: '@aws-sdk/client-bedrock-runtime',
    variable: 'SDK_BEDROCK',
    leaves: ['ConverseTrace.guardrail', 'ConverseStreamTrace.guardrail'],
    names: [],
    camelCase: false,
    rename: same,
    roots: rootsOf('bedrock-converse', 'bedrock', [
      ['request', bedrock, 'ConverseStreamRequest'],
      ['body', bedrock, 'ConverseResponse'],
      ['stream', bedrock, 'ConverseStreamOutput'],
    ]),
  },
  {
    id: 'cohere',
    name: 'cohere-ai',
    variable: 'SDK_COHERE',
    leaves: [],
    names: [],
    camelCase: true,
    rename: same,
    roots: rootsOf('cohere-chat', 'cohere', [
      ['request', 'api/resources/v2/client/requests/V2ChatStreamRequest.d.ts', 'V2ChatStreamRequest'],
      ['body', 'api/resources/v2/types/V2ChatResponse.d.ts', 'V2ChatResponse'],
      ['stream', 'api/resources/v2/types/V2ChatStreamResponse.d.ts', 'V2ChatStreamResponse'],
    ]),
  },
  {
    id: 'ollama',
    name: 'ollama',
    variable: 'SDK_OLLAMA',
    leaves: [],
    names: [],
    camelCase: false,
    rename: same,
    roots: rootsOf('ollama-chat', 'ollama', [
      ['request', 'dist/index.d.ts', 'ChatRequest'],
      ['body', 'dist/index.d.ts', 'ChatResponse'],
    ]),
  },
  {
    id: 'openrouter',
    name: '@openrouter/sdk',
    variable: 'SDK_OPENROUTER',
    leaves: [
      'OpenResponsesResult.tools',
      'OpenResponsesResult.toolChoice',
      'OpenResponsesResult.text',
      'OpenResponsesResult.reasoning',
      'OpenResponsesResult.instructions',
      'OpenResponsesResult.prompt',
    ],
    names: [],
    camelCase: true,
    rename: same,
    roots: [
      ...rootsOf('openai-chat', 'openrouter', [
        ['request', model('ChatRequest'), 'ChatRequest'],
        ['body', model('ChatResult'), 'ChatResult'],
        ['stream', model('ChatStreamChunk'), 'ChatStreamChunk'],
      ]),
      ...rootsOf('openai-responses', 'openrouter', [
        ['request', model('ResponsesRequest'), 'ResponsesRequest'],
        ['body', model('OpenResponsesResult'), 'OpenResponsesResult'],
        ['stream', model('StreamEvents'), 'StreamEvents'],
      ]),
    ],
  },
]

/** The folder of the package: the one that its variable names, else the installed one. */
export const folderOf = ({ name, variable }: SdkPackage): string =>
  process.env[variable] ?? fileURLToPath(new URL(`../../node_modules/${name}/`, import.meta.url))
