import type { JsonObject, JsonRecord } from '../protocol/json.ts'
import type { Quirks } from './quirks.ts'

/** A request that an upstream answers with the tokens of another request. */
interface CountRequest {
  /** Appended to the vendor's base URL. */
  readonly path: string
  readonly body: JsonObject
}

/** How upstreams of a wire count the tokens of a request. */
export interface UpstreamCounts {
  /** Whether the vendors of the wire count, unless a row differs (quirk `countsTokens`). */
  readonly isUsual: boolean
  /** Whether they count an output whose call is in no other part of the body. Left out: they refuse it. */
  readonly takesFragments?: true
  /**
   * Converts the body of a call to the request that counts its tokens: members that the endpoint refuses, none of which
   * has tokens, are left out. `model`: the upstream's own name. Null if the name cannot be part of a path.
   */
  encode(body: JsonObject, target: { readonly model: string; readonly quirks: Quirks }): CountRequest | null
  /** Returns the number of tokens in an answer; null if it has none. */
  decode(answer: unknown): number | null
}

/** How clients of a wire request a count of tokens. */
export interface ClientCounts {
  /** Returns the request whose tokens are counted, and the member of the body that contains it; null: the body itself. */
  read(body: JsonRecord): { readonly request: JsonRecord; readonly member: string | null }
  answer(tokens: number): JsonObject
}

export const pickMembers = (body: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => names.has(name)))

/** Returns a count of tokens; null for anything else. */
export const toTokenCount = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null
