import type { GatewayError } from './error.ts'
import type { CallType, HostedItem, HostedItemType } from './item.ts'
import type { Json } from './json.ts'
import type { Logprob } from './part.ts'
import type { Usage } from './usage.ts'

/**
 * One thing that an upstream said. Small, flat and free of order: a wire reports what it hears under the upstream's own
 * `key` (one key an output item) and `part` (one name a content part), and leaves opening, closing, numbering and
 * naming to `responses/respond.ts`.
 */
export type Delta =
  | StartDelta
  | ContentDelta
  | OpaqueDelta
  | CallDelta
  | MarkDelta
  | CitationDelta
  | HostedDelta
  | HoldDelta
  | StopDelta
  | UsageDelta
  | FinishDelta
  | ErrorDelta
  | CutDelta
  | LossDelta

/** What the upstream calls the model that answers. May come late, or change (a router that reports where it went). */
export interface StartDelta {
  readonly kind: 'start'
  readonly model: string
}

/** `reasoning` is raw thought, `summary` a summary of it. */
export type ContentKind = 'text' | 'refusal' | 'reasoning' | 'summary'

/** A piece of readable text. Empty text says nothing. */
export interface ContentDelta {
  readonly kind: ContentKind
  readonly key: string
  readonly part: string
  readonly text: string
  readonly logprobs: readonly Logprob[] | null
}

/**
 * What only its issuer can read, and wants back: sealed, it becomes the `encrypted_content` of the item of that key. The
 * payload is the wire's own, with all that it needs to put it back where it came from.
 */
export interface OpaqueDelta {
  readonly kind: 'opaque'
  readonly key: string
  /** The type of the item. Left out: `reasoning`. */
  readonly of?: HostedItemType
  readonly payload: Json
}

/** A piece of a tool call. The id and the name may come late, whole, in pieces or again. */
export interface CallDelta {
  readonly kind: 'call'
  readonly key: string
  readonly type: CallType
  readonly callId: string | null
  readonly name: string | null
  readonly arguments: string
}

/** Where a citation stands in all the text of its key and part, in the unit of the vendor that gave it; `end` exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly unit: OffsetUnit
}

export type OffsetUnit = 'utf16' | 'code-point' | 'utf8'

/**
 * A citation, before it is known where it stands. At most one of `span` and `marker` is set; with neither, the quote, the
 * link or the excerpt is looked for in the text.
 */
export interface Citation {
  /** Of a web page; empty where a file is cited. */
  readonly url: string
  readonly title: string | null
  /** An excerpt of the source. */
  readonly content: string | null
  readonly span: Span | null
  /** The mark that stands in the text wherever this source is cited, e.g. `[3]`. */
  readonly marker: string | null
  /** Markdown links to the page cite it as its mark does; without either it is not cited, and left out. */
  readonly linked?: boolean
  /** The words of the answer that it is about, where the vendor repeats them: a span that holds others is not believed. */
  readonly quote?: string
  /** Where it stands was decided before: the span is in UTF-16 units and is not looked at again, and 0..0 is nowhere. */
  readonly settled?: true
  /** Set where a file is cited, and no page. */
  readonly file?: { readonly file_id: string; readonly filename: string }
}

/** The next text of that key begins a block: a citation may be of all of it. */
export interface MarkDelta {
  readonly kind: 'mark'
  readonly key: string
}

/** Belongs to the text part of that key, open or yet to come. */
export interface CitationDelta {
  readonly kind: 'citation'
  readonly key: string
  readonly part: string
  readonly citation: Citation
  /** It is of all text of that key since the last mark. */
  readonly block?: boolean
}

/** An item that the upstream runs itself, as far as it is known. `id` is the upstream's and is replaced. */
export interface HostedDelta {
  readonly kind: 'hosted'
  readonly key: string
  readonly item: HostedItem
  readonly done: boolean
}

/**
 * More may be said about the open item of this key after others have begun, such as citations of its text: it stays open
 * until it is stopped, or the answer ends. Only messages are held: thoughts have no index in every dialect. A call whose
 * name is known begins with it.
 */
export interface HoldDelta {
  readonly kind: 'hold'
  readonly key: string
}

/** The upstream says that nothing more comes under this key. */
export interface StopDelta {
  readonly kind: 'stop'
  readonly key: string
  /** The answer ended inside it. */
  readonly cut?: boolean
}

/** All that is known of the usage so far: the last one counts. */
export interface UsageDelta {
  readonly kind: 'usage'
  readonly usage: Usage
}

export type FinishReason = 'stop' | 'max_output_tokens' | 'content_filter'

/** Why the upstream stopped. Never ends the stream: more may follow, and the last one counts. */
export interface FinishDelta {
  readonly kind: 'finish'
  readonly reason: FinishReason
}

/** The upstream reports a failure. The first one counts. */
export interface ErrorDelta {
  readonly kind: 'error'
  readonly error: GatewayError
}

/** The transport broke. An answer that had already finished is not spoiled by it. */
export interface CutDelta {
  readonly kind: 'cut'
  readonly error: GatewayError
}

/** Something the upstream said that a Responses stream cannot carry. */
export interface LossDelta {
  readonly kind: 'loss'
  readonly feature: string
}
