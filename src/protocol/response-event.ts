import type { CustomToolCallItem, FunctionCallItem, HostedItemType, ItemStatus } from './item.ts'
import type { Json } from './json.ts'
import type { FileCitation, Logprob, ReasoningText, Refusal, SummaryText } from './part.ts'
import type { ProgressName } from './progress.ts'
import type { Response } from './response.ts'

/** A cited web page. Indices count UTF-16 units of the text of the same part, end exclusive. */
export interface CitedUrl {
  readonly type: 'url_citation'
  readonly url: string
  /** Empty if the upstream sent none. */
  readonly title: string
  readonly start_index: number
  readonly end_index: number
  /** The excerpt that the upstream cited. */
  readonly content?: string
}

export type TextAnnotation = CitedUrl | FileCitation

export interface TextPart {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations: readonly TextAnnotation[]
  readonly logprobs: readonly Logprob[]
}

export interface OutputMessage {
  readonly type: 'message'
  readonly id: string
  readonly status: ItemStatus
  readonly role: 'assistant'
  /** If the upstream distinguishes them. */
  readonly phase?: 'commentary' | 'final_answer'
  readonly content: readonly (TextPart | Refusal)[]
}

/** A call by the model itself, or by a program that it wrote. */
type Caller = { readonly type: 'direct' } | { readonly type: 'program'; readonly caller_id: string }

export interface OutputFunctionCall extends Omit<FunctionCallItem, 'caller'> {
  readonly caller?: Caller
}

/** A call of a tool that takes free text instead of JSON. */
export interface OutputCustomToolCall extends Omit<CustomToolCallItem, 'caller'> {
  readonly caller?: Caller
}

export interface OutputReasoning {
  readonly type: 'reasoning'
  readonly id: string
  readonly summary: readonly SummaryText[]
  readonly content?: readonly ReasoningText[]
  /** Opaque state that the upstream expects back on the next turn. */
  readonly encrypted_content?: string
}

/** Items of tools that the upstream runs or defines itself, with the fields of their type as the upstream sent them. */
export interface OutputHostedItem {
  readonly type: HostedItemType
  readonly id: string
  /** Left out for types that have none at OpenAI, such as `compaction`. */
  readonly status?: string
  // Programs without `exactOptionalPropertyTypes` could not compile an optional member beside `Json` alone.
  readonly [field: string]: Json | undefined
}

export type OutputItem = OutputMessage | OutputFunctionCall | OutputCustomToolCall | OutputReasoning | OutputHostedItem

/** Token counts as inclusive totals; 0 if the upstream does not report a count. */
export interface ResponseUsage {
  readonly input_tokens: number
  readonly input_tokens_details: {
    readonly cached_tokens: number
    readonly cache_write_tokens?: number
    /** By the lifetime of the cache entry. Left out if the upstream has other lifetimes, or does not report them. */
    readonly cache_write_tokens_details?: { readonly ttl_30m_tokens: number; readonly ttl_12h_tokens: number }
  }
  readonly output_tokens: number
  readonly output_tokens_details: { readonly reasoning_tokens: number }
  readonly total_tokens: number
  /** The price of the answer in US dollars, if the upstream reports it. */
  readonly cost?: number
}

/** A tool of the request, as the response repeats it. */
export interface EchoedTool {
  readonly type: string
  readonly name?: string
  readonly description?: string | null
  readonly parameters?: unknown
  readonly strict?: boolean | null
  readonly tools?: readonly unknown[]
}

/**
 * The response object of the Responses API, as the dialect `openai` writes it. Events and responses share their lists,
 * which are for reading; events and items become those of OpenAI's SDK by one `as`.
 */
export interface ResponseObject extends Omit<Response, 'output' | 'usage' | 'tools'> {
  readonly tools: readonly EchoedTool[]
  readonly output: readonly OutputItem[]
  readonly usage: ResponseUsage | null
}

interface Numbered<Type extends string> {
  readonly type: Type
  /** Counts the events of a stream from 0. */
  readonly sequence_number: number
}

interface OfResponse<Type extends string> extends Numbered<Type> {
  readonly response: ResponseObject
}

interface WithItem<Type extends string> extends Numbered<Type> {
  readonly output_index: number
  readonly item: OutputItem
}

