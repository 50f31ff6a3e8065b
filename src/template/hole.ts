import { blanksEnd, countEnd, type Found, twinEnd, valueEnd } from './ends.ts'
import { membersEnd, type Names } from './members.ts'

/**
 * What stands in a hole: the text of a delta, or the same once more, any JSON value that nobody reads, a count of which
 * the last one counts, spaces between two braces, or any members of an object that nobody reads, each with the comma
 * behind it.
 */
export type Hole = 'leaf' | 'twin' | 'value' | 'count' | 'blanks' | 'members'

/**
 * The end of what stands in a hole that begins there; NO_MATCH, or TOO_SHORT. Members end at the first that is `known`.
 * Behind the `length` bytes stands a quote.
 */
export function holeEnd(
  hole: Exclude<Hole, 'leaf'>,
  bytes: Uint8Array,
  length: number,
  start: number,
  found: Found,
  known: Names,
): number {
  switch (hole) {
    case 'twin':
      return twinEnd(bytes, length, start, found)
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
