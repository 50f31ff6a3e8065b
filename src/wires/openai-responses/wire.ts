import type { Json, JsonObject } from '../../protocol/json.ts'

/**
 * Their JSON. What they send is read field by field, since no two vendors of this wire agree; what we send is typed as it
 * must be. No item but opaque reasoning has an id: ids name what the upstream stores, and it is asked to store nothing.
 */
export type ResponsesPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail?: string }
  | {
      readonly type: 'input_file'
      readonly filename?: string
      readonly file_data?: string
      readonly file_url?: string
      readonly file_id?: string
    }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string } }
  | { readonly type: 'output_text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }

export type ResponsesContent = string | readonly ResponsesPart[]

export type ResponsesItem =
  | {
      readonly type: 'message'
      readonly role: 'user' | 'system' | 'developer' | 'assistant'
      readonly content: ResponsesContent
    }
  | { readonly type: 'function_call'; readonly call_id: string; readonly name: string; readonly arguments: string }
  | { readonly type: 'function_call_output'; readonly call_id: string; readonly output: ResponsesContent }
  | { readonly type: 'custom_tool_call'; readonly call_id: string; readonly name: string; readonly input: string }
  | { readonly type: 'custom_tool_call_output'; readonly call_id: string; readonly output: ResponsesContent }
  | ResponsesReasoning
  /** An item that is sent as the client gave it. */
  | JsonObject

export interface ResponsesReasoning {
  readonly type: 'reasoning'
  readonly id?: string
  readonly summary: Json
  readonly content?: Json
  readonly encrypted_content?: Json
}
