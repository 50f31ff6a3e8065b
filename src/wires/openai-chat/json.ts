import type { Json, JsonObject } from '../../protocol/json.ts'
import type { CacheControl } from '../shared/upstream/cache/cache-control.ts'

/**
 * The JSON of this wire. Types of upstream JSON describe the intended form, with every field optional and nullable:
 * readers check each field, since no two vendors of this wire agree. Types of requests are exact.
 */
export interface ChatChunk {
  readonly id?: string | null
  readonly object?: string | null
  readonly created?: number | null
  readonly model?: string | null
  readonly choices?: readonly ChatChoice[] | null
  readonly usage?: ChatUsage | null
  /** Groq's usage, beside or in place of `usage`. */
  readonly x_groq?: { readonly usage?: ChatUsage | null; readonly error?: unknown } | null
  readonly service_tier?: string | null
  /** An error in an answer with status 200: an object (`ChatError`) or a bare string. */
  readonly error?: unknown
  /** Perplexity, xAI: the sources that markers such as `[1]` in the text count. */
  readonly citations?: readonly (string | { readonly url?: string | null; readonly title?: string | null })[] | null
  readonly search_results?: readonly ChatSearchResult[] | null
}

/** In a whole answer, a choice has a `message`. */
export interface ChatChoice {
  readonly index?: number | null
  readonly delta?: ChatDelta | null
  readonly message?: ChatDelta | null
  readonly finish_reason?: string | null
  /** OpenRouter: the finish reason of the vendor behind it. */
  readonly native_finish_reason?: string | null
  readonly logprobs?: { readonly content?: readonly ChatLogprob[] | null } | null
  /** Moonshot, in earlier versions: usage inside the choice. */
  readonly usage?: ChatUsage | null
  /** OpenRouter: an error of this choice. */
  readonly error?: unknown
  /** Text of the older completions API; at Together a copy of `delta.content`. */
  readonly text?: string | null
}

export interface ChatDelta {
  readonly role?: string | null
  /** A list at Mistral. */
  readonly content?: string | readonly ChatContentPart[] | null
  readonly refusal?: string | null
  readonly tool_calls?: readonly ChatToolCall[] | null
  /** The single call of the older form, before `tool_calls`. */
  readonly function_call?: ChatFunction | null
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
  readonly reasoning_details?: readonly ChatReasoningDetail[] | null
  /** Copilot. */
  readonly reasoning_text?: string | null
  readonly reasoning_opaque?: string | null
  readonly reasoning_signature?: string | null
  /** LiteLLM: Anthropic's blocks. Its last piece may repeat the whole text beside the signature. */
  readonly thinking_blocks?: readonly JsonObject[] | null
  /** Portkey: Anthropic's blocks; pieces of a stream are in `delta`. */
  readonly content_blocks?: readonly JsonObject[] | null
  /** Perplexity. */
  readonly reasoning_steps?: readonly JsonObject[] | null
  /** Signatures of Gemini: of the message here, of a call there. */
  readonly extra_content?: JsonObject | null
  readonly provider_specific_fields?: JsonObject | null
  readonly annotations?: readonly ChatAnnotation[] | null
  readonly executed_tools?: readonly ChatExecutedTool[] | null
  readonly images?: readonly JsonObject[] | null
  readonly audio?: JsonObject | null
}

export interface ChatContentPart {
  readonly type?: string | null
  readonly text?: string | null
  readonly thinking?: string | readonly { readonly type?: string | null; readonly text?: string | null }[] | null
  readonly reference_ids?: readonly (string | number)[] | null
}

export interface ChatToolCall {
  /** Missing at Mistral. */
  readonly index?: number | string | null
  readonly id?: string | null
  readonly type?: string | null
  readonly function?: ChatFunction | null
  readonly custom?: { readonly name?: string | null; readonly input?: string | null } | null
  readonly extra_content?: JsonObject | null
  readonly provider_specific_fields?: JsonObject | null
}

export interface ChatFunction {
  readonly name?: string | null
  /** An object from servers that do not stringify it. */
  readonly arguments?: string | JsonObject | null
}

/** `reasoning.text`, `reasoning.summary` or `reasoning.encrypted`; pieces of one detail share `index` and `type`. */
export interface ChatReasoningDetail {
  readonly type?: string | null
  readonly index?: number | null
  readonly id?: string | null
  readonly format?: string | null
  readonly text?: string | null
  readonly summary?: string | null
  readonly signature?: string | null
  readonly data?: string | null
}

