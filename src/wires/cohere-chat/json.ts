import type { JsonObject } from '../../protocol/json.ts'

/**
 * JSON of this wire. Received values are typed as documented, with every field optional: the decoder checks each field
 * that it reads. Sent values are typed exactly.
 */
export interface CohereEvent {
  readonly type?: string
  /** The index of the content block, the call or the citation; each kind has a count of its own. */
  readonly index?: number
  readonly delta?: CohereDelta
}

export interface CohereDelta {
  readonly message?: CohereAnswerMessage
  /** Fields of the last event. */
  readonly finish_reason?: string
  readonly usage?: CohereUsage
  readonly error?: string
  readonly error_type?: string
}

/** An event has one of each; a whole answer has lists. */
export interface CohereAnswerMessage {
  readonly role?: string
  readonly content?: CohereBlock | readonly CohereBlock[]
  readonly tool_plan?: string
  readonly tool_calls?: CohereToolCall | readonly CohereToolCall[]
  readonly citations?: CohereCitation | readonly CohereCitation[]
}

export interface CohereBlock {
  readonly type?: string
  readonly text?: string
  readonly thinking?: string
}

export interface CohereToolCall {
  readonly id?: string
  readonly type?: string
  /** Arguments are JSON text in pieces; `null` if there are none. */
  readonly function?: { readonly name?: string; readonly arguments?: string | null }
}

/** `start` and `end` count characters of the block `content_index`, or of the plan. */
export interface CohereCitation {
  readonly start?: number
  readonly end?: number
  /** The cited text of the answer. */
  readonly text?: string
  readonly sources?: readonly CohereSource[]
  /** `TEXT_CONTENT`, `PLAN` or `THINKING_CONTENT`; older models omit it. */
  readonly type?: string
  /** Missing if there is only one text block. */
  readonly content_index?: number
}

export interface CohereSource {
  readonly type?: string
  readonly id?: string
  readonly document?: JsonObject
  readonly tool_output?: JsonObject
}

/** A whole answer. */
export interface CohereAnswer extends CohereDelta {
  readonly id?: string
}

/** `billed_units` counts something else and is not read. */
export interface CohereUsage {
  readonly tokens?: {
    readonly input_tokens?: number
    readonly output_tokens?: number
    readonly reasoning_tokens?: number
  }
  readonly cached_tokens?: number
}

export type CohereDocument = { readonly data: { readonly title?: string; readonly text: string } }

export type CoherePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } }

export type CohereResultPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'document'; readonly document: CohereDocument }

export type CohereAssistantPart =
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'text'; readonly text: string }

export interface CohereCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

export type CohereMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly CoherePart[] }
  | {
      readonly role: 'assistant'
      readonly content?: string | readonly CohereAssistantPart[]
      readonly tool_plan?: string
      readonly tool_calls?: readonly CohereCall[]
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string | readonly CohereResultPart[] }

export type CohereTool = {
  readonly type: 'function'
  readonly function: JsonObject & { readonly name: string }
}
