import type { ContentKind, FinishReason } from '../../protocol/delta.ts'
import type { CallType, HostedItemType, ItemType } from '../../protocol/item.ts'
import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'

/** Events that have a piece of a text or of arguments, always in `delta`. */
export const PIECES: Readonly<Record<string, ContentKind | CallType>> = {
  'response.output_text.delta': 'text',
  'response.content_part.delta': 'text', // docs/description.md, 6
  // The transcript of an answer in audio is its text.
  'response.output_audio_transcript.delta': 'text',
  'response.audio.transcript.delta': 'text',
  'response.refusal.delta': 'refusal',
  'response.reasoning_text.delta': 'reasoning',
  'response.reasoning.delta': 'reasoning', // Open Responses
  'response.reasoning_summary_text.delta': 'summary',
  'response.reasoning_summary.delta': 'summary',
  'response.function_call_arguments.delta': 'function_call',
  'response.custom_tool_call_input.delta': 'custom_tool_call',
}

/** Events that repeat the whole text or arguments, each in a field of its own. */
export const WHOLES: Readonly<Record<string, { readonly of: ContentKind | CallType; readonly field: string }>> = {
  'response.output_text.done': { of: 'text', field: 'text' },
  'response.output_audio_transcript.done': { of: 'text', field: 'transcript' },
  'response.audio.transcript.done': { of: 'text', field: 'transcript' },
  'response.refusal.done': { of: 'refusal', field: 'refusal' },
  'response.reasoning_text.done': { of: 'reasoning', field: 'text' },
  'response.reasoning.done': { of: 'reasoning', field: 'text' },
  'response.reasoning_summary_text.done': { of: 'summary', field: 'text' },
  'response.reasoning_summary.done': { of: 'summary', field: 'text' },
  'response.function_call_arguments.done': { of: 'function_call', field: 'arguments' },
  'response.custom_tool_call_input.done': { of: 'custom_tool_call', field: 'input' },
}

/** Events with the transcript of audio, which belongs to no part that clients see begin. */
export const TRANSCRIPTS: ReadonlySet<string> = new Set(
  [...Object.keys(PIECES), ...Object.keys(WHOLES)].filter((type) => type.includes('transcript')),
)

/** Events about a part, with the kind of the part if it has no type. */
export const PARTS: Readonly<Record<string, { readonly edge: 'added' | 'done'; readonly of: ContentKind }>> = {
  'response.content_part.added': { edge: 'added', of: 'text' },
  'response.content_part.done': { edge: 'done', of: 'text' },
  'response.reasoning_part.added': { edge: 'added', of: 'reasoning' }, // bedrock-mantle
  'response.reasoning_part.done': { edge: 'done', of: 'reasoning' },
  'response.reasoning_summary_part.added': { edge: 'added', of: 'summary' },
  'response.reasoning_summary_part.done': { edge: 'done', of: 'summary' },
}

/** Types of parts of messages and of reasoning. */
export const PART_KINDS: Readonly<Record<string, ContentKind>> = {
  output_text: 'text',
  text: 'text',
  input_text: 'text',
  output_audio: 'text',
  audio: 'text',
  refusal: 'refusal',
  reasoning_text: 'reasoning',
  summary_text: 'summary',
}

/** The kind of an event's part; undefined for a part of an unknown type. `usual`: that of a part without a type. */
export function partKindOf(part: unknown, usual: ContentKind): ContentKind | undefined {
  if (!isObject(part) || !isNonEmptyString(part.type)) return usual
  const kind = lookup(PART_KINDS, part.type)
  return kind === 'text' && usual !== 'text' ? usual : kind
}

/** The type of item that a part belongs to. */
export const ITEM_OF = {
  text: 'message',
  refusal: 'message',
  reasoning: 'reasoning',
  summary: 'reasoning',
  function_call: 'function_call',
  custom_tool_call: 'custom_tool_call',
} as const satisfies Record<ContentKind | CallType, ItemType>

