/**
 * The language model of the AI SDK as this package implements it: version 3 of its interface (AI SDK 6) and
 * version 4 (AI SDK 7), by structure, so that programs need not install that package. A test assigns
 * these types to those of both versions.
 */

/** `v3` for the AI SDK 6, `v4` for version 7. */
export type Specification = 'v3' | 'v4'

/** A JSON value, whose lists may be changed by their owner. */
type ModelJson = null | string | number | boolean | ModelJson[] | ModelJsonObject

interface ModelJsonObject {
  [name: string]: ModelJson | undefined
}

/** SentMembers under the name of a provider. */
export type ProviderMembers = Record<string, ModelJsonObject>

type Read = Readonly<Record<string, unknown>>

interface WithOptions {
  readonly providerOptions?: Readonly<Record<string, Read>> | undefined
}

/** The bytes of a file, base64 or a URL; from version 4 on, with a word that says which. */
export type GivenFile =
  | string
  | Uint8Array
  | URL
  | { readonly type: 'data'; readonly data: string | Uint8Array }
  | { readonly type: 'url'; readonly url: URL }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reference'; readonly reference: Readonly<Record<string, string>> }

export interface GivenFilePart extends WithOptions {
  readonly type: 'file' | 'reasoning-file'
  readonly data: GivenFile
  readonly mediaType: string
  readonly filename?: string | undefined
}

export interface GivenText extends WithOptions {
  readonly type: 'text' | 'reasoning'
  readonly text: string
}

export interface GivenCall extends WithOptions {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly providerExecuted?: boolean | undefined
}

/** A part of a result: a text, a file in the form of either version, or content of a provider. */
export interface GivenResultPart extends WithOptions {
  readonly type: string
  readonly text?: string
  readonly data?: GivenFile
  readonly mediaType?: string
  readonly filename?: string
  readonly url?: string
  readonly fileId?: string | Readonly<Record<string, string>>
}

export interface GivenResult extends WithOptions {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName: string
  readonly output: WithOptions &
    (
      | { readonly type: 'text' | 'error-text'; readonly value: string }
      | { readonly type: 'json' | 'error-json'; readonly value: unknown }
      | { readonly type: 'execution-denied'; readonly reason?: string | undefined }
      | { readonly type: 'content'; readonly value: readonly GivenResultPart[] }
    )
}

export interface GivenApproval extends WithOptions {
  readonly type: 'tool-approval-response'
  readonly approvalId: string
  readonly approved: boolean
}

interface GivenContent extends WithOptions {
  readonly type: 'custom'
  readonly kind: string
}

export type GivenPart = GivenText | GivenFilePart | GivenCall | GivenResult | GivenApproval | GivenContent

export type GivenMessage = WithOptions &
  (
    | { readonly role: 'system'; readonly content: string }
    | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly GivenPart[] }
  )

export type ModelTool =
  | (WithOptions & {
      readonly type: 'function'
      readonly name: string
      readonly description?: string | undefined
      readonly inputSchema: unknown
      readonly strict?: boolean | undefined
    })
  | { readonly type: 'provider'; readonly id: string; readonly name: string; readonly args: Read }

/** The options of one call, as either version passes them. */
export interface ModelCallOptions extends WithOptions {
  readonly prompt: readonly GivenMessage[]
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly seed?: number | undefined
  readonly stopSequences?: readonly string[] | undefined
  readonly responseFormat?:
    | { readonly type: 'text' }
    | {
        readonly type: 'json'
        readonly schema?: unknown
        readonly name?: string | undefined
        readonly description?: string | undefined
      }
    | undefined
  readonly tools?: readonly ModelTool[] | undefined
  readonly toolChoice?:
    | { readonly type: 'auto' | 'none' | 'required' }
    | { readonly type: 'tool'; readonly toolName: string }
    | undefined
  readonly includeRawChunks?: boolean | undefined
  /** Only version 4 has it. */
  readonly reasoning?: string | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly abortSignal?: AbortSignal | undefined
}

export type ModelWarning =
  | { type: 'unsupported' | 'compatibility'; feature: string; details?: string }
  | { type: 'other'; message: string }

interface WithMetadata {
  providerMetadata?: ProviderMembers
}

