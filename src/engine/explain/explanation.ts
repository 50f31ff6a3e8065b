import type { Json, JsonObject } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { OriginPair } from '../origins.ts'

/**
 * A difference between a client's body and the body that its upstream receives. Texts that were joined are several
 * changes of one value of the upstream's body.
 */
export interface Change {
  /**
   * `added`: only the upstream's body has the value. `removed`: only the client's has it. `changed`: the value differs.
   * `moved`: the same value, under another path.
   */
  readonly kind: 'added' | 'removed' | 'changed' | 'moved'
  /** The path in the client's body; null for an added value. */
  readonly path: string | null
  /** The path in the upstream's body; null for a removed value. */
  readonly upstreamPath: string | null
  /** The client's value; left out for an added or a moved one. */
  readonly before?: Json
  /** The upstream's value; left out for a removed or a moved one. */
  readonly after?: Json
}

/** A cache breakpoint of an upstream's body. */
export interface ExplainedBreakpoint {
  /** The path of the breakpoint in the upstream's body: `tools[2].cache_control`. */
  readonly path: string
  /** Null: the upstream's own lifetime. */
  readonly ttl: string | null
  /** `policy`: the option `cache` placed it, because the client's own vendor caches prompts without breakpoints. */
  readonly setBy: 'client' | 'policy'
  /** The path in the client's body; null for one of the policy, and where it cannot be determined. */
  readonly clientPath: string | null
}

/** The beginning of a prompt that is the same as that of an earlier request. All sizes are bytes of UTF-8. */
export interface SharedPrefix {
  /** The size of the common beginning. */
  readonly bytes: number
  /** The size of the whole prompt: its tools, instructions and messages as JSON, without breakpoints. */
  readonly total: number
  /** The size of the earlier prompt. */
  readonly previous: number
  /**
   * The part of the common beginning that the prompt cache of the upstream finds: all of it where prompts are cached
   * without breakpoints, else the part up to a breakpoint of the earlier request.
   */
  readonly cached: number
  /** The path of the first value in the upstream's body that differs; null if the prompt continues the earlier one. */
  readonly differsAt: string | null
}

/** A value of an upstream's body that breaks a rule of the vendor. */
export interface Complaint {
  /** The path in the upstream's body. */
  readonly path: string
  readonly message: string
}

/** The call of an upstream for a request of a client, with its differences from that request. */
export interface Explanation {
  readonly ok: true
  readonly vendor: string
  readonly wire: string
  /** The vendor's own name of the model. */
  readonly model: string
  /** Whether the client's own body is passed through with declared edits, and not translated. */
  readonly isPassed: boolean
  /** The names of the edits that changed a passed body; null if it was translated. */
  readonly edits: readonly string[] | null
  /** Lines of configuration for what the gateway has learned about the model from refusals, and applies. */
  readonly learned: readonly string[]
  /** Whether the client requested a stream. */
  readonly stream: boolean
  /** Follows the base URL of the upstream, with a query if there is one. */
  readonly path: string
  /** The headers that name versions and features, without credentials. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The body that the upstream receives. */
  readonly upstream: JsonObject
  /** Requested features that cannot be carried unchanged, with the client's own paths. */
  readonly losses: readonly Loss[]
  /**
   * The values of the upstream's body that come from values of the client's, as pairs of paths: messages, parts, calls,
   * tools and settings. Members in them have the same names, or are equal.
   */
  readonly origins: readonly OriginPair[]
  /** Those of the upstream's body in its order, then what was removed. */
  readonly changes: readonly Change[]
  /** In the order of the prompt. */
  readonly breakpoints: readonly ExplainedBreakpoint[]
  /** Null without an earlier request. */
  readonly sharedPrefix: SharedPrefix | null
  readonly complaints: readonly Complaint[]
}
