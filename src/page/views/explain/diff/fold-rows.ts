import type { DiffRow } from './body-line.ts'

/** Rows that are shown, or a number of them that are not. */
export type DiffSection =
  | { readonly kind: 'rows'; readonly start: number; readonly end: number }
  | {
      readonly kind: 'fold'
      /** The rows from `start` to before `end`. */
      readonly start: number
      readonly end: number
      /** Whether the rows are the same in both bodies, or moved as a whole. */
      readonly isMoved: boolean
    }

/** Rows that stay visible on each side of a change. */
const CONTEXT = 3
/** A fold takes a row itself: fewer rows are shown. */
const LEAST = 4

/** Whether a row has nothing to look at: equal lines, or moved lines beside each other. */
export function isQuiet({ left, right }: DiffRow): boolean {
  if (left === null || right === null) return false
  if (left.kind === 'same') return right.kind === 'same'
  return left.kind === 'moved' && right.kind === 'moved' && left.other === right.path && left.name === right.name
}

/**
 * Folds rows without a change that are far from one. `noted`: rows that stay visible, such as those with a loss;
 * `opened`: the first rows of folds that were opened. The sections have every row once, in order.
 */
export function foldRows(
  rows: readonly DiffRow[],
  noted: ReadonlySet<number>,
  opened: ReadonlySet<number> = new Set(),
): readonly DiffSection[] {
  const sections: DiffSection[] = []
  const show = (start: number, end: number): void => {
    const last = sections.at(-1)
    if (start === end) return
    if (last?.kind === 'rows') sections[sections.length - 1] = { ...last, end }
    else sections.push({ kind: 'rows', start, end })
  }
  const close = (from: number, to: number): void => {
    const start = from === 0 ? 0 : from + CONTEXT
    const end = to === rows.length ? to : to - CONTEXT
    const isShort = end - start < LEAST
    if (isShort || opened.has(start)) {
      show(from, to)
      return
    }
    show(from, start)
    sections.push({ kind: 'fold', start, end, isMoved: rows[start]?.left?.kind === 'moved' })
    show(end, to)
  }
  let quietFrom = 0
  rows.forEach((row, at) => {
    const before = rows[at - 1]
    // A fold has either equal rows or moved ones.
    const turns = at > quietFrom && before !== undefined && before.left?.kind !== row.left?.kind
    if (isQuiet(row) && !noted.has(at)) {
      if (!turns) return
      close(quietFrom, at)
      quietFrom = at
      return
    }
    close(quietFrom, at)
    show(at, at + 1)
    quietFrom = at + 1
  })
  close(quietFrom, rows.length)
  return sections
}
