import type { Effort } from '../protocol/request.ts'

/** The steps of effort that a model may have. `none` is not a step: `reasons` states whether it can be turned off. */
const STEPS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly Effort[]

/** Apart from the table, which a bundle without its descriptions leaves out only if it spreads nothing. */
const NONE_OR_STEPS = ['none', ...STEPS] as const

/** The steps that several makers of open weights have. */
export const LOW_HIGH_MAX = ['low', 'high', 'max'] as const satisfies readonly Effort[]

/**
 * The facts about a model on which its requests depend. Each is optional: a fact that is left out is unknown, and
 * changes nothing. Types, the schema of the configuration (`quirks.modelFacts`) and the generated page of the documentation derive from
 * this table.
 */
export const FACTS = {
  family: {
    one: ['claude', 'gpt', 'gpt-oss', 'gemini', 'grok', 'nova', 'command', 'other'],
    about: 'Decides which fields of a platform a model reads (Bedrock)',
  },

  // Reasoning.

  reasons: {
    one: ['never', 'always', 'optional'],
    about: 'Whether the model reasons: `always` cannot be turned off',
  },
  reasoningBy: {
    one: ['effort', 'budget', 'switch', 'name'],
    about:
      'What sets its reasoning: a step of `efforts`, a budget in tokens, only on or off, or only the name of the model, which accepts no field for it',
  },
  efforts: {
    some: STEPS,
    about:
      'The steps of effort that it accepts, also where a budget sets its reasoning. Others are sent as the nearest one',
  },
  effortsWhileOff: {
    some: STEPS,
    about: 'The same beside reasoning that a request turns off, where it has less of them',
  },
  chatEfforts: { some: STEPS, about: 'The same in Chat Completions, where it has less of them' },
  budgets: { type: 'flag', about: 'Accepts a budget for reasoning as well, where a step of `efforts` sets it' },
  betweenTools: {
    type: 'flag',
    about: 'Accepts that it reasons between calls of tools alone (`between_tools`, Claude)',
  },
  leastBudget: { type: 'number', about: 'The smallest budget for reasoning, in tokens' },
  mostBudget: { type: 'number', about: 'The largest budget for reasoning, in tokens' },
  templateSwitches: {
    some: ['enable_thinking', 'thinking', 'thinking_mode', 'reasoning_effort'],
    about:
      'What its chat template reads to turn reasoning on and off, at servers on the operator’s own machine: words in `chat_template_kwargs`, or `reasoning_effort` with the value `none`. Default: `enable_thinking`',
  },
  defaultEffort: { one: NONE_OR_STEPS, about: 'The effort of a request without one' },
  needsReasoning: {
    type: 'flag',
    about: 'While it reasons, it refuses calls in the history without their reasoning',
  },
  bindsReasoning: {
    type: 'flag',
    about: 'Signed reasoning of the history is valid only after the same beginning of the conversation',
  },

  // Tools and formats.

  forcedTools: {
    one: ['all', 'required', 'named', 'none'],
    about: 'Which tool choices force a call: `required`, a named function, both, or none',
  },
  forcedWhileReasoning: { one: ['all', 'required', 'named', 'none'], about: 'The same in a request with reasoning' },
  chatTools: {
    one: ['all', 'without-effort', 'with-none', 'none'],
    about:
      'Functions in Chat Completions: with any effort, only without an effort, only with the effort `none`, or not at all',
  },
  parallelCalls: { type: 'flag', about: 'Accepts `parallel_tool_calls` in Chat Completions' },
  mixesTools: { type: 'flag', about: 'Runs server tools in requests with functions' },
  parameterNames: {
    one: ['any', 'plain'],
    about: 'The names of a function’s own parameters. `plain`: at most 64 letters, digits, `_`, `.` and `-` (Claude)',
  },
  strictTools: { type: 'flag', about: 'Accepts `strict` of functions' },
  jsonSchema: { type: 'flag', about: 'Binds its answer to a JSON schema. `false`: the schema is an instruction' },
  jsonWithTools: {
    one: ['all', 'auto', 'none'],
    about: 'JSON output beside functions: with any tool choice, unless a call is forced, or not at all',
  },
  jsonWhileReasoning: {
    type: 'flag',
    about: 'Accepts JSON output in a request with reasoning. `false`: the format is an instruction there',
  },
  jsonWord: { type: 'flag', about: 'Refuses JSON output without a schema unless a message has the word JSON' },
  schemas: {
    one: ['any', 'closed'],
    about:
      'The subset of JSON Schema for strict tools and JSON output. `closed`: closed objects, no bounds, no recursion (Claude)',
  },
  richCalls: { type: 'flag', about: 'Accepts ids of calls, and images in results of functions (Gemini)' },

  // Sampling and limits.

  sampling: {
    one: ['all', 'one', 'without-reasoning', 'none'],
    about: '`temperature`, `top_p` and such: accepted, only one of them, only with the effort `none`, or none of them',
  },
  samplingWhileReasoning: {
    one: ['all', 'default'],
    about: 'The same in a request with reasoning. `default`: a temperature of 1, and `top_p` from 0.95 on (Claude)',
  },
  penalties: { type: 'flag', about: 'Accepts `presence_penalty` and `frequency_penalty`' },
  logprobs: { type: 'flag', about: 'Returns log probabilities' },
  verbosities: { some: ['low', 'medium', 'high'], about: 'The values of `text.verbosity` that it accepts' },
  mostStops: { type: 'number', about: 'The most stop sequences; 0 if it accepts none' },
  blankStops: { type: 'flag', about: 'Accepts stop sequences of white space only' },
  leastOutput: { type: 'number', about: 'The smallest output limit, in tokens' },
  tiers: {
    some: ['flex', 'priority', 'scale', 'fast', 'ultrafast', 'on_demand', 'performance', 'reserved'],
    about: 'The values of `service_tier` that it accepts, besides `auto` and `default`',
  },
  usualTiers: {
    type: 'flag',
    about: 'Accepts `auto` and `default` as `service_tier`. `false`: they are left out, which means the same',
  },
  longestUser: { type: 'number', about: 'The most characters of `user`' },
  longestSafetyId: { type: 'number', about: 'The most characters of `safety_identifier`' },
  longestCacheKey: { type: 'number', about: 'The most characters of `prompt_cache_key`' },
  mostOutput: { type: 'number', about: 'The largest output limit, in tokens' },
  context: { type: 'number', about: 'The context window, in tokens' },

  // The conversation.

  systemInstruction: {
    type: 'flag',
    about: 'Has system messages. `false`: the first message of the user has the text',
  },
  lateSystem: { type: 'flag', about: 'Accepts system messages between the messages of a conversation' },
  oneSystem: { type: 'flag', about: 'Accepts one system message only, at the beginning' },
  lastRole: {
    one: ['any', 'user', 'prefix'],
    about:
      'The last message of a conversation: `user` refuses a message of the assistant (prefill), `prefix` accepts it with `prefix: true`',
  },

  // Prompt caches.

  caches: {
    one: ['none', 'prompts', 'all'],
    about: 'Where it accepts cache breakpoints: nowhere, everywhere but on tools, or everywhere',
  },
  cachesForHours: { type: 'flag', about: 'Keeps a cached prefix for an hour' },

  streamsOnly: { type: 'flag', about: 'Answers in streams only, which the gateway collects (openai-chat)' },

  servedBy: {
    one: ['gemini-interactions'],
    about: 'The only wire of its vendor that serves it, also for clients of other protocols',
  },
} as const satisfies Readonly<Record<string, FactRow>>

/** The values of a fact, and its meaning for editors and for the documentation. */
type FactRow = (
  | { readonly type: 'flag' | 'number' }
  | { readonly one: readonly string[] }
  | { readonly some: readonly string[] }
) & { readonly about: string }

/** The value of a row. */
export type ValueOf<Row> = Row extends { readonly one: readonly (infer Word)[] }
  ? Word
  : Row extends { readonly some: readonly (infer Word)[] }
    ? readonly Word[]
    : Row extends { readonly type: 'flag' }
      ? boolean
      : number

export type ModelFacts = { readonly [Name in keyof typeof FACTS]?: ValueOf<(typeof FACTS)[Name]> }

/** A step of effort, which `none` is not. */
export type EffortStep = (typeof STEPS)[number]