type ModelSource = { type: 'source'; id: string } & WithMetadata &
  (
    | { sourceType: 'url'; url: string; title?: string }
    | { sourceType: 'document'; mediaType: string; title: string; filename?: string }
  )

interface ModelCitation {
  source: ModelSource
  startIndex?: number
  endIndex?: number
  citedText?: string
}

/** Parts of an answer that the versions have in different forms, or that only version 4 has. */
type OwnForms<Version extends Specification> = Version extends 'v3'
  ? { type: 'file'; mediaType: string; data: string } & WithMetadata
  :
      | ({ type: 'file'; mediaType: string; data: { type: 'data'; data: string } } & WithMetadata)
      | ({ type: 'custom'; kind: `${string}.${string}` } & WithMetadata)

/** Parts that are the same in a stream and in the content of a whole answer. */
type WholePart<Version extends Specification> =
  | OwnForms<Version>
  | ModelSource
  | ({
      type: 'tool-call'
      toolCallId: string
      toolName: string
      input: string
      providerExecuted?: boolean
      dynamic?: boolean
    } & WithMetadata)
  | ({
      type: 'tool-result'
      toolCallId: string
      toolName: string
      result: string | number | boolean | ModelJson[] | ModelJsonObject
      isError?: boolean
      dynamic?: boolean
    } & WithMetadata)
  | ({ type: 'tool-approval-request'; approvalId: string; toolCallId: string } & WithMetadata)

type WithCitations<Version extends Specification> = Version extends 'v3' ? object : { citations?: ModelCitation[] }

export type ModelContent<Version extends Specification> =
  | WholePart<Version>
  | ({ type: 'text'; text: string } & WithMetadata & WithCitations<Version>)
  | ({ type: 'reasoning'; text: string } & WithMetadata)

export interface ModelFinish {
  unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'
  raw: string | undefined
}

export interface ModelUsage {
  inputTokens: {
    total: number | undefined
    noCache: number | undefined
    cacheRead: number | undefined
    cacheWrite: number | undefined
  }
  outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined }
  /** All counts under the names of the Responses API, with the price if it is known. */
  raw?: ModelJsonObject
}

export type ModelStreamPart<Version extends Specification> =
  | WholePart<Version>
  | ({ type: 'text-start' | 'reasoning-start' | 'reasoning-end'; id: string } & WithMetadata)
  | ({ type: 'text-end'; id: string } & WithMetadata & WithCitations<Version>)
  | ({ type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta'; id: string; delta: string } & WithMetadata)
  | ({
      type: 'tool-input-start'
      id: string
      toolName: string
      inputEncoding?: 'json' | 'text'
      providerExecuted?: boolean
      dynamic?: boolean
    } & WithMetadata)
  | ({ type: 'tool-input-end'; id: string } & WithMetadata)
  | { type: 'stream-start'; warnings: ModelWarning[] }
  | { type: 'response-metadata'; id?: string; timestamp?: Date; modelId?: string }
  | ({ type: 'finish'; usage: ModelUsage; finishReason: ModelFinish } & WithMetadata)
  | { type: 'error'; error: unknown }

export interface ModelRequest {
  url: string
  body: unknown
}

export interface GenerateResult<Version extends Specification> extends WithMetadata {
  content: ModelContent<Version>[]
  finishReason: ModelFinish
  usage: ModelUsage
  warnings: ModelWarning[]
  request: ModelRequest
  response: { id: string; modelId: string; timestamp: Date; headers: Record<string, string> }
}

export interface StreamResult<Version extends Specification> {
  stream: ReadableStream<ModelStreamPart<Version>>
  request: ModelRequest
  response: { headers: Record<string, string> }
}

/** A language model of either version. */
export interface MillraceModel<Version extends Specification = 'v4'> {
  readonly specificationVersion: Version
  readonly provider: string
  readonly modelId: string
  /** Files that the vendor accepts by their URL; all others are downloaded by the AI SDK. */
  readonly supportedUrls: Record<string, RegExp[]>
  doGenerate(options: ModelCallOptions): Promise<GenerateResult<Version>>
  doStream(options: ModelCallOptions): Promise<StreamResult<Version>>
}
