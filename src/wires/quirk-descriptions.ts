import type { QUIRKS } from './quirk-table.ts'

/** The meaning of each quirk, for editors and for the documentation. */
export const QUIRK_DESCRIPTIONS = {
  thinkTags:
    'Models write their reasoning into the text, between `<think>` and `</think>`. `unopened`: the opening tag is in the prompt, and the answer has the closing one only',
  unmarkedSources: 'Lists the pages that it searched without marks in the text that cite them (xAI chat)',
  splitsAnswers:
    'Sends one answer over several choices, such as the text in one and each call in another (GitHub Copilot)',
  changesIds:
    'Its response and its items have other ids in each event, and the pieces of arguments are scrambled, so that its answers are translated (GitHub Copilot, openai-responses)',
  resendsArguments:
    'Sends the arguments of a call from their beginning with each piece, which clients would join (some servers of DeepSeek)',
  runsCustomCalls: 'Its custom tool calls are searches that it runs itself; they do not reach the client (xAI)',
  keyHeader: 'Header for the key. Default: `Authorization: Bearer`',
  imageHeader: 'Header that is `true` for a request with images, without which it refuses them',
  initiatorHeader:
    'Header that is `agent` for a request that continues the work of an agent, and `user` for one of the user, which it bills (GitHub Copilot)',
  conversationHeader:
    'Header for `prompt_cache_key`, by which it finds the prompt of a conversation in its cache (xAI chat)',
  clientHeaders: 'Headers of a client that it accepts, of those that its wire carries. Default: all of them',
  betas:
    'Entries of a client’s `anthropic-beta` that it accepts. Default: all of them, of those that `clientHeaders` lets pass',
  refusesBetas: 'Entries of `anthropic-beta` that it refuses, also of those that the gateway sets itself',
  billingLine:
    'The line of Claude Code’s accounting before the system prompt, which differs in each request (anthropic-messages). Default: kept for models of Claude; no other wire ever has it',
  rawPredict: 'Serves Anthropic’s models as Vertex does: the model in the path, the version in the body',
  platform:
    'The platform that serves its models, where they differ from the same models elsewhere (`models/makers.ts`, `models/hosts.ts`)',
  likeModels: 'Maps the upstream’s model names to names in the model table; `*` for every other unknown name',
  modelFacts: 'Facts of its models by their names, which take precedence over the table of models; `*` for all of them',
  openaiModels: 'Serves OpenAI’s own models, some of which need other fields',
  openaiFields: 'Has `service_tier`, `verbosity`, `safety_identifier` and `prompt_cache_key`',
  cacheControl: 'Takes `cache_control` on parts and tools, as Anthropic does',
  cacheMarks:
    'Has `cache_control` on blocks and tools only (anthropic-messages): one of the whole request moves to the last block',
  developerRole: 'Distinguishes system and developer messages. Default: both are sent as system',
  customTools: 'Accepts custom tools, whose input is free text',
  namespaces: 'Accepts tools in namespaces (openai-responses); left out: under joined names',
  maxTokensField: 'Its name of `max_output_tokens`. Default: `max_tokens`',
  noStreamOptions: 'Refuses or does not need `stream_options`',
  refuses: 'Fields that it refuses; they are dropped as losses',
  refusesMembers:
    'Paths of body members that it refuses, with `*` for each entry of a list: `temperature`, `tools.*.strict`. They are left out of every request, also of one that is passed through, as losses',
  refusesTools:
    'Types of its wire’s server tools that it refuses, such as `image_generation`; they are dropped as losses',
  refusesInMessages:
    'Members of messages that it refuses (openai-chat): `signatures` of other vendors beside calls (`extra_content`, `provider_specific_fields`), the `name` of a participant, or only `oddNames` with white space or one of `<|\\\\/>`, members of `answers` without a value (`refusal`, `annotations`, `audio`), cache `breakpoints` (`cache_control`)',
  refusesInSchemas:
    'Features of function parameters that it refuses: `$ref` (references are inlined), `rootUnion` (`anyOf`, `oneOf`, `allOf` at the top level are merged into one object), `rootType` (any other type than `object` at the top level), `noProperties` (an object without `properties`), `noItems` (an array without `items`), `noParameters` (a function without a schema), `besideAnyOf` (a type beside `anyOf` moves into its branches), `beside$ref` (a description beside a reference stands beside a union of it, other keywords are removed), `enumType` (an `enum` whose values have another type loses its type), `noType` (a schema without a type gets one, or all of them), `noValue` (a branch of `anyOf` that accepts nothing is removed), `unnamedRequired` (names in `required` without a property are removed), `grammar` (patterns and long repetitions that llama.cpp cannot read are removed), or keywords, which are removed. Each change is a loss; the schema accepts at least the same arguments',
  maxTemperature: "Highest temperature. Default: the protocol's",
  leastTemperature: 'Lowest temperature. Default: 0',
  fullTopP: 'Refuses `top_p` beside a temperature of 0 (Mistral)',
  effort:
    'How reasoning effort is requested. Default: `reasoning_effort`. The name of a vendor is the `platform` as well, where none is named; `template` stands for a server on the operator’s own machine (`local`)',
  reasoningHistory: 'Field of an assistant message in which it accepts its reasoning. Default: none; it is dropped',
  signsCalls:
    'Its models refuse calls without a signature in the history (Gemini): Google’s marker takes its place (openai-chat)',
  requiredWord: 'Its word for the tool choice `required`',
  noToolChoice:
    'Ignores `tool_choice` (Ollama): for `none` the tools are left out, and a choice that requires a call is refused (openai-chat)',
  noNamedChoice: 'Has no tool choice for one named function: only that function is sent',
  noJsonSchema: 'Has JSON output, but no schemas for it',
  noJsonObject: 'Has JSON output with a schema only: without one, the format is an instruction',
  lateSystem:
    'Refuses system messages after the first message: `first` makes one message of all at the beginning, `user` sends later ones as messages of the user',
  refusalAsText: 'Has no field for a refusal in the history: it is sent as text',
  files:
    'How files are sent. Default: as `file` parts with their data. `file-url`: a URL is accepted as data. Of the Messages API, each value but `none` says that open models read files as well',
  videoParts:
    'Has parts for videos, `video_url` or `input_video` (Responses API): a file with a video is sent as one. Default: as any file',
  mostTools: 'The most tools of a request; others are dropped. Default: any number',
  longestDescription:
    'The longest description of a function, in characters; the end of a longer one is cut off. Default: any length',
  toolImages: 'Accepts images in the results of tools (openai-chat). Default: they follow in a message of the user',
  opaqueUser: 'Refuses a mail address or a telephone number as the identifier of a user; it is dropped (Anthropic)',
  plainContent: 'Accepts the texts of a message as one string only, not as a list of parts, and none as an empty one',
  imageTypes: 'Types of images that it accepts; a note takes the place of others. Default: the types of its wire',
  audioFormats: 'Formats of audio that it accepts; others are a loss (openai-chat, openai-responses). Default: any',
  bareAudio: 'Accepts audio data without its format',
  callIds:
    'Call ids that it accepts: `short` (40 characters), `long` (64), `nine` (nine letters and digits). Default: any',
  outputsFollowCalls: 'No other item may stand between calls and their outputs (openai-responses)',
  strictSchemas:
    'The schemas that it accepts with `strict`: `closed` (each object has `"additionalProperties": false`; bounds of texts and lists move to the description), `complete` (each property is required as well). Others are sent without it. Default: any',
  oneStrictness: 'Refuses strict functions beside others: all are strict, or none is (Cerebras)',
  toolNames:
    'Names of tools that it accepts: `short` (64 letters, digits, `_` and `-`), `letter` (the same, not beginning with a digit), `long` (128 of them), `google` (128, also `.` and `:`, beginning with a letter or `_`), `any`. Others are sent under names that fit, and the client receives its own. Default: the protocol’s',
  noUserAfterTool: 'Refuses a user message after a tool message: an assistant message is inserted',
  needsUser: 'Refuses a conversation without a message of the user: a system message alone becomes one',
  strictTurns: 'Roles must alternate: neighbours of one role are merged',
  hostedHistory: 'Accepts items of tools that it ran itself',
  changesInInput:
    'Has these items of the input, and the search of tools (`openai-responses`). Default: none; their tools and settings apply to the whole request',
  compaction:
    'Compacts a conversation that ends with a `compaction_trigger` (openai-responses). Default: its model writes a summary',
  webSearch: 'Style of its search tool (`openai-responses`). Default: `openai`',
  streamsOnly: 'Answers in streams only (ChatGPT’s backend)',
  needsInstructions: 'Refuses a request without instructions (ChatGPT’s backend)',
  noSystemRole: 'Rejects the `system` role; instructions are sent as `developer`',
  alwaysSearches: 'Searches for every answer: a search tool becomes fields of the body (Perplexity)',
  ownModelNames: 'Models are requested by names that it does not report (deployments, endpoints)',
  countsTokens:
    'Counts the tokens of a request. `plain`: the request has the count’s own fields (Vertex AI). Default: as usual for its wire',
  nativeSearch:
    'Domain filters of its own search: `none` (no search), `plain` (no filter), `allowed`, `either`, `both`',
} as const satisfies Readonly<Record<keyof typeof QUIRKS, string>>
