import type { JsonObject } from './json.ts'
import type { MessagePart, ReasoningText, SummaryText } from './part.ts'

/** `in_progress` until `output_item.done`; `incomplete` if the answer was cut inside the item. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface MessageItem {
  readonly type: 'message'
  readonly id: string
  readonly status: ItemStatus
  readonly role: 'assistant'
  /** Its part in the answer: OpenAI has `commentary` and `final_answer`. Left out if unknown. */
  readonly phase?: string
  readonly content: readonly MessagePart[]
}

/** How a call came about. The fields are those of OpenAI's calls and their outputs. */
export interface CallOrigin {
  /** `{type: 'program', caller_id}` if a program of the model called the tool, else `{type: 'direct'}`. */
  readonly caller?: JsonObject
  /** The output of the call may come later than with the next request. */
  readonly async?: boolean
}

/** Returns the fields of an origin that are set. */
export const toOrigin = ({
  caller,
  async,
}: { readonly [Field in keyof CallOrigin]?: CallOrigin[Field] | null | undefined }): CallOrigin => ({
  ...(caller === undefined || caller === null ? {} : { caller }),
  ...(async === undefined || async === null ? {} : { async }),
})

export interface FunctionCallItem extends CallOrigin {
  readonly type: 'function_call'
  readonly id: string
  readonly call_id: string
  readonly name: string
  readonly namespace?: string
  /** JSON text. The arguments of an incomplete item may be a fragment. */
  readonly arguments: string
  readonly status: ItemStatus
}

/** A call of a tool that takes free text instead of JSON. */
export interface CustomToolCallItem extends CallOrigin {
  readonly type: 'custom_tool_call'
  readonly id: string
  readonly call_id: string
  readonly name: string
  readonly namespace?: string
  readonly input: string
  readonly status: ItemStatus
}

export interface ReasoningItem {
  readonly type: 'reasoning'
  readonly id: string
  readonly summary: readonly SummaryText[]
  readonly content: readonly ReasoningText[]
  /** Opaque state that the upstream expects back on the next turn; null if it sent none. */
  readonly encrypted_content: string | null
}

/**
 * Items that are passed on whole: tools that the upstream runs itself, and calls of tools whose format only the
 * upstream defines (shell, patch, computer). A client must not answer the former.
 */
export type HostedItemType =
  | 'web_search_call'
  | 'file_search_call'
  | 'code_interpreter_call'
  | 'image_generation_call'
  | 'mcp_call'
  | 'mcp_list_tools'
  | 'mcp_approval_request'
  | 'shell_call'
  | 'shell_call_output'
  | 'local_shell_call'
  | 'apply_patch_call'
  | 'apply_patch_call_output'
  | 'computer_call'
  | 'tool_search_call'
  | 'tool_search_output'
  | 'program'
  | 'program_output'
  | 'compaction'

export interface HostedItem {
  readonly type: HostedItemType
  readonly id: string
  readonly status: string
  /** The fields of that item type, as the upstream sent them. */
  readonly fields: JsonObject
}

export type CallItem = FunctionCallItem | CustomToolCallItem
export type Item = MessageItem | FunctionCallItem | CustomToolCallItem | ReasoningItem | HostedItem
export type ItemType = Item['type']
export type CallType = CallItem['type']
