import type { Quirks } from '../../../wires/quirks.ts'

/** Without the fields that are set for single requests. */
type Configurable = Omit<Quirks, 'jsonAnswer'>

/** The description of each quirk, for editors and for the documentation. */
export const QUIRK_DESCRIPTIONS = {
  thinkTags:
    'Models write their reasoning into the text, between `<think>` and `</think>`. `unopened`: the opening tag is in the prompt, and the answer has the closing one only',
  unmarkedSources: 'Lists the pages that it searched without marks in the text that cite them (xAI chat)',
  runsCustomCalls: 'Its custom tool calls are searches that it runs itself; they do not reach the client (xAI)',
  keyHeader: 'Header for the key. Default: `Authorization: Bearer`',
  clientHeaders: 'Headers of a client that it accepts, of those that its wire carries. Default: all of them',
  rawPredict: 'Serves Anthropic’s models as Vertex does: the model in the path, the version in the body',
  likeModels:
    'Maps model names of the upstream to names of the wire’s table of models; `*` for every other unknown name',
  openaiModels: 'Serves OpenAI’s own models, some of which need other fields',
  openaiFields: 'Has `service_tier`, `verbosity`, `safety_identifier` and `prompt_cache_key`',
  cacheControl: 'Takes `cache_control` on parts and tools, as Anthropic does',
  developerRole: 'Distinguishes system and developer messages. Default: both are sent as system',
  customTools: 'Accepts custom tools, whose input is free text',
  namespaces: 'Accepts tools in namespaces (openai-responses); left out: under joined names',
  maxTokensField: 'Its name of `max_output_tokens`. Default: `max_tokens`',
  noStreamOptions: 'Refuses or does not need `stream_options`',
  refuses: 'Fields that it refuses; they are dropped as losses',
  refusesInSchemas:
    'Features of the parameters of functions that it refuses: `$ref` (references are inlined), `rootUnion` (`anyOf`, `oneOf`, `allOf` at the top level are merged into one object), or keywords, which are removed. Each change is a loss; the schema accepts at least the same arguments',
  maxTemperature: 'Highest temperature. Default: 2',
  effort: 'How reasoning effort is requested. Default: `reasoning_effort`',
  reasoningHistory: 'Field of an assistant message in which it accepts its reasoning. Default: none; it is dropped',
  requiredWord: 'Its word for the tool choice `required`',
  noNamedChoice: 'Has no tool choice for one named function: only that function is sent',
  lateSystem:
    'Refuses system messages after the first message: `first` makes one message of all at the beginning, `user` sends later ones as messages of the user',
  noJsonSchema: 'Has JSON output, but no schemas for it',
  refusalAsText: 'Has no field for a refusal in the history: it is sent as text',
  files: 'How files are sent. Default: as `file` parts with their data. `file-url`: a URL is accepted as data',
  bareAudio: 'Accepts audio data without its format',
  callIds:
    'Call ids that it accepts: `short` (40 characters), `long` (64), `nine` (nine letters and digits). Default: any',
  noUserAfterTool: 'Refuses a user message after a tool message: an assistant message is inserted',
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
    'Counts the tokens of a request. `plain`: the fields of the request are those of the count itself (Vertex AI). Default: as usual for its wire',
  nativeSearch:
    'Domain filters of its own search: `none` (no search), `plain` (no filter), `allowed`, `either`, `both`',
} as const satisfies Record<keyof Configurable, string>
