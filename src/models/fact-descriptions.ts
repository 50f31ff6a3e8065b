import type { FACTS } from './facts.ts'

/** The meaning of each fact, for editors and for the documentation. */
export const FACT_DESCRIPTIONS = {
  family: 'Decides which fields of a platform a model reads (Bedrock)',
  reasons: 'Whether the model reasons: `always` cannot be turned off',
  reasoningBy:
    'What sets its reasoning: a step of `efforts`, a budget in tokens, only on or off, or only the name of the model, which accepts no field for it',
  efforts:
    'The steps of effort that it accepts, also where a budget sets its reasoning. Others are sent as the nearest one',
  effortsWhileOff: 'The same beside reasoning that a request turns off, where it has less of them',
  chatEfforts: 'The same in Chat Completions, where it has less of them',
  budgets: 'Accepts a budget for reasoning as well, where a step of `efforts` sets it',
  betweenTools: 'Accepts that it reasons between calls of tools alone (`between_tools`, Claude)',
  leastBudget: 'The smallest budget for reasoning, in tokens',
  mostBudget: 'The largest budget for reasoning, in tokens',
  templateSwitches:
    'What its chat template reads to turn reasoning on and off, at servers on the operator’s own machine: words in `chat_template_kwargs`, or `reasoning_effort` with the value `none`. Default: `enable_thinking`',
  defaultEffort: 'The effort of a request without one',
  needsReasoning: 'While it reasons, it refuses calls in the history without their reasoning',
  bindsReasoning: 'Signed reasoning of the history is valid only after the same beginning of the conversation',
  tools: 'Calls functions. `false`: they are dropped, and calls of the history and their results are texts',
  forcedTools: 'Which tool choices force a call: `required`, a named function, both, or none',
  forcedWhileReasoning: 'The same in a request with reasoning',
  chatTools:
    'Functions in Chat Completions: with any effort, only without an effort, only with the effort `none`, or not at all',
  parallelCalls: 'Accepts `parallel_tool_calls` in Chat Completions',
  mixesTools: 'Runs server tools in requests with functions',
  parameterNames:
    'The names of a function’s own parameters. `plain`: at most 64 letters, digits, `_`, `.` and `-` (Claude)',
  strictTools: 'Accepts `strict` of functions',
  jsonSchema: 'Binds its answer to a JSON schema. `false`: the schema is an instruction',
  jsonWithTools: 'JSON output beside functions: with any tool choice, unless a call is forced, or not at all',
  jsonWhileReasoning: 'Accepts JSON output in a request with reasoning. `false`: the format is an instruction there',
  jsonWord: 'Refuses JSON output without a schema unless a message has the word JSON',
  schemas:
    'The subset of JSON Schema for strict tools and JSON output. `closed`: closed objects, no bounds, no recursion (Claude)',
  richCalls: 'Accepts ids of calls, and images in results of functions (Gemini)',
  imageUrls: 'Fetches images from their addresses. `false`: a note replaces an image that is only an address',
  images: 'Reads images. `false`: a note takes the place of each one',
  sampling: '`temperature`, `top_p` and such: accepted, only one of them, only with the effort `none`, or none of them',
  samplingWhileReasoning:
    'The same in a request with reasoning. `default`: a temperature of 1, and `top_p` from 0.95 on (Claude)',
  mostTemperature: "The highest `temperature`. Default: the vendor's",
  penalties: 'Accepts `presence_penalty` and `frequency_penalty`',
  logprobs: 'Returns log probabilities',
  verbosities: 'The values of `text.verbosity` that it accepts',
  mostStops: 'The most stop sequences; 0 if it accepts none',
  blankStops: 'Accepts stop sequences of white space only',
  leastOutput: 'The smallest output limit, in tokens',
  tiers: 'The values of `service_tier` that it accepts, besides `auto` and `default`',
  usualTiers: 'Accepts `auto` and `default` as `service_tier`. `false`: they are left out, which means the same',
  longestUser: 'The most characters of `user`',
  longestSafetyId: 'The most characters of `safety_identifier`',
  longestCacheKey: 'The most characters of `prompt_cache_key`',
  mostOutput: 'The largest output limit, in tokens',
  context: 'The context window, in tokens',
  systemInstruction: 'Has system messages. `false`: the first message of the user has the text',
  lateSystem: 'Accepts system messages between the messages of a conversation',
  oneSystem: 'Accepts one system message only, at the beginning',
  needsUser:
    'Refuses a conversation in which no message of the user has content, such as one of calls and their outputs',
  lastRole:
    'The last message of a conversation: `user` refuses a message of the assistant (prefill), `prefix` accepts it with `prefix: true`',
  caches: 'Where it accepts cache breakpoints: nowhere, everywhere but on tools, or everywhere',
  cachesForHours: 'Keeps a cached prefix for an hour',
  streamsOnly: 'Answers in streams only, which the gateway collects (openai-chat, openai-responses)',
  servedBy: 'The only wire of its vendor that serves it, also for clients of other protocols',
} as const satisfies Readonly<Record<keyof typeof FACTS, string>>
