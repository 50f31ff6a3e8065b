import type { TextRange } from '../../../alignment/json-strings.ts'
import type { Mark } from './cell-lines.ts'

/** A text, or a part of one, with its marks in order. */
interface ExcerptText {
  readonly text: string
  readonly marks: readonly Mark[]
}

/** A piece of a text, with its mark if it has one. */
interface MarkedPiece {
  readonly text: string
  readonly mark: Mark | null
}

/** Divides a text at its marks, which are in order and do not overlap. */
export function markedPieces(text: string, marks: readonly Mark[]): readonly MarkedPiece[] {
  const segments: MarkedPiece[] = []
  let at = 0
  for (const mark of marks) {
    if (mark.start > at) segments.push({ text: text.slice(at, mark.start), mark: null })
    segments.push({ text: text.slice(Math.max(at, mark.start), mark.end), mark })
    at = mark.end
  }
  if (at < text.length) segments.push({ text: text.slice(at), mark: null })
  return segments
}

/** Returns a range of a text with the parts of its marks inside it. `lead`: characters that are put before the text. */
function cutText({ text, marks }: ExcerptText, { start, end }: TextRange, lead = ''): ExcerptText {
  const inside = marks.filter((mark) => mark.start < end && mark.end > start)
  const shift = lead.length - start
  return {
    text: lead + text.slice(start, end),
    marks: inside.map((mark) => ({
      ...mark,
      start: Math.max(mark.start, start) + shift,
      end: Math.min(mark.end, end) + shift,
    })),
  }
}

/** Characters of the text before its first mark, and in all, that a line of a cell shows. */
const BEFORE = 1
const LONGEST_EXCERPT = 240

/** The framing, and the members that the label or the order of the rows shows. */
const BEGINNING = /^(?:event: [^\n]*\n)?(?:data: )?(?:\{"type": ?"[\w.-]*", ?(?:"sequence_number": ?\d+, ?)?)?/

/** Returns the part of a text around its first mark, or its beginning without what the label shows. */
export function excerptOf(text: string, marks: readonly Mark[]): ExcerptText {
  const begin = BEGINNING.exec(text)?.[0] ?? ''
  const start = Math.max(begin.length, (marks[0]?.start ?? 0) - BEFORE)
  const isCut = start > begin.length || begin.includes('{')
  const end = Math.min(start + LONGEST_EXCERPT, text.trimEnd().length)
  return cutText({ text, marks }, { start, end }, isCut ? '…' : '')
}

/** A part of a long text, and the number of characters that are left out before it. */
interface ShownPart extends ExcerptText {
  readonly omitted: number
}

/** Characters of a text that are shown whole: browsers need many seconds to break millions of them into lines. */
const LONGEST_WHOLE = 12_000
const FIRST = 3_000
const AROUND = 1_500
const LAST = 600

/** Returns a text whole, or if it is long, its beginning, the place of a mark, and its end. */
export function shownParts(all: ExcerptText, lit: TextRange | undefined): readonly ShownPart[] {
  const { length } = all.text
  if (length <= LONGEST_WHOLE) return [{ ...all, omitted: 0 }]
  const wanted = [
    { start: 0, end: FIRST },
    ...(lit === undefined ? [] : [{ start: Math.max(0, lit.start - AROUND), end: lit.start + AROUND }]),
    { start: length - LAST, end: length },
  ]
  const parts: ShownPart[] = []
  let at = 0
  for (const { start, end } of wanted) {
    const from = Math.max(at, start)
    if (from >= end) continue
    parts.push({ ...cutText(all, { start: from, end: Math.min(end, length) }), omitted: from - at })
    at = Math.min(end, length)
  }
  return parts
}
