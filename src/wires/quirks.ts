import type { NativeSearch } from '../protocol/search.ts'

/**
 * Distinguishes one vendor of a wire from another: named fields of its row in `vendors/`, all optional, left out in the
 * common case. A wire reads the fields that apply to it.
 */
export interface Quirks {
  // The vendor's answers.

  /**
   * Its models write their reasoning at the beginning of the text, between `<think>` and `</think>`. `unopened`: the
   * opening tag is in the prompt and not in the answer, so all text up to the closing tag is reasoning.
   */
  readonly thinkTags?: boolean | 'unopened'
  /** Lists the pages that it searched without marks in the text that cite them (xAI chat). */
  readonly unmarkedSources?: boolean
  /** Its custom tool calls are searches that it runs itself: no client must answer them (xAI Responses). */
  readonly runsCustomCalls?: boolean

  // Requirements of the vendor for a request.

  /** The header that carries the bare key. Left out: `Authorization: Bearer`. */
  readonly keyHeader?: string
  /** Headers of a client that it accepts, of those that its wire carries. Left out: all of them. */
  readonly clientHeaders?: readonly ClientHeader[]
  /**
   * Serves Anthropic's models as Google Vertex does: the model in the path, the version in the body, a token as the
   * key.
   */
  readonly rawPredict?: boolean
  /**
   * The capabilities of its models, if their names do not show them: maps an upstream's name of a model to a model in its wire's
   * table (`models.ts`); `*` stands for every name that is not in the table.
   */
  readonly likeModels?: Readonly<Record<string, string>>
  /** Serves OpenAI's own models, some of which need other fields than the rest (`wires/shared/upstream/openai-models.ts`). */
  readonly openaiModels?: boolean
  /** Accepts the newer fields of OpenAI: service_tier, verbosity, safety_identifier, prompt_cache_key. */
  readonly openaiFields?: boolean
  /** Accepts Anthropic's `cache_control` on parts and tools, for any model that it routes to. */
  readonly cacheControl?: boolean
  /** Distinguishes system and developer messages. Left out: both are sent as system. */
  readonly developerRole?: boolean
  /** Accepts custom tools, whose input is free text. */
  readonly customTools?: boolean
  /**
   * Accepts tools in namespaces and names their calls by both names (openai-responses). Left out: each tool is sent under
   * the joined name (vllm-project/vllm#46737, #49493).
   */
  readonly namespaces?: boolean
  /** Its name of max_output_tokens. Left out: `max_tokens`. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  /** Does not accept stream_options: it reports usage without them, or refuses the field. */
  readonly noStreamOptions?: boolean
  /** Fields that it refuses, by their names in this gateway. */
  readonly refuses?: readonly RefusableField[]
  /**
   * Features that it refuses in the schemas of functions' parameters (`wires/shared/upstream/schemas/`). Schemas are
   * changed so that they accept at least the same arguments, each change as a loss.
   */
  readonly refusesInSchemas?: readonly RefusedSchemaFeature[]
  /** The highest temperature that it accepts. Left out: 2. */
  readonly maxTemperature?: number
  /** How reasoning effort is requested. Left out: `reasoning_effort`, unchanged. */
  readonly effort?: EffortStyle
  /**
   * The field of an assistant message in which it accepts its own reasoning. Left out: none; reasoning is dropped. On
   * openai-responses any of these values means that a reasoning item may contain readable text.
   */
  readonly reasoningHistory?: ReasoningHistory
  /** Its word for tool_choice `required`. Left out: `required`. */
  readonly requiredWord?: 'required' | 'any'
  /** Has no tool choice for a named function: only that function is sent. */
  readonly noNamedChoice?: boolean
  /** Supports JSON as a response format, but no JSON schema. */
  readonly noJsonSchema?: boolean
  /**
   * Refuses system messages after the first message, as the chat templates of some models do. `first`: all of them
   * become one message at the beginning. `user`: later ones are sent as messages of the user.
   */
  readonly lateSystem?: LateSystemStyle
  /** Has no field for a refusal in the history: it is sent as text. */
  readonly refusalAsText?: boolean
  /** How files are sent. Left out: as `file` parts that contain their data. */
  readonly files?: FileStyle
  /** Accepts the data of audio without its format. */
  readonly bareAudio?: boolean
  /** Call ids that it accepts. Left out: any. */
  readonly callIds?: CallIdStyle
  /** Refuses a user message directly after a tool message: an assistant message is inserted between them. */
  readonly noUserAfterTool?: boolean
  /** Roles must alternate: neighbours of one role are merged. */
  readonly strictTurns?: boolean
  /** Accepts items of tools that it ran itself, and outputs for calls of its own tools (openai-responses). */
  readonly hostedHistory?: boolean
  /**
   * The features of requests that it has, of those that change the request from a place in its input on
   * (openai-responses). `tool_search`: it searches deferred tools, or lets the client search;
   * `openrouter:tool_search`: it searches them, with this tool of OpenRouter. Left out: none; the gateway applies them to
   * the whole request.
   */
  readonly changesInInput?: readonly InputChange[]
  /** Compacts a conversation that ends with a `compaction_trigger` (openai-responses). */
  readonly compaction?: boolean
  /** How a web search is requested (openai-responses). Left out: `openai`. */
  readonly webSearch?: SearchStyle
  /** Answers in streams only (ChatGPT's backend). */
  readonly streamsOnly?: boolean
  /** Refuses a request without instructions; an empty string is accepted (ChatGPT's backend). */
  readonly needsInstructions?: boolean
  /** Rejects the `system` role; instructions are sent as `developer`. */
  readonly noSystemRole?: boolean
  /** Searches the web for every answer: a search tool becomes fields of the body (Perplexity). */
  readonly alwaysSearches?: boolean
  /** Its models are requested by names that it does not report (deployments, endpoints). */
  readonly ownModelNames?: boolean
  /**
   * Counts the tokens of a request before it is sent. `plain`: the fields of the request are those of the count itself
   * (Vertex AI, gemini-generate). Left out: as usual for its wire (docs/token-counts.md).
   */
  readonly countsTokens?: boolean | 'plain'
  /** Its own web search. Left out: the web search of its wire. */
  readonly nativeSearch?: NativeSearch

