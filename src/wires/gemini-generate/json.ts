import type { Json, JsonObject } from '../../protocol/json.ts'

/**
 * JSON of this wire. Received values are typed as documented, with every field optional: the decoder checks each field
 * that it reads. Sent values are typed exactly.
 */
export interface GenerateContentResponse {
  readonly candidates?: readonly Candidate[]
  readonly promptFeedback?: { readonly blockReason?: string | number; readonly blockReasonMessage?: string }
  readonly usageMetadata?: UsageMetadata
  readonly modelVersion?: string
  readonly responseId?: string
  readonly error?: {
    readonly code?: number
    readonly message?: string
    readonly status?: string
    readonly details?: readonly JsonObject[]
  }
}

export interface Candidate {
  readonly content?: { readonly role?: string; readonly parts?: readonly ResponsePart[] }
  readonly finishReason?: string | number
  readonly finishMessage?: string
  readonly index?: number
  readonly groundingMetadata?: GroundingMetadata
  readonly citationMetadata?: {
    /** The field of the Gemini API. */
    readonly citationSources?: readonly CitationSource[]
    /** The field of Vertex AI. */
    readonly citations?: readonly CitationSource[]
  }
  readonly urlContextMetadata?: {
    readonly urlMetadata?: readonly { readonly retrievedUrl?: string; readonly urlRetrievalStatus?: string }[]
  }
  readonly logprobsResult?: {
    readonly chosenCandidates?: readonly TokenProb[]
    readonly topCandidates?: readonly { readonly candidates?: readonly TokenProb[] }[]
  }
}

export interface TokenProb {
  readonly token?: string
  readonly logProbability?: number
}

/** An increment, never cumulative. */
export interface ResponsePart {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly functionCall?: FunctionCall
  readonly executableCode?: { readonly language?: string; readonly code?: string; readonly id?: string }
  readonly codeExecutionResult?: { readonly outcome?: string; readonly output?: string; readonly id?: string }
  readonly toolCall?: { readonly toolType?: string; readonly args?: JsonObject; readonly id?: string }
  readonly toolResponse?: { readonly toolType?: string; readonly response?: JsonObject; readonly id?: string }
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string }
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string }
}

export interface FunctionCall {
  readonly id?: string
  readonly name?: string
  readonly args?: JsonObject
  readonly partialArgs?: readonly PartialArg[]
  readonly willContinue?: boolean
}

/** One value of the arguments, or a piece of a string, with its path, such as `$.a[1].b`. */
export interface PartialArg {
  readonly jsonPath?: string
  readonly stringValue?: string
  readonly numberValue?: number
  readonly boolValue?: boolean
  readonly nullValue?: null | string
  readonly willContinue?: boolean
}

export interface GroundingMetadata {
  readonly webSearchQueries?: readonly string[]
  readonly groundingChunks?: readonly GroundingChunk[]
  readonly groundingSupports?: readonly {
    /** Offsets in UTF-8 bytes, in all text of the candidate without reasoning. */
    readonly segment?: { readonly startIndex?: number; readonly endIndex?: number; readonly text?: string }
    readonly groundingChunkIndices?: readonly number[]
  }[]
}

export interface GroundingChunk {
  readonly web?: { readonly uri?: string; readonly title?: string }
  readonly maps?: { readonly uri?: string; readonly title?: string; readonly text?: string }
  readonly retrievedContext?: {
    readonly uri?: string
    readonly title?: string
    readonly text?: string
    readonly documentName?: string
    readonly fileSearchStore?: string
  }
}

export interface CitationSource {
  readonly startIndex?: number
  readonly endIndex?: number
  readonly uri?: string
  readonly title?: string
  readonly license?: string
}

export interface UsageMetadata {
  readonly promptTokenCount?: number
  readonly cachedContentTokenCount?: number
  readonly candidatesTokenCount?: number
  readonly thoughtsTokenCount?: number
  readonly toolUsePromptTokenCount?: number
  readonly totalTokenCount?: number
  readonly promptTokensDetails?: readonly ModalityTokenCount[]
  readonly cacheTokensDetails?: readonly ModalityTokenCount[]
  readonly candidatesTokensDetails?: readonly ModalityTokenCount[]
  readonly serviceTier?: string
  readonly trafficType?: string
}

export interface ModalityTokenCount {
  readonly modality: string
  readonly tokenCount: number
}

export type RequestPart = JsonObject

export interface RequestContent {
  readonly role: 'user' | 'model'
  readonly parts: readonly RequestPart[]
}

export interface FunctionDeclaration {
  readonly name: string
  readonly description?: string
  readonly parametersJsonSchema?: Json
}
