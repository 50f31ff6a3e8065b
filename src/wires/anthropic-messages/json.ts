import type { Json, JsonObject } from '../../protocol/json.ts'
import type { CacheControl } from '../shared/upstream/cache/cache-control.ts'

/**
 * JSON that this gateway sends is typed here. JSON that it receives is untyped: every field is checked where it is
 * used.
 */

export type DocumentSource =
  | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  | { readonly type: 'text'; readonly media_type: 'text/plain'; readonly data: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'file'; readonly file_id: string }

export type TextBlock = CacheControl & { readonly type: 'text'; readonly text: string }

export type PromptBlock = CacheControl & PromptBlockKind

type PromptBlockKind =
  | TextBlock
  | { readonly type: 'image'; readonly source: DocumentSource }
  | {
      readonly type: 'document'
      readonly source: DocumentSource
      readonly title?: string
      readonly citations?: { readonly enabled: true }
    }
  | { readonly type: 'tool_reference'; readonly tool_name: string }

export type ToolResult = CacheControl & {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  /** Left out if the tool returned nothing. */
  readonly content?: string | readonly PromptBlock[]
  readonly is_error?: true
}

export type AnswerBlock =
  | TextBlock
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | {
      readonly type: 'compaction'
      /** Null if only the vendor can read the summary. */
      readonly content: string | null
      readonly encrypted_content?: Json
      readonly signature?: Json
      readonly tool_changes?: Json
    }
  /** The call or the result of a server tool, unchanged. */
  | { readonly type: 'server_tool_use' | `${string}_tool_result` }
  | (CacheControl & {
      readonly type: 'tool_use'
      readonly id: string
      readonly name: string
      readonly input: JsonObject
      readonly toolset_name?: string
    })

export type Message =
  | { readonly role: 'user'; readonly content: readonly (PromptBlock | ToolResult)[] }
  | { readonly role: 'assistant'; readonly content: readonly AnswerBlock[] }
  | { readonly role: 'system'; readonly content: readonly TextBlock[] }

/** A function of the client, or one of Anthropic's own tools, whose type ends with a date. */
export type MessagesTool = JsonObject & { readonly name?: string }

export type MessagesToolChoice =
  | { readonly type: 'none' }
  | { readonly type: 'auto' | 'any'; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: boolean }

export type ThinkingParam =
  | { readonly type: 'disabled' }
  | { readonly type: 'enabled'; readonly budget_tokens: number }
  | { readonly type: 'adaptive'; readonly display: 'summarized' }

export interface MessagesBody {
  /** Left out for Vertex, where the path names the model. */
  readonly model?: string
  readonly anthropic_version?: string
  readonly max_tokens: number
  readonly messages: readonly Message[]
  readonly system?: readonly TextBlock[]
  readonly stream?: boolean
  readonly temperature?: number
  readonly top_p?: number
  readonly thinking?: ThinkingParam
  readonly output_config?: { readonly effort?: string; readonly format?: Json }
  readonly tools?: readonly MessagesTool[]
  readonly tool_choice?: MessagesToolChoice
  readonly metadata?: { readonly user_id: string }
  readonly service_tier?: 'auto' | 'standard_only'
}

export type BlockDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }
  | { readonly type: 'citations_delta'; readonly citation: JsonObject }
  | { readonly type: 'compaction_delta'; readonly content: string | null; readonly encrypted_content?: Json }

/** One event of the stream that our clients receive. */
export type MessagesEvent =
  | { readonly type: 'message_start'; readonly message: JsonObject }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: JsonObject }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | { readonly type: 'message_delta'; readonly delta: JsonObject; readonly usage: JsonObject }
  | { readonly type: 'message_stop' }
  | { readonly type: 'error'; readonly error: { readonly type: string; readonly message: string } }
