import type { Citation, CitationDelta, HostedDelta, OffsetUnit, ProgressDelta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { CallOrigin, HostedItemType, ItemStatus, ItemType } from '../protocol/item.ts'
import type { AnnotationType, PartType } from '../protocol/part.ts'
import type { Sealer } from './encrypted-content.ts'
import { PREFIXES } from './ids.ts'
import type { ResponseState } from './state.ts'

/** A field of an item that only some targets have. */
type ItemField = 'phase' | 'image_url' | keyof CallOrigin

/** A client reads a message without a phase as the answer, so that it misses any other phase. */
export const phaseLosses = ({ phase = 'final_answer' }: { readonly phase?: string }): readonly string[] =>
  phase === 'final_answer' ? [] : ['the phase of a message']

export const citationType = ({ file }: Citation): AnnotationType =>
  file === undefined ? 'url_citation' : 'file_citation'

/** A call without a caller is direct. */
export const originLosses = ({ caller, async }: CallOrigin): readonly string[] => [
  ...(caller === undefined || caller.type === 'direct' ? [] : ['the caller of a call']),
  ...(async === true ? ['a call that may be answered later'] : []),
]

/**
 * The item kinds, part kinds and fields that a target can express. Anything else takes no index: a refusal is then
 * emitted as text, raw reasoning as a summary, and an item or annotation of any other kind is dropped as a recorded
 * loss.
 */
export interface Capabilities {
  readonly items: readonly ItemType[]
  readonly parts: readonly PartType[]
  readonly annotations: readonly AnnotationType[]
  readonly fields: readonly ItemField[]
  /** The unit of annotation indices. */
  readonly offsets: OffsetUnit
  /**
   * Whether `created` has the usage that is known before the first item. Omitted: usage is null there, as at OpenAI.
   */
  readonly earlyUsage?: boolean
  /** Drops the pages that a web search found from its item. */
  readonly hidesSources?: boolean
  /** Every finished reasoning item has `encrypted_content`; readable reasoning is put into an envelope. */
  readonly sealsAll?: boolean
  /** Infers the phases of messages if the upstream reports none. */
  readonly infersPhases?: boolean
  /** Called before the waiting citations of the text of an item are placed; true drops them. Only for trial steps. */
  readonly leavesOut?: ((response: ResponseState, item: number) => boolean) | null
}

/** All capabilities, for targets that pass on every event. */
export const ALL_CAPABILITIES: Capabilities = {
  items: /* @__PURE__ */ Object.keys(PREFIXES) as ItemType[],
  parts: ['output_text', 'refusal', 'reasoning_text', 'summary_text'],
  annotations: ['url_citation', 'file_citation'],
  fields: ['phase', 'image_url', 'caller', 'async'],
  offsets: 'utf16',
  earlyUsage: true,
}

/** The work of the reducer for the citations of an answer (`apply-citations.ts`). */
export interface Citing {
  /** Begins the block that later citations of this key cite. */
  mark(response: ResponseState, key: string): ResponseState
  apply(response: ResponseState, delta: CitationDelta, events: Event[], capabilities: Capabilities): ResponseState
  /** Moves citations that arrived before this text to its waiting citations. */
  takeEarly(response: ResponseState, at: number, name: string): ResponseState
  /** Places all citations that wait for the end of this text. */
  placeWaiting(response: ResponseState, at: number, events: Event[], capabilities: Capabilities): ResponseState
  /** Drops the data that is kept for citations, which has no use after the end of the text. */
  forget(response: ResponseState, at: number): ResponseState
  /** Records the texts of a finished message before another message of its key begins. */
  keepTexts(response: ResponseState, at: number): ResponseState
}

/** The work of the reducer for items that the upstream runs itself (`hosted-tools.ts`). */
export interface Hosting {
  apply(response: ResponseState, delta: HostedDelta, events: Event[], capabilities: RespondContext): ResponseState
  /** Opens an item that has waited for its id. */
  open(response: ResponseState, delta: HostedDelta, events: Event[], capabilities: RespondContext): ResponseState
  /** Emits an event of an open item; null if such items have none. */
  readonly progress:
    | ((response: ResponseState, delta: ProgressDelta, events: Event[], capabilities: RespondContext) => ResponseState)
    | null
  /** A status that the type of an item has (`hosted-members.ts`). */
  status(type: HostedItemType, reported: string, status: ItemStatus): string
}

/** The capabilities of a target, and the work of the reducer for its answers. */
export interface RespondContext extends Capabilities {
  readonly sealer: Sealer
  /** null: the wire has no citations, and those of other parts of the program are losses. */
  readonly citing: Citing | null
  /** null: the wire has no hosted items, and those of other parts of the program are losses. */
  readonly hosting: Hosting | null
}

/**
 * Picks the capabilities of a target, which may be a whole dialect. One shape for all targets: a spread of a dialect
 * costs more than a short answer's events, and gives the reducer objects of many shapes.
 */
export const toRespondContext = (
  target: Capabilities,
  sealer: Sealer,
  reportsPhases: boolean,
  citing: Citing | null,
  hosting: Hosting | null,
): RespondContext => ({
  items: target.items,
  parts: target.parts,
  annotations: target.annotations,
  fields: target.fields,
  offsets: target.offsets,
  earlyUsage: target.earlyUsage ?? false,
  hidesSources: target.hidesSources ?? false,
  sealsAll: target.sealsAll ?? false,
  infersPhases: target.infersPhases === true && !reportsPhases,
  leavesOut: target.leavesOut ?? null,
  sealer,
  citing,
  hosting,
})
