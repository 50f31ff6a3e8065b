import { PLATFORMS } from '../models/row.ts'

/**
 * Distinguishes one vendor of a wire from another: named fields of its row in `vendors/`, all optional, left out in the
 * common case. A wire reads the fields that apply to it. Types, the schema of the configuration (`gateway/config/`), and
 * the documentation derive from this table, with the words of `quirk-descriptions.ts`.
 */
export const QUIRKS = {
  // The vendor's answers.

  thinkTags: { type: 'flag', or: 'unopened' },
  unmarkedSources: { type: 'flag' },
  splitsAnswers: { type: 'flag' },
  changesIds: { type: 'flag' },
  resendsArguments: { type: 'flag' },
  runsCustomCalls: { type: 'flag' },

  // Requirements of the vendor for a request.

  keyHeader: { only: 'requests', type: 'text' },
  imageHeader: { only: 'requests', type: 'text' },
  initiatorHeader: { only: 'requests', type: 'text' },
  conversationHeader: { only: 'requests', type: 'text' },
  clientHeaders: { only: 'requests', some: ['anthropic-beta', 'anthropic-version', 'openai-beta'] },
  betas: { only: 'requests', type: 'words' },
  refusesBetas: { only: 'requests', type: 'words' },
  billingLine: { only: 'requests', one: ['kept', 'dropped'] },
  rawPredict: { type: 'flag' },
  platform: { only: 'requests', one: PLATFORMS },
  likeModels: { only: 'requests', type: 'names' },
  modelFacts: { only: 'requests', type: 'facts' },
  openaiModels: { only: 'requests', type: 'flag' },
  openaiFields: { only: 'requests', type: 'flag' },
  cacheControl: { only: 'requests', type: 'flag' },
  cacheMarks: { only: 'requests', one: ['blocks'] },
  developerRole: { only: 'requests', type: 'flag' },
  customTools: { only: 'requests', type: 'flag' },
  /** Servers that join the names themselves: vllm-project/vllm#46737, #49493. */
  namespaces: { only: 'requests', type: 'flag' },
  maxTokensField: { only: 'requests', one: ['max_tokens', 'max_completion_tokens'] },
  noStreamOptions: { only: 'requests', type: 'flag' },
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
  },
  refusesMembers: { only: 'requests', type: 'paths' },
  refusesTools: { only: 'requests', type: 'words' },
  refusesInMessages: { only: 'requests', some: ['signatures', 'name', 'oddNames', 'answers', 'breakpoints'] },
  /** Changed schemas accept at least the same arguments (`wires/shared/upstream/schemas/`). */
  refusesInSchemas: {
    only: 'requests',
    some: [
      '$ref',
      'rootUnion',
      'rootType',
      'noProperties',
      'noItems',
      'noParameters',
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
  },
  maxTemperature: { only: 'requests', type: 'number' },
  leastTemperature: { only: 'requests', type: 'number' },
  fullTopP: { only: 'requests', type: 'flag' },
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
  },
  /** On openai-responses any of these words means that a reasoning item may contain readable text; `reasoning_details` accepts what OpenRouter sealed. */
  reasoningHistory: { one: ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'] },
  signsCalls: { only: 'requests', type: 'flag' },
  requiredWord: { only: 'requests', one: ['required', 'any'] },
  noToolChoice: { only: 'requests', type: 'flag' },
  noNamedChoice: { only: 'requests', type: 'flag' },
  noJsonSchema: { only: 'requests', type: 'flag' },
  noJsonObject: { only: 'requests', type: 'flag' },
  lateSystem: { only: 'requests', one: ['first', 'user'] },
  refusalAsText: { only: 'requests', type: 'flag' },
  files: { only: 'requests', one: ['file', 'file-url', 'document_url', 'none'] },
  videoParts: { only: 'requests', type: 'flag' },
  mostTools: { only: 'requests', type: 'number' },
  longestDescription: { only: 'requests', type: 'number' },
  toolImages: { only: 'requests', type: 'flag' },
  opaqueUser: { only: 'requests', type: 'flag' },
  plainContent: { only: 'requests', type: 'flag' },
  imageTypes: { only: 'requests', some: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] },
  audioFormats: { only: 'requests', some: ['mp3', 'wav'] },
  bareAudio: { only: 'requests', type: 'flag' },
  callIds: { only: 'requests', one: ['short', 'long', 'nine'] },
  outputsFollowCalls: { only: 'requests', type: 'flag' },
  strictSchemas: { only: 'requests', one: ['closed', 'complete'] },
  oneStrictness: { only: 'requests', type: 'flag' },
  toolNames: { only: 'requests', one: ['short', 'letter', 'long', 'google', 'any'] },
  noUserAfterTool: { only: 'requests', type: 'flag' },
  needsUser: { only: 'requests', type: 'flag' },
  strictTurns: { only: 'requests', type: 'flag' },
  hostedHistory: { only: 'requests', type: 'flag' },
  changesInInput: {
    only: 'requests',
    some: ['additional_tools', 'configuration_update', 'tool_search', 'openrouter:tool_search'],
  },
  compaction: { only: 'requests', type: 'flag' },
  webSearch: { only: 'requests', one: ['openai', 'preview', 'xai', 'openrouter'] },
  streamsOnly: { only: 'requests', type: 'flag' },
  needsInstructions: { only: 'requests', type: 'flag' },
  noSystemRole: { only: 'requests', type: 'flag' },
  alwaysSearches: { only: 'requests', type: 'flag' },
  ownModelNames: { type: 'flag' },
  countsTokens: { only: 'requests', type: 'flag', or: 'plain' },
  nativeSearch: { only: 'requests', one: ['none', 'plain', 'allowed', 'either', 'both'] },
} as const satisfies Readonly<Record<string, QuirkRow>>

/** The values of a quirk. */
type QuirkRow = (
  | { readonly type: 'flag'; readonly or?: string }
  | { readonly type: 'text' | 'number' | 'names' | 'facts' | 'paths' | 'words' }
  | { readonly one: readonly string[] }
  | { readonly some: readonly string[] }
) & {
  /** Answers are read without it, as the page does. Left out: of both. */
  readonly only?: 'requests'
}
