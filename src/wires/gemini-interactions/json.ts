import type { JsonObject } from '../../protocol/json.ts'

/**
 * JSON of this wire. Received values are typed as documented, with every field optional: the decoder checks each field
 * that it reads. Sent values are typed exactly.
 */
export interface ModalityTokens {
  readonly modality: string
  readonly tokens: number
}

/** Thoughts are no part of the output; cached tokens are part of the input. */
export interface InteractionUsage {
  readonly total_input_tokens?: number
  readonly total_cached_tokens?: number
  readonly total_output_tokens?: number
  readonly total_thought_tokens?: number
  readonly total_tool_use_tokens?: number
  readonly total_tokens?: number
  readonly input_tokens_by_modality?: readonly ModalityTokens[]
  readonly cached_tokens_by_modality?: readonly ModalityTokens[]
  readonly output_tokens_by_modality?: readonly ModalityTokens[]
}

export interface UrlAnnotation {
  readonly type: 'url_citation'
  readonly url: string
  readonly title?: string
  /** In UTF-8 bytes of the text of the step; the end is exclusive. */
  readonly start_index?: number
  readonly end_index?: number
}

export interface FileAnnotation {
  readonly type: 'file_citation'
  readonly document_uri: string
  readonly file_name: string
  readonly start_index?: number
  readonly end_index?: number
}

export type InteractionAnnotation = UrlAnnotation | FileAnnotation

export interface TextContent {
  readonly type: 'text'
  readonly text: string
  readonly annotations?: readonly InteractionAnnotation[]
}

/** Content with data or with an address. */
export interface MediaContent {
  readonly type: 'image' | 'audio' | 'document' | 'video'
  readonly data?: string
  readonly uri?: string
  readonly mime_type?: string
  readonly resolution?: string
}

export type InteractionContent = TextContent | MediaContent

/** A step, as input and as output. Steps of Google's own tools have members of their own. */
export type InteractionStep =
  | { readonly type: 'user_input' | 'model_output'; readonly content: readonly InteractionContent[] }
  | { readonly type: 'thought'; readonly signature?: string; readonly summary?: readonly TextContent[] }
  | {
      readonly type: 'function_call'
      readonly id: string
      readonly name: string
      readonly arguments: JsonObject
      readonly signature?: string
    }
  | {
      readonly type: 'function_result'
      readonly call_id: string
      readonly name?: string
      readonly result: string | readonly InteractionContent[]
      readonly is_error?: boolean
    }
  | (JsonObject & { readonly type: string })

export interface InteractionTool {
  readonly type: string
  readonly name?: string
  readonly description?: string
  readonly parameters?: JsonObject
}

export interface InteractionError {
  readonly code: string
  readonly message: string
}

/** A whole answer, and the object of the events that begin and end a stream. */
export interface Interaction {
  readonly id?: string
  readonly object: 'interaction'
  readonly status: string
  readonly model: string
  readonly created?: string
  readonly updated?: string
  readonly service_tier?: string
  readonly usage?: InteractionUsage
  readonly steps?: readonly InteractionStep[]
  readonly errors?: readonly InteractionError[]
}

type Typed = JsonObject & { readonly type: string }

/** The events of a stream that clients receive. */
export type InteractionEvent =
  | { readonly event_type: 'interaction.created' | 'interaction.completed'; readonly interaction: Interaction }
  | { readonly event_type: 'interaction.status_update'; readonly interaction_id: string; readonly status: string }
  | { readonly event_type: 'step.start'; readonly index: number; readonly step: Typed }
  | { readonly event_type: 'step.delta'; readonly index: number; readonly delta: Typed }
  | { readonly event_type: 'step.stop'; readonly index: number; readonly status?: 'incomplete' }
  | { readonly event_type: 'error'; readonly error: InteractionError }
