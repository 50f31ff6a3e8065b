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

export interface AbsenceMeaning<Value> {
  /** The meaning of the absence of a member in the protocols that `but` does not name. */
  readonly usual: Value
  readonly but: Readonly<Partial<Record<ProtocolName, Value>>>
}

const BINDS = 'compatible'

/** The members whose absence encoders read. Their words for the documentation are in `absent-descriptions.ts`. */
export const ABSENT_MEMBERS: { readonly [M in Member]: AbsenceMeaning<AbsentMembers[M]> } = {
  strict: {
    usual: false,
    but: { 'openai-responses': 'compatible' },
  },
  formatStrict: {
    usual: false,
    but: {
      'anthropic-messages': BINDS,
      'gemini-generate': BINDS,
      'gemini-interactions': BINDS,
      'bedrock-converse': BINDS,
      'cohere-chat': BINDS,
      'ollama-chat': BINDS,
    },
  },
  summary: {
    usual: null,
    but: { 'ollama-chat': 'auto' },
  },
  truncation: {
    usual: 'disabled',
    but: { 'ollama-chat': 'auto' },
  },
  cacheKey: {
    usual: null,
    but: {},
  },
  cache: {
    usual: 'implicit',
    but: { 'anthropic-messages': 'breakpoints', 'bedrock-converse': 'breakpoints' },
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
