import type { JsonObject } from '../../protocol/json.ts'

/**
 * JSON of this wire. Received values are typed as documented, with every field optional: the decoder checks each field
 * that it reads. Sent values are typed exactly. A whole answer is a stream of one line.
 */
export interface OllamaLine {
  readonly model?: string
  readonly created_at?: string
  readonly message?: OllamaAnswer
  readonly done?: boolean
  readonly done_reason?: string
  /** Tokens of the prompt; missing if the whole prompt was cached. */
  readonly prompt_eval_count?: number
  /** Tokens of the output, including reasoning. */
  readonly eval_count?: number
  readonly logprobs?: readonly JsonObject[]
  /** Replaces all other fields. */
  readonly error?: string
}

export interface OllamaAnswer {
  readonly role?: string
  readonly content?: string
  readonly thinking?: string
  /** Whole calls, in lines before the `done` line or in that line. */
  readonly tool_calls?: readonly OllamaToolCall[]
  readonly images?: readonly string[]
}

export interface OllamaToolCall {
  /** Exists since late 2025. */
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
      /** Left out if the call is not in the request. */
      readonly tool_name?: string
    }

export type OllamaTool = {
  readonly type: 'function'
  readonly function: JsonObject & { readonly name: string }
}
