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
      'To a Responses upstream of any other client: `strict: false`, because the upstream would require each optional parameter. Of a Responses client to the Chat Completions API of OpenAI and Azure: `strict: true` if the schema meets the conditions of strict functions as it stands. Elsewhere functions are sent without it: the Responses API itself falls back to that, and Claude limits the grammars of a whole request.',
  },
  formatStrict: {
    member: '`strict` of a schema for the answer',
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
      'To a Responses or chat upstream of a client whose protocol always binds the answer: `strict: true` if the schema meets the conditions of strict schemas as it stands; else without it, with a loss.',
  },
  summary: {
    member: '`reasoning.summary`, `includeThoughts`, `thinking_summaries`, `display`',
    usual: null,
    but: { 'ollama-chat': 'auto' },
    translated:
      'A Responses upstream is asked for a summary only if the client wants to read reasoning, because OpenAI refuses it for organisations that are not verified: Messages with `thinking` that is on (not with `display: omitted`), chat with `include_reasoning`, with OpenRouter’s `reasoning` or with `thinking` that is on, Ollama with `think`. An effort alone asks for none. All other upstreams return readable reasoning with each effort, which costs nothing there.',
  },
  truncation: {
    member: '`truncation`; Ollama’s `truncate` and `shift`',
    usual: 'disabled',
    but: { 'ollama-chat': 'auto' },
    translated:
      'To Ollama of any other client: `truncate: false` and `shift: false`, so that a conversation that is too long fails, and no model answers one whose beginning is gone. Of an Ollama client to OpenAI’s Responses API: `truncation: "auto"`.',
  },
  cacheKey: {
    member: '`prompt_cache_key`',
    usual: null,
    but: {},
    translated:
      'The session that Claude Code names in `metadata.user_id` is the key at OpenAI and the conversation at xAI, so that all requests of a session find their prompt in one cache.',
  },
  cache: {
    member: 'cache breakpoints',
    usual: 'implicit',
    but: { 'anthropic-messages': 'breakpoints', 'bedrock-converse': 'breakpoints' },
    translated:
      'To an upstream that caches by breakpoints of a client whose vendor caches without them: the gateway [places them](prompt-caching.md). A Messages client that sets none gets none.',
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
    translated: 'The reader of each client decides it. Ollama, Cohere and Interactions are always sent the value.',
  },
  {
    member: '`store`',
    usual: 'nothing is stored',
    but: { 'openai-responses': 'stored', 'gemini-interactions': 'stored' },
    translated: 'Upstreams store nothing: each Responses and Interactions upstream is sent `store: false`.',
  },
  {
    member: '`stream_options.include_usage`',
    usual: 'usage is reported',
    but: { 'openai-chat': 'streams have no usage' },
    translated: 'The upstream is always asked for usage; a chat client sees it in a stream only if it asked for it.',
  },
  {
    member: '`parallel_tool_calls`',
    usual: 'calls may be parallel',
    but: { 'openai-chat': 'calls may be parallel; one call with the older `functions`' },
    translated: 'Left out. `functions` of a chat client are sent as false.',
  },
  {
    member: 'choice of a tool',
    usual: 'the model decides',
    but: {},
    translated: 'Left out.',
  },
  {
    member: 'output limit',
    usual: 'what the model can',
    but: { 'anthropic-messages': 'an error' },
    translated:
      'A Messages upstream is sent what the model can (the fact `mostOutput`), or 4,096 for a model about which nothing is known.',
  },
  {
    member: 'effort of reasoning',
    usual: 'the default of the model',
    but: {},
    translated: 'Left out. A model that needs an effort beside functions gets it (the fact `chatTools`).',
  },
  {
    member: '`temperature`, `top_p`, penalties, verbosity, detail of images',
    usual: 'the default of the model',
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
    translated: 'Left out: a client that names no tier leaves it to the account that pays.',
  },
  {
    member: 'signatures, encrypted reasoning',
    usual: 'returned',
    but: {
      'openai-responses': 'not returned: the stored answer has it',
      'openai-chat': 'not returned by OpenAI',
      'cohere-chat': 'there is none',
      'ollama-chat': 'there is none',
    },
    translated:
      'Upstreams are always asked for it, because nothing is stored there. Each client gets it where its protocol has a place for it.',
  },
]
