import type { OffsetUnit } from '../protocol/delta.ts'
import type { ItemType } from '../protocol/item.ts'
import type { AnnotationType, PartType } from '../protocol/part.ts'

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
}
