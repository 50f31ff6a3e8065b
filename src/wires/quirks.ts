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

  // What it wants to be sent.

  /** The header that carries the key itself. Left out: `Authorization: Bearer`. */
  readonly keyHeader?: string
  /** Serves Anthropic's models as Google Vertex does: the model in the path, the version in the body, a token as the key. */
  readonly rawPredict?: boolean
  /** Serves OpenAI's own models, some of which want other fields than the rest (`openai-chat/openai-models.ts`). */
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
  /** Where in an assistant message it takes its own thoughts back. Left out: nowhere, they are dropped. */
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
}

export type RefusableField =
  | 'tools'
  | 'parallel_tool_calls'
  | 'top_logprobs'
  | 'presence_penalty'
  | 'frequency_penalty'
  | 'user'

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

/** `short`: at most 40 characters. `nine`: exactly nine letters and digits. */
export type CallIdStyle = 'short' | 'nine'
