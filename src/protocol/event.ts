import type { Item } from './item.ts'
import type { JsonObject } from './json.ts'
import type { Annotation, Logprob, Part } from './part.ts'
import type { ProgressName } from './progress.ts'
import type { Response } from './response.ts'
import type { Served } from './served.ts'

interface Lifecycle {
  readonly response: Response
  /** In the first event and the last one, if the upstream has reported any of it. */
  readonly served?: Served
}

interface InResponse {
  readonly response_id: string
  readonly output_index: number
}

interface InItem extends InResponse {
  readonly item_id: string
}

interface InContent extends InItem {
  readonly content_index: number
}

interface InSummary extends InItem {
  readonly summary_index: number
}

/**
 * Every event of a Responses stream, under its public name without the prefix `response.`, with every field that any
 * dialect may show. A row in the table of each dialect decides how the event is written.
 */
export interface EventFields {
  created: Lifecycle
  in_progress: Lifecycle
  'output_item.added': InResponse & { readonly item: Item }
  'output_item.done': InResponse & { readonly item: Item }
  'content_part.added': InContent & { readonly part: Part }
  'content_part.done': InContent & { readonly part: Part }
  'output_text.delta': InContent & { readonly delta: string; readonly logprobs: readonly Logprob[] }
  'output_text.done': InContent & { readonly text: string; readonly logprobs: readonly Logprob[] }
  'output_text.annotation.added': InContent & { readonly annotation_index: number; readonly annotation: Annotation }
  'refusal.delta': InContent & { readonly delta: string }
  'refusal.done': InContent & { readonly refusal: string }
  'reasoning_text.delta': InContent & { readonly delta: string }
  'reasoning_text.done': InContent & { readonly text: string }
  'reasoning_summary_part.added': InSummary & { readonly part: Part }
  'reasoning_summary_part.done': InSummary & { readonly part: Part }
  'reasoning_summary_text.delta': InSummary & { readonly delta: string }
  'reasoning_summary_text.done': InSummary & { readonly text: string }
  'function_call_arguments.delta': InItem & { readonly delta: string }
  'function_call_arguments.done': InItem & { readonly name: string; readonly arguments: string }
  'custom_tool_call_input.delta': InItem & { readonly delta: string }
  'custom_tool_call_input.done': InItem & { readonly input: string }
  'web_search_call.in_progress': InItem
  'web_search_call.searching': InItem
  'web_search_call.completed': InItem
  /** An event of a hosted item: `name` is its public name, `fields` are those beside its address. */
  'item.progress': InItem & { readonly name: ProgressName; readonly fields: JsonObject }
  /** The fields are given both flat and nested, because some clients read one form and some the other. */
  error: {
    readonly code: string
    readonly message: string
    readonly param: string | null
    readonly error: {
      readonly type: string
      readonly code: string
      readonly message: string
      readonly param: string | null
    }
  }
  completed: Lifecycle
  incomplete: Lifecycle
  failed: Lifecycle
}

export type EventType = keyof EventFields
export type EventOf<T extends EventType> = { readonly type: T } & EventFields[T]
export type Event = { [T in EventType]: EventOf<T> }[EventType]
