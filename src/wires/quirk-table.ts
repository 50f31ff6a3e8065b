import { PLATFORMS } from '../models/row.ts'

/**
 * Distinguishes one vendor of a wire from another: named fields of its row in `vendors/`, all optional, left out in the
 * common case. A wire reads the fields that apply to it. Types, the schema of the configuration (`gateway/config/`), and
 * the documentation derive from this table.
 */
export const QUIRKS = {
  // The vendor's answers.

  thinkTags: {
    type: 'flag',
    or: 'unopened',
    about:
      'Models write their reasoning into the text, between `<think>` and `</think>`. `unopened`: the opening tag is in the prompt, and the answer has the closing one only',
  },
  unmarkedSources: {
    type: 'flag',
    about: 'Lists the pages that it searched without marks in the text that cite them (xAI chat)',
  },
  splitsAnswers: {
    type: 'flag',
    about: 'Sends one answer over several choices, such as the text in one and each call in another (GitHub Copilot)',
  },
  changesIds: {
    type: 'flag',
    about:
      'Its response and its items have other ids in each event, and the pieces of arguments are scrambled, so that its answers are translated (GitHub Copilot, openai-responses)',
  },
  resendsArguments: {
    type: 'flag',
    about:
      'Sends the arguments of a call from their beginning with each piece, which clients would join (some servers of DeepSeek)',
  },
  runsCustomCalls: {
    type: 'flag',
    about: 'Its custom tool calls are searches that it runs itself; they do not reach the client (xAI)',
  },

  // Requirements of the vendor for a request.

  keyHeader: { only: 'requests', type: 'text', about: 'Header for the key. Default: `Authorization: Bearer`' },
  imageHeader: {
    only: 'requests',
    type: 'text',
    about: 'Header that is `true` for a request with images, without which it refuses them',
  },
  initiatorHeader: {
    only: 'requests',
    type: 'text',
    about:
      'Header that is `agent` for a request that continues the work of an agent, and `user` for one of the user, which it bills (GitHub Copilot)',
  },
  conversationHeader: {
    only: 'requests',
    type: 'text',
    about: 'Header for `prompt_cache_key`, by which it finds the prompt of a conversation in its cache (xAI chat)',
  },
  clientHeaders: {
    only: 'requests',
    some: ['anthropic-beta', 'anthropic-version', 'openai-beta'],
    about: 'Headers of a client that it accepts, of those that its wire carries. Default: all of them',
  },
  betas: {
    only: 'requests',
    type: 'words',
    about:
      'Entries of a client’s `anthropic-beta` that it accepts. Default: all of them, of those that `clientHeaders` lets pass',
  },
  refusesBetas: {
    only: 'requests',
    type: 'words',
    about: 'Entries of `anthropic-beta` that it refuses, also of those that the gateway sets itself',
  },
  billingLine: {
    only: 'requests',
    one: ['kept', 'dropped'],
    about:
      'The line of Claude Code’s accounting before the system prompt, which differs in each request (anthropic-messages). Default: kept for models of Claude; no other wire ever has it',
  },
  rawPredict: {
    type: 'flag',
    about: 'Serves Anthropic’s models as Vertex does: the model in the path, the version in the body',
  },
  platform: {
    one: PLATFORMS,
    about:
      'The platform that serves its models, where they differ from the same models elsewhere (`models/makers.ts`, `models/hosts.ts`)',
  },
  likeModels: {
    type: 'names',
    about: 'Maps the upstream’s model names to names in the model table; `*` for every other unknown name',
  },
  modelFacts: {
    type: 'facts',
    about: 'Facts of its models by their names, which take precedence over the table of models; `*` for all of them',
  },
  openaiModels: {
    only: 'requests',
    type: 'flag',
    about: 'Serves OpenAI’s own models, some of which need other fields',
  },
  openaiFields: {
    only: 'requests',
    type: 'flag',
    about: 'Has `service_tier`, `verbosity`, `safety_identifier` and `prompt_cache_key`',
  },
  cacheControl: {
    only: 'requests',
    type: 'flag',
    about: 'Takes `cache_control` on parts and tools, as Anthropic does',
  },
  developerRole: {
    only: 'requests',
    type: 'flag',
    about: 'Distinguishes system and developer messages. Default: both are sent as system',
  },
  customTools: { only: 'requests', type: 'flag', about: 'Accepts custom tools, whose input is free text' },
  /** Servers that join the names themselves: vllm-project/vllm#46737, #49493. */
  namespaces: { type: 'flag', about: 'Accepts tools in namespaces (openai-responses); left out: under joined names' },
  maxTokensField: {
    only: 'requests',
    one: ['max_tokens', 'max_completion_tokens'],
    about: 'Its name of `max_output_tokens`. Default: `max_tokens`',
  },
  noStreamOptions: { only: 'requests', type: 'flag', about: 'Refuses or does not need `stream_options`' },
  refuses: {
    only: 'requests',
    some: [
      'tools',
      'parallel_tool_calls',
      'top_logprobs',
      'presence_penalty',
      'frequency_penalty',
      'user',
      'max_output_tokens',
      'max_tool_calls',
      'temperature',
      'top_p',
      'metadata',
      'safety_identifier',
      'truncation',
      'reasoning.summary',
    ],
    about: 'Fields that it refuses; they are dropped as losses',
  },
  refusesMembers: {
    only: 'requests',
    type: 'paths',
    about:
      'Paths of body members that it refuses, with `*` for each entry of a list: `temperature`, `tools.*.strict`. They are left out of every request, also of one that is passed through, as losses',
  },
  refusesInMessages: {
    only: 'requests',
    some: ['signatures', 'name', 'oddNames', 'answers', 'breakpoints'],
    about:
      'Members of messages that it refuses (openai-chat): `signatures` of other vendors beside calls (`extra_content`, `provider_specific_fields`), the `name` of a participant, or only `oddNames` with white space or one of `<|\\\\/>`, members of `answers` without a value (`refusal`, `annotations`, `audio`), cache `breakpoints` (`cache_control`)',
  },
  /** Changed schemas accept at least the same arguments (`wires/shared/upstream/schemas/`). */
  refusesInSchemas: {
    only: 'requests',
    some: [
      '$ref',
      'rootUnion',
      'rootType',
      'noProperties',
      'noItems',
      'besideAnyOf',
      'beside$ref',
      'enumType',
      'propertyNames',
      'patternProperties',
      'minProperties',
      'maxProperties',
      'dependentRequired',
      'dependentSchemas',
      'contains',
      'uniqueItems',
      'not',
      'if',
      'const',
      'pattern',
      'format',
      'multipleOf',
      'exclusiveMinimum',
      'exclusiveMaximum',
      'unevaluatedProperties',
      'unevaluatedItems',
      'examples',
      'default',
      '$schema',
      '$id',
      '$comment',
    ],
    about:
      'Features of function parameters that it refuses: `$ref` (references are inlined), `rootUnion` (`anyOf`, `oneOf`, `allOf` at the top level are merged into one object), `rootType` (any other type than `object` at the top level), `noProperties` (an object without `properties`), `noItems` (an array without `items`), `besideAnyOf` (a type beside `anyOf` moves into its branches), `beside$ref` (keywords beside a reference are removed), `enumType` (an `enum` whose values have another type loses its type), or keywords, which are removed. Each change is a loss; the schema accepts at least the same arguments',
  },
  maxTemperature: { only: 'requests', type: 'number', about: 'Highest temperature. Default: 2' },
  leastTemperature: { only: 'requests', type: 'number', about: 'Lowest temperature (openai-chat). Default: 0' },
  fullTopP: { only: 'requests', type: 'flag', about: 'Refuses `top_p` beside a temperature of 0 (Mistral)' },
  effort: {
    only: 'requests',
    one: [
      'openai',
      'deepseek',
      'groq',
      'xai',
      'mistral',
      'nested',
      'moonshot',
      'alibaba',
      'zai',
      'minimax',
      'ollama',
      'template',
    ],
    about:
      'How reasoning effort is requested. Default: `reasoning_effort`. The name of a vendor is the `platform` as well, where none is named; `template` stands for a server on the operator’s own machine (`local`)',
  },
  /** On openai-responses any of these words means that a reasoning item may contain readable text; `reasoning_details` accepts what OpenRouter sealed. */
  reasoningHistory: {
    one: ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'],
    about: 'Field of an assistant message in which it accepts its reasoning. Default: none; it is dropped',
  },
  signsCalls: {
    only: 'requests',
    type: 'flag',
    about:
      'Its models refuse calls without a signature in the history (Gemini): Google’s marker takes its place (openai-chat)',
  },
  requiredWord: { only: 'requests', one: ['required', 'any'], about: 'Its word for the tool choice `required`' },
  noToolChoice: {
    only: 'requests',
    type: 'flag',
    about:
      'Ignores `tool_choice` (Ollama): for `none` the tools are left out, and a choice that requires a call is refused (openai-chat)',
  },
  noNamedChoice: {
    only: 'requests',
    type: 'flag',
    about: 'Has no tool choice for one named function: only that function is sent',
  },
  noJsonSchema: { only: 'requests', type: 'flag', about: 'Has JSON output, but no schemas for it' },
  noJsonObject: {
    only: 'requests',
    type: 'flag',
    about: 'Has JSON output with a schema only: without one, the format is an instruction',
  },
  lateSystem: {
    only: 'requests',
    one: ['first', 'user'],
    about:
      'Refuses system messages after the first message: `first` makes one message of all at the beginning, `user` sends later ones as messages of the user',
  },
  refusalAsText: {
    only: 'requests',
    type: 'flag',
    about: 'Has no field for a refusal in the history: it is sent as text',
  },
  files: {
    only: 'requests',
    one: ['file', 'file-url', 'document_url', 'none'],
    about: 'How files are sent. Default: as `file` parts with their data. `file-url`: a URL is accepted as data',
  },
  videoParts: {
    only: 'requests',
    type: 'flag',
    about:
      'Has parts for videos, `video_url` or `input_video` (Responses API): a file with a video is sent as one. Default: as any file',
  },
  mostTools: {
    only: 'requests',
    type: 'number',
    about: 'The most tools of a request; others are dropped. Default: any number',
  },
  toolImages: {
    only: 'requests',
    type: 'flag',
    about: 'Accepts images in the results of tools (openai-chat). Default: they follow in a message of the user',
  },
  opaqueUser: {
    only: 'requests',
    type: 'flag',
    about: 'Refuses a mail address or a telephone number as the identifier of a user; it is dropped (Anthropic)',
  },
  plainContent: { type: 'flag', about: 'Accepts the texts of a message as one string only, not as a list of parts' },
  imageTypes: {
    only: 'requests',
    some: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    about: 'Types of images that it accepts; a note takes the place of others. Default: those of its wire',
  },
  audioFormats: {
    only: 'requests',
    some: ['mp3', 'wav'],
    about: 'Formats of audio that it accepts; others are a loss (openai-chat, openai-responses). Default: any',
  },
  bareAudio: { only: 'requests', type: 'flag', about: 'Accepts audio data without its format' },
  callIds: {
    only: 'requests',
    one: ['short', 'long', 'nine'],
    about:
      'Call ids that it accepts: `short` (40 characters), `long` (64), `nine` (nine letters and digits). Default: any',
  },
  outputsFollowCalls: {
    only: 'requests',
    type: 'flag',
    about: 'No other item may stand between calls and their outputs (openai-responses)',
  },
  strictSchemas: {
    only: 'requests',
    one: ['closed', 'complete'],
    about:
      'The schemas that it accepts with `strict`: `closed` (each object has `"additionalProperties": false`), `complete` (each property is required as well). Others are sent without it. Default: any',
  },
  oneStrictness: {
    only: 'requests',
    type: 'flag',
    about: 'Refuses strict functions beside others: all are strict, or none is (Cerebras)',
  },
  toolNames: {
    only: 'requests',
    one: ['short', 'letter', 'long', 'google', 'any'],
    about:
      'Names of tools that it accepts: `short` (64 letters, digits, `_` and `-`), `letter` (the same, not beginning with a digit), `long` (128 of them), `google` (128, also `.` and `:`, beginning with a letter or `_`), `any`. Others are sent under names that fit, and the client receives its own. Default: the protocol’s',
  },
  noUserAfterTool: {
    only: 'requests',
    type: 'flag',
    about: 'Refuses a user message after a tool message: an assistant message is inserted',
  },
  strictTurns: { only: 'requests', type: 'flag', about: 'Roles must alternate: neighbours of one role are merged' },
  hostedHistory: { only: 'requests', type: 'flag', about: 'Accepts items of tools that it ran itself' },
  changesInInput: {
    only: 'requests',
    some: ['additional_tools', 'configuration_update', 'tool_search', 'openrouter:tool_search'],
    about:
      'Has these items of the input, and the search of tools (`openai-responses`). Default: none; their tools and settings apply to the whole request',
  },
  compaction: {
    type: 'flag',
    about:
      'Compacts a conversation that ends with a `compaction_trigger` (openai-responses). Default: its model writes a summary',
  },
  webSearch: {
    only: 'requests',
    one: ['openai', 'preview', 'xai', 'openrouter'],
    about: 'Style of its search tool (`openai-responses`). Default: `openai`',
  },
  streamsOnly: { only: 'requests', type: 'flag', about: 'Answers in streams only (ChatGPT’s backend)' },
  needsInstructions: {
    only: 'requests',
    type: 'flag',
    about: 'Refuses a request without instructions (ChatGPT’s backend)',
  },
  noSystemRole: {
    only: 'requests',
    type: 'flag',
    about: 'Rejects the `system` role; instructions are sent as `developer`',
  },
  alwaysSearches: {
    only: 'requests',
    type: 'flag',
    about: 'Searches for every answer: a search tool becomes fields of the body (Perplexity)',
  },
  ownModelNames: {
    type: 'flag',
    about: 'Models are requested by names that it does not report (deployments, endpoints)',
  },
  countsTokens: {
    only: 'requests',
    type: 'flag',
    or: 'plain',
    about:
      'Counts the tokens of a request. `plain`: the request has the count’s own fields (Vertex AI). Default: as usual for its wire',
  },
  nativeSearch: {
    only: 'requests',
    one: ['none', 'plain', 'allowed', 'either', 'both'],
    about: 'Domain filters of its own search: `none` (no search), `plain` (no filter), `allowed`, `either`, `both`',
  },
} as const satisfies Readonly<Record<string, QuirkRow>>

/** The values of a quirk, and its meaning for editors and for the documentation. */
type QuirkRow = (
  | { readonly type: 'flag'; readonly or?: string }
  | { readonly type: 'text' | 'number' | 'names' | 'facts' | 'paths' | 'words' }
  | { readonly one: readonly string[] }
  | { readonly some: readonly string[] }
) & {
  readonly about: string
  /** Answers are read without it, as the page does. Left out: of both. */
  readonly only?: 'requests'
}
