import type { Json, JsonObject } from '../../protocol/json.ts'

/**
 * The JSON of this wire. Types of upstream JSON describe the intended form, with every field optional: readers check
 * each field. Types of requests are exact. Bytes are base64.
 */

/** Payloads of a ConverseStream, by event name. Each may have `p`, padding of a random length. */
export interface ConverseEvents {
  readonly messageStart: { readonly role?: string }
  /** Sent for blocks of tool calls, tool results and images only. */
  readonly contentBlockStart: {
    readonly contentBlockIndex?: number
    readonly start?: {
      readonly toolUse?: Omit<ToolUse, 'input'>
      readonly toolResult?: Omit<ToolResult, 'content'>
      readonly image?: { readonly format?: string }
    }
  }
  readonly contentBlockDelta: {
    readonly contentBlockIndex?: number
    readonly delta?: {
      readonly text?: string
      readonly toolUse?: { readonly input?: string }
      readonly reasoningContent?: {
        readonly text?: string
        readonly signature?: string
        readonly redactedContent?: string
      }
      readonly citation?: ConverseCitation
      readonly toolResult?: readonly ToolResultPart[]
      readonly image?: { readonly source?: { readonly bytes?: string }; readonly error?: { readonly message?: string } }
    }
  }
  readonly contentBlockStop: { readonly contentBlockIndex?: number }
  readonly messageStop: { readonly stopReason?: string; readonly additionalModelResponseFields?: Json }
  /**
   * The last event, after `messageStop`. The `trace` of a guardrail holds the original answer and must not be passed
   * on.
   */
  readonly metadata: { readonly usage?: ConverseUsage; readonly metrics?: JsonObject; readonly trace?: JsonObject }
}

/** A whole answer of Converse. */
export interface ConverseBody {
  readonly output?: { readonly message?: { readonly role?: string; readonly content?: readonly AnswerBlock[] } }
  readonly stopReason?: string
  readonly usage?: ConverseUsage
  readonly trace?: JsonObject
}

/** Exactly one field is set. */
export interface AnswerBlock {
  readonly text?: string
  readonly toolUse?: ToolUse
  readonly toolResult?: ToolResult
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text?: string; readonly signature?: string }
    readonly redactedContent?: string
  }
  readonly citationsContent?: {
    readonly content?: readonly { readonly text?: string }[]
    readonly citations?: readonly ConverseCitation[]
  }
  readonly image?: { readonly format?: string; readonly source?: { readonly bytes?: string } }
}

export interface ToolUse {
  readonly toolUseId?: string
  readonly name?: string
  readonly input?: Json
  /** `server_tool_use` if Bedrock runs the tool itself; otherwise missing, or `tool_use`. */
  readonly type?: string
}

export interface ToolResult {
  readonly toolUseId?: string
  readonly status?: string
  readonly type?: string
  readonly content?: readonly ToolResultPart[]
}

export interface ToolResultPart {
  readonly text?: string
  readonly json?: Json
}

export interface ConverseCitation {
  readonly title?: string
  /** For search results: their origin, usually a URL. */
  readonly source?: string
  readonly sourceContent?: readonly { readonly text?: string }[]
  /** Exactly one field is set. Offsets refer to the source, never to the answer. */
  readonly location?: {
    readonly web?: { readonly url?: string; readonly domain?: string }
    readonly documentChar?: DocumentLocation
    readonly documentPage?: DocumentLocation
    readonly documentChunk?: DocumentLocation
    readonly searchResultLocation?: {
      readonly searchResultIndex?: number
      readonly start?: number
      readonly end?: number
    }
  }
}

export interface DocumentLocation {
  /** The index of the document in the request, from 0. */
  readonly documentIndex?: number
  readonly start?: number
  readonly end?: number
}

export interface ConverseUsage {
  /** Without tokens that were read from the cache or written to it. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Including the cache. */
  readonly totalTokens?: number
  readonly cacheReadInputTokens?: number
  readonly cacheWriteInputTokens?: number
  /** The tokens written to the cache, by the lifetime of their entry: `5m` or `1h`. */
  readonly cacheDetails?: readonly { readonly ttl?: string; readonly inputTokens?: number }[]
  /** Older names, sent beside the newer ones. */
  readonly cacheReadInputTokenCount?: number
  readonly cacheWriteInputTokenCount?: number
}

/**
 * The payload of an exception, in the stream or as the body of a status of 400 or above (there sometimes with
 * `Message`).
 */
export interface ConverseException {
  readonly message?: string
  readonly Message?: string
  /** For `modelStreamErrorException`: the answer of the model's own server. */
  readonly originalStatusCode?: number
  readonly originalMessage?: string
}

export type ImageSource = { readonly bytes: string } | { readonly s3Location: { readonly uri: string } }

export type RequestBlock =
  | { readonly text: string }
  | { readonly image: { readonly format: string; readonly source: ImageSource } }
  | {
      readonly document: {
        readonly format: string
        readonly name: string
        readonly source: ImageSource
        readonly citations?: { readonly enabled: boolean }
      }
    }
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: JsonObject } }
  | {
      readonly toolResult: {
        readonly toolUseId: string
        readonly content: readonly RequestBlock[]
        readonly status?: string
      }
    }
  | { readonly reasoningContent: RequestReasoning }
  | CachePoint

/** The end of a prefix that the upstream caches, after the block, the text or the tool that ends it. */
export type CachePoint = { readonly cachePoint: { readonly type: 'default'; readonly ttl?: string } }

export type RequestReasoning =
  | { readonly reasoningText: { readonly text: string; readonly signature: string } }
  | { readonly redactedContent: string }

export interface RequestMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly RequestBlock[]
}

export type RequestTool =
  | {
      readonly toolSpec: {
        readonly name: string
        readonly description?: string
        readonly inputSchema: { readonly json: JsonObject }
        readonly strict?: true
      }
    }
  | { readonly systemTool: { readonly name: string } }
  | CachePoint

export type RequestToolChoice =
  | { readonly auto: JsonObject }
  | { readonly any: JsonObject }
  | { readonly tool: { readonly name: string } }
