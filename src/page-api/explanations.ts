import type { Explanation } from '../engine/explain/explanation.ts'

/** A wire of a vendor. */
export interface ExplainTarget {
  readonly vendor: string
  readonly wire: string
}

/** The body of `POST /page/api/explain`. */
export interface ExplainQuery {
  /** The protocol of the client: a dialect of the Responses API, or a wire that has clients. */
  readonly client: string
  /** The request as its client sends it: JSON text. */
  readonly body: string
  /** The model of a protocol that has it in the path and not in the body. */
  readonly model?: string
  /** An earlier request of the same client, for the prefix that both have in common. */
  readonly previous?: string
  /** Left out: every wire of each vendor of the server, or some of the table if it has no vendors. */
  readonly targets?: readonly (ExplainTarget & {
    /** The vendor's own name of the model. Left out: the one that the body names. */
    readonly model?: string
  })[]
}

/** An explanation without changes, which the page computes. */
export type ExplainedUpstream = Omit<Explanation, 'changes'>

/** A failure that a server would answer with. */
interface ExplainFailure {
  readonly ok: false
  readonly error: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly param: string | null
  }
}

/** The explanation of a request for one wire of a vendor. */
export interface TargetExplanation extends ExplainTarget {
  /** Whether this server sends this request to it. */
  readonly isRouted: boolean
  readonly result: ExplainedUpstream | ExplainFailure
}

/** A wire of a vendor that can be explained. */
export interface KnownTarget extends ExplainTarget {
  /** Whether this server has a vendor of this name. Others are of the table, without settings of an operator. */
  readonly isConfigured: boolean
}

/** The answer to `POST /page/api/explain`. */
export interface ExplainAnswer {
  readonly explanations: readonly TargetExplanation[]
  readonly known: readonly KnownTarget[]
}
