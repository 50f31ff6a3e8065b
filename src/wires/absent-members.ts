import { lookup } from '../text/lookup.ts'
import type { HAS_CLIENTS } from './names.ts'

/**
 * The values that stand for members that a request leaves out, in the terms of the Responses API. A client's reader
 * overrides the table where another member of its protocol decides.
 */
export interface AbsentMembers {
  /** `strict` of a function. `compatible`: it is strict if its schema can be (openai 7.57, `FunctionTool`). */
  readonly strict: false | 'compatible'
  /** `strict` of a JSON schema for the answer. */
  readonly formatStrict: false | 'compatible'
  /** The summary of reasoning that the client wants to read beside an effort. */
  readonly summary: 'auto' | null
  /** `auto`: a conversation that is longer than the context of the model loses its beginning. */
  readonly truncation: 'disabled' | 'auto'
  /** `prompt_cache_key`: the session that the client names elsewhere. */
  readonly cacheKey: string | null
  /** Whether prompts are cached without breakpoints. */
  readonly cache: 'implicit' | 'breakpoints'
}

type Member = keyof AbsentMembers

/** The name of a wire, as the protocol of a client or of an upstream. */
export type ProtocolName = keyof typeof HAS_CLIENTS

interface AbsentRow<Value> {
  /** The names of the member, for the documentation. */
  readonly member: string
  /** The meaning of its absence in the protocols that `but` does not name. */
  readonly usual: Value
  readonly but: Readonly<Partial<Record<ProtocolName, Value>>>
  /** How the gateway translates it where the client's protocol and the upstream's differ. */
  readonly translated: string
}

const BINDS = 'compatible'

/** The members whose absence encoders read. */
export const ABSENT_MEMBERS: { readonly [M in Member]: AbsentRow<AbsentMembers[M]> } = {
  strict: {
    member: '`strict` of a function',
    usual: false,
    but: { 'openai-responses': 'compatible' },
    translated:
      'A Responses upstream gets `strict: false` for other clients, because it would otherwise require each optional parameter. The Chat Completions API of OpenAI and Azure gets `strict: true` for a Responses client, if the schema is strict as it stands. All other upstreams get functions without it: the Responses API falls back to that itself, and Claude limits the grammars in a request.',
  },
  formatStrict: {
    member: '`strict` of the response schema',
    usual: false,
    but: {
      'anthropic-messages': BINDS,
      'gemini-generate': BINDS,
      'gemini-interactions': BINDS,
      'bedrock-converse': BINDS,
      'cohere-chat': BINDS,
      'ollama-chat': BINDS,
    },
    translated:
      'If the schema always binds the response in the client’s protocol, a Responses or chat upstream gets `strict: true`, provided that the schema is strict as it stands. If it is not, the field is left out, which is a loss.',
  },
  summary: {
    member: '`reasoning.summary`, `includeThoughts`, `thinking_summaries`, `display`',
    usual: null,
    but: { 'ollama-chat': 'auto' },
    translated:
      'millrace asks a Responses upstream for a summary only if the client wants to read reasoning, because OpenAI refuses summaries to organizations that are not verified. A Messages client wants it with `thinking` on (unless `display` is `omitted`); a chat client with `include_reasoning`, OpenRouter’s `reasoning`, or `thinking` on; an Ollama client with `think`. An effort alone does not ask for one. All other upstreams return readable reasoning with each effort, at no cost.',
  },
  truncation: {
    member: '`truncation`; Ollama’s `truncate` and `shift`',
    usual: 'disabled',
    but: { 'ollama-chat': 'auto' },
    translated:
      'Ollama gets `truncate: false` and `shift: false` for other clients. A conversation that is too long then fails, and no model replies to one without its beginning. OpenAI’s Responses API gets `truncation: "auto"` for an Ollama client.',
  },
  cacheKey: {
    member: '`prompt_cache_key`',
    usual: null,
    but: {},
    translated:
      'millrace sends the session that Claude Code names in `metadata.user_id` as the key to OpenAI and as the conversation to xAI. All requests of a session then find their prompt in one cache.',
  },
  cache: {
    member: 'cache breakpoints',
    usual: 'implicit',
    but: { 'anthropic-messages': 'breakpoints', 'bedrock-converse': 'breakpoints' },
    translated:
      'If the upstream caches by breakpoints and the client’s provider caches without them, the gateway [places them](prompt-caching.md). For a Messages client that sets none, it places none.',
  },
}

/** Returns the meaning of the absence of a member in a protocol; the usual one for that of a program. */
export const meaningIn = <M extends Member>(member: M, protocol: string): AbsentMembers[M] => {
  const { usual, but } = ABSENT_MEMBERS[member]
  const own = lookup<AbsentMembers[M]>(but, protocol)
  return own === undefined ? usual : own
}

/** Returns the meaning of the absence of each member in a protocol; the usual ones for that of a program. */
export const absentMembersOf = (protocol: string): AbsentMembers => ({
  strict: meaningIn('strict', protocol),
  formatStrict: meaningIn('formatStrict', protocol),
  summary: meaningIn('summary', protocol),
  truncation: meaningIn('truncation', protocol),
  cacheKey: meaningIn('cacheKey', protocol),
  cache: meaningIn('cache', protocol),
})

/**
 * Returns the client's meaning of a member that it left out, where its absence means something else to the upstream;
 * undefined where an encoder leaves it out as well. `absent`: left out, the client's protocol is the upstream's own.
 */
export function otherMeaning<M extends Member>(
  member: M,
  upstream: ProtocolName,
  { absent }: { readonly absent?: AbsentMembers },
): AbsentMembers[M] | undefined {
  const meant = absent?.[member]
  return meant === meaningIn(member, upstream) ? undefined : meant
}

/** The other members whose absence has a meaning of its own in some protocol, for the documentation. */
export const SETTLED_MEMBERS: readonly AbsentRow<string>[] = [
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
