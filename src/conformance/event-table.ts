import type { EventType } from '../protocol/event.ts'
import type { PartType } from '../protocol/part.ts'
import { PROGRESS_EVENTS } from '../protocol/progress.ts'

/** The two lists of parts that an item can have. Each has its own opening and closing events and its own index. */
export type ListName = 'content' | 'summary'

/** 0: begun, 1: at work, 2: over. A phase never goes back, and 2 occurs only once. null: the event has no phase. */
type Phase = 0 | 1 | 2 | null

type InputDelta = Extract<EventType, `${string}_call_${string}.delta`> | 'mcp_call_arguments.delta'

/**
 * The effect of an event on the stream, and the columns with its address and content. The last column is the content.
 */
export type EventSpec = { readonly columns: readonly string[] } & (
  | { readonly does: 'open'; readonly status: 'in_progress' | 'queued' }
  | { readonly does: 'add-item' | 'end-item' | 'close' | 'recap' | 'fail' | 'nothing' }
  | { readonly does: 'add-part' | 'end-part'; readonly list: ListName; readonly items: readonly string[] }
  | {
      readonly does: 'text' | 'whole-text' | 'annotate'
      readonly list: ListName
      readonly items: readonly string[]
      readonly part: PartType
    }
  | { readonly does: 'feed'; readonly items: readonly string[] }
  | { readonly does: 'feed-whole'; readonly items: readonly string[]; readonly pieces: InputDelta }
  | { readonly does: 'work'; readonly items: readonly string[]; readonly phase: Phase }
)

const ITEM = ['item_id', 'output_index']
const INDEX = { content: 'content_index', summary: 'summary_index' } satisfies Record<ListName, string>
const ITEM_TYPES = { content: ['message', 'reasoning'], summary: ['reasoning'] } satisfies Record<ListName, string[]>

const open = (status: 'in_progress' | 'queued'): EventSpec => ({ does: 'open', status, columns: ['response'] })
const item = (does: 'add-item' | 'end-item'): EventSpec => ({ does, columns: ['output_index', 'item'] })

const bracket = (does: 'add-part' | 'end-part', list: ListName): EventSpec => ({
  does,
  list,
  items: ITEM_TYPES[list],
  columns: [...ITEM, INDEX[list], 'part'],
})

const textSpec = (
  does: 'text' | 'whole-text' | 'annotate',
  part: PartType,
  ...columns: readonly string[]
): EventSpec => {
  const list = part === 'summary_text' ? 'summary' : 'content'
  const items = part === 'output_text' || part === 'refusal' ? ['message'] : ['reasoning']
  return { does, list, items, part, columns: [...ITEM, INDEX[list], ...columns] }
}

const feed = (type: string): EventSpec => ({ does: 'feed', items: [type], columns: [...ITEM, 'delta'] })

const feedWhole = (type: string, column: string, pieces: InputDelta): EventSpec => ({
  does: 'feed-whole',
  items: [type],
  pieces,
  columns: [...ITEM, column],
})

const work = (type: string, phase: Phase, columns: readonly string[] = ITEM): EventSpec => ({
  does: 'work',
  items: [type],
  phase,
  columns,
})

const HOSTED_ITEMS = [...new Set(Object.values(PROGRESS_EVENTS).map(({ of }) => of))]

const shell = (type: string): EventSpec => work(type, null, ['output_index', 'command_index'])
const close: EventSpec = { does: 'close', columns: ['response'] }
const nothing = (...columns: readonly string[]): EventSpec => ({ does: 'nothing', columns })

/** The effect of each internal event. */
export const EVENT_TABLE = {
  created: open('in_progress'),
  in_progress: open('in_progress'),
  'output_item.added': item('add-item'),
  'output_item.done': item('end-item'),
  'content_part.added': bracket('add-part', 'content'),
  'content_part.done': bracket('end-part', 'content'),
  'output_text.delta': textSpec('text', 'output_text', 'delta'),
  'output_text.done': textSpec('whole-text', 'output_text', 'text'),
  'output_text.annotation.added': textSpec('annotate', 'output_text', 'annotation_index', 'annotation'),
  'refusal.delta': textSpec('text', 'refusal', 'delta'),
  'refusal.done': textSpec('whole-text', 'refusal', 'refusal'),
  'reasoning_text.delta': textSpec('text', 'reasoning_text', 'delta'),
  'reasoning_text.done': textSpec('whole-text', 'reasoning_text', 'text'),
  'reasoning_summary_part.added': bracket('add-part', 'summary'),
  'reasoning_summary_part.done': bracket('end-part', 'summary'),
  'reasoning_summary_text.delta': textSpec('text', 'summary_text', 'delta'),
  'reasoning_summary_text.done': textSpec('whole-text', 'summary_text', 'text'),
  'function_call_arguments.delta': feed('function_call'),
  'function_call_arguments.done': feedWhole('function_call', 'arguments', 'function_call_arguments.delta'),
  'custom_tool_call_input.delta': feed('custom_tool_call'),
  'custom_tool_call_input.done': feedWhole('custom_tool_call', 'input', 'custom_tool_call_input.delta'),
  'web_search_call.in_progress': work('web_search_call', 0),
  'web_search_call.searching': work('web_search_call', 1),
  'web_search_call.completed': work('web_search_call', 2),
  'item.progress': { does: 'work', items: HOSTED_ITEMS, phase: null, columns: [...ITEM, 'name', 'fields'] },
  error: { does: 'fail', columns: [] },
  completed: close,
  incomplete: close,
  failed: close,
} satisfies Record<EventType, EventSpec>