interface OfItem<Type extends string> extends Numbered<Type> {
  readonly item_id: string
  readonly output_index: number
}

interface OfContent<Type extends string> extends OfItem<Type> {
  readonly content_index: number
}

interface OfSummary<Type extends string> extends OfItem<Type> {
  readonly summary_index: number
}

interface WithDelta {
  readonly delta: string
}

interface WithText {
  readonly text: string
}

interface WithContentPart {
  readonly part: TextPart | Refusal | ReasoningText
}

interface WithSummaryPart {
  readonly part: SummaryText
}

interface WithLogprobs {
  readonly logprobs: readonly Logprob[]
}

/**
 * An event of a hosted item, with the fields that its upstream sent. Their names stand here: with an index signature,
 * `'response' in event` would not distinguish the events.
 */
interface OfHostedItem<Type extends string> extends OfItem<Type> {
  readonly delta?: Json
  readonly code?: Json
  readonly arguments?: Json
  readonly diff?: Json
  readonly command?: Json
  readonly command_index?: Json
  readonly output?: Json
  readonly partial_image_b64?: Json
  readonly partial_image_index?: Json
  readonly size?: Json
  readonly quality?: Json
  readonly background?: Json
  readonly output_format?: Json
}

type HostedEventTypes = { [Name in ProgressName as `response.${Name}`]: OfHostedItem<`response.${Name}`> }

/** The events of a Responses stream by their type, with the fields that the dialect `openai` writes. */
export interface ResponseEventTypes extends HostedEventTypes {
  'response.created': OfResponse<'response.created'>
  'response.in_progress': OfResponse<'response.in_progress'>
  'response.output_item.added': WithItem<'response.output_item.added'>
  'response.output_item.done': WithItem<'response.output_item.done'>
  'response.content_part.added': OfContent<'response.content_part.added'> & WithContentPart
  'response.content_part.done': OfContent<'response.content_part.done'> & WithContentPart
  'response.output_text.delta': OfContent<'response.output_text.delta'> & WithDelta & WithLogprobs
  'response.output_text.done': OfContent<'response.output_text.done'> & WithText & WithLogprobs
  'response.output_text.annotation.added': OfContent<'response.output_text.annotation.added'> & {
    readonly annotation_index: number
    readonly annotation: TextAnnotation
  }
  'response.refusal.delta': OfContent<'response.refusal.delta'> & WithDelta
  'response.refusal.done': OfContent<'response.refusal.done'> & { readonly refusal: string }
  'response.function_call_arguments.delta': OfItem<'response.function_call_arguments.delta'> & WithDelta
  'response.function_call_arguments.done': OfItem<'response.function_call_arguments.done'> & {
    readonly name: string
    readonly arguments: string
  }
  'response.custom_tool_call_input.delta': OfItem<'response.custom_tool_call_input.delta'> & WithDelta
  'response.custom_tool_call_input.done': OfItem<'response.custom_tool_call_input.done'> & { readonly input: string }
  'response.reasoning_summary_part.added': OfSummary<'response.reasoning_summary_part.added'> & WithSummaryPart
  'response.reasoning_summary_part.done': OfSummary<'response.reasoning_summary_part.done'> & WithSummaryPart
  'response.reasoning_summary_text.delta': OfSummary<'response.reasoning_summary_text.delta'> & WithDelta
  'response.reasoning_summary_text.done': OfSummary<'response.reasoning_summary_text.done'> & WithText
  'response.reasoning_text.delta': OfContent<'response.reasoning_text.delta'> & WithDelta
  'response.reasoning_text.done': OfContent<'response.reasoning_text.done'> & WithText
  'response.web_search_call.in_progress': OfItem<'response.web_search_call.in_progress'>
  'response.web_search_call.searching': OfItem<'response.web_search_call.searching'>
  'response.web_search_call.completed': OfItem<'response.web_search_call.completed'>
  error: Numbered<'error'> & {
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
  'response.completed': OfResponse<'response.completed'>
  'response.incomplete': OfResponse<'response.incomplete'>
  'response.failed': OfResponse<'response.failed'>
}

export type ResponseEventType = keyof ResponseEventTypes

/** One event of a Responses stream; `type` distinguishes the events. */
export type ResponseEvent = ResponseEventTypes[ResponseEventType]
