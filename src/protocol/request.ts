import type { CallOrigin } from './item.ts'
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
  | {
      readonly type: 'input_image'
      /** Null if only the id of a stored image is given. */
      readonly image_url: string | null
      /** The id of an image that the client stores at the upstream. */
      readonly file_id?: string
      readonly detail: string | null
    }
  | {
      readonly type: 'input_file'
      readonly filename: string | null
      readonly file_data: string | null
      readonly file_url: string | null
      /** The id of a file that the client stores at the upstream. */
      readonly file_id: string | null
      /** How exactly the pages of the file are read: `auto`, `low`, `high`. */
      readonly detail?: string
      /** The answer shall cite this file. Not a field of the Responses API: set for clients of other wires. */
      readonly cited?: true | undefined
    }
  | { readonly type: 'input_audio'; readonly data: string; readonly format: string }

/** A part of an assistant message of the history. */
export type AssistantPart = Cacheable &
  ({ readonly type: 'output_text'; readonly text: string } | { readonly type: 'refusal'; readonly refusal: string })

/** `qualified`: both names of the tool, if it is in a namespace; `name` is the joined one. */
export type InputItem =
  | { readonly type: 'message'; readonly role: 'user' | 'system' | 'developer'; readonly content: readonly InputPart[] }
  | {
      readonly type: 'message'
      readonly role: 'assistant'
      readonly content: readonly AssistantPart[]
      /** `commentary` or `final_answer`. */
      readonly phase?: string
    }
  | (Cacheable & {
      readonly type: 'function_call'
      readonly call_id: string
      readonly name: string
      readonly arguments: string
      readonly qualified?: Qualified
      readonly origin?: CallOrigin
    })
  | (Cacheable & {
      readonly type: 'function_call_output'
      readonly call_id: string
      readonly output: readonly InputPart[]
      readonly origin?: CallOrigin
      /** The tool failed. Not a field of the Responses API: set for clients of other wires. */
      readonly failed?: true | undefined
    })
  | (Cacheable & {
      readonly type: 'custom_tool_call'
      readonly call_id: string
      readonly name: string
      readonly input: string
      readonly qualified?: Qualified
      readonly origin?: CallOrigin
    })
  | (Cacheable & {
      readonly type: 'custom_tool_call_output'
      readonly call_id: string
      readonly output: readonly InputPart[]
      readonly origin?: CallOrigin
    })
  | {
      readonly type: 'reasoning'
      readonly summary: readonly string[]
      readonly content: readonly string[]
      readonly encrypted_content: string | null
    }
  /**
   * An item that not every upstream accepts (`web_search_call` …), as the client sent it. It is kept so that its loss is
   * reported, and with what it changes from its place on.
   */
  | {
      readonly type: 'other'
      readonly item: JsonObject
      readonly added?: AddedTools
      readonly update?: SettingsUpdate
    }

/** Tools that an `additional_tools` item or a `tool_search_output` makes available. */
export interface AddedTools {
  readonly given: readonly GivenTool[]
  /** The same tools as the upstream is offered them: without namespaces. They are also in `tools` of the request. */
  readonly tools: readonly Tool[]
}

/** The settings of a `configuration_update`. Null: unchanged. */
export interface SettingsUpdate {
  readonly effort: Effort | null
  readonly format: TextFormat | null
}

/** The tools that items of the input add, with the index of each item. */
export function addedTools(input: readonly InputItem[]): readonly (AddedTools & { readonly at: number })[] {
  const found: (AddedTools & { readonly at: number })[] = []
  for (let at = 0; at < input.length; at += 1) {
    const item = input[at] as InputItem
    if (item.type === 'other' && item.added !== undefined) found.push({ ...item.added, at })
  }
  return found
}

/** Whether a function output names no call. It is kept whole until it is matched to one (`validation/input/match-outputs.ts`). */
export const isUnaddressed = ({ type, call_id }: Readonly<Record<string, unknown>>): boolean =>
  type === 'function_call_output' && (call_id === undefined || call_id === null)

/** Settings of a tool that only the Responses API has (openai 7.57, `FunctionTool`). */
interface ToolSettings {
  /** The output may come later than with the next request. */
  readonly async?: boolean
  /** `direct` for the model, `programmatic` for its programs. */
  readonly allowed_callers?: readonly string[]
  /** The JSON schema of the output, if that is JSON. */
  readonly output_schema?: JsonObject
}

export type Tool = Cacheable & ToolKind

type ToolKind =
  | {
      readonly type: 'function'
      readonly name: string
      readonly description: string | null
      readonly parameters: JsonObject | null
      readonly strict: boolean | null
      /** Hides the tool until a search of tools finds it (`defer_loading` of OpenAI and of Anthropic). */
      readonly deferred?: boolean | undefined
      readonly settings?: ToolSettings
    }
  | {
      readonly type: 'custom'
      readonly name: string
      readonly description: string | null
      readonly format: Json
      readonly deferred?: boolean | undefined
      readonly settings?: ToolSettings
    }
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

/** Tools whose names differ at the upstream, by the names that it receives: those of namespaces, which are not null. */
export type ToolNames = Readonly<Record<string, Qualified | { readonly namespace: null; readonly name: string }>>

/** Tools of namespaces, by the names that upstreams receive. */
export type QualifiedNames = Readonly<Record<string, Qualified>>

/**
 * Forces a tool of that kind: its name is the tool's type, e.g. `web_search`. The fields select one of several tools:
 * `server_label` and `name` of an MCP server and its tool.
 */
interface HostedChoice {
  readonly type: 'hosted'
  readonly name: string
  readonly fields?: JsonObject
}

export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly type: 'function' | 'custom'; readonly name: string }
  | HostedChoice

/** A tool choice as the client sent it. */
export type GivenChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly type: 'function' | 'custom'; readonly name: string; readonly namespace: string | null }
  | HostedChoice
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
  readonly reasoning: {
    readonly effort: Effort | null
    readonly summary: string | null
    /**
     * An answer need not show it: the client turned reasoning off, but the model always reasons, or requests an effort
     * alone, which turns no reasoning on (Messages without `thinking`).
     */
    readonly hidden?: true
  } | null
  /**
   * The tools that the upstream is offered: without namespaces, and only those that `allowed_tools` lists. First those
   * of `tools`, then those of the input in its order: a name may occur again there.
   */
  readonly tools: readonly Tool[]
  readonly tool_choice: ToolChoice | null
  readonly names: ToolNames
  /** The fields `tools` and `tool_choice` as the client sent them, for the echo. */
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
