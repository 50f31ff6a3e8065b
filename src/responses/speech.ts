import type { OffsetUnit } from '../protocol/delta.ts'
import type { ItemType } from '../protocol/item.ts'
import type { AnnotationType, PartType } from '../protocol/part.ts'
import { PREFIXES } from './ids.ts'
import type { Story } from './state.ts'

/**
 * What a dialect has words for. What it has none for takes no index: a refusal is then told as text, raw thought as a
 * summary, and an item or annotation of any other kind is left out as a recorded loss.
 */
export interface Speech {
  readonly items: readonly ItemType[]
  readonly parts: readonly PartType[]
  readonly annotations: readonly AnnotationType[]
  /** The unit of annotation indices. */
  readonly offsets: OffsetUnit
  /** Usage that is known before the first item is in the response that begins. Left out: it is null there, as at OpenAI. */
  readonly earlyUsage?: boolean
  /** Drops the pages that a web search found from its item. */
  readonly hidesSources?: boolean
  /** Every finished reasoning item has `encrypted_content`, be it readable reasoning in an envelope. */
  readonly sealsAll?: boolean
  /** Asked before the waiting citations of the text of an item are placed: true leaves them out. Only for trying a step. */
  readonly leavesOut?: (story: Story, item: number) => boolean
}

/** Words for everything: of who passes on what it hears. */
export const EVERYTHING: Speech = {
  items: Object.keys(PREFIXES) as ItemType[],
  parts: ['output_text', 'refusal', 'reasoning_text', 'summary_text'],
  annotations: ['url_citation', 'file_citation'],
  offsets: 'utf16',
  earlyUsage: true,
}