  // Set for single requests; not a property of the vendor and not configurable.

  /** The text of the answer is JSON. */
  readonly jsonAnswer?: boolean
}

/** Headers of clients that reach an upstream of the client's own wire (`clientHeaders` of a wire). */
export type ClientHeader = 'anthropic-beta' | 'anthropic-version' | 'openai-beta'

/** A feature of requests that changes the tools or the settings from a place in the input on. */
export type InputChange = 'additional_tools' | 'configuration_update' | 'tool_search' | 'openrouter:tool_search'

/** The changes by the types of their items. */
export const INPUT_CHANGES: ReadonlyMap<unknown, InputChange> = new Map<unknown, InputChange>([
  ['additional_tools', 'additional_tools'],
  ['configuration_update', 'configuration_update'],
  ['tool_search_call', 'tool_search'],
  ['tool_search_output', 'tool_search'],
])

export type RefusableField =
  | 'tools'
  | 'parallel_tool_calls'
  | 'top_logprobs'
  | 'presence_penalty'
  | 'frequency_penalty'
  | 'user'
  | 'max_output_tokens'
  | 'max_tool_calls'
  | 'temperature'
  | 'top_p'
  | 'metadata'
  | 'safety_identifier'
  | 'truncation'
  | 'reasoning.summary'

/**
 * `$ref`: references are inlined. `rootUnion`: `anyOf`, `oneOf` and `allOf` at the top level are merged into one
 * object. Any other word is a keyword, which is removed at every depth.
 */
export type RefusedSchemaFeature =
  | '$ref'
  | 'rootUnion'
  | 'propertyNames'
  | 'patternProperties'
  | 'minProperties'
  | 'maxProperties'
  | 'dependentRequired'
  | 'dependentSchemas'
  | 'contains'
  | 'uniqueItems'
  | 'not'
  | 'if'
  | 'const'
  | 'pattern'
  | 'format'
  | 'multipleOf'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'unevaluatedProperties'
  | 'unevaluatedItems'
  | 'examples'
  | 'default'
  | '$schema'
  | '$id'
  | '$comment'

export type EffortStyle =
  | 'openai'
  | 'deepseek'
  | 'groq'
  | 'xai'
  | 'mistral'
  | 'nested'
  | 'moonshot'
  | 'alibaba'
  | 'zai'
  | 'template'

/**
 * The first three accept readable text, each in a field of that name; `reasoning_details` accepts what OpenRouter
 * sealed.
 */
export type ReasoningHistory = 'reasoning_content' | 'reasoning' | 'thinking' | 'reasoning_details'

export type LateSystemStyle = 'first' | 'user'

/** `file-url`: as `file`, but the data may be a URL. */
export type FileStyle = 'file' | 'file-url' | 'document_url' | 'none'

/** `short`: at most 40 characters. `long`: at most 64. `nine`: exactly nine letters and digits. */
export type CallIdStyle = 'short' | 'long' | 'nine'

/**
 * `preview`: Azure's older tool, without filters. `xai`: with more filters and a search of X. `openrouter`:
 * OpenRouter's own.
 */
export type SearchStyle = 'openai' | 'preview' | 'xai' | 'openrouter'
