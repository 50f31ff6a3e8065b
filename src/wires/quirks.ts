import type { NativeSearch } from '../protocol/search.ts'

/**
 * What tells one vendor of a wire from another: named fields of its row in `vendors/`, all optional, the common case
 * being left out. A wire reads the fields it knows.
 */
export interface Quirks {
  // What it sends.

  /**
   * Its models put their thoughts at the head of the text, between `<think>` and `</think>`. `unopened`: the opening tag
   * is in the prompt of its models and not in their answer, which is all thought up to the closing one.
   */
  readonly thinkTags?: boolean | 'unopened'
  /** Lists the pages it searched without marks in the text that cite them (xAI chat). */
  readonly unmarkedSources?: boolean
  /** Its custom tool calls are searches that it runs itself: no client must answer them (xAI Responses). */
  readonly runsCustomCalls?: boolean

  // What it wants to be sent.

  /** The header that carries the key itself. Left out: `Authorization: Bearer`. */
  readonly keyHeader?: string
  /** Serves Anthropic's models as Google Vertex does: the model in the path, the version in the body, a token as the key. */
  readonly rawPredict?: boolean
  /**
   * What its models take, where their names do not show it: an upstream's name of a model → a model that its wire's table
   * knows (`models.ts`); `*` for every name that the table does not know.
   */
  readonly likeModels?: Readonly<Record<string, string>>
  /** Serves OpenAI's own models, some of which want other fields than the rest (`openai-models.ts`). */
  readonly openaiModels?: boolean
  /** Knows the newer fields of OpenAI: service_tier, verbosity, safety_identifier, prompt_cache_key. */
  readonly openaiFields?: boolean
  /** Tells system and developer messages apart. Left out: both are sent as system. */
  readonly developerRole?: boolean
  /** Takes custom tools, whose input is free text. */
  readonly customTools?: boolean
  /** What it calls max_output_tokens. Left out: `max_tokens`. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  /** Knows no stream_options: it counts tokens unasked, or refuses the field. */
  readonly noStreamOptions?: boolean
  /** Fields it refuses, under this service's names for them. */
  readonly refuses?: readonly RefusableField[]
  /** The highest temperature it takes. Left out: 2. */
  readonly maxTemperature?: number
  /** How it is told how long to think. Left out: `reasoning_effort`, as it is. */
  readonly effort?: EffortStyle
  /**
   * Where in an assistant message it takes its own thoughts back. Left out: nowhere, they are dropped. On
   * openai-responses any of these means that a reasoning item may hold them in readable words.
   */
  readonly reasoningHistory?: ReasoningHistory
  /** Its word for tool_choice `required`. Left out: `required`. */
  readonly requiredWord?: 'required' | 'any'
  /** Cannot be told which function to call: it is shown that function only. */
  readonly noNamedChoice?: boolean
  /** Knows JSON, but no schema of it, as a response format. */
  readonly noJsonSchema?: boolean
  /** Has no field for a refusal in the history: it is sent as text. */
  readonly refusalAsText?: boolean
  /** How it takes files. Left out: as `file` parts with their data inside. */
  readonly files?: FileStyle
  /** Takes the data of a sound alone, without its format. */
  readonly bareAudio?: boolean
  /** What call ids it takes back. Left out: any. */
  readonly callIds?: CallIdStyle
  /** No user message may follow a tool's: an assistant message is put between. */
  readonly noUserAfterTool?: boolean
  /** Roles must take turns: neighbours of one role are joined. */
  readonly strictTurns?: boolean
  /** Takes back the items of tools that it ran itself, and the answers to calls of its own tools (openai-responses). */
  readonly hostedHistory?: boolean
  /** How it is asked to search the web (openai-responses). Left out: `openai`. */
  readonly webSearch?: SearchStyle
  /** It answers in streams only (ChatGPT's backend). */
  readonly streamsOnly?: boolean
  /** It refuses a request without instructions, be they empty (ChatGPT's backend). */
  readonly needsInstructions?: boolean
  /** It knows rules as the developer's only. */
  readonly noSystemRole?: boolean
  /** Searches the web for every answer: a search tool goes as fields of the body (Perplexity). */
  readonly alwaysSearches?: boolean
  /** Its models are asked for by names that it does not report (deployments, endpoints). */
  readonly ownModelNames?: boolean
  /** Its own web search. Left out: that of its wire. */
  readonly nativeSearch?: NativeSearch

  // Set for single requests: not of the vendor, and not to be configured.

  /** The text of the answer is JSON. */
  readonly jsonAnswer?: boolean
}

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

/** The first three take readable words, each in a field of that name; `reasoning_details` what OpenRouter sealed. */
export type ReasoningHistory = 'reasoning_content' | 'reasoning' | 'thinking' | 'reasoning_details'

/** `file-url`: as `file`, where the data may be a URL. */
export type FileStyle = 'file' | 'file-url' | 'document_url' | 'none'

/** `short`: at most 40 characters. `long`: at most 64. `nine`: exactly nine letters and digits. */
export type CallIdStyle = 'short' | 'long' | 'nine'

/** `preview`: Azure's older tool, without filters. `xai`: with more filters, and a search of X. `openrouter`: the service's own. */
export type SearchStyle = 'openai' | 'preview' | 'xai' | 'openrouter'
