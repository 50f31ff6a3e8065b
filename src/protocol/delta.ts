import type { GatewayError } from './error.ts'
import type { CallOrigin, CallType, HostedItem, HostedItemType } from './item.ts'
import type { Json, JsonObject } from './json.ts'
import type { Logprob, SourcePlace } from './part.ts'
import type { ProgressName } from './progress.ts'
import type { Served } from './served.ts'
import type { Usage } from './usage.ts'

/**
 * One order-free statement of an upstream, small and flat. A wire reports what it decodes under the upstream's own
 * `key` (one key for each output item) and `part` (one name for each content part). `responses/respond.ts` opens,
 * closes, numbers and names the items.
 */
export type Delta =
  | StartDelta
  | ContentDelta
  | OpaqueDelta
  | CallDelta
  | FinalDelta
  | PhaseDelta
  | MarkDelta
  | CitationDelta
  | HostedDelta
  | ProgressDelta
  | HoldDelta
  | StopDelta
  | UsageDelta
  | ServedDelta
  | FinishDelta
  | ErrorDelta
  | CutDelta
  | LossDelta

/**
 * The upstream's name of the model that answers. It may arrive late, or change: a router reports where it sent the
 * request.
 */
interface StartDelta {
  readonly kind: 'start'
  readonly model: string
}

/** `reasoning` is raw reasoning text, `summary` a summary of it. */
export type ContentKind = 'text' | 'refusal' | 'reasoning' | 'summary'

/** A piece of readable text. A delta with empty text has no effect. */
export interface ContentDelta {
  readonly kind: ContentKind
  readonly key: string
  readonly part: string
  readonly text: string
  readonly logprobs: readonly Logprob[] | null
}

/**
 * Content that only its issuer can read, and that the issuer expects back. The payload is sealed and becomes the
 * `encrypted_content` of the item of that key. Its format belongs to the wire, which stores all that it needs to
 * restore the original block.
 */
export interface OpaqueDelta {
  readonly kind: 'opaque'
  readonly key: string
  /** The type of the item. Default: `reasoning`. */
  readonly of?: HostedItemType
  readonly payload: Json
}

/** A piece of a tool call. The id and the name may arrive late, whole, in pieces or repeatedly. */
export interface CallDelta {
  readonly kind: 'call'
  readonly key: string
  readonly type: CallType
  readonly callId: string | null
  readonly name: string | null
  readonly arguments: string
  /** Set with the name, if the upstream names the namespace of the tool apart from it. */
  readonly namespace?: string
  /** Set with the name. */
  readonly origin?: CallOrigin
}

/**
 * A whole text or call that its upstream repeats after the pieces. Only the part of it that has not arrived is emitted.
 * A text that differs from its pieces is a loss.
 */
export interface FinalDelta {
  readonly kind: 'final'
  readonly whole: ContentDelta | CallDelta
}

/** The position of a citation, counted over all text of its key and part, in the vendor's unit; `end` is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly unit: OffsetUnit
}

export type OffsetUnit = 'utf16' | 'code-point' | 'utf8'

/**
 * A citation before its position in the text is known. At most one of `span` and `marker` is set. If neither is set,
 * the text is searched for the quote, the link or the excerpt.
 */
export interface Citation {
  /** The URL of a web page; empty if a file is cited. */
  readonly url: string
  readonly title: string | null
  /** An excerpt of the source. */
  readonly content: string | null
  readonly span: Span | null
  /** The marker that cites this source in the text, e.g. `[3]`. */
  readonly marker: string | null
  /** Markdown links to the page cite it as its marker does. If the text has neither, the citation is dropped. */
  readonly linked?: boolean
  /** The cited words of the answer, if the vendor repeats them. A span that covers other words is ignored. */
  readonly quote?: string
  /** The position is final: the span is in UTF-16 units and is not verified again; 0..0 stands for no position. */
  readonly settled?: true
  /** Set if a file is cited instead of a page. */
  readonly file?: { readonly file_id: string; readonly filename: string; readonly place?: SourcePlace }
}

/** The phase of the message of that key: `commentary`, `final_answer`. It arrives before the message ends. */
export interface PhaseDelta {
  readonly kind: 'phase'
  readonly key: string
  readonly phase: string
}

/** The next text of that key begins a block: a citation may cover the whole block. */
interface MarkDelta {
  readonly kind: 'mark'
  readonly key: string
}

/** A citation of the text part of that key, which may be open or may not have begun. */
export interface CitationDelta {
  readonly kind: 'citation'
  readonly key: string
  readonly part: string
  readonly citation: Citation
  /** The citation covers all text of that key since the last mark. */
  readonly block?: boolean
}

/** An item that the upstream runs itself, as far as it is known. `id` is the upstream's own and is replaced. */
export interface HostedDelta {
  readonly kind: 'hosted'
  readonly key: string
  readonly item: HostedItem
  readonly done: boolean
}

/** An event of the hosted item of that key, which is open. `fields`: its fields beside its address. */
export interface ProgressDelta {
  readonly kind: 'progress'
  readonly key: string
  readonly name: ProgressName
  readonly fields: JsonObject
}

/**
 * Keeps the open item of this key open after other items have begun, until it is stopped or the answer ends: more may
 * follow for it, such as citations of its text. Applies to messages only, because reasoning has no index in every
 * dialect. A call whose name is known begins with this delta, because nothing more can be part of the name.
 */
interface HoldDelta {
  readonly kind: 'hold'
  readonly key: string
}

/** The upstream ended the item of this key. */
export interface StopDelta {
  readonly kind: 'stop'
  readonly key: string
  /** The answer ended inside the item. */
  readonly cut?: boolean
}

/** The usage as far as it is known. The last delta counts. */
interface UsageDelta {
  readonly kind: 'usage'
  readonly usage: Usage
}

/** The way in which the upstream served the request, as far as it is known. Later members replace earlier ones of their name. */
export interface ServedDelta {
  readonly kind: 'served'
  readonly served: Served
  /** The upstream's own words, for the program: no client receives them. */
  readonly words?: UpstreamWords
}

/** The upstream's own words about its answer, as far as they are known. */
export interface UpstreamWords {
  /** The id of its answer. */
  readonly id?: string
  /** Its own name of the model. */
  readonly model?: string
  /** Its own word for why it stopped. */
  readonly finishReason?: string
}

export type FinishReason = 'stop' | 'max_output_tokens' | 'content_filter'

/** Why the upstream stopped. It does not end the stream: more deltas may follow, and the last reason counts. */
export interface FinishDelta {
  readonly kind: 'finish'
  readonly reason: FinishReason
  /** The upstream stopped for calls of tools, so that an answer without any call is not complete. */
  readonly called?: boolean
}

/** A failure that the upstream reported. The first one counts. */
export interface ErrorDelta {
  readonly kind: 'error'
  readonly error: GatewayError
}

/** The transport broke. An answer that had already finished stays complete. */
export interface CutDelta {
  readonly kind: 'cut'
  readonly error: GatewayError
}

/** Content of the upstream that a Responses stream cannot carry. */
export interface LossDelta {
  readonly kind: 'loss'
  readonly feature: string
}
