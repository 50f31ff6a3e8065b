import type { Item } from './item.ts'
import type { Json, JsonObject } from './json.ts'
import type { ToolNames } from './request.ts'
import type { Usage } from './usage.ts'

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed'
export type IncompleteReason = 'max_output_tokens' | 'content_filter'

interface ResponseError {
  readonly code: string
  readonly message: string
}

/**
 * The fields of the request that a response repeats. Omitted fields have the service's defaults: Open Responses
 * requires every key, and numbers that are not null.
 */
export interface Echo {
  readonly instructions: Json
  readonly max_output_tokens: number | null
  readonly max_tool_calls: number | null
  readonly tools: readonly JsonObject[]
  readonly tool_choice: Json
  readonly parallel_tool_calls: boolean
  readonly temperature: number
  readonly top_p: number
  readonly presence_penalty: number
  readonly frequency_penalty: number
  readonly top_logprobs: number
  readonly text: JsonObject
  readonly reasoning: JsonObject | null
  readonly truncation: 'auto' | 'disabled'
  readonly service_tier: string
  readonly metadata: JsonObject
  readonly user: string | null
  readonly safety_identifier: string | null
  readonly prompt_cache_key: string | null
}

/** The known fields of a response before its first delta. The caller supplies clock and id. */
export interface Head {
  readonly id: string
  /** Unix seconds. */
  readonly created_at: number
  /** The requested model. It is shown until the upstream reports which model answers. */
  readonly model: string
  /**
   * How a model name that the upstream reports is shown: `alone`, `below-vendor` as `<vendor>/<name>` with the vendor
   * of `model`, or `ignored` if a request with that name would fail. Default: `alone`.
   */
  readonly reported?: 'alone' | 'below-vendor' | 'ignored'
  readonly echo: Echo
  /** Tools whose names differ at the upstream. */
  readonly names?: ToolNames
  /** The ids of the calls in the request, which no call of the answer has. */
  readonly callIds?: Readonly<Record<string, true>>
}

/** The response object with every field that any dialect may show. */
export interface Response extends Echo {
  readonly id: string
  readonly object: 'response'
  readonly created_at: number
  readonly completed_at: number | null
  readonly status: ResponseStatus
  readonly model: string
  readonly output: readonly Item[]
  readonly usage: Usage | null
  readonly error: ResponseError | null
  readonly incomplete_details: { readonly reason: IncompleteReason } | null
  readonly previous_response_id: null
  readonly store: false
  readonly background: false
}
