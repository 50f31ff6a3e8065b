import type { ModelFacts } from '../../models/facts.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Quirks } from '../../wires/quirks.ts'

/**
 * For whom a restriction is true: `request`, for the refused request alone, such as a value of a setting; `key`, for the
 * credential with which it was sent; `model`, for every request to the model.
 */
type Scope = 'request' | 'key' | 'model'

/** The quirks that a refusal may show. */
type LearnedQuirks = Pick<
  Quirks,
  | 'callIds'
  | 'developerRole'
  | 'longestDescription'
  | 'refusesMembers'
  | 'maxTokensField'
  | 'refusesInSchemas'
  | 'refusesBetas'
  | 'refusesTools'
  | 'toolNames'
  | 'plainContent'
  | 'mostTools'
  | 'noUserAfterTool'
  | 'strictTurns'
>

/** Facts about a model, and quirks of requests for it. */
export interface Taught {
  readonly facts?: ModelFacts
  readonly quirks?: LearnedQuirks
}

/** The content of a refusal, with its scope. */
export interface Restriction extends Taught {
  readonly scope: Scope
}

export const isSameRestriction = (a: Restriction, b: Restriction): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A refused request, as far as a restriction depends on it. */
export interface RefusedRequest {
  /** The message of the upstream. */
  readonly text: string
  /** The path that the error names; null if it names none. */
  readonly param: string | null
  readonly body: JsonObject
  /**
   * Whether the status is the one of a refusal. Some servers refuse a request with the status of another failure, so that
   * only sentences of the table are read. Left out: it is.
   */
  readonly isRefusal?: boolean
  /** The words of `anthropic-beta` that were sent. Left out: none. */
  readonly betas?: readonly string[]
}

/** A restriction whose scope is the one of its row, unless it is narrower. */
export type Reading = Taught & Partial<Restriction>

/** Returns what a sentence teaches about a request. Empty: nothing. */
type Teaches = (match: RegExpExecArray, refused: RefusedRequest) => readonly Reading[]

/** A sentence in which an upstream refuses a request, and what it teaches. */
export interface RefusalRow {
  /** Matches from the beginning of a message. */
  readonly sentence: RegExp
  /** Left out: `model`. */
  readonly scope?: Scope
  readonly teaches: Taught | Teaches
}
