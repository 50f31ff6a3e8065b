import type { AlignedTarget } from './align.ts'
import type { WrittenEvent } from './frame-recorder.ts'
import { type JsonStringPlace, jsonStringsIn, rangeInside, type TextRange } from './json-strings.ts'
import type { FlowPiece, TargetPiece } from './text-flows.ts'

/**
 * Returns the range of each piece in the text that carries it, in order; null where the text has it in another form,
 * such as arguments that are an object. Each piece is searched behind the one before it.
 */
export function placesOfPieces(
  text: string,
  pieces: readonly Pick<FlowPiece, 'text'>[],
): readonly (TextRange | null)[] {
  if (pieces.length === 0) return []
  const strings = carriersIn(text)
  let [next, from] = [0, 0]
  return pieces.map((piece) => {
    for (const equal of [true, false]) {
      for (let at = next; at < strings.length; at += 1) {
        const place = strings[at] as JsonStringPlace
        const start = at === next ? from : 0
        const found = equal
          ? start === 0 && place.value === piece.text
            ? 0
            : -1
          : place.value.indexOf(piece.text, start)
        if (found < 0) continue
        next = at
        from = found + piece.text.length
        return rangeInside(text, place, { start: found, end: from })
      }
    }
    return null
  })
}

/** Returns the ranges behind a position whose whole string is this text once more. */
export const placesOfEchoes = (text: string, piece: string, from: number): readonly TextRange[] =>
  carriersIn(text)
    .filter(({ start, value }) => start > from && value === piece)
    .map(({ start, end }) => ({ start, end }))

const carriersIn = (text: string): readonly JsonStringPlace[] =>
  jsonStringsIn(text).filter(({ key }) => !NAMES.has(key))

/** Keys of names and ids, whose value may be the same as a text by chance. */
const NAMES: ReadonlySet<string> = new Set([
  'id',
  'item_id',
  'kind',
  'model',
  'name',
  'object',
  'part',
  'response_id',
  'role',
  'type',
])

/** A place where a target repeats a text that it has written before, such as the end of a part. */
interface Repetition {
  readonly row: number
  readonly index: number
  readonly range: TextRange
}

/** Returns the places behind a piece in which its target repeats the whole text of its part. O(n) in the rows. */
export function repetitionsOf({ rows }: AlignedTarget, piece: TargetPiece, partText: string): readonly Repetition[] {
  const inPart = { start: piece.at, end: piece.at + piece.text.length }
  return rows.flatMap((events, row) =>
    row < piece.row
      ? []
      : events.flatMap((event, index) => {
          if (!repeats(event) || (row === piece.row && index <= piece.index)) return []
          const { written } = event
          const whole = jsonStringsIn(written).filter(({ value }) => value === partText)
          return whole.map((place) => ({ row, index, range: rangeInside(written, place, inPart) }))
        }),
  )
}

/** The events that contain whole texts. Everything else is a piece of its own. */
const repeats = ({ event }: WrittenEvent): boolean =>
  event === null || event.type.endsWith('.done') || 'response' in event
