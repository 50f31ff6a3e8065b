import type { JsonObject } from '../../protocol/json.ts'

/**
 * Their JSON. What they send is typed as it is meant, every field optional: whoever reads it checks it. What we send is
 * typed as it must be. A whole answer is a stream of one line.
 */
export interface OllamaLine {
  readonly model?: string
  readonly created_at?: string
  readonly message?: OllamaAnswer
  readonly done?: boolean
  readonly done_reason?: string
  /** Tokens read; left out where all of them were cached. */
  readonly prompt_eval_count?: number
  /** Tokens written, thoughts included. */
  readonly eval_count?: number
  readonly logprobs?: readonly JsonObject[]
  /** Instead of everything else. */
  readonly error?: string
}

export interface OllamaAnswer {
  readonly role?: string
  readonly content?: string
  readonly thinking?: string
  /** Whole calls, in the lines before the one that is done, or in it. */
  readonly tool_calls?: readonly OllamaToolCall[]
  readonly images?: readonly string[]
}

export interface OllamaToolCall {
  /** Since late 2025. */
  readonly id?: string
  readonly function?: { readonly index?: number; readonly name?: string; readonly arguments?: JsonObject }
}

export interface OllamaCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: JsonObject }
}

export type OllamaMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly string[] }
  | {
      readonly role: 'assistant'
      readonly content: string
      readonly thinking?: string
      readonly tool_calls?: readonly OllamaCall[]
    }
  | {
      readonly role: 'tool'
      readonly content: string
      readonly tool_call_id: string
      /** Unknown where the call is nowhere. */
      readonly tool_name?: string
    }

export type OllamaTool = {
  readonly type: 'function'
  readonly function: JsonObject & { readonly name: string }
}
