import { plain } from './line-style.ts'

/** A part of a line. Strings are never cut; texts are cut if the line is too long. `bare`: without quotes. */
export type Piece = string | { readonly text: string; readonly bare?: boolean }

/** The fewest columns that a text keeps, however long its line becomes. */
const SHORTEST_TEXT = 12

/** Scripts and pictures whose characters take two columns of a terminal. */
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\uff01-\uff60]/u
const NO_COLUMN = /\p{Mn}|\p{Me}/u

const columnsOf = (character: string): number => (WIDE.test(character) ? 2 : NO_COLUMN.test(character) ? 0 : 1)

const widthOf = (text: string): number => {
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

const shownOf = ({ text, bare }: Exclude<Piece, string>): string => plain(bare === true ? text : JSON.stringify(text))

/** Cuts a text to `width` columns. A cut text ends with its full length in UTF-16 units. */
export function cutPiece(piece: Exclude<Piece, string>, width: number): string {
  const shown = shownOf(piece)
  if (widthOf(shown) <= width) return shown
  const end = `…${piece.bare === true ? '' : '"'}(${piece.text.length})`
  return keepStart(shown, width - end.length) + end
}

function keepStart(shown: string, width: number): string {
  let kept = ''
  let left = width
  for (const character of shown) {
    left -= columnsOf(character)
    if (left < 0) break
    kept += character
  }
  return kept
}

/** Fits the sides of a line into `width`: the longest texts are cut first, all to the same width. */
export function fitWidth(sides: readonly (readonly Piece[])[], width: number): readonly string[] {
  const pieces = sides.flat()
  const fixed = pieces.map((piece) => (typeof piece === 'string' ? widthOf(piece) : 0)).reduce((sum, it) => sum + it, 0)
  const widths = pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [widthOf(shownOf(piece))]))
  const limit = Math.max(SHORTEST_TEXT, shareOf(widths, width - fixed))
  return sides.map((side) => side.map((piece) => (typeof piece === 'string' ? piece : cutPiece(piece, limit))).join(''))
}

/** The width to which all texts must be cut so that together they take at most `room` columns. */
function shareOf(widths: readonly number[], room: number): number {
  let left = room
  let count = widths.length
  for (const width of widths.toSorted((a, b) => a - b)) {
    if (width * count > left) return Math.floor(left / count)
    left -= width
    count -= 1
  }
  return Number.POSITIVE_INFINITY
}