/** Items that the upstream runs itself, or whose format is its own. They pass through whole. */
export const HOSTED: Readonly<Record<string, HostedItemType>> = {
  web_search_call: 'web_search_call',
  x_search_call: 'web_search_call', // xAI
  'openrouter:web_search': 'web_search_call',
  file_search_call: 'file_search_call',
  code_interpreter_call: 'code_interpreter_call',
  image_generation_call: 'image_generation_call',
  mcp_call: 'mcp_call',
  mcp_list_tools: 'mcp_list_tools',
  mcp_approval_request: 'mcp_approval_request',
  shell_call: 'shell_call',
  shell_call_output: 'shell_call_output',
  local_shell_call: 'local_shell_call',
  apply_patch_call: 'apply_patch_call',
  apply_patch_call_output: 'apply_patch_call_output',
  computer_call: 'computer_call',
  tool_search_call: 'tool_search_call',
  tool_search_output: 'tool_search_output',
  program: 'program',
  program_output: 'program_output',
  compaction: 'compaction',
  compaction_summary: 'compaction', // Codex
} satisfies Readonly<Record<string, HostedItemType>> & Readonly<Record<HostedItemType, HostedItemType>>

/** Events whose content cannot be carried, with the name of the loss. */
export const DROPPED: Readonly<Record<string, string>> = {
  'response.audio.delta': 'audio',
  'response.output_audio.delta': 'audio',
  'response.debug': 'debug', // OpenRouter
  'response.fusion_call.in_progress': 'fusion_call', // OpenRouter
  'response.fusion_call.panel.added': 'fusion_call',
  'response.fusion_call.panel.delta': 'fusion_call',
  'response.fusion_call.panel.reasoning.delta': 'fusion_call',
  'response.fusion_call.panel.completed': 'fusion_call',
  'response.fusion_call.panel.failed': 'fusion_call',
  'response.fusion_call.analysis.in_progress': 'fusion_call',
  'response.fusion_call.analysis.completed': 'fusion_call',
  'response.fusion_call.completed': 'fusion_call',
}

/** Events without content: of the beginning, of searches, which the gateway numbers itself, and of the connection. */
export const SILENT: ReadonlySet<string> = new Set([
  'response.created',
  'response.in_progress',
  'response.queued',
  'response.audio.done',
  'response.output_audio.done',
  'response.web_search_call.in_progress',
  'response.web_search_call.searching',
  'response.web_search_call.completed',
  'response.x_search_call.in_progress', // xAI
  'response.x_search_call.searching',
  'response.x_search_call.completed',
  'codex.rate_limits', // ChatGPT: the limits of the account
  'keepalive',
  'ping',
])

/** How a response ended, by its terminal event or by its status, which is more exact. */
export type TerminalKind = 'completed' | 'incomplete' | 'failed' | 'open'

export const TERMINALS: Readonly<Record<string, TerminalKind>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
  'response.cancelled': 'failed',
  'response.done': 'completed', // docs/description.md, 6
}

export const STATUSES: Readonly<Record<string, TerminalKind>> = {
  completed: 'completed',
  incomplete: 'incomplete',
  failed: 'failed',
  cancelled: 'failed',
  in_progress: 'open',
  queued: 'open',
}

/**
 * Returns the event of a response that an upstream sent in its place. `name`: that of the frame; else the status names
 * the event.
 */
export function eventOfResponse(value: JsonObject, name: string): JsonObject {
  const { object, type, status, response } = value
  if (object !== 'response' || isNonEmptyString(type) || isObject(response)) return value
  return { type: name === '' && isNonEmptyString(status) ? `response.${status}` : name, response: value }
}

/** Whether the `error` of an event or of a response reports a failure. */
export const reportsFailure = (error: unknown): boolean =>
  isNonEmptyString(error) || (isObject(error) && (isNonEmptyString(error.message) || isNonEmptyString(error.code)))

/**
 * How a response ended. vLLM ends every response with the event `completed`, so the status decides; if it is unknown,
 * the event decides. A response with an error is never complete.
 */
export function terminalOf({ status, error }: JsonRecord, event: TerminalKind): TerminalKind {
  const mapped = isNonEmptyString(status) ? lookup(STATUSES, status) : undefined
  const kind = mapped === undefined || (mapped === 'open' && event !== 'open') ? event : mapped
  return kind === 'completed' && reportsFailure(error) ? 'failed' : kind
}

/** `incomplete_details.reason` → finish reason. Any other word counts as `max_output_tokens`. */
export const INCOMPLETE_REASONS: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'max_output_tokens',
  content_filter: 'content_filter',
}
