import type { CallOrigin } from '../../protocol/item.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'

/**
 * JSON of this wire. Received values are read field by field, because no two vendors of this wire agree; sent values
 * are typed exactly. Only encrypted reasoning has an id: ids refer to stored items, and requests have `store: false`.
 */
export type ResponsesPart = ResponsesBreakpoint & ResponsesPartKind

/** The end of a prefix that the upstream caches. `ttl`: `30m`, the default, or `12h`. */
export interface ResponsesBreakpoint {
  readonly prompt_cache_breakpoint?: { readonly mode: 'explicit'; readonly ttl?: string }
}

type ResponsesPartKind =
  | { readonly type: 'input_text'; readonly text: string }
  | {
      readonly type: 'input_image'
      readonly image_url?: string
      readonly file_id?: string
      readonly detail?: string
    }
  | {
      readonly type: 'input_file'
      readonly filename?: string
      readonly file_data?: string
      readonly file_url?: string
      readonly file_id?: string
      readonly detail?: string
    }
  | { readonly type: 'input_video'; readonly video_url: string }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string } }
  | { readonly type: 'output_text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }

export type ResponsesContent = string | readonly ResponsesPart[]

export type ResponsesItem =
  | {
      readonly type: 'message'
      readonly role: 'user' | 'system' | 'developer' | 'assistant'
      readonly content: ResponsesContent
      readonly phase?: string
    }
  | ({
      readonly type: 'function_call'
      readonly call_id: string
      readonly name: string
      readonly namespace?: string
      readonly arguments: string
    } & CallOrigin)
  | ({
      readonly type: 'custom_tool_call'
      readonly call_id: string
      readonly name: string
      readonly namespace?: string
      readonly input: string
    } & CallOrigin)
  | ({
      readonly type: 'function_call_output' | 'custom_tool_call_output'
      readonly call_id: string
      readonly output: ResponsesContent
    } & CallOrigin)
  | ResponsesReasoning
  /** An item that is sent unchanged. */
  | JsonObject

export interface ResponsesReasoning {
  readonly type: 'reasoning'
  readonly id?: string
  readonly summary: Json
  readonly content?: Json
  readonly encrypted_content?: Json
}
