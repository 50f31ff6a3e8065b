import type { ItemType } from '../../../../protocol/item.ts'
import type { Annotation } from '../../../../protocol/part.ts'

/** The groups of items that share a colour. */
export type LaneKind = 'message' | 'reasoning' | 'call' | 'hosted'

export const LANE_LABELS: Readonly<Record<LaneKind, string>> = {
  message: 'Message',
  reasoning: 'Reasoning',
  call: 'Call',
  hosted: 'Hosted tool',
}

/** The signs of the groups: a colour is never their only difference. */
export const LANE_SIGNS: Readonly<Record<LaneKind, string>> = { message: '¶', reasoning: '∴', call: 'ƒ', hosted: '⌕' }

export type PartKind = 'text' | 'refusal' | 'reasoning' | 'summary' | 'arguments' | 'input'

/** One text of a lane, as far as it has arrived. The view appends to it and never reads all of it again. */
export interface LanePart {
  readonly kind: PartKind
  /** Distinguishes the parts of a kind. */
  readonly index: number
  /** Pieces in the order in which they arrived. */
  readonly pieces: string[]
  /** UTF-16 units of all pieces. */
  length: number
  readonly citations: Annotation[]
}

/** One output item of an answer. Times are in milliseconds after the request was sent. */
export interface Lane {
  /** Its place in the list of lanes. */
  readonly position: number
  readonly kind: LaneKind
  readonly type: ItemType
  /** Name of the tool; the type of a hosted item; empty for others. */
  name: string
  status: string
  readonly began: number
  /** null while the item is open. */
  ended: number | null
  /** Positions of its ticks in the record. */
  readonly ticks: number[]
  readonly parts: LanePart[]
  /** UTF-16 units of all its texts. */
  size: number
  citationCount: number
  /** The fields of a finished hosted item as JSON, and whether reasoning has encrypted content. */
  detail: string
  /** The address of a generated image; null if there is none. */
  image: string | null
}

/** The colour of a tick: that of its lane, or that of a citation. */
export type TickKind = 'delta' | 'citation' | 'progress'

/** One delta on the time axis. */
export interface Tick {
  readonly time: number
  readonly lane: number
  readonly kind: TickKind
  /** Position of its frame in the record; -1 for the end of the bytes. */
  readonly frame: number
  /** Position of its part in the lane, and the place of its text there; -1 if it has no text. */
  readonly part: number
  readonly start: number
  readonly end: number
  /** The text that it added; empty if it has none. */
  readonly text: string
}

/** The frame of an answer as it arrived. */
export interface FrameRow {
  readonly time: number
  readonly event: string
  readonly data: string
  /** The ticks that the frame caused are `firstTick` to `lastTick`, exclusive. */
  readonly firstTick: number
  lastTick: number
}

const KINDS: Partial<Readonly<Record<ItemType, LaneKind>>> = {
  message: 'message',
  reasoning: 'reasoning',
  function_call: 'call',
  custom_tool_call: 'call',
}

export const kindOfItem = (type: ItemType): LaneKind => KINDS[type] ?? 'hosted'
