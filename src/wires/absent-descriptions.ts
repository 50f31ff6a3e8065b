import type { ABSENT_MEMBERS, AbsenceMeaning } from './absent-members.ts'

interface AbsenceDescription {
  /** The names of the member. */
  readonly member: string
  /** How the gateway translates it where the client's protocol and the upstream's differ. */
  readonly translated: string
}

/** The members whose absence encoders read, for the documentation. */
export const ABSENCE_DESCRIPTIONS = {
  strict: {
    member: '`strict` of a function',
    translated:
      'A Responses upstream gets `strict: false` for other clients, because it would otherwise require each optional parameter. The Chat Completions API of OpenAI and Azure gets `strict: true` for a Responses client, if the schema is strict as it stands. All other upstreams get functions without it: the Responses API falls back to that itself, and Claude limits the grammars in a request.',
  },
  formatStrict: {
    member: '`strict` of the response schema',
    translated:
      'If the schema always binds the response in the client’s protocol, a Responses or chat upstream gets `strict: true`, provided that the schema is strict as it stands. If it is not, the field is left out, which is a loss.',
  },
  summary: {
    member: '`reasoning.summary`, `includeThoughts`, `thinking_summaries`, `display`',
    translated:
      'millrace asks a Responses upstream for a summary only if the client wants to read reasoning, because OpenAI refuses summaries to organizations that are not verified. A Messages client wants it with `thinking` on (unless `display` is `omitted`); a chat client with `include_reasoning`, OpenRouter’s `reasoning`, or `thinking` on; an Ollama client with `think`. An effort alone does not ask for one. All other upstreams return readable reasoning with each effort, at no cost.',
  },
  truncation: {
    member: '`truncation`; Ollama’s `truncate` and `shift`',
    translated:
      'Ollama gets `truncate: false` and `shift: false` for other clients. A conversation that is too long then fails, and no model replies to one without its beginning. OpenAI’s Responses API gets `truncation: "auto"` for an Ollama client.',
  },
  cacheKey: {
    member: '`prompt_cache_key`',
    translated:
      'millrace sends the session that Claude Code names in `metadata.user_id` as the key to OpenAI and as the conversation to xAI. All requests of a session then find their prompt in one cache.',
  },
  cache: {
    member: 'cache breakpoints',
    translated:
      'If the upstream caches by breakpoints and the client’s provider caches without them, the gateway [places them](prompt-caching.md). For a Messages client that sets none, it places none.',
  },
} as const satisfies Readonly<Record<keyof typeof ABSENT_MEMBERS, AbsenceDescription>>

/** The other members whose absence has a meaning of its own in some protocol, for the documentation. */
export const SETTLED_MEMBERS: readonly (AbsenceDescription & AbsenceMeaning<string>)[] = [
  {
    member: '`stream`',
    usual: 'one body',
    but: { 'gemini-generate': 'the path decides', 'bedrock-converse': 'the path decides', 'ollama-chat': 'a stream' },
    translated: 'The client’s protocol decides. Ollama, Cohere and Interactions always get the value.',
  },
  {
    member: '`store`',
    usual: 'nothing is stored',
    but: { 'openai-responses': 'stored', 'gemini-interactions': 'stored' },
    translated: 'Upstreams store nothing: each Responses and Interactions upstream gets `store: false`.',
  },
  {
    member: '`stream_options.include_usage`',
    usual: 'usage is reported',
    but: { 'openai-chat': 'streams have no usage' },
    translated:
      'millrace always asks the upstream for usage. A chat client sees it in a stream only if it asked for it.',
  },
  {
    member: '`parallel_tool_calls`',
    usual: 'calls may be parallel',
    but: { 'openai-chat': 'calls may be parallel; one call with the older `functions`' },
    translated: 'Left out. For a chat client’s older `functions`, millrace sends false.',
  },
  {
    member: 'tool choice',
    usual: 'the model decides',
    but: {},
    translated: 'Left out.',
  },
  {
    member: 'output limit',
    usual: 'the model’s limit',
    but: { 'anthropic-messages': 'an error' },
    translated: 'A Messages upstream gets the model’s limit (the fact `mostOutput`), or 4,096 for an unknown model.',
  },
  {
    member: 'reasoning effort',
    usual: 'the model’s default',
    but: {},
    translated: 'Left out. A model that needs an effort beside functions gets it (the fact `chatTools`).',
  },
  {
    member: '`temperature`, `top_p`, penalties, verbosity, image detail',
    usual: 'the model’s default',
    but: {},
    translated: 'Left out.',
  },
  {
    member: '`service_tier`',
    usual: 'what the account has set',
    but: {
      'gemini-generate': 'the standard tier',
      'gemini-interactions': 'the standard tier',
      'bedrock-converse': 'the standard tier',
      'cohere-chat': 'no tiers exist',
      'ollama-chat': 'no tiers exist',
    },
    translated: 'Left out, so the account’s own setting applies.',
  },
  {
    member: 'signatures, encrypted reasoning',
    usual: 'returned',
    but: {
      'openai-responses': 'not returned: the stored response has it',
      'openai-chat': 'not returned by OpenAI',
      'cohere-chat': 'these do not exist',
      'ollama-chat': 'these do not exist',
    },
    translated:
      'millrace always asks upstreams for them, because nothing is stored there. Each client gets them if its protocol has a place for them.',
  },
]
