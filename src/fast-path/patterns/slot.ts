import type { FoundText } from '../../output/scratch.ts'
import { membersEnd, type Names } from './extra-fields.ts'
import { blanksEnd, countEnd, repeatEnd, valueEnd } from './scan-bytes.ts'

/**
 * The content of a slot: the text of a delta (`leaf`), the same text again (`repeat`), any JSON value that no decoder
 * reads (`value`), a count of which only the last one matters (`count`), spaces before the last brace (`blanks`), or
 * any members of an object that no decoder reads, each with the comma after it (`members`).
 */
export type Slot = 'leaf' | 'repeat' | 'value' | 'count' | 'blanks' | 'members'

/**
 * Returns the end of the content of a slot that begins at `start`; or `NO_MATCH` or `TOO_SHORT`. Members end at the
 * first one that is `known`. A quote must follow the `length` bytes.
 */
export function slotEnd(
  slot: Exclude<Slot, 'leaf'>,
  bytes: Uint8Array,
  length: number,
  start: number,
  found: FoundText,
  known: Names,
): number {
  switch (slot) {
    case 'repeat':
      return repeatEnd(bytes, length, start, found)
    case 'value':
      return valueEnd(bytes, length, start)
    case 'count':
      return countEnd(bytes, length, start)
    case 'blanks':
      return blanksEnd(bytes, length, start)
    case 'members':
      return membersEnd(known, bytes, length, start)
  }
}