/** Events of the standard that this service never emits, but accepts in the streams of others. */
export const STANDARD_EVENT_TABLE = {
  queued: open('queued'),
  keepalive: nothing(),
  'file_search_call.in_progress': work('file_search_call', 0),
  'file_search_call.searching': work('file_search_call', 1),
  'file_search_call.completed': work('file_search_call', 2),
  'code_interpreter_call.in_progress': work('code_interpreter_call', 0),
  'code_interpreter_call.interpreting': work('code_interpreter_call', 1),
  'code_interpreter_call.completed': work('code_interpreter_call', 2),
  'code_interpreter_call_code.delta': work('code_interpreter_call', null),
  'code_interpreter_call_code.done': work('code_interpreter_call', null),
  'image_generation_call.in_progress': work('image_generation_call', 0),
  'image_generation_call.generating': work('image_generation_call', 1),
  'image_generation_call.partial_image': work('image_generation_call', null),
  'image_generation_call.completed': work('image_generation_call', 2),
  'mcp_call.in_progress': work('mcp_call', 0),
  'mcp_call_arguments.delta': feed('mcp_call'),
  'mcp_call_arguments.done': feedWhole('mcp_call', 'arguments', 'mcp_call_arguments.delta'),
  'mcp_call.completed': work('mcp_call', 2),
  'mcp_call.failed': work('mcp_call', 2),
  'mcp_list_tools.in_progress': work('mcp_list_tools', 0),
  'mcp_list_tools.completed': work('mcp_list_tools', 2),
  'mcp_list_tools.failed': work('mcp_list_tools', 2),
  'apply_patch_call_operation_diff.delta': work('apply_patch_call', null),
  'apply_patch_call_operation_diff.done': work('apply_patch_call', null),
  'compaction.compacting': work('compaction', null),
  'shell_call_command.added': shell('shell_call'),
  'shell_call_command.delta': shell('shell_call'),
  'shell_call_command.done': shell('shell_call'),
  'shell_call_output_content.delta': shell('shell_call_output'),
  'shell_call_output_content.done': shell('shell_call_output'),
  'audio.delta': nothing('delta'),
  'audio.done': nothing(),
  'audio.transcript.delta': nothing('delta'),
  'audio.transcript.done': nothing(),
} satisfies Record<string, EventSpec>

/** The short terminal event, in dialects that have two. */
const SUMMARY_EVENT = { recap: { does: 'recap', columns: ['response'] } } satisfies Record<string, EventSpec>

export type StandardType = keyof typeof STANDARD_EVENT_TABLE
export type ReceivedType = EventType | StandardType | keyof typeof SUMMARY_EVENT

export const ALL_EVENTS: Readonly<Record<ReceivedType, EventSpec>> = {
  ...EVENT_TABLE,
  ...STANDARD_EVENT_TABLE,
  ...SUMMARY_EVENT,
}

/** The only events that may come next. Waived if the stream can have none of them. */
export const ONLY_THEN: Readonly<Partial<Record<ReceivedType | '', readonly ReceivedType[]>>> = {
  '': ['created'],
  created: ['in_progress', 'queued'],
}

/** The only events that may come directly before. */
export const ONLY_AFTER: Readonly<Partial<Record<ReceivedType, readonly (ReceivedType | '')[]>>> = {
  created: [''],
  in_progress: ['created', 'queued'],
}

/** The events that carry the text of a part, by the type of the part. */
export const TEXT_EVENTS: Readonly<Record<string, { readonly delta: EventType; readonly done: EventType }>> = {
  output_text: { delta: 'output_text.delta', done: 'output_text.done' },
  refusal: { delta: 'refusal.delta', done: 'refusal.done' },
  reasoning_text: { delta: 'reasoning_text.delta', done: 'reasoning_text.done' },
  summary_text: { delta: 'reasoning_summary_text.delta', done: 'reasoning_summary_text.done' },
} satisfies Record<PartType, { delta: EventType; done: EventType }>

/** The events that open and close the parts of a list. */
export const BRACKETS = {
  content: { added: 'content_part.added', done: 'content_part.done' },
  summary: { added: 'reasoning_summary_part.added', done: 'reasoning_summary_part.done' },
} satisfies Record<ListName, { added: EventType; done: EventType }>

/**
 * Items whose whole input must be sent before they are done: the event that carries it, and the field that repeats it.
 */
export const INPUTS: Readonly<Record<string, { readonly event: EventType; readonly field: string }>> = {
  function_call: { event: 'function_call_arguments.done', field: 'arguments' },
  custom_tool_call: { event: 'custom_tool_call_input.done', field: 'input' },
}