/** Nested at OpenAI and OpenRouter, flat elsewhere. */
export interface ChatAnnotation extends ChatUrlCitation {
  readonly type?: string | null
  readonly url_citation?: ChatUrlCitation | null
}

export interface ChatUrlCitation {
  readonly url?: string | null
  readonly title?: string | null
  readonly content?: string | null
  readonly start_index?: number | null
  readonly end_index?: number | null
}

export interface ChatSearchResult {
  readonly url?: string | null
  readonly title?: string | null
  readonly content?: string | null
  readonly snippet?: string | null
}

/** A tool that Groq's compound models ran themselves. */
export interface ChatExecutedTool {
  readonly index?: number | null
  readonly type?: string | null
  readonly name?: string | null
  readonly arguments?: string | null
  readonly output?: string | null
  readonly search_results?: { readonly results?: readonly ChatSearchResult[] | null } | null
}

export interface ChatLogprob {
  readonly token?: string | null
  readonly logprob?: number | null
  readonly bytes?: readonly number[] | null
  readonly top_logprobs?: readonly Omit<ChatLogprob, 'top_logprobs'>[] | null
}

export interface ChatUsage {
  readonly prompt_tokens?: number | null
  readonly completion_tokens?: number | null
  readonly total_tokens?: number | null
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null
  /** Cached tokens, in the fields of DeepSeek, Moonshot, Mistral and Databricks. */
  readonly prompt_cache_hit_tokens?: number | null
  readonly cached_tokens?: number | null
  readonly num_cached_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  /** Perplexity. */
  readonly reasoning_tokens?: number | null
}

/** The error inside `error`, in its usual form. */
export interface ChatError {
  readonly message?: string | null
  /** A string, or the HTTP status as a number. */
  readonly code?: string | number | null
  readonly type?: string | null
  readonly param?: string | null
  readonly metadata?: JsonObject | null
}

export type ChatPart = ChatBreakpoint & ChatPartKind

/** The end of a prefix that the upstream caches: `cache_control` at a router, the other one at OpenAI. */
export type ChatBreakpoint = CacheControl & {
  readonly prompt_cache_breakpoint?: { readonly mode: 'explicit'; readonly ttl?: string }
}

type ChatPartKind =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'thinking'
      readonly thinking: readonly { readonly type: 'text'; readonly text: string }[]
      readonly signature?: string
    }
  | { readonly type: 'reasoning'; readonly summary: readonly JsonObject[] }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } }
  | { readonly type: 'file'; readonly file: { readonly [field: string]: string } }
  | { readonly type: 'video_url'; readonly video_url: { readonly url: string } }
  | { readonly type: 'document_url'; readonly document_url: string; readonly document_name?: string }
  | { readonly type: 'input_audio'; readonly input_audio: string | { readonly data: string; readonly format: string } }

/** The signature of a call or a message of Gemini, in the place that its vendor reads (`sealed-reasoning.ts`). */
export interface ChatSignature {
  readonly extra_content?: JsonObject
  readonly provider_specific_fields?: JsonObject
}

export type ChatCall = ChatSignature & ChatCallKind

type ChatCallKind =
  | {
      readonly id: string
      readonly type: 'function'
      readonly function: { readonly name: string; readonly arguments: string }
    }
  | { readonly id: string; readonly type: 'custom'; readonly custom: { readonly name: string; readonly input: string } }

export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: string | readonly ChatPart[] }
  | ChatAssistantMessage
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string | readonly ChatPart[] }

export interface ChatAssistantMessage extends ChatSignature {
  readonly role: 'assistant'
  readonly content: string | readonly ChatPart[] | null
  readonly refusal?: string
  /** The model continues this message (Mistral). */
  readonly prefix?: true
  readonly tool_calls?: readonly ChatCall[]
  readonly reasoning_content?: string
  readonly reasoning?: string
  readonly reasoning_details?: readonly Json[]
  readonly reasoning_text?: string
  readonly reasoning_opaque?: string
  readonly reasoning_signature?: string
  readonly thinking_blocks?: readonly JsonObject[]
  readonly content_blocks?: readonly JsonObject[]
}

export type ChatTool =
  | (CacheControl & { readonly type: 'function'; readonly function: JsonObject & { readonly name: string } })
  | (CacheControl & { readonly type: 'custom'; readonly custom: JsonObject & { readonly name: string } })
  | { readonly type: 'openrouter:web_search'; readonly parameters: JsonObject }

export type ChatToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | 'any'
  | { readonly type: 'function'; readonly function: { readonly name: string } }
  | { readonly type: 'custom'; readonly custom: { readonly name: string } }
