import { countFindings } from './cell-lines.ts'
import type { Comparison } from './compared.ts'

/** The height of a line in pixels, as in `view.css`. A row has a border of one pixel. */
const LINE = 22
export const HEADER = 32

/** The top of each row, followed by the height of all of them. Lines never wrap, so that no row has to be measured. */
export function topsOf({ frames, targets, findingsOf }: Comparison): readonly number[] {
  const tops = [0]
  let top = 0
  frames.forEach(({ deltas }, row) => {
    const lines = Math.max(
      1 + countFindings(findingsOf.get(row)),
      deltas.length,
      ...targets.map(({ lineCounts }) => lineCounts[row] ?? 0),
    )
    top += lines * LINE + 1
    tops.push(top)
  })
  return tops
}

/** The index of the row at a height. O(log n). */
export function rowAt(tops: readonly number[], height: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((tops[middle] ?? 0) <= height) low = middle
    else high = middle - 1
  }
  return low
}
