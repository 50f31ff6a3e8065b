import type { HostedItemType } from './item.ts'

/** 0: begun, 1: at work, 2: over. null: the event may come at any time. */
type ProgressPhase = 0 | 1 | 2 | null

interface ProgressEvent {
  readonly of: HostedItemType
  readonly phase: ProgressPhase
}

const at = (of: HostedItemType, phase: ProgressPhase = null): ProgressEvent => ({ of, phase })

/**
 * The events of items that an upstream runs itself, without the prefix `response.`: of OpenAI (openai 7.57) and of
 * OpenRouter (@openrouter/sdk 1.3). The reducer emits those of a web search itself.
 */
export const PROGRESS_EVENTS = {
  'file_search_call.in_progress': at('file_search_call', 0),
  'file_search_call.searching': at('file_search_call', 1),
  'file_search_call.completed': at('file_search_call', 2),
  'code_interpreter_call.in_progress': at('code_interpreter_call', 0),
  'code_interpreter_call.interpreting': at('code_interpreter_call', 1),
  'code_interpreter_call_code.delta': at('code_interpreter_call'),
  'code_interpreter_call_code.done': at('code_interpreter_call'),
  'code_interpreter_call.completed': at('code_interpreter_call', 2),
  'image_generation_call.in_progress': at('image_generation_call', 0),
  'image_generation_call.generating': at('image_generation_call', 1),
  'image_generation_call.partial_image': at('image_generation_call'),
  'image_generation_call.completed': at('image_generation_call', 2),
  'mcp_call.in_progress': at('mcp_call', 0),
  'mcp_call_arguments.delta': at('mcp_call'),
  'mcp_call_arguments.done': at('mcp_call'),
  'mcp_call.completed': at('mcp_call', 2),
  'mcp_call.failed': at('mcp_call', 2),
  'mcp_list_tools.in_progress': at('mcp_list_tools', 0),
  'mcp_list_tools.completed': at('mcp_list_tools', 2),
  'mcp_list_tools.failed': at('mcp_list_tools', 2),
  'apply_patch_call_operation_diff.delta': at('apply_patch_call'),
  'apply_patch_call_operation_diff.done': at('apply_patch_call'),
  'compaction.compacting': at('compaction'),
  'shell_call_command.added': at('shell_call'),
  'shell_call_command.delta': at('shell_call'),
  'shell_call_command.done': at('shell_call'),
  'shell_call_output_content.delta': at('shell_call_output'),
  'shell_call_output_content.done': at('shell_call_output'),
} as const satisfies Readonly<Record<string, ProgressEvent>>

export type ProgressName = keyof typeof PROGRESS_EVENTS

/** Returns the fields of a received event beside its type and its address. */
export const progressFields = ({
  type: _,
  sequence_number: __,
  item_id: ___,
  output_index: ____,
  response_id: _____,
  ...fields
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => fields

/** The events of a hosted item so far. */
export interface ItemProgress {
  /** The last phase, as in `PROGRESS_EVENTS`. */
  readonly phase: number
  /** The arguments of an MCP call so far, and whether they were sent as a whole. */
  readonly input: string
  readonly whole: boolean
}
