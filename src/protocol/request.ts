import type { Json, JsonObject } from './json.ts'

export const EFFORT_LEVELS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

export type Effort = (typeof EFFORT_LEVELS)[number]

/** How long an upstream keeps a cached prefix at least, from the shortest to the longest. */
export const CACHE_LIFETIMES = ['5m', '30m', '1h', '12h'] as const

export type CacheLifetime = (typeof CACHE_LIFETIMES)[number]

/** The end of a prefix of the prompt that the upstream is to cache. A `ttl` of null is the upstream's own lifetime. */
export interface CacheBreakpoint {
  readonly mode: 'explicit'
  readonly ttl: CacheLifetime | null
}

/**
 * A value that a breakpoint may stand on. The Responses API has it on parts of prompts and outputs; requests that were
 * decoded from another protocol also have it on the other values.
 */
export interface Cacheable {
  readonly prompt_cache_breakpoint?: CacheBreakpoint | null | undefined
}

/** A part of a user, system or developer message, or of a tool's output. */
export type InputPart = Cacheable & InputPartKind

type InputPartKind =
  | {
      readonly type: 'input_text'
      readonly text: string
      /**
       * The name of the tool for which the text stands (Anthropic's `tool_reference`). Set only if the client and the
       * upstream speak the same protocol.
       */
      readonly reference?: string | undefined
    }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: string | null }
  | {
      readonly type: 'input_file'
      readonly filename: string | null
      readonly file_data: string | null
      readonly file_url: string | null
      /** The id of a file that the client stores at the upstream. */
      readonly file_id: string | null
    }
  | { readonly type: 'input_audio'; readonly data: string; readonly format: string }

/** A part of an assistant message of the history. */
export type AssistantPart = Cacheable &
  ({ readonly type: 'output_text'; readonly text: string } | { readonly type: 'refusal'; readonly refusal: string })

export type InputItem =
  | { readonly type: 'message'; readonly role: 'user' | 'system' | 'developer'; readonly content: readonly InputPart[] }
  | { readonly type: 'message'; readonly role: 'assistant'; readonly content: readonly AssistantPart[] }
  | (Cacheable & {
      readonly type: 'function_call'
      readonly call_id: string
      readonly name: string
      readonly arguments: string
    })
  | (Cacheable & {
      readonly type: 'function_call_output'
      readonly call_id: string
      readonly output: readonly InputPart[]
    })
  | (Cacheable & {
      readonly type: 'custom_tool_call'
      readonly call_id: string
      readonly name: string
      readonly input: string
    })
  | (Cacheable & {
      readonly type: 'custom_tool_call_output'
      readonly call_id: string
      readonly output: readonly InputPart[]
    })
  | {
      readonly type: 'reasoning'
      readonly summary: readonly string[]
      readonly content: readonly string[]
      readonly encrypted_content: string | null
    }
  /**
   * An item that this service accepts but no upstream takes back (`web_search_call` …). It is kept so that its loss is
   * reported.
   */
  | { readonly type: 'other'; readonly item: JsonObject }

export type Tool = Cacheable & ToolKind

type ToolKind =
  | {
      readonly type: 'function'
      readonly name: string
      readonly description: string | null
      readonly parameters: JsonObject | null
      readonly strict: boolean | null
      /**
       * Hides the tool until a reference names it (Anthropic's `defer_loading`). Set only if the client and the
       * upstream speak the same protocol.
       */
      readonly deferred?: boolean | undefined
    }
  | { readonly type: 'custom'; readonly name: string; readonly description: string | null; readonly format: Json }
  /** A tool that the upstream or the gateway runs, such as web search. */
  | { readonly type: 'hosted'; readonly name: string; readonly fields: JsonObject }

/** A breakpoint inside the instructions: `end` is the length of the text before it, in UTF-16 units. */
export interface InstructionBreakpoint extends CacheBreakpoint {
  readonly end: number
}

export type NamedTool = Extract<Tool, { readonly type: 'function' | 'custom' }>

/** A tool as the client sent it. Tools of a namespace have their unqualified names. */
export type GivenTool =
  | Tool
  | {
      readonly type: 'namespace'
      readonly name: string
      readonly description: string | null
      readonly tools: readonly NamedTool[]
    }

/** The two halves of a name that an upstream receives as one word. */
export interface Qualified {
  readonly namespace: string
  readonly name: string
}

/** Tools of namespaces, by the names that upstreams receive. */
export type QualifiedNames = Readonly<Record<string, Qualified>>

/** `hosted` forces a tool of that kind: its name is the tool's type, e.g. `web_search`. */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly type: 'function' | 'custom' | 'hosted'; readonly name: string }

/** A tool choice as the client sent it. */
export type GivenChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly type: 'function' | 'custom'; readonly name: string; readonly namespace: string | null }
  | { readonly type: 'hosted'; readonly name: string }
  | { readonly type: 'allowed_tools'; readonly mode: 'auto' | 'required'; readonly tools: readonly JsonObject[] }

export type TextFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly name: string
      readonly description: string | null
      readonly schema: JsonObject
      readonly strict: boolean | null
    }

/** A validated request: the hub of the request side. Omitted fields are null. `input` is always a list of items. */
export interface Request {
  readonly model: string
  readonly input: readonly InputItem[]
  readonly stream: boolean
  readonly instructions: string | null
  readonly max_output_tokens: number | null
  readonly max_tool_calls: number | null
  readonly temperature: number | null
  readonly top_p: number | null
  readonly presence_penalty: number | null
  readonly frequency_penalty: number | null
  readonly top_logprobs: number | null
  readonly reasoning: { readonly effort: Effort | null; readonly summary: string | null } | null
  /** The tools that the upstream is offered: without namespaces, and only those that `allowed_tools` lists. */
  readonly tools: readonly Tool[]
  readonly tool_choice: ToolChoice | null
  readonly names: QualifiedNames
  /** Tools and tool choice as the client sent them, for the echo. */
  readonly given: { readonly tools: readonly GivenTool[]; readonly tool_choice: GivenChoice | null }
  readonly parallel_tool_calls: boolean | null
  readonly text: { readonly format: TextFormat | null; readonly verbosity: string | null } | null
  readonly truncation: 'auto' | 'disabled' | null
  readonly service_tier: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly user: string | null
  readonly safety_identifier: string | null
  readonly prompt_cache_key: string | null
  /** `implicit`: the end of the prompt is a breakpoint. `ttl`: the lifetime of breakpoints without one of their own. */
  readonly prompt_cache_options: {
    readonly mode: 'implicit' | 'explicit' | null
    readonly ttl: CacheLifetime | null
  } | null
  readonly prompt_cache_retention: string | null
  readonly include: readonly string[]
  readonly plugins: readonly JsonObject[]
  readonly x_search_filter: JsonObject | null
  /** Not a field of the Responses API: set for clients of other wires. */
  readonly stop: readonly string[] | null
  /** Not a field of the Responses API: set for clients of other wires, and by the policy of the upstream. In order. */
  readonly instruction_breakpoints: readonly InstructionBreakpoint[]
  /** Not a field of the Responses API: the client's protocol shows the pages that a search of the upstream found. */
  readonly needs_sources: boolean
}
