import type { FlowRange } from './cell-lines.ts'
import type { Comparison } from './compared.ts'

/** A row, and a part of a text that is followed through the columns; null: the row alone. */
export interface Selection {
  readonly row: number
  readonly range: FlowRange | null
}

export const isSame = (one: Selection, other: Selection): boolean =>
  one.row === other.row &&
  one.range?.flow === other.range?.flow &&
  one.range?.start === other.range?.start &&
  one.range?.end === other.range?.end

/** Rows that `PageUp` and `PageDown` pass. */
const PAGE = 20

/** Returns the selection after a key; null if the key does not move it. Left and right move between the texts of a row. */
export function moved({ row, range }: Selection, key: string, comparison: Comparison): Selection | null {
  const last = comparison.frames.length - 1
  const to = (target: number): Selection => ({ row: Math.max(0, Math.min(last, target)), range: null })
  switch (key) {
    case 'ArrowDown':
      return to(row + 1)
    case 'ArrowUp':
      return to(row - 1)
    case 'PageDown':
      return to(row + PAGE)
    case 'PageUp':
      return to(row - PAGE)
    case 'Home':
      return to(0)
    case 'End':
      return to(last)
    case 'ArrowRight':
      return beside(row, range, comparison, 1)
    case 'ArrowLeft':
      return beside(row, range, comparison, -1)
    default:
      return null
  }
}

function beside(row: number, range: FlowRange | null, comparison: Comparison, step: 1 | -1): Selection {
  const ranges = rangesIn(row, comparison)
  const at = ranges.findIndex(({ flow, start }) => flow === range?.flow && start === range.start)
  const next = at < 0 ? (step > 0 ? 0 : ranges.length - 1) : at + step
  return { row, range: ranges[next] ?? range }
}

/** The texts of a row: those of its deltas, and those that a target writes later than their delta. */
function rangesIn(row: number, { piecesOf, targets }: Comparison): readonly FlowRange[] {
  const all = [piecesOf, ...targets.map((target) => target.piecesOf)].flatMap((pieces) => pieces.get(row) ?? [])
  const ranges = new Map(all.map(({ flow, start, end }) => [`${start} ${flow}`, { flow, start, end }]))
  return [...ranges.values()]
}
